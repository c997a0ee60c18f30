//! Binomial trees: one to all in parts, all to one in parts or combined.
//!
//! Ranks are counted from the root: the root is 0, and whoever is `r` stands under `r` without its lowest bit.

use std::ops::Range;

use super::{Combine, needs};
use crate::comm::{Comm, CommError};

/// One rank's place in the binomial tree.
pub(super) struct Place {
    /// Counted from the root.
    pub(super) relative: usize,
    root: usize,
    size: usize,
}

impl Place {
    pub(super) fn of(comm: &impl Comm, root: usize) -> Result<Self, CommError> {
        let size = comm.size();
        if root >= size {
            return Err(CommError::NoSuchRank { peer: root, size });
        }
        Ok(Self { relative: (comm.rank() + size - root) % size, root, size })
    }

    /// Who is `relative` from the root.
    pub(super) const fn rank(&self, relative: usize) -> usize {
        (relative + self.root) % self.size
    }

    /// Who stands above, counted from the root; nobody above the root.
    pub(super) const fn parent(&self) -> Option<usize> {
        if self.relative == 0 { None } else { Some(self.relative & (self.relative - 1)) }
    }

    /// The distances to those below, from far to near.
    pub(super) fn below(&self) -> impl DoubleEndedIterator<Item = usize> {
        let reach = match self.relative {
            0 => self.size.next_power_of_two(),
            inner => inner & inner.wrapping_neg(),
        };
        let (relative, size) = (self.relative, self.size);
        (0..reach.ilog2()).rev().map(|bit| 1 << bit).filter(move |distance| relative + distance < size)
    }

    /// Those that stand under `relative`, itself included, if `distance` is that to its parent.
    pub(super) fn under(&self, relative: usize, distance: usize) -> Range<usize> {
        relative..(relative + distance).min(self.size)
    }

    /// Those under this rank, itself included.
    pub(super) fn own(&self) -> Range<usize> {
        let distance = self.parent().map_or(self.size, |parent| self.relative - parent);
        self.under(self.relative, distance)
    }
}

/// Gives each rank its block of what the root has: `all` is the blocks of all ranks in their order at the root, and is
/// not read elsewhere.
///
/// # Errors
///
/// [`CommError`] of the first message that failed, or a buffer of the wrong length.
pub async fn scatter(
    comm: &mut impl Comm,
    root: usize,
    all: &[u8],
    block: &mut [u8],
) -> Result<(), CommError> {
    let place = Place::of(comm, root)?;
    let length = block.len();
    // The blocks of those under this rank, from its own on.
    let mut held = vec![0; place.own().len() * length];
    if place.relative == 0 {
        needs("scatter", place.size, all.len(), place.size * length)?;
        held.copy_from_slice(all);
        held.rotate_left(root * length);
    }
    if let Some(parent) = place.parent() {
        comm.recv_from(place.rank(parent), &mut held).await?;
    }
    for distance in place.below() {
        let under = place.under(place.relative + distance, distance);
        let offset = distance * length;
        let theirs = &held[offset..offset + under.len() * length];
        comm.send_to(place.rank(under.start), theirs).await?;
    }
    block.copy_from_slice(&held[..length]);
    Ok(())
}

/// Collects each rank's block at the root: `all` is the blocks of all ranks in their order there, and is left as it is
/// elsewhere.
///
/// # Errors
///
/// As of [`scatter`].
pub async fn gather(
    comm: &mut impl Comm,
    root: usize,
    block: &[u8],
    all: &mut [u8],
) -> Result<(), CommError> {
    let place = Place::of(comm, root)?;
    let length = block.len();
    if place.relative == 0 {
        needs("gather", place.size, all.len(), place.size * length)?;
    }
    let mut held = vec![0; place.own().len() * length];
    held[..length].copy_from_slice(block);
    for distance in place.below().rev() {
        let under = place.under(place.relative + distance, distance);
        let offset = distance * length;
        let theirs = &mut held[offset..offset + under.len() * length];
        comm.recv_from(place.rank(under.start), theirs).await?;
    }
    match place.parent() {
        Some(parent) => comm.send_to(place.rank(parent), &held).await?,
        None => {
            held.rotate_right(root * length);
            all.copy_from_slice(&held);
        }
    }
    Ok(())
}

/// Combines the vectors of all ranks into that of the root. What is in those of others afterwards is of no use.
///
/// # Errors
///
/// [`CommError`] of the first message that failed.
pub async fn reduce<C: Combine>(
    comm: &mut impl Comm,
    root: usize,
    data: &mut [u8],
    how: &C,
) -> Result<(), CommError> {
    let place = Place::of(comm, root)?;
    let mut other = vec![0; data.len()];
    for distance in place.below().rev() {
        comm.recv_from(place.rank(place.relative + distance), &mut other).await?;
        how.combine(data, &other);
    }
    match place.parent() {
        Some(parent) => comm.send_to(place.rank(parent), data).await,
        None => Ok(()),
    }
}
