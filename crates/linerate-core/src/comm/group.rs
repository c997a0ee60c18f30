//! Some of the ranks, numbered from 0 again.

use super::{Comm, CommError, Segments};
use crate::units::{Span, Time};

/// Ranks that follow each other, as ranks from 0: the others take no part.
#[derive(Debug)]
pub struct Group<'c, C> {
    comm: &'c mut C,
    first: usize,
    size: usize,
}

impl<'c, C: Comm> Group<'c, C> {
    /// The ranks of `comm` from `first` on, of which this is one.
    pub fn new(comm: &'c mut C, first: usize) -> Self {
        let size = comm.size() - first;
        Self::some(comm, first, size)
    }

    /// `size` ranks of `comm` from `first` on, of which this is one.
    pub fn some(comm: &'c mut C, first: usize, size: usize) -> Self {
        let rank = comm.rank();
        debug_assert!((first..first + size).contains(&rank), "rank {rank} is none of {size} from {first}");
        Self { comm, first, size }
    }

    /// All ranks, with their own numbers.
    pub const fn outside(&mut self) -> &mut C {
        self.comm
    }

    /// Whether `peer` is one of them.
    fn check(&self, peer: usize) -> Result<(), CommError> {
        if peer < self.size { Ok(()) } else { Err(CommError::NoSuchRank { peer, size: self.size }) }
    }

    /// The same error with the numbers of the group.
    fn numbered(&self, error: CommError) -> CommError {
        let first = self.first;
        match error {
            CommError::NoSuchRank { peer, .. } => {
                CommError::NoSuchRank { peer: peer.saturating_sub(first), size: self.size }
            }
            CommError::Length { peer, asked, sent } => {
                CommError::Length { peer: peer.saturating_sub(first), asked, sent }
            }
            CommError::Lost { peer, reason } => CommError::Lost { peer: peer.saturating_sub(first), reason },
            other => other,
        }
    }
}

impl<C: Comm> Comm for Group<'_, C> {
    fn rank(&self) -> usize {
        self.comm.rank() - self.first
    }

    fn size(&self) -> usize {
        self.size
    }

    fn now(&self) -> Time {
        self.comm.now()
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.check(to)?;
        let sent = self.comm.send_to(to + self.first, data).await;
        sent.map_err(|error| self.numbered(error))
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.check(from)?;
        let received = self.comm.recv_from(from + self.first, data).await;
        received.map_err(|error| self.numbered(error))
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        self.check(to).and_then(|()| self.check(from))?;
        let (to, from) = (to + self.first, from + self.first);
        let done = self.comm.sendrecv(to, out, from, into).await;
        done.map_err(|error| self.numbered(error))
    }

    async fn sendrecv_owned(
        &mut self,
        to: usize,
        out: &mut Vec<u8>,
        from: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), CommError> {
        self.check(to).and_then(|()| self.check(from))?;
        let (to, from) = (to + self.first, from + self.first);
        let done = self.comm.sendrecv_owned(to, out, from, into).await;
        done.map_err(|error| self.numbered(error))
    }

    async fn compute(&mut self, span: Span) {
        self.comm.compute(span).await;
    }

    fn part(&mut self, peer: usize) {
        self.comm.part(peer + self.first);
    }

    fn patience(&mut self, span: Span) {
        self.comm.patience(span);
    }

    fn segments(&self, peer: usize) -> Option<Segments> {
        self.comm.segments(peer + self.first)
    }
}
