//! Vectors combined for all.

use super::{Combine, allgather, part, parts_between, reduce_scatter};
use crate::comm::algorithm::Allreduce;
use crate::comm::{Comm, CommError};
use crate::units::{Span, Time};

/// Combines the vectors of all ranks into that of every one.
///
/// # Errors
///
/// [`CommError`] of the first message that failed.
pub async fn allreduce<C: Combine>(
    comm: &mut impl Comm,
    algorithm: Allreduce,
    data: &mut [u8],
    how: &C,
) -> Result<(), CommError> {
    let (size, length) = (comm.size(), data.len());
    match algorithm {
        Allreduce::Ring => {
            reduce_scatter::ring(comm, data, how).await?;
            allgather::ring(comm, data, |rank| part(length, C::ELEMENT, size, rank)).await
        }
        Allreduce::RecursiveDoubling | Allreduce::Rabenseifner => {
            let Some(mut inner) = Folded::enter(comm, data, how).await? else { return Ok(()) };
            let size = inner.size();
            if algorithm == Allreduce::RecursiveDoubling {
                doubling(&mut inner, data, how).await?;
            } else {
                reduce_scatter::halving(&mut inner, data, how).await?;
                let bytes = |first, end| parts_between(length, C::ELEMENT, size, first, end);
                allgather::doubling(&mut inner, data, bytes).await?;
            }
            inner.leave(data).await
        }
    }
}

async fn doubling<C: Combine>(comm: &mut impl Comm, data: &mut [u8], how: &C) -> Result<(), CommError> {
    let mut other = vec![0; data.len()];
    let mut distance = 1;
    while distance < comm.size() {
        let peer = comm.rank() ^ distance;
        comm.sendrecv(peer, data, peer, &mut other).await?;
        how.combine(data, &other);
        distance *= 2;
    }
    Ok(())
}

/// The largest power of two among the ranks: of the first pairs, as many as are too many, the even one hands its vector
/// to the odd one, and waits for the result.
struct Folded<'c, C> {
    comm: &'c mut C,
    /// How many pairs are one rank each here.
    pairs: usize,
}

impl<'c, C: Comm> Folded<'c, C> {
    /// `None` at a rank that only waited: it has the result already.
    async fn enter<H: Combine>(comm: &'c mut C, data: &mut [u8], how: &H) -> Result<Option<Self>, CommError> {
        let (rank, size) = (comm.rank(), comm.size());
        let pairs = size - (1 << size.ilog2());
        if rank < 2 * pairs {
            if rank.is_multiple_of(2) {
                comm.send_to(rank + 1, data).await?;
                comm.recv_from(rank + 1, data).await?;
                return Ok(None);
            }
            let mut other = vec![0; data.len()];
            comm.recv_from(rank - 1, &mut other).await?;
            how.combine(data, &other);
        }
        Ok(Some(Self { comm, pairs }))
    }

    /// Hands the result to the one that waits for it.
    async fn leave(self, data: &[u8]) -> Result<(), CommError> {
        let rank = self.comm.rank();
        if rank < 2 * self.pairs { self.comm.send_to(rank - 1, data).await } else { Ok(()) }
    }

    /// The rank outside that is `rank` here.
    const fn outside(&self, rank: usize) -> usize {
        if rank < self.pairs { 2 * rank + 1 } else { rank + self.pairs }
    }
}

impl<C: Comm> Comm for Folded<'_, C> {
    fn rank(&self) -> usize {
        let rank = self.comm.rank();
        if rank < 2 * self.pairs { rank / 2 } else { rank - self.pairs }
    }

    fn size(&self) -> usize {
        self.comm.size() - self.pairs
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
