//! A channel of any transport: one call for a whole trial or a whole flow, so that no timed code
//! uses dynamic dispatch.

mod requests;

use std::fmt::Debug;
use std::io;

use linerate_core::endpoint::{LinkError, run_ready};
use linerate_core::payload::Messages;
use linerate_core::trial::{Half, Trial};

use crate::channel::{Channel, Wire};
use crate::flow::{Answering, Asking, Incoming, Outgoing};
use crate::memory::Reserved;
use crate::wait::Wait;

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

    /// Sends a whole flow and waits until the peer has read all of it.
    ///
    /// # Errors
    ///
    /// What the channel met.
    fn send_flow(&mut self, out: &mut Outgoing<'_>) -> Result<(), LinkError>;

    /// Receives a whole flow and confirms that to the peer.
    ///
    /// # Errors
    ///
    /// What the channel met.
    fn receive_flow(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError>;

    /// Sends all requests of `asking`.
    ///
    /// # Errors
    ///
    /// What the channel met.
    fn ask(&mut self, asking: &mut Asking<'_>) -> Result<(), LinkError>;

    /// Answers until the peer sends no more requests.
    ///
    /// # Errors
    ///
    /// What the channel met.
    fn answer(&mut self, answering: &mut Answering) -> Result<(), LinkError>;

    /// The channel itself, for what is not timed, and for flows that share a thread. Trials and whole
    /// flows hold and release their memory themselves.
    fn channel_mut(&mut self) -> &mut dyn Channel;

    /// A reference to the channel.
    fn channel(&self) -> &dyn Channel;
}

impl<C: Channel + Debug> Line for Wire<C> {
    fn initiate(&mut self, trial: &Trial, memory: &mut Reserved) -> Result<Half, LinkError> {
        match memory {
            Reserved::One(buffers) => self.initiate_in(trial, buffers),
            Reserved::Rings(rings) => self.initiate_in(trial, rings.as_mut()),
        }
    }

    fn respond(&mut self, trial: &Trial, memory: &mut Reserved) -> Result<Half, LinkError> {
        match memory {
            Reserved::One(buffers) => self.respond_in(trial, buffers),
            Reserved::Rings(rings) => self.respond_in(trial, rings.as_mut()),
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
        requests::ask(self, asking)
    }

    fn answer(&mut self, answering: &mut Answering) -> Result<(), LinkError> {
        requests::answer(self, answering)
    }

    fn channel_mut(&mut self) -> &mut dyn Channel {
        &mut self.channel
    }

    fn channel(&self) -> &dyn Channel {
        &self.channel
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

    /// Declares the trial's messages constant: they are written once, before the first is sent, and
    /// the next trial begins when both ends have received all of this one's.
    fn in_place<M: Messages>(&mut self, trial: &Trial, messages: &mut M) -> Result<(), LinkError> {
        let (out, into) = messages.memory(trial.message_len()?);
        self.channel.hold(out, into)
    }
}

fn send_flow(channel: &mut impl Channel, out: &mut Outgoing<'_>) -> Result<(), LinkError> {
    channel.send_bulk(out)?;
    channel.finish_sending()?;
    // The receiver sends nothing, and ends its direction when it has read the last byte.
    match channel.pull(&mut [0], Wait::Patiently) {
        Err(LinkError::Closed) => {
            out.acknowledged();
            Ok(())
        }
        Ok(_) => Err(LinkError::System {
            operation: "wait for the end of the flow",
            source: io::Error::new(io::ErrorKind::InvalidData, "the receiver sent unexpected bytes"),
        }),
        Err(error) => Err(error),
    }
}
