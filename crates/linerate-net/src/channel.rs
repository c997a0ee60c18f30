//! One end of a channel under test: the interface of every transport, and what builds on it.
//!
//! A transport implements [`Channel`] with bytes that move in pieces. [`Wire`] makes an
//! [`Endpoint`](linerate_core::endpoint::Endpoint) of any of them, and a
//! [`Line`](crate::line::Line) hides which one it is, outside of every loop that is timed.

mod cancel_group;
mod wire;

use std::os::fd::BorrowedFd;

use linerate_core::endpoint::{Arrived, LinkError};
use linerate_core::environment::Fact;
use linerate_core::kernel::TcpSample;
use linerate_core::observation::Connection;
use linerate_core::options::Granted;
use linerate_core::traffic::{DEFAULT_MESSAGE, IoReport};
use linerate_core::units::Span;

use crate::flow::{Incoming, Outgoing};
use crate::wait::{Interest, Wait};

pub use cancel_group::{CancelGroup, Registration};
pub use wire::Wire;

/// One end of a channel that moves bytes in pieces. A datagram channel's piece is a whole message:
/// it hands over all of `data` or nothing, and fills `into` with exactly one.
///
/// Signals that interrupt a system call are not seen outside.
pub trait Channel: Send {
    /// Sends the beginning of `data`, as much as goes in one call; returns how many bytes. 0 only
    /// with [`Wait::Never`].
    ///
    /// # Errors
    ///
    /// [`LinkError::Closed`] when the peer reads no more, [`LinkError::TooLong`] for a message
    /// above the datagram limit.
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError>;

    /// Receives what is there, up to the whole of `into`; returns how many bytes. 0 only with
    /// [`Wait::Never`].
    ///
    /// # Errors
    ///
    /// [`LinkError::Closed`] at the end of what the peer sent.
    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError>;

    /// Waits until bytes can move as `interest` says, or `within` has passed; returns whether they
    /// can.
    ///
    /// # Errors
    ///
    /// Errors of the operating system. The end of the channel counts as ready.
    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError>;

    /// Says that nothing more will be sent: the peer's [`pull`](Self::pull) gives `Closed` after
    /// the last byte. What the peer sends still arrives.
    ///
    /// # Errors
    ///
    /// What the operating system refuses.
    fn finish_sending(&mut self) -> Result<(), LinkError>;

    /// The default message of a bulk flow. Unit: bytes.
    fn natural_message(&self) -> u64 {
        DEFAULT_MESSAGE
    }

    /// What has arrived and was not pulled, as far as the channel can say.
    fn arrived(&self) -> Arrived {
        Arrived::default()
    }

    /// What waits in the socket, in the form in which it came. Unit: bytes.
    fn backlog(&self) -> u64 {
        self.arrived().waiting
    }

    /// The options that the socket really has.
    fn granted(&self) -> Granted;

    /// What TCP reports, if TCP carries it.
    fn connection(&self) -> Fact<Connection> {
        Fact::unknown("TCP does not carry it")
    }

    /// What TCP reports now, if TCP carries it; the time of the sample is left at zero.
    fn tcp(&self) -> Option<TcpSample> {
        self.handle().ok()?.tcp()
    }

    /// A handle to watch the channel, and to cancel it, from another thread.
    ///
    /// # Errors
    ///
    /// When there are no more descriptors.
    fn handle(&self) -> std::io::Result<Box<dyn ChannelHandle>>;

    /// Its socket, if one descriptor represents the channel in `poll` and `epoll`.
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Says that messages in `out` stay as they are from when they are pushed until the peer has
    /// them, and that `out` and `into` stay where they are, until [`release`](Self::release). I/O
    /// engines that lend memory to the kernel need to know.
    ///
    /// # Errors
    ///
    /// When the kernel refuses the memory.
    fn hold(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), LinkError> {
        let _ = (out, into);
        Ok(())
    }

    /// Ends what [`hold`](Self::hold) began. After a flow, with [`Wait::Patiently`], it waits until
    /// the kernel has returned all lent memory.
    ///
    /// # Errors
    ///
    /// What the operating system refuses.
    fn release(&mut self, wait: Wait) -> Result<(), LinkError> {
        let _ = wait;
        Ok(())
    }

    /// What the I/O engine reports.
    fn io_report(&self) -> Option<IoReport> {
        None
    }

    /// Sends everything in `out`. The caller then signals the end to the peer with
    /// [`finish_sending`](Self::finish_sending).
    ///
    /// # Errors
    ///
    /// The errors of [`push`](Self::push).
    fn send_bulk(&mut self, out: &mut Outgoing<'_>) -> Result<(), LinkError> {
        while let Some(piece) = out.next_piece() {
            let moved = self.push(piece, Wait::Patiently)?;
            out.sent(moved);
        }
        Ok(())
    }

    /// Receives until the peer has sent all.
    ///
    /// # Errors
    ///
    /// The errors of [`pull`](Self::pull), except the end.
    fn receive_bulk(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError> {
        loop {
            match self.pull(into.buffer(), Wait::Patiently) {
                Ok(moved) => into.received(moved),
                Err(LinkError::Closed) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}

/// A channel as another thread sees it.
pub trait ChannelHandle: Send + Sync + std::fmt::Debug {
    /// Cancels the channel: calls that wait in it soon return with an error.
    fn cut(&self);

    /// Cancels the channel, and discards what has not reached the peer, where that would take the
    /// path from what comes after.
    fn abort(&self) {
        self.cut();
    }

    /// What TCP reports now, if TCP carries it; the time of the sample is left at zero.
    fn tcp(&self) -> Option<TcpSample> {
        None
    }

    /// How long ago anything came from the peer, if TCP carries it.
    fn heard_ago(&self) -> Option<Span> {
        None
    }
}
