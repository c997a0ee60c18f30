//! Messages whose receives are posted before they can be sent (`MPI_Irecv`), and windows of messages on their way at
//! once (`MPI_Isend`).
//!
//! The memory of such a message belongs to the end and not to the pattern, because it is the MPI's while the message is
//! on its way. So the patterns get empty messages ([`WithEnd`]), and the end looks at what arrived.

use std::collections::VecDeque;
use std::hint::spin_loop;
use std::rc::Rc;

use linerate_core::endpoint::{Endpoint, LinkError};
use linerate_core::payload::{self, Check, Corruption, Messages, Turns};
use linerate_core::trial::Trial;
use linerate_core::units::{Span, Time};
use linerate_net::observe::HostClock;

use super::{TAG, failed, whole};
use crate::sys::{Group, Receiving, Sending};

/// Receives that are posted where messages do not overlap: the one that is waited for, and the next.
const AHEAD: usize = 2;
/// The most memory of the messages of a window in one direction, unless two need more. Unit: bytes.
const MOST_MEMORY: u64 = 64 << 20;

/// One end for one trial.
#[derive(Debug)]
pub struct PostedEnd<'a> {
    group: &'a Group,
    peer: usize,
    clock: HostClock,
    length: usize,
    window: usize,
    out: Rc<[u8]>,
    sending: VecDeque<Sending>,
    posted: VecDeque<Receiving>,
    /// Receives that are still to be posted.
    due: u64,
    arrived: VecDeque<Box<[u8]>>,
}

/// How many messages of `size` bytes are on their way at once where `asked` is the window. Unit of size: bytes.
#[must_use]
pub fn window_of(asked: u32, size: u64) -> usize {
    let fitting = (MOST_MEMORY / size.max(1)).max(2);
    usize::try_from(fitting.min(asked.into())).unwrap_or(1)
}

impl<'a> PostedEnd<'a> {
    /// One end of `trial` with rank `peer`: it sends messages with `seed`, `window` of them at once, and receives as many as
    /// `receives`. The first receives are posted.
    ///
    /// # Errors
    ///
    /// What the MPI says.
    pub fn post(
        group: &'a Group,
        [peer, window]: [usize; 2],
        clock: HostClock,
        trial: &Trial,
        [seed, receives]: [u64; 2],
    ) -> Result<Self, LinkError> {
        let length = trial.message_len()?;
        let mut out = vec![0; length];
        payload::write(&mut out, seed, trial.check);
        let posted = VecDeque::with_capacity(window.max(AHEAD));
        let sending = VecDeque::with_capacity(window);
        let arrived = VecDeque::with_capacity(window.max(AHEAD));
        let out = out.into();
        let mut end =
            Self { group, peer, clock, length, window, out, sending, posted, due: receives, arrived };
        for _ in 0..window.max(AHEAD) {
            // Written now, so that no page fault falls into a timed part.
            end.post_next(vec![0x5a; length].into())?;
        }
        end.arrived.clear();
        Ok(end)
    }

    /// Posts a receive into `place`, or keeps that if none is due.
    fn post_next(&mut self, place: Box<[u8]>) -> Result<(), LinkError> {
        if self.due == 0 {
            self.arrived.push_back(place);
            return Ok(());
        }
        self.due -= 1;
        let receive = self.group.start_receive(self.peer, TAG, place, self.length).map_err(failed)?;
        self.posted.push_back(receive);
        Ok(())
    }

    fn start_send(&mut self) -> Result<(), LinkError> {
        if self.sending.len() == self.window
            && let Some(oldest) = self.sending.pop_front()
        {
            oldest.wait().map_err(failed)?;
        }
        let sending = self.group.start_send(self.peer, TAG, &self.out, self.length).map_err(failed)?;
        self.sending.push_back(sending);
        Ok(())
    }

    fn receive(&mut self) -> Result<(), LinkError> {
        let Some(receive) = self.posted.pop_front() else { return whole(0, self.length) };
        let (place, arrived) = receive.wait().map_err(failed)?;
        whole(self.length, arrived)?;
        self.post_next(place)
    }

    fn sent(&mut self) -> Result<(), LinkError> {
        self.sending.drain(..).try_for_each(|sending| sending.wait().map_err(failed))
    }

    /// Waits until everything that was sent may be forgotten, and looks at the last messages that arrived.
    ///
    /// # Errors
    ///
    /// What the MPI says.
    pub fn settle(mut self, seed: u64, check: Check) -> Result<Option<Corruption>, LinkError> {
        self.sent()?;
        let looked = self.arrived.iter().try_for_each(|message| payload::inspect(message, seed, check));
        Ok(looked.err())
    }
}

impl Endpoint for PostedEnd<'_> {
    #[inline]
    fn now(&self) -> Time {
        self.clock.now()
    }

    async fn send(&mut self, _: &[u8]) -> Result<(), LinkError> {
        if self.window == 1 {
            return self.group.send(self.peer, TAG, &self.out).map_err(failed);
        }
        self.start_send()
    }

    async fn recv(&mut self, _: &mut [u8]) -> Result<(), LinkError> {
        self.receive()
    }

    async fn exchange(&mut self, _: &[u8], _: &mut [u8]) -> Result<(), LinkError> {
        self.start_send()?;
        self.receive()?;
        if self.window == 1 { self.sent() } else { Ok(()) }
    }

    async fn wait(&mut self, span: Span) {
        let start = self.clock.now();
        while self.clock.now().since(start) < span {
            spin_loop();
        }
    }
}

/// The messages of a pattern lie with its end.
#[derive(Debug)]
pub struct WithEnd;

impl Messages for WithEnd {
    type Turns<'a> = Self;

    fn memory(&mut self, _: usize) -> (&[u8], &mut [u8]) {
        (&[], &mut [])
    }

    fn prepare(&mut self, _: usize, _: u64, _: Check) {}

    fn turns(&mut self, _: usize) -> Self {
        Self
    }

    fn inspect(&mut self, _: usize, _: u64, _: Check) -> Result<(), Corruption> {
        Ok(())
    }
}

impl Turns for WithEnd {
    fn outgoing(&self) -> &[u8] {
        &[]
    }

    fn incoming(&mut self) -> &mut [u8] {
        &mut []
    }

    fn both(&mut self) -> (&[u8], &mut [u8]) {
        (&[], &mut [])
    }

    fn sent(&mut self) {}

    fn received(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_long_messages_is_shorter_and_never_below_two() {
        assert_eq!(window_of(64, 1), 64);
        assert_eq!(window_of(64, 1 << 20), 64);
        assert_eq!(window_of(64, 4 << 20), 16);
        assert_eq!(window_of(64, 1 << 30), 2);
        assert_eq!(window_of(1, 1 << 30), 1, "no window was asked for");
    }
}
