//! What one rank refines, with the memory that it takes.

use super::decomposition::{Cut, Group};
use super::grid::Grid;
use super::number::Number;
use super::refine::{Bounds, Queue, Rectangle, Room, refine};
use crate::application::AppError;

/// The subintervals of one rank: real arrays, walked at every evaluation.
pub(crate) struct Share<D> {
    grid: Grid<D>,
    cut: Cut,
    rank: usize,
    /// What each queue begins with: chunks, the largest error first.
    starts: Vec<Vec<Rectangle<D>>>,
    /// How many subintervals each queue ends with.
    lengths: Vec<usize>,
    rectangles: Vec<Rectangle<D>>,
    errors: Vec<D>,
    indices: Vec<u32>,
}

impl<D: Number> Share<D> {
    /// The chunks of `rank`, not refined.
    pub(crate) fn new(cut: Cut, rank: usize) -> Self {
        let grid = Grid::<D>::full();
        let bits = cut.chunks.ilog2();
        let start = |group: &Group| {
            let mut chunks: Vec<_> = group.chunks.iter().map(|chunk| grid.chunk(*chunk, bits)).collect();
            // Stable: of equal errors the chunk on the left is first.
            chunks.sort_by(|a, b| {
                b.removable().partial_cmp(&a.removable()).unwrap_or(std::cmp::Ordering::Equal)
            });
            chunks
        };
        let starts = cut.share(rank, 0).iter().map(start).collect();
        let (rectangles, errors, indices) = (Vec::new(), Vec::new(), Vec::new());
        Self { grid, cut, rank, starts, lengths: Vec::new(), rectangles, errors, indices }
    }

    /// Prepares an evaluation with `subintervals` over all ranks. Gives how many are this rank's.
    ///
    /// # Errors
    ///
    /// [`AppError::Calculation`] if there is not that much memory.
    pub(crate) fn resize(&mut self, subintervals: u64) -> Result<u64, AppError> {
        let groups = self.cut.share(self.rank, subintervals);
        let sum: u64 = groups.iter().map(|group| group.subintervals).sum();
        self.lengths.clear();
        self.lengths.extend(groups.iter().map(|group| length(group.subintervals)));
        let needed = length(sum);
        let none = |_| {
            let asked = sum.saturating_mul(size_of::<Rectangle<D>>() as u64 + 2 * 12);
            AppError::Calculation(format!(
                "get {asked} B of memory for {sum} subintervals of one rank; ask for less memory"
            ))
        };
        self.rectangles.try_reserve(needed.saturating_sub(self.rectangles.len())).map_err(none)?;
        self.errors.try_reserve((2 * needed).saturating_sub(self.errors.len())).map_err(none)?;
        self.indices.try_reserve((2 * needed).saturating_sub(self.indices.len())).map_err(none)?;
        self.rectangles.resize(needed.max(self.rectangles.len()), Rectangle::default());
        self.errors.resize((2 * needed).max(self.errors.len()), D::ZERO);
        self.indices.resize((2 * needed).max(self.indices.len()), 0);
        Ok(sum)
    }

    /// Refines from the beginning.
    pub(crate) fn evaluate(&mut self) -> Bounds {
        let (mut rectangles, mut errors, mut indices) =
            (&mut self.rectangles[..], &mut self.errors[..], &mut self.indices[..]);
        let mut bounds = Bounds::default();
        for (start, length) in self.starts.iter().zip(&self.lengths) {
            let queue;
            let room;
            (room, rectangles) = rectangles.split_at_mut(*length);
            (queue, errors) = errors.split_at_mut(2 * length);
            let order;
            (order, indices) = indices.split_at_mut(2 * length);
            let room = Room { rectangles: room, queue: Queue::new(queue, order) };
            bounds = bounds.and(refine(&self.grid, start, room));
        }
        bounds
    }
}

/// A number of subintervals as a length: a plan has at most 2^31.
fn length(subintervals: u64) -> usize {
    usize::try_from(subintervals).unwrap_or(usize::MAX / 2)
}
