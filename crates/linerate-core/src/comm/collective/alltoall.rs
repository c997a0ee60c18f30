//! Every rank's block for every other.

use super::needs;
use crate::comm::algorithm::Alltoall;
use crate::comm::{Comm, CommError};

/// Sends block r of `out` to rank r, and receives rank r's block for this one as block r of `into`. Blocks have one
/// length: that of `out` by the number of ranks.
///
/// # Errors
///
/// [`CommError`] of the first message that failed, or a buffer of the wrong length.
pub async fn alltoall(
    comm: &mut impl Comm,
    algorithm: Alltoall,
    out: &[u8],
    into: &mut [u8],
) -> Result<(), CommError> {
    let size = comm.size();
    let length = out.len() / size;
    needs("alltoall", size, out.len(), size * length)?;
    needs("alltoall", size, into.len(), size * length)?;
    match algorithm {
        Alltoall::Pairwise => pairwise(comm, out, into, length).await,
        Alltoall::Bruck => bruck(comm, out, into, length).await,
    }
}

async fn pairwise(comm: &mut impl Comm, out: &[u8], into: &mut [u8], length: usize) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let block = |of: usize| of * length..(of + 1) * length;
    into[block(rank)].copy_from_slice(&out[block(rank)]);
    for distance in 1..size {
        let [to, from] = [(rank + distance) % size, (rank + size - distance) % size];
        comm.sendrecv(to, &out[block(to)], from, &mut into[block(from)]).await?;
    }
    Ok(())
}

/// A block that has d ranks to go takes a step for each bit of d.
async fn bruck(comm: &mut impl Comm, out: &[u8], into: &mut [u8], length: usize) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let block = |of: usize| of * length..(of + 1) * length;
    // By the distance that they have to go.
    let mut blocks = out.to_vec();
    blocks.rotate_left(rank * length);
    let mut distance = 1;
    while distance < size {
        let moved: Vec<usize> = (0..size).filter(|of| of & distance != 0).collect();
        let packed: Vec<u8> = moved.iter().flat_map(|of| blocks[block(*of)].iter().copied()).collect();
        let mut arrived = vec![0; packed.len()];
        let [to, from] = [(rank + distance) % size, (rank + size - distance) % size];
        comm.sendrecv(to, &packed, from, &mut arrived).await?;
        for (index, of) in moved.into_iter().enumerate() {
            blocks[block(of)].copy_from_slice(&arrived[block(index)]);
        }
        distance *= 2;
    }
    // What came d ranks is of the rank d before this one.
    for distance in 0..size {
        into[block((rank + size - distance) % size)].copy_from_slice(&blocks[block(distance)]);
    }
    Ok(())
}
