//! Some of the ranks, numbered from 0 again.

use super::{Comm, CommError};
use crate::units::{Span, Time};

/// The ranks from a first one on, as ranks from 0: those before it take no part.
#[derive(Debug)]
pub struct Group<'c, C> {
    comm: &'c mut C,
    first: usize,
}

impl<'c, C: Comm> Group<'c, C> {
    /// The ranks of `comm` from `first` on, of which this is one.
    pub fn new(comm: &'c mut C, first: usize) -> Self {
        debug_assert!(comm.rank() >= first, "rank {} is before {first}", comm.rank());
        Self { comm, first }
    }

    /// The same error with the numbers of the group.
    fn numbered(&self, error: CommError) -> CommError {
        let first = self.first;
        match error {
            CommError::NoSuchRank { peer, size } => {
                CommError::NoSuchRank { peer: peer.saturating_sub(first), size: size.saturating_sub(first) }
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
        self.comm.size() - self.first
    }

    fn now(&self) -> Time {
        self.comm.now()
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        let sent = self.comm.send_to(to + self.first, data).await;
        sent.map_err(|error| self.numbered(error))
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
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
        let (to, from) = (to + self.first, from + self.first);
        let done = self.comm.sendrecv(to, out, from, into).await;
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
}
