//! A row or a column of ranks that stand in a square.

use linerate_core::comm::{Comm, CommError};
use linerate_core::units::{Span, Time};

/// Ranks in equal distances, numbered from 0.
#[derive(Debug)]
pub(super) struct Line<'c, C> {
    comm: &'c mut C,
    first: usize,
    stride: usize,
    count: usize,
}

impl<'c, C: Comm> Line<'c, C> {
    /// A row of a square of ranks.
    pub(super) const fn row(comm: &'c mut C, row: usize, side: usize) -> Self {
        Self { comm, first: row * side, stride: 1, count: side }
    }

    /// A column of it.
    pub(super) const fn column(comm: &'c mut C, column: usize, side: usize) -> Self {
        Self { comm, first: column, stride: side, count: side }
    }

    const fn outside(&self, rank: usize) -> usize {
        self.first + rank * self.stride
    }
}

impl<C: Comm> Comm for Line<'_, C> {
    fn rank(&self) -> usize {
        (self.comm.rank() - self.first) / self.stride
    }

    fn size(&self) -> usize {
        self.count
    }

    fn now(&self) -> Time {
        self.comm.now()
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.comm.send_to(self.outside(to), data).await
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.comm.recv_from(self.outside(from), data).await
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        self.comm.sendrecv(self.outside(to), out, self.outside(from), into).await
    }

    async fn compute(&mut self, span: Span) {
        self.comm.compute(span).await;
    }
}
