//! A ping-pong in which both kernels stamp every message (`SO_TIMESTAMPING`).
//!
//! Every message begins with its number, so that a late or repeated datagram is not taken for the
//! next. A lost datagram ends its size early; earlier messages are kept.
//!
//! Source: kernel documentation, networking/timestamping.

#[cfg(on_linux)]
mod begun;
mod rounds;
#[cfg(on_linux)]
mod stamper;
#[cfg(not(on_linux))]
#[path = "stages/absent.rs"]
mod stamper;
#[cfg(test)]
mod tests;

use std::os::fd::BorrowedFd;

use linerate_core::endpoint::LinkError;
use linerate_core::options::{Io, SocketOptions};
use linerate_core::stages::{Marks, WARM_UP};
use linerate_core::transport::Transport;
use linerate_core::trial::Tally;
use linerate_core::units::Span;

use rounds::{Received, Rounds};
use stamper::Stamper;

/// No further size starts after this time: a path with long round trips shows fewer sizes.
pub(crate) const LONGEST: Span = Span::from_ms(20_000);

/// The options of the socket that is stamped: plain calls, whatever the curve is measured with,
/// because only these have the stamps.
pub(crate) fn options(asked: &SocketOptions) -> SocketOptions {
    SocketOptions { io: Io::SendRecv, receive_io: None, gso: false, gro: false, ..asked.clone() }
}

/// What passed in `messages` whole rounds.
pub(crate) fn tally(size: u64, messages: u64) -> Tally {
    let bytes = size.saturating_mul(messages);
    Tally { sent_bytes: bytes, received_bytes: bytes, sent: messages, received: messages }
}

/// One end of the channel whose messages are stamped.
pub(crate) struct Stamped<'a> {
    stamper: Stamper<'a>,
}

impl<'a> Stamped<'a> {
    /// Has the kernel stamp what passes through `socket` of `transport` from now on.
    pub(crate) fn new(socket: BorrowedFd<'a>, transport: Transport) -> Result<Self, LinkError> {
        Ok(Self { stamper: Stamper::new(socket, transport.is_datagram())? })
    }

    /// Whether the kernel is to stamp from now on; it does after [`Self::new`].
    pub(crate) fn stamping(&mut self, stamping: bool) -> Result<(), LinkError> {
        self.stamper.set_stamping(stamping)
    }

    /// Discards what is left of messages that were given up; before the first message of a size.
    pub(crate) fn begin(&mut self, size: usize) -> Result<(), LinkError> {
        self.stamper.resize(size);
        self.stamper.drain()
    }

    /// Sends `count` messages and receives the answer to each; returns the marks of those that were
    /// answered.
    pub(crate) fn ask(&mut self, count: u32) -> Result<Vec<Marks>, LinkError> {
        let mut told = Rounds::new(count);
        for number in 0..count {
            let sent = self.stamper.send(number)?;
            let Some(answer) = self.take(number)? else { break };
            told.add(sent, answer);
            // By now the message is acknowledged, so all of its stamps are there.
            self.stamper.reap(&mut told)?;
        }
        self.stamper.settle(&mut told, self.stamper.is_acknowledged())?;
        Ok(told.into_marks())
    }

    /// Takes message `number`, while it is only a warm-up with care.
    fn take(&mut self, number: u32) -> Result<Option<Received>, LinkError> {
        if number < WARM_UP { self.stamper.receive_with_care(number) } else { self.stamper.receive(number) }
    }

    /// Receives `count` messages and answers each; returns their marks.
    pub(crate) fn answer(&mut self, count: u32) -> Result<Vec<Marks>, LinkError> {
        let mut told = Rounds::new(count);
        for number in 0..count {
            let Some(arrival) = self.take(number)? else { break };
            // Here and not after the answer, because the next message must be waited for by then.
            self.stamper.reap(&mut told)?;
            let sent = self.stamper.send(number)?;
            told.add(sent, arrival);
        }
        // The acknowledgements of answers are not needed.
        self.stamper.settle(&mut told, false)?;
        Ok(told.into_marks())
    }
}
