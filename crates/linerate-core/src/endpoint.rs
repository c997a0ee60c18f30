//! One end of a channel, and the clock that times it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::units::{Span, Time};

/// One end of a two-party byte channel, with the clock that times it.
///
/// A real endpoint blocks inside each call, so its futures are ready at once; a modelled one
/// suspends until the simulated network delivers. The same pattern code drives both.
pub trait Endpoint {
    /// The present instant: monotonic, zero is arbitrary.
    fn now(&self) -> Time;

    /// Sends all of `data`. Done means accepted on this side, not delivered.
    fn send(&mut self, data: &[u8]) -> impl Future<Output = Result<(), LinkError>>;

    /// Receives until `data` is full.
    fn recv(&mut self, data: &mut [u8]) -> impl Future<Output = Result<(), LinkError>>;

    /// Sends all of `out` and fills `into`, in whatever order the channel allows.
    ///
    /// Two ends that both send first deadlock once a message is larger than the buffers between
    /// them; two ends that both exchange never do, whatever the size.
    fn exchange(&mut self, out: &[u8], into: &mut [u8]) -> impl Future<Output = Result<(), LinkError>>;

    /// What has arrived and was not received, as far as the endpoint can say.
    fn arrived(&self) -> Arrived {
        Arrived::default()
    }

    /// Lets `span` pass.
    fn wait(&mut self, span: Span) -> impl Future<Output = ()>;
}

/// What has arrived at an endpoint and was not received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// What can be received now. Unit: bytes.
    pub waiting: u64,
    /// All memory that it takes, with the system's overhead, and with what arrived out of order and waits
    /// for what is missing before it. Unit: bytes.
    pub memory: u64,
    /// How many packets have come out of order so far.
    pub out_of_order: u32,
}

impl Arrived {
    /// What waits for something missing before it, if packets came out of order since `begin`: at most as
    /// much, for the system's overhead cannot be told from it. Unit: bytes.
    #[must_use]
    pub fn held_back_since(&self, begin: Self) -> u64 {
        /// A packet of Ethernet's size takes up to 4.25 KiB of memory.
        const OVERHEAD: u64 = 3;
        let disordered = self.out_of_order != begin.out_of_order;
        if disordered { self.memory.saturating_sub(self.waiting * OVERHEAD) } else { 0 }
    }
}

/// Why bytes could not be transferred.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// The peer closed the channel.
    #[error("the peer closed the connection")]
    Closed,
    /// The peer, or something between, reset the channel.
    #[error("the connection was reset")]
    Reset,
    /// No byte moved for the time that the endpoint allows.
    #[error("no byte moved for {0}")]
    Stalled(Span),
    /// The message is longer than one datagram may be.
    #[error("a message of {size} B is longer than the {largest} B that one datagram carries here")]
    TooLong {
        /// The message. Unit: bytes.
        size: u64,
        /// The largest datagram. Unit: bytes of payload.
        largest: u64,
    },
    /// The operating system refused the operation.
    #[error("{operation}: {source}")]
    System {
        /// What was being done, such as `send`.
        operation: &'static str,
        /// What the operating system answered.
        source: std::io::Error,
    },
}

/// Runs a future of a real endpoint: each of its waits is a blocking call within the single poll.
///
/// # Panics
///
/// If the future suspends. Only a modelled endpoint's does, and those run under their simulator's
/// executor.
pub fn run_ready<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("a real endpoint blocks; it never suspends"),
    }
}

/// Sends all of `out` and fills `into` over an endpoint that suspends. `step` moves what it can now
/// of what is left of both, and says how much; if that is nothing, the future suspends until the
/// executor polls again. Either may be empty.
///
/// # Errors
///
/// The first error of `step`.
pub fn move_bytes(
    out: &[u8],
    into: &mut [u8],
    mut step: impl FnMut(&[u8], &mut [u8]) -> Result<[usize; 2], LinkError>,
) -> impl Future<Output = Result<(), LinkError>> {
    let (mut sent, mut received) = (0, 0);
    poll_fn(move |_| {
        while sent < out.len() || received < into.len() {
            match step(&out[sent..], &mut into[received..]) {
                Ok([0, 0]) => return Poll::Pending,
                Ok([more_sent, more_received]) => {
                    (sent, received) = (sent + more_sent, received + more_received);
                }
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        Poll::Ready(Ok(()))
    })
}
