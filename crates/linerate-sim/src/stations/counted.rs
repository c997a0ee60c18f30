//! Flows whose bytes are only counted, as loads use them: their content is not stored.
//!
//! A plain flow has no FIN. One extra byte marks its end, in a packet of its own or with the last
//! of the data. Neither end counts that byte.

use super::{Broken, Event, Flow, Stations};
use crate::kernel::{Includes, Kernel};
use crate::machine::End;
use crate::stack::Side;

/// How far each end of a plain flow has closed it; pairs are by side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Finish {
    /// What each end has written and read of what is counted. Unit: bytes.
    written: [u64; 2],
    read: [u64; 2],
    /// Each end wrote all that it will, and then its last byte, if there was room for it.
    finished: [bool; 2],
    told: [bool; 2],
    /// That byte has come in.
    over: [bool; 2],
}

impl Stations {
    /// Lists from now on the ends at which an application may go on.
    pub fn follow(&mut self) {
        self.stirs = Some(Vec::new());
    }

    /// Moves the ends at which an application may go on, since last asked, to the end of `into`.
    pub fn take_stirs(&mut self, into: &mut Vec<End>) {
        let Some(stirs) = &mut self.stirs else { return };
        into.append(stirs);
        for end in &*into {
            self.ends_mut(end.flow).0[end.side as usize] = false;
        }
    }

    /// Lists `end` if its application may go on.
    #[inline]
    pub(super) fn tell(&mut self, end: End) {
        if self.stirs.is_some() && self.ends_mut(end.flow).0[end.side as usize] {
            self.stirs.iter_mut().for_each(|stirs| stirs.push(end));
        }
    }

    pub(super) fn tell_both(&mut self, flow: u32) {
        for side in [Side::First, Side::Second] {
            self.tell(End { flow, side });
        }
    }

    /// The application at an end calls send for `bytes`, or for the rest of them; returns how many
    /// a finished call has sent, 0 while it goes on.
    ///
    /// # Errors
    ///
    /// When nothing of it can arrive any more.
    pub fn send(
        &mut self,
        end: End,
        bytes: u64,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Result<u64, Broken> {
        if let Flow::Tcp(_) = self.flows[end.flow as usize] {
            return self.tcp_send(end, bytes, kernel);
        }
        let connection = self.plain(end.flow);
        if let Some(broken) = connection.broken() {
            return Err(broken);
        }
        let asked = usize::try_from(bytes).unwrap_or(usize::MAX);
        let sent = connection.flow.write_blank(end.side, asked) as u64;
        connection.finish.written[end.side as usize] += sent;
        self.wake_sender(end.flow, end.side);
        Ok(sent)
    }

    /// The application at an end calls receive for up to `most` bytes; returns how many a finished
    /// call has received, 0 while it goes on.
    ///
    /// # Errors
    ///
    /// [`Broken::Closed`] when the other end has finished and all of its bytes were received.
    pub fn recv(
        &mut self,
        end: End,
        most: u64,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Result<u64, Broken> {
        if let Flow::Tcp(_) = self.flows[end.flow as usize] {
            return self.tcp_receive(end, most, kernel);
        }
        self.plain_finish(end.flow, end.side);
        let connection = self.plain(end.flow);
        let (here, there) = (end.side as usize, end.side.other() as usize);
        let mut received = connection.flow.skip(end.side, usize::try_from(most).unwrap_or(usize::MAX)) as u64;
        let finish = &mut connection.finish;
        finish.read[here] += received;
        let over = finish.told[there] && finish.read[here] > finish.written[there];
        if over {
            // The last byte does not belong to the application.
            finish.read[here] -= 1;
            received -= 1;
            finish.over[here] = true;
        }
        let (over, broken) = (finish.over[here], connection.broken());
        self.wake_sender(end.flow, end.side);
        match (received, broken) {
            (0, _) if over => Err(Broken::Closed),
            (0, Some(broken)) => Err(broken),
            _ => Ok(received),
        }
    }

    /// The application at an end sends nothing more: the other end receives its end after the last
    /// byte.
    pub fn finish(&mut self, end: End, kernel: &mut Kernel<impl Includes<Event>>) {
        if let Flow::Tcp(_) = self.flows[end.flow as usize] {
            self.tcp_finish(end, kernel);
        } else {
            self.plain(end.flow).finish.finished[end.side as usize] = true;
            self.plain_finish(end.flow, end.side);
        }
    }

    /// Writes the byte that marks the end of `side`, as soon as there is room for it.
    fn plain_finish(&mut self, flow: u32, side: Side) {
        let connection = self.plain(flow);
        let finish = &mut connection.finish;
        if finish.finished[side as usize] && !finish.told[side as usize] {
            finish.told[side as usize] = connection.flow.write_blank(side, 1) == 1;
            self.wake_sender(flow, side);
        }
    }
}
