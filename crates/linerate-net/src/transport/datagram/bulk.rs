//! What a datagram channel does for a bulk flow at its sending end.

use std::io;
use std::os::fd::AsFd as _;

use linerate_core::endpoint::LinkError;
use rustix::io::Errno;

use super::header::{HEADER_LEN, Header, Kind};
use super::{DatagramChannel, LONGEST};
use crate::flow::Outgoing;
use crate::sys::NO_SIGNAL;
use crate::sys::mmsg::Batch;
use crate::wait::retry;

/// Datagrams that the kernel cuts one message into at most. Newer kernels take 128.  Source:
/// `UDP_MAX_SEGMENTS` of linux/udp.h of 4.18.
const SEGMENTS: usize = 64;

impl DatagramChannel {
    pub(super) fn send_flow(&mut self, out: &mut Outgoing<'_>) -> Result<(), LinkError> {
        let message = out.message();
        let together = self.together(message.len())?;
        let cut = if together > 1 { message.len() } else { 0 };
        self.carrier.set_segment(&self.socket, cut).map_err(refused("have the kernel cut datagrams"))?;
        self.closing.sent = Some(0);
        let sent = self.send_all(out, together);
        let whole = self.carrier.set_segment(&self.socket, 0);
        sent?;
        whole.map_err(refused("have the kernel leave datagrams whole"))
    }

    /// How many messages of `size` go to the kernel as one.
    fn together(&self, size: usize) -> Result<usize, LinkError> {
        if size < HEADER_LEN {
            let text =
                format!("a datagram of a flow begins with {HEADER_LEN} B of its own; {size} B are too short");
            return Err(refused("send")(io::Error::new(io::ErrorKind::InvalidInput, text)));
        }
        let gso = self.gso && self.carrier.has_segments();
        let largest = if gso {
            // The kernel cuts only into pieces that fit the path.
            self.carrier.unfragmented(&self.socket)
        } else {
            self.carrier.largest(&self.socket)
        };
        let largest = largest.map_err(refused("look at the path"))?;
        if size as u64 > largest {
            return Err(LinkError::TooLong { size: size as u64, largest });
        }
        // What goes to the kernel as one is one datagram to its checks.
        let whole = self.carrier.longest(LONGEST) / size;
        Ok(if gso { whole.clamp(1, SEGMENTS) } else { 1 })
    }

    fn send_all(&mut self, out: &mut Outgoing<'_>, together: usize) -> Result<(), LinkError> {
        // Whole messages to the kernel.
        let most = together * (self.batch / together).max(1);
        let mut headers = vec![[0; HEADER_LEN]; most];
        let mut batch = Batch::new(most);
        let tail = &out.message()[HEADER_LEN..];
        loop {
            let count = out.batch(most);
            if count > 0 {
                self.stamp(&mut headers[..count]);
                let mut done = 0;
                while done < count {
                    let left = &headers[done..count];
                    match retry(|| batch.send(self.socket.as_fd(), left, tail, together)) {
                        Ok(more) => done += more,
                        Err(errno) => {
                            self.count(done);
                            out.sent_messages(done);
                            return Err(self.send_failed(errno, out.message().len()));
                        }
                    }
                }
                self.count(done);
                out.sent_messages(done);
            } else if let Some(piece) = out.next_piece() {
                let len = piece.len();
                self.send_one(piece)?;
                out.sent(len);
            } else {
                return Ok(());
            }
        }
    }

    /// Writes the headers of the next datagrams, with one look at the clock.
    fn stamp(&self, headers: &mut [[u8; HEADER_LEN]]) {
        let (first, sent_ns) = (self.closing.sent.unwrap_or(0), self.now_ns());
        for (number, header) in (first..).zip(headers) {
            *header = Header { kind: Kind::Data, number, sent_ns }.encode(&self.cookie);
        }
    }

    fn count(&mut self, datagrams: usize) {
        self.closing.sent = Some(self.closing.sent.unwrap_or(0) + datagrams as u64);
    }

    /// Sends the last piece of a flow that is bounded in bytes: a datagram of its length or, if it
    /// is shorter than a header, one that says how much it counts.
    fn send_one(&mut self, piece: &[u8]) -> Result<(), LinkError> {
        let (number, sent_ns) = (self.closing.sent.unwrap_or(0), self.now_ns());
        let head = |kind| Header { kind, number, sent_ns }.encode(&self.cookie).to_vec();
        let datagram = match (piece.get(HEADER_LEN..), u8::try_from(piece.len())) {
            (None, Ok(counted)) => [head(Kind::Short), vec![counted]].concat(),
            (tail, _) => [&head(Kind::Data), tail.unwrap_or_default()].concat(),
        };
        retry(|| rustix::net::send(&self.socket, &datagram, NO_SIGNAL))
            .map_err(|errno| self.send_failed(errno, datagram.len()))?;
        self.count(1);
        Ok(())
    }

    fn send_failed(&self, errno: Errno, size: usize) -> LinkError {
        match errno {
            Errno::MSGSIZE => self.too_long(size),
            Errno::AGAIN if !self.is_cut() => LinkError::Stalled(self.patience),
            errno => self.failed("send", errno),
        }
    }
}

/// For `map_err`: what was being done when the operating system refused.
pub(super) fn refused(operation: &'static str) -> impl FnOnce(io::Error) -> LinkError {
    move |source| LinkError::System { operation, source }
}
