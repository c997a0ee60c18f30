//! One rank's message for all.

use super::allgather::ring;
use super::tree::Place;
use super::{part, parts_between};
use crate::comm::algorithm::Broadcast;
use crate::comm::{Comm, CommError};

/// Copies `data` of rank `root` into that of all others.
///
/// # Errors
///
/// [`CommError`] of the first message that failed.
pub async fn broadcast(
    comm: &mut impl Comm,
    algorithm: Broadcast,
    root: usize,
    data: &mut [u8],
) -> Result<(), CommError> {
    let place = Place::of(comm, root)?;
    match algorithm {
        Broadcast::Binomial => binomial(comm, &place, data).await,
        Broadcast::ScatterAllgather => {
            scatter_parts(comm, &place, data).await?;
            let (length, size) = (data.len(), comm.size());
            // The ring goes by ranks, the parts by the distance from the root.
            ring(comm, data, |rank| part(length, 1, size, (rank + size - root) % size)).await
        }
    }
}

async fn binomial(comm: &mut impl Comm, place: &Place, data: &mut [u8]) -> Result<(), CommError> {
    if let Some(parent) = place.parent() {
        comm.recv_from(place.rank(parent), data).await?;
    }
    for distance in place.below() {
        comm.send_to(place.rank(place.relative + distance), data).await?;
    }
    Ok(())
}

/// Gives whoever is `r` from the root part `r` of the message, in its place.
async fn scatter_parts(comm: &mut impl Comm, place: &Place, data: &mut [u8]) -> Result<(), CommError> {
    let (length, size) = (data.len(), comm.size());
    let bytes = |of: std::ops::Range<usize>| parts_between(length, 1, size, of.start, of.end);
    if let Some(parent) = place.parent() {
        comm.recv_from(place.rank(parent), &mut data[bytes(place.own())]).await?;
    }
    for distance in place.below() {
        let under = place.under(place.relative + distance, distance);
        comm.send_to(place.rank(under.start), &data[bytes(under)]).await?;
    }
    Ok(())
}
