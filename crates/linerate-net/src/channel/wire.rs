//! Any channel as an endpoint, with the host's clock.

use linerate_core::endpoint::{Arrived, Endpoint, LinkError};
use linerate_core::options::Waiting;
use linerate_core::units::{Span, Time};

use super::Channel;
use crate::observe::HostClock;
use crate::wait::{Interest, PATIENCE, Wait};

/// How many times a spinning receiver asks before it looks at the clock.
const ASKED_A_LOOK: u32 = 64;

/// A channel with the clock that times it.
#[derive(Debug)]
pub struct Wire<C> {
    /// What moves the bytes.
    pub channel: C,
    clock: HostClock,
    waiting: Waiting,
    patience: Span,
}

impl<C: Channel> Wire<C> {
    /// A channel that `clock` times, whose receiver sleeps until bytes arrive.
    pub const fn new(channel: C, clock: HostClock) -> Self {
        Self { channel, clock, waiting: Waiting::Block, patience: PATIENCE }
    }

    /// The same, whose receiver waits so, and gives up after `patience` without a byte where the
    /// channel does not.
    #[must_use]
    pub fn waiting(self, waiting: Waiting, patience: Span) -> Self {
        Self { waiting, patience, ..self }
    }

    /// Receives what is there, up to the whole of `into`, or waits for it as this end does; returns
    /// how many bytes, at least one.
    ///
    /// # Errors
    ///
    /// The errors of [`Channel::pull`].
    #[inline]
    pub(crate) fn pull(&mut self, into: &mut [u8]) -> Result<usize, LinkError> {
        match self.waiting {
            Waiting::Block => self.channel.pull(into, Wait::Patiently),
            Waiting::Spin => self.spin(into),
        }
    }

    fn spin(&mut self, into: &mut [u8]) -> Result<usize, LinkError> {
        let mut began = None;
        loop {
            for _ in 0..ASKED_A_LOOK {
                match self.channel.pull(into, Wait::Never)? {
                    0 => std::hint::spin_loop(),
                    moved => return Ok(moved),
                }
            }
            let now = self.clock.now();
            if now.since(*began.get_or_insert(now)) > self.patience {
                return Err(LinkError::Stalled(self.patience));
            }
        }
    }

    #[inline]
    fn send_all(&mut self, mut data: &[u8]) -> Result<(), LinkError> {
        while !data.is_empty() {
            let sent = self.channel.push(data, Wait::Patiently)?;
            data = &data[sent..];
        }
        Ok(())
    }

    #[inline]
    fn recv_all(&mut self, mut data: &mut [u8]) -> Result<(), LinkError> {
        while !data.is_empty() {
            let received = self.pull(data)?;
            data = &mut data[received..];
        }
        Ok(())
    }
}

impl<C: Channel> Endpoint for Wire<C> {
    #[inline]
    fn now(&self) -> Time {
        self.clock.now()
    }

    #[inline]
    async fn send(&mut self, data: &[u8]) -> Result<(), LinkError> {
        self.send_all(data)
    }

    #[inline]
    async fn recv(&mut self, data: &mut [u8]) -> Result<(), LinkError> {
        self.recv_all(data)
    }

    /// Sends and receives as the buffers between the two ends allow, until one direction is done;
    /// the other can then block.
    async fn exchange(&mut self, mut out: &[u8], mut into: &mut [u8]) -> Result<(), LinkError> {
        while !out.is_empty() && !into.is_empty() {
            let sent = self.channel.push(out, Wait::Never)?;
            out = &out[sent..];
            let received = self.channel.pull(into, Wait::Never)?;
            into = &mut into[received..];
            if sent == 0 && received == 0 && !self.channel.ready(Interest::Either, PATIENCE)? {
                return Err(LinkError::Stalled(PATIENCE));
            }
        }
        self.send_all(out)?;
        self.recv_all(into)
    }

    fn arrived(&self) -> Arrived {
        self.channel.arrived()
    }

    async fn wait(&mut self, span: Span) {
        std::thread::sleep(span.to_duration());
    }
}
