//! Every rank's block for all.

use std::ops::Range;

use super::{apart, needs, neighbours, takes_power_of_two};
use crate::comm::algorithm::Allgather;
use crate::comm::{Comm, CommError};

/// Collects each rank's `block` at every rank: `all` is the blocks of all ranks in their order.
///
/// # Errors
///
/// [`CommError`] of the first message that failed, or a buffer of the wrong length.
pub async fn allgather(
    comm: &mut impl Comm,
    algorithm: Allgather,
    block: &[u8],
    all: &mut [u8],
) -> Result<(), CommError> {
    let (rank, size, length) = (comm.rank(), comm.size(), block.len());
    needs("allgather", size, all.len(), size * length)?;
    let bytes = |rank: usize| rank * length..(rank + 1) * length;
    match algorithm {
        Allgather::Ring => {
            all[bytes(rank)].copy_from_slice(block);
            ring(comm, all, bytes).await
        }
        Allgather::RecursiveDoubling => {
            takes_power_of_two("allgather by recursive-doubling", size)?;
            all[bytes(rank)].copy_from_slice(block);
            doubling(comm, all, |first, end| first * length..end * length).await
        }
        Allgather::Bruck => {
            all[..length].copy_from_slice(block);
            let mut held = 1;
            while held < size {
                let more = held.min(size - held);
                let (out, into) = all.split_at_mut(held * length);
                let [to, from] = [(rank + size - held) % size, (rank + held) % size];
                comm.sendrecv(to, &out[..more * length], from, &mut into[..more * length]).await?;
                held += more;
            }
            all.rotate_right(rank * length);
            Ok(())
        }
    }
}

/// Hands what each rank has round a ring: `bytes` of a rank is what it begins with.
pub(super) async fn ring(
    comm: &mut impl Comm,
    all: &mut [u8],
    bytes: impl Fn(usize) -> Range<usize>,
) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let [left, right] = neighbours(comm);
    for step in 0..size - 1 {
        let [out, into] = [step, step + 1].map(|back| bytes((rank + size - back) % size));
        let (out, into) = apart(all, out, into);
        comm.sendrecv(right, out, left, into).await?;
    }
    Ok(())
}

/// Exchanges what ranks have over distances of 1, 2, 4 and so on: `bytes` gives those of the ranks from the first up to,
/// not with, the second. For a power of two.
pub(super) async fn doubling(
    comm: &mut impl Comm,
    all: &mut [u8],
    bytes: impl Fn(usize, usize) -> Range<usize>,
) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let mut distance = 1;
    while distance < size {
        let own = rank & !(distance - 1);
        let peers = own ^ distance;
        let (out, into) = apart(all, bytes(own, own + distance), bytes(peers, peers + distance));
        comm.sendrecv(rank ^ distance, out, rank ^ distance, into).await?;
        distance *= 2;
    }
    Ok(())
}
