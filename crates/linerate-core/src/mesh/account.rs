//! What every rank tells rank 0 of itself, before and after a mesh: any text, such as a host as JSON.

use super::Mesh;
use crate::comm::{Comm, CommError};
use crate::units::Span;

/// The longest text that rank 0 takes. Unit: bytes.
const LONGEST: usize = 1 << 20;

/// Tells rank 0 `text`, which [collects](collect) it.
///
/// # Errors
///
/// When rank 0 is gone.
pub async fn tell<C: Comm>(comm: &mut C, text: &str) -> Result<(), CommError> {
    comm.patience(Span::MAX);
    let text = &text.as_bytes()[..text.len().min(LONGEST)];
    comm.tell(0, &(text.len() as u64).to_le_bytes()).await?;
    comm.tell(0, text).await
}

/// What every other rank [tells](tell), by its number in the mesh, whose first rank is `first` of `comm`. Nothing of those
/// that `mesh` has lost, of rank 0 itself, and of who is lost now: that is noted in `mesh`.
pub async fn collect<C: Comm>(
    comm: &mut C,
    mesh: &mut Mesh,
    first: usize,
    patience: Span,
) -> Vec<Option<String>> {
    let lost: Vec<bool> = (0..comm.size() - first).map(|rank| mesh.has_lost(rank)).collect();
    let told = collect_from(comm, first, patience, |rank| lost[rank]).await;
    let note = |(rank, text): (usize, Option<Result<String, CommError>>)| {
        text?.map_err(|error| mesh.lose(rank, &error)).ok()
    };
    told.into_iter().enumerate().map(note).collect()
}

/// What every other rank [tells](tell), by its number from `first` of `comm` on. Nothing of those that are `lost`, and of
/// rank 0 itself.
pub async fn collect_from<C: Comm>(
    comm: &mut C,
    first: usize,
    patience: Span,
    lost: impl Fn(usize) -> bool,
) -> Vec<Option<Result<String, CommError>>> {
    comm.patience(patience);
    let mut texts = Vec::new();
    for rank in 0..comm.size() - first {
        texts.push(if rank + first == 0 || lost(rank) {
            None
        } else {
            Some(receive(comm, rank + first).await)
        });
    }
    texts
}

async fn receive<C: Comm>(comm: &mut C, rank: usize) -> Result<String, CommError> {
    let mut length = [0; 8];
    comm.hear(rank, &mut length).await?;
    let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > LONGEST {
        let reason = format!("it wants to say {length} B of itself, and {LONGEST} B are the most");
        return Err(CommError::Lost { peer: rank, reason });
    }
    let mut text = vec![0; length];
    comm.hear(rank, &mut text).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
