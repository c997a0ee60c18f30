//! In what order cells are measured.

mod turns;

use std::collections::BTreeMap;

use serde::Serialize;

use super::mix::mixed;

/// One measurement in the order of an experiment.
///
/// A slot is known by its block and its cell (the levels, not the index). More blocks are added behind the
/// others. More levels or cells are put between the others of their block, which stay in their order: what
/// has been measured remains valid, and what is left is measured in the order given. A cell that is
/// measured later than the rest of its plot belongs to a new plot: the caller numbers the plots that were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Slot {
    /// The block, from 0.
    pub block: usize,
    /// The plot, from 0, unique over the experiment: hard factors are set once at its beginning. Without
    /// hard factors a block is one plot.
    pub plot: usize,
    /// The index of the cell.
    pub cell: usize,
    /// Whether this is an additional measurement of the check cell, which shows drift.
    pub check: bool,
}

/// What an order is made of. Equal values give an equal order.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The cells: for each factor the index of its level.
    pub cells: &'a [Vec<usize>],
    /// Which factors are expensive to change; those that it does not mention are not.
    pub hard: &'a [bool],
    /// How many blocks.
    pub blocks: usize,
    /// The seed of the shuffle.
    pub seed: u64,
    /// The index of the cell that is measured again at the beginning, in the middle and at the end of each
    /// block. In blocks with several plots it is a plot of its own between two others.
    pub check: Option<usize>,
    /// Cells take turns in the place of a shuffle: for two cells A B, B A, B A, A B and so on, which cancels
    /// a linear drift over every two blocks and a quadratic one over every four; for more the rows of
    /// Williams squares, where each cell follows each other one equally often. The order depends on the
    /// number of cells, so cells cannot be added later.
    pub in_turn: bool,
}

/// A stretch of cells that share their hard levels.
type Plot = Vec<usize>;

impl Order<'_> {
    /// The slots of all blocks. Each block has every cell once, and the checks.
    #[must_use]
    pub fn slots(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        let mut first_plot = 0;
        for block in 0..self.blocks {
            let plots = if self.in_turn { self.turns(block) } else { self.shuffled(block) };
            for (plot, cells) in self.with_checks(plots).into_iter().enumerate() {
                let slot = |(cell, check)| Slot { block, plot: first_plot + plot, cell, check };
                slots.extend(cells.into_iter().map(slot));
            }
            first_plot = slots.last().map_or(0, |slot: &Slot| slot.plot + 1);
        }
        slots
    }

    fn hard_levels(&self, cell: usize) -> Vec<usize> {
        let levels = self.cells[cell].iter().enumerate();
        levels.filter(|(factor, _)| self.is_hard(*factor)).map(|(_, level)| *level).collect()
    }

    fn is_hard(&self, factor: usize) -> bool {
        self.hard.get(factor).copied().unwrap_or(false)
    }

    /// Plots in random order, and in each its cells.
    fn shuffled(&self, block: usize) -> Vec<Plot> {
        // What sorts a cell depends on its levels alone, so that others may join.
        let key = |part: u64, levels: &[usize]| {
            let words = [self.seed, block as u64, part].into_iter();
            mixed(words.chain(levels.iter().map(|level| *level as u64)))
        };
        let mut plots: BTreeMap<Vec<usize>, Plot> = BTreeMap::new();
        for cell in 0..self.cells.len() {
            plots.entry(self.hard_levels(cell)).or_default().push(cell);
        }
        let mut plots: Vec<(Vec<usize>, Plot)> = plots.into_iter().collect();
        plots.sort_by_cached_key(|(levels, _)| key(1, levels));
        let sorted = |(_, mut cells): (Vec<usize>, Plot)| {
            cells.sort_by_cached_key(|cell| key(2, &self.cells[*cell]));
            cells
        };
        plots.into_iter().map(sorted).collect()
    }

    /// Cells in turn; a new plot where hard levels change.
    fn turns(&self, block: usize) -> Vec<Plot> {
        let cells = turns::turn(self.cells.len(), block);
        let same = |one: &usize, other: &usize| self.hard_levels(*one) == self.hard_levels(*other);
        cells.chunk_by(same).map(<[usize]>::to_vec).collect()
    }

    /// The cells of each plot with whether they are checks.
    fn with_checks(&self, plots: Vec<Plot>) -> Vec<Vec<(usize, bool)>> {
        let plain = |cells: Plot| cells.into_iter().map(|cell| (cell, false)).collect::<Vec<_>>();
        let mut plots: Vec<Vec<(usize, bool)>> = plots.into_iter().map(plain).collect();
        let Some(check) = self.check.filter(|check| *check < self.cells.len() && self.cells.len() > 1) else {
            return plots;
        };
        if let [only] = plots.as_mut_slice() {
            for place in [only.len(), only.len() / 2, 0] {
                only.insert(place, (check, true));
            }
        } else {
            for place in [plots.len(), plots.len() / 2, 0] {
                plots.insert(place, vec![(check, true)]);
            }
        }
        plots
    }
}

#[cfg(test)]
mod tests;
