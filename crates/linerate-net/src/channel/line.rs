//! A channel whose transport is no longer known: one call for a whole trial or a whole flow, so
//! that nothing that is timed goes through a table of functions.

use std::fmt::Debug;
use std::io;
use std::os::fd::BorrowedFd;

use linerate_core::endpoint::{LinkError, run_ready};
use linerate_core::environment::Fact;
use linerate_core::observation::Connection;
use linerate_core::options::Granted;
use linerate_core::payload::Messages;
use linerate_core::traffic::IoReport;
use linerate_core::trial::{Half, Trial};
use linerate_core::units::Span;

use super::{Channel, Remote, Wire};
use crate::memory::Reserved;
use crate::traffic::{Answering, Asking, Incoming, Outgoing, rr};
use crate::wait::{Interest, Wait};

/// One end of a channel under test, of whatever transport.
pub trait Line: Send + Debug {
    /// Runs the end of a trial that starts.
    ///
    /// # Errors
    ///
    /// What the channel met.
    fn initiate(&mut self, trial: &Trial, memory: &mut Reserved) -> Result<Half, LinkError>;

    /// Runs the end of a trial that answers.
    ///
    /// # Errors
    ///
    /// What the channel met.
    fn respond(&mut self, trial: &Trial, memory: &mut Reserved) -> Result<Half, LinkError>;

    /// Sends a flow to its end and waits until the peer has read all of it.
    ///
    /// # Errors
    ///
    /// What the channel met.
    fn send_flow(&mut self, out: &mut Outgoing<'_>) -> Result<(), LinkError>;

    /// Receives a flow to its end and tells the peer so.
    ///
    /// # Errors
    ///
    /// What the channel met.
    fn receive_flow(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError>;

    /// Asks as `asking` says, to its end.
    ///
    /// # Errors
    ///
    /// What the channel met.
    fn ask(&mut self, asking: &mut Asking<'_>) -> Result<(), LinkError>;

    /// Answers until the peer asks no more.
    ///
    /// # Errors
    ///
    /// What the channel met.
    fn answer(&mut self, answering: &mut Answering) -> Result<(), LinkError>;

    /// [`Channel::hold`]. Trials and whole flows do it themselves.
    ///
    /// # Errors
    ///
    /// As there.
    fn hold(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), LinkError>;

    /// [`Channel::release`].
    ///
    /// # Errors
    ///
    /// As there.
    fn release(&mut self, wait: Wait) -> Result<(), LinkError>;

    /// [`Channel::push`].
    ///
    /// # Errors
    ///
    /// As there.
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError>;

    /// [`Channel::pull`].
    ///
    /// # Errors
    ///
    /// As there.
    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError>;

    /// [`Channel::ready`].
    ///
    /// # Errors
    ///
    /// As there.
    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError>;

    /// [`Channel::finish_sending`].
    ///
    /// # Errors
    ///
    /// As there.
    fn finish_sending(&mut self) -> Result<(), LinkError>;

    /// [`Channel::descriptor`].
    fn descriptor(&self) -> Option<BorrowedFd<'_>>;

    /// [`Channel::natural_message`].
    fn natural_message(&self) -> u64;

    /// [`Channel::granted`].
    fn granted(&self) -> Granted;

    /// [`Channel::connection`].
    fn connection(&self) -> Fact<Connection>;

    /// [`Channel::io_report`].
    fn io_report(&self) -> Option<IoReport>;

    /// [`Channel::remote`].
    ///
    /// # Errors
    ///
    /// As there.
    fn remote(&self) -> io::Result<Box<dyn Remote>>;
}

impl<C: Channel + Debug> Line for Wire<C> {
    fn initiate(&mut self, trial: &Trial, memory: &mut Reserved) -> Result<Half, LinkError> {
        match memory {
            Reserved::One(buffers) => self.initiate_in(trial, buffers),
            Reserved::Laid(laid) => self.initiate_in(trial, laid.as_mut()),
        }
    }

    fn respond(&mut self, trial: &Trial, memory: &mut Reserved) -> Result<Half, LinkError> {
        match memory {
            Reserved::One(buffers) => self.respond_in(trial, buffers),
            Reserved::Laid(laid) => self.respond_in(trial, laid.as_mut()),
        }
    }

    fn send_flow(&mut self, out: &mut Outgoing<'_>) -> Result<(), LinkError> {
        self.channel.hold(out.memory(), &mut [])?;
        let sent = send_flow(&mut self.channel, out);
        // After a failure there is nothing to wait for.
        let wait = if sent.is_ok() { Wait::Patiently } else { Wait::Never };
        let released = self.channel.release(wait);
        sent.and(released)
    }

    fn receive_flow(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError> {
        self.channel.hold(&[], into.memory())?;
        let received = self.channel.receive_bulk(into);
        let released = self.channel.release(Wait::Never);
        received.and(released)?;
        self.channel.finish_sending()
    }

    fn ask(&mut self, asking: &mut Asking<'_>) -> Result<(), LinkError> {
        rr::ask(&mut self.channel, asking)
    }

    fn answer(&mut self, answering: &mut Answering) -> Result<(), LinkError> {
        rr::answer(&mut self.channel, answering)
    }

    fn hold(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), LinkError> {
        self.channel.hold(out, into)
    }

    fn release(&mut self, wait: Wait) -> Result<(), LinkError> {
        self.channel.release(wait)
    }

    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        self.channel.push(data, wait)
    }

    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        self.channel.pull(into, wait)
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        self.channel.ready(interest, within)
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        self.channel.finish_sending()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.channel.descriptor()
    }

    fn natural_message(&self) -> u64 {
        self.channel.natural_message()
    }

    fn granted(&self) -> Granted {
        self.channel.granted()
    }

    fn connection(&self) -> Fact<Connection> {
        self.channel.connection()
    }

    fn io_report(&self) -> Option<IoReport> {
        self.channel.io_report()
    }

    fn remote(&self) -> io::Result<Box<dyn Remote>> {
        self.channel.remote()
    }
}

impl<C: Channel> Wire<C> {
    fn initiate_in<M: Messages>(&mut self, trial: &Trial, messages: &mut M) -> Result<Half, LinkError> {
        self.in_place(trial, messages)?;
        let half = run_ready(trial.pattern.initiate(self, trial, messages));
        let released = self.channel.release(Wait::Never);
        half.and_then(|half| released.map(|()| half))
    }

    fn respond_in<M: Messages>(&mut self, trial: &Trial, messages: &mut M) -> Result<Half, LinkError> {
        self.in_place(trial, messages)?;
        let half = run_ready(trial.pattern.respond(self, trial, messages));
        let released = self.channel.release(Wait::Never);
        half.and_then(|half| released.map(|()| half))
    }

    /// Says that the trial's messages lie still. They are written once, before the first is sent,
    /// and the next trial begins when both ends have all of this one's.
    fn in_place<M: Messages>(&mut self, trial: &Trial, messages: &mut M) -> Result<(), LinkError> {
        let (out, into) = messages.memory(trial.message_len()?);
        self.channel.hold(out, into)
    }
}

fn send_flow(channel: &mut impl Channel, out: &mut Outgoing<'_>) -> Result<(), LinkError> {
    channel.send_bulk(out)?;
    channel.finish_sending()?;
    // The receiver says nothing and ends its direction when it has read the last byte.
    match channel.pull(&mut [0], Wait::Patiently) {
        Err(LinkError::Closed) => {
            out.acknowledged();
            Ok(())
        }
        Ok(_) => Err(LinkError::System {
            operation: "wait for the end of the flow",
            source: io::Error::new(io::ErrorKind::InvalidData, "the receiver sent bytes of its own"),
        }),
        Err(error) => Err(error),
    }
}
