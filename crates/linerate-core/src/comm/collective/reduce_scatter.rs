//! Vectors combined, of which each rank keeps a part.

use std::ops::Range;

use super::{Combine, apart, neighbours, part, parts_between, takes_power_of_two};
use crate::comm::algorithm::ReduceScatter;
use crate::comm::{Comm, CommError};

/// Combines the vectors of all ranks. Of `data` this rank's part holds the result afterwards: it is the range that is
/// given back. What is in the rest is of no use.
///
/// # Errors
///
/// [`CommError`] of the first message that failed.
pub async fn reduce_scatter<C: Combine>(
    comm: &mut impl Comm,
    algorithm: ReduceScatter,
    data: &mut [u8],
    how: &C,
) -> Result<Range<usize>, CommError> {
    match algorithm {
        ReduceScatter::Ring => ring(comm, data, how).await?,
        ReduceScatter::RecursiveHalving => {
            takes_power_of_two("reduce-scatter by recursive-halving", comm.size())?;
            halving(comm, data, how).await?;
        }
    }
    Ok(part(data.len(), C::ELEMENT, comm.size(), comm.rank()))
}

/// Part r comes to rank r with all that was combined on the way.
pub(super) async fn ring<C: Combine>(
    comm: &mut impl Comm,
    data: &mut [u8],
    how: &C,
) -> Result<(), CommError> {
    let (rank, size, length) = (comm.rank(), comm.size(), data.len());
    let [left, right] = neighbours(comm);
    let mut other = vec![0; part(length, C::ELEMENT, size, 0).len() + C::ELEMENT];
    for step in 1..size {
        let [out, into] =
            [step, step + 1].map(|back| part(length, C::ELEMENT, size, (rank + 2 * size - back) % size));
        let other = &mut other[..into.len()];
        comm.sendrecv(right, &data[out], left, other).await?;
        how.combine(&mut data[into], other);
    }
    Ok(())
}

/// Halves of halves are exchanged with ever nearer ranks, until each has its part. For a power of two.
pub(super) async fn halving<C: Combine>(
    comm: &mut impl Comm,
    data: &mut [u8],
    how: &C,
) -> Result<(), CommError> {
    let (rank, size, length) = (comm.rank(), comm.size(), data.len());
    let mut other = Vec::new();
    let mut distance = size / 2;
    while distance > 0 {
        let own = rank & !(distance - 1);
        let peers = own ^ distance;
        let bytes = |first: usize| parts_between(length, C::ELEMENT, size, first, first + distance);
        let (out, kept) = apart(data, bytes(peers), bytes(own));
        other.resize(kept.len(), 0);
        comm.sendrecv(rank ^ distance, out, rank ^ distance, &mut other).await?;
        how.combine(kept, &other);
        distance /= 2;
    }
    Ok(())
}
