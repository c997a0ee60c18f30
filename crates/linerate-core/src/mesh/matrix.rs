//! From every rank to every other: the median over all that was measured of each.

use super::{Mesh, Phase};
use crate::stats::median;

/// A value for every ordered pair of ranks. The rows send and the columns receive.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    size: usize,
    /// By `from * size + to`.
    cells: Vec<Option<f64>>,
}

impl Matrix {
    /// One of `size` ranks, with nothing measured.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self { size, cells: vec![None; size * size] }
    }

    /// The median time of a message of `probe` over the passes of `phases`. Unit: seconds. Passes between ranks that
    /// the mesh does not have are left out.
    #[must_use]
    pub fn of<'a>(mesh: &Mesh, probe: usize, phases: impl IntoIterator<Item = &'a Phase>) -> Self {
        let passes = phases.into_iter().flat_map(|phase| &phase.rounds).flat_map(|round| &round.passes);
        Self::median_of(
            mesh.ranks.len(),
            passes.filter_map(|pass| {
                let time = pass.times.get(probe).copied().flatten()?;
                Some((pass.from as usize, pass.to as usize, time.as_seconds()))
            }),
        )
    }

    /// The median of the values of each pair: from, to, value. Those of ranks that are not among `size` are left out.
    #[must_use]
    pub fn median_of(size: usize, values: impl IntoIterator<Item = (usize, usize, f64)>) -> Self {
        let mut matrix = Self::new(size);
        let mut all: Vec<Vec<f64>> = vec![Vec::new(); matrix.cells.len()];
        for (from, to, value) in values {
            if from.max(to) < size && from != to {
                all[from * size + to].push(value);
            }
        }
        matrix.cells = all.into_iter().map(median).collect();
        matrix
    }

    /// How many ranks there are.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The value from one rank to another, if there is one.
    #[must_use]
    pub fn get(&self, from: usize, to: usize) -> Option<f64> {
        self.cells.get(from * self.size + to).copied().flatten().filter(|_| to < self.size)
    }

    /// Sets the value from one rank to another.
    ///
    /// # Panics
    ///
    /// If there is no such rank.
    pub fn set(&mut self, from: usize, to: usize, value: Option<f64>) {
        assert!(from < self.size && to < self.size, "from {from} to {to} of {} ranks", self.size);
        self.cells[from * self.size + to] = value;
    }

    /// Adds `what` to every value of a row.
    pub(super) fn add_to_row(&mut self, from: usize, what: f64) {
        let row = from * self.size..(from + 1) * self.size;
        self.cells[row].iter_mut().flatten().for_each(|value| *value += what);
    }

    /// Adds `what` to every value of a column.
    pub(super) fn add_to_column(&mut self, to: usize, what: f64) {
        self.cells.iter_mut().skip(to).step_by(self.size.max(1)).flatten().for_each(|value| *value += what);
    }

    /// Every value that there is: from, to, value.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let cells = self.cells.iter().enumerate();
        cells.filter_map(|(at, value)| value.map(|value| (at / self.size, at % self.size, value)))
    }

    /// The median of what `rank` sends.
    #[must_use]
    pub fn sent(&self, rank: usize) -> Option<f64> {
        median((0..self.size).filter_map(|to| self.get(rank, to)))
    }

    /// The median of what `rank` receives.
    #[must_use]
    pub fn received(&self, rank: usize) -> Option<f64> {
        median((0..self.size).filter_map(|from| self.get(from, rank)))
    }

    /// The median of all.
    #[must_use]
    pub fn median(&self) -> Option<f64> {
        median(self.iter().map(|(_, _, value)| value))
    }

    /// The same for each value by itself.
    #[must_use]
    pub fn map(&self, of: impl Fn(f64) -> f64) -> Self {
        Self { size: self.size, cells: self.cells.iter().map(|value| value.map(&of)).collect() }
    }
}
