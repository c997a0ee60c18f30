//! Nobody goes on before all have come.

use crate::comm::{Comm, CommError};

/// Waits until every rank has called it: the dissemination barrier, ceil(log2 P) empty messages for each rank.
///
/// # Errors
///
/// [`CommError`] of the first message that failed.
pub async fn barrier(comm: &mut impl Comm) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let mut distance = 1;
    while distance < size {
        comm.sendrecv((rank + distance) % size, &[], (rank + size - distance) % size, &mut []).await?;
        distance *= 2;
    }
    Ok(())
}
