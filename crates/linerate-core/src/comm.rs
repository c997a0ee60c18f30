//! The seam of ranks: messages between the processes of a parallel program, and what is built of them.
//!
//! A [`Comm`] is what a rank holds. Carriers give it: processes over a network, an MPI, a model; here is the simplest,
//! [`ideal`], on which nothing ever contends. A [`collective`] is expanded into messages between two ranks by an
//! algorithm with a name, so that it sends the same bytes in the same order over every carrier.

pub mod algorithm;
pub mod alone;
pub mod call;
pub mod collective;
pub mod counted;
pub mod group;
pub mod ideal;

use std::future::Future;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Span, Time};

/// One rank among `size`, that sends messages to the others.
///
/// Messages from one rank to another arrive in the order in which they were sent, and whole: a receiver asks for as
/// many bytes as were sent. A message may be empty.
pub trait Comm {
    /// Which rank this is, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are, at least 1.
    fn size(&self) -> usize;

    /// The present instant of this rank: monotonic, zero is arbitrary, and not that of other ranks.
    fn now(&self) -> Time;

    /// Sends `data` to rank `to`. Done means that `data` may be changed; whether it waits for the receiver is the
    /// carrier's choice, so two ranks that both send first may wait for ever.
    fn send_to(&mut self, to: usize, data: &[u8]) -> impl Future<Output = Result<(), CommError>>;

    /// Receives the next message of rank `from`, which has the length of `data`.
    fn recv_from(&mut self, from: usize, data: &mut [u8]) -> impl Future<Output = Result<(), CommError>>;

    /// Sends `out` to rank `to` and receives `into` from rank `from`, both at once. It never waits for ever when every
    /// rank of a ring calls it.
    fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> impl Future<Output = Result<(), CommError>>;

    /// As [`sendrecv`](Self::sendrecv), of buffers that the carrier may keep: both have their lengths afterwards, and what is
    /// in `out` is of no use. A carrier that hands over memory copies nothing.
    fn sendrecv_owned(
        &mut self,
        to: usize,
        out: &mut Vec<u8>,
        from: usize,
        into: &mut Vec<u8>,
    ) -> impl Future<Output = Result<(), CommError>> {
        self.sendrecv(to, out, from, into)
    }

    /// Lets the time of a calculation pass: a model's clock goes on by `span`, a real rank is busy for so long.
    fn compute(&mut self, span: Span) -> impl Future<Output = ()>;

    /// Nothing will pass between this rank and `peer` for a while, so what the carrier holds for the two of them can
    /// be freed. Both call it after the same message; the next message makes what it needs again.
    fn part(&mut self, peer: usize) {
        let _ = peer;
    }

    /// From now on a call gives a rank up, as [`CommError::Lost`], if nothing moves for `span`. A carrier on which nothing
    /// is ever lost in silence need not do anything.
    fn patience(&mut self, span: Span) {
        let _ = span;
    }

    /// What the present connection with `peer` has sent so far. Absent if there is none, or the carrier does not say.
    fn segments(&self, peer: usize) -> Option<Segments> {
        let _ = peer;
        None
    }

    /// Sends `data` to rank `to`, which [hears](Self::hear) it: what ranks say about a measurement. A carrier that has another
    /// way than the network that is measured takes it; else it is a message like the others.
    fn tell(&mut self, to: usize, data: &[u8]) -> impl Future<Output = Result<(), CommError>> {
        self.send_to(to, data)
    }

    /// Receives the next message that rank `from` [tells](Self::tell), which has the length of `data`.
    fn hear(&mut self, from: usize, data: &mut [u8]) -> impl Future<Output = Result<(), CommError>> {
        self.recv_from(from, data)
    }

    /// Why nothing ever passed with rank `peer`: it was absent when the ranks met.
    fn absence(&self, peer: usize) -> Option<&str> {
        let _ = peer;
        None
    }

    /// Ranks with the same number are alike: a visit of two takes exactly as long as one of any two with the same numbers,
    /// whoever else is visited. Absent where that is not certain, as on any real network.
    fn kind_of(&self, rank: usize) -> Option<u32> {
        let _ = rank;
        None
    }
}

/// Segments with payload that a rank has sent to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Segments {
    /// All of them, also those that were sent again.
    pub sent: u64,
    /// Those that were sent again because one was lost: without those that the receiver had already.
    pub retransmitted: u64,
}

impl std::ops::Add for Segments {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            sent: self.sent.saturating_add(more.sent),
            retransmitted: self.retransmitted.saturating_add(more.retransmitted),
        }
    }
}

impl std::ops::AddAssign for Segments {
    fn add_assign(&mut self, more: Self) {
        *self = *self + more;
    }
}

impl Segments {
    /// What was sent since `earlier`.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            sent: self.sent.saturating_sub(earlier.sent),
            retransmitted: self.retransmitted.saturating_sub(earlier.retransmitted),
        }
    }
}

/// A rank that is lent.
impl<C: Comm> Comm for &mut C {
    fn rank(&self) -> usize {
        (**self).rank()
    }

    fn size(&self) -> usize {
        (**self).size()
    }

    fn now(&self) -> Time {
        (**self).now()
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        (**self).send_to(to, data).await
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        (**self).recv_from(from, data).await
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        (**self).sendrecv(to, out, from, into).await
    }

    async fn sendrecv_owned(
        &mut self,
        to: usize,
        out: &mut Vec<u8>,
        from: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), CommError> {
        (**self).sendrecv_owned(to, out, from, into).await
    }

    async fn compute(&mut self, span: Span) {
        (**self).compute(span).await;
    }

    fn part(&mut self, peer: usize) {
        (**self).part(peer);
    }

    fn patience(&mut self, span: Span) {
        (**self).patience(span);
    }

    fn segments(&self, peer: usize) -> Option<Segments> {
        (**self).segments(peer)
    }

    async fn tell(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        (**self).tell(to, data).await
    }

    async fn hear(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        (**self).hear(from, data).await
    }

    fn absence(&self, peer: usize) -> Option<&str> {
        (**self).absence(peer)
    }

    fn kind_of(&self, rank: usize) -> Option<u32> {
        (**self).kind_of(rank)
    }
}

/// Why ranks could not do what was asked. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommError {
    /// There is no such rank.
    #[error("reach rank {peer}: there are {size} ranks, from 0")]
    NoSuchRank {
        /// Who was asked for.
        peer: usize,
        /// How many ranks there are.
        size: usize,
    },
    /// A message has another length than the receiver asked for: the ranks do not run the same program.
    #[error("receive {asked} B from rank {peer}: it sent a message of {sent} B")]
    Length {
        /// The sender.
        peer: usize,
        /// What the receiver has room for. Unit: bytes.
        asked: usize,
        /// What was sent. Unit: bytes.
        sent: usize,
    },
    /// The rank is gone, or the way to it. Nothing more passes between the two; others go on.
    #[error("reach rank {peer}: {reason}")]
    Lost {
        /// Who is gone.
        peer: usize,
        /// What was seen of it, such as "the peer closed the connection".
        reason: String,
    },
    /// Every rank that has not ended waits for another.
    #[error("go on: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Deadlock(Vec<Waiting>),
    /// The algorithm is not defined for so many ranks.
    #[error("run {algorithm} on {size} ranks: it takes a power of two")]
    PowerOfTwo {
        /// The algorithm's name.
        algorithm: &'static str,
        /// How many ranks there are.
        size: usize,
    },
    /// A buffer does not have the length that a collective needs.
    #[error("run {collective} on {size} ranks: a buffer of {found} B where {needed} B are needed")]
    Buffer {
        /// Which collective.
        collective: &'static str,
        /// How many ranks there are.
        size: usize,
        /// The buffer's length. Unit: bytes.
        found: usize,
        /// The length that it must have. Unit: bytes.
        needed: usize,
    },
}

/// What a rank waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Who waits.
    pub rank: usize,
    /// The rank that does not receive what this one sends.
    pub sends_to: Option<usize>,
    /// The rank that does not send what this one waits for.
    pub receives_from: Option<usize>,
}

impl std::fmt::Display for Waiting {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "rank {} waits", self.rank)?;
        if let Some(to) = self.sends_to {
            write!(out, " to send to {to}")?;
        }
        match (self.sends_to, self.receives_from) {
            (Some(_), Some(from)) => write!(out, " and to receive from {from}"),
            (None, Some(from)) => write!(out, " to receive from {from}"),
            _ => Ok(()),
        }
    }
}
