//! A matrix in as many cells as there is room for.

use linerate_analysis::report::MeshView;

/// Cells of one pair each, or of several with the worst of them.
pub(super) struct Tiles {
    /// Ranks in a row or a column of cells.
    pub(super) ranks: usize,
    /// Cells in a row and in a column.
    pub(super) side: usize,
    /// By row and column. Absent if no pair of the cell was measured.
    cells: Vec<Option<f64>>,
}

impl Tiles {
    /// The cells of `view`, at most `most` in a row.
    pub(super) fn of(view: &MeshView, most: usize) -> Self {
        let size = view.values.size();
        let ranks = size.div_ceil(most.max(1)).max(1);
        let side = size.div_ceil(ranks);
        let mut cells: Vec<Option<f64>> = vec![None; side * side];
        for (from, to, value) in view.values.iter() {
            let cell = &mut cells[from / ranks * side + to / ranks];
            if cell.is_none_or(|known| view.unit.is_worse(value, known)) {
                *cell = Some(value);
            }
        }
        Self { ranks, side, cells }
    }

    /// The value of a cell.
    pub(super) fn get(&self, row: usize, column: usize) -> Option<f64> {
        self.cells[row * self.side + column]
    }

    /// The ranks of a row, by number: `3`, or `12-15`.
    pub(super) fn numbers(&self, row: usize, size: usize) -> String {
        let first = row * self.ranks;
        let last = (first + self.ranks).min(size).saturating_sub(1);
        if last <= first { first.to_string() } else { format!("{first}-{last}") }
    }

    /// What a cell is, if it is more than a pair.
    pub(super) fn note(&self) -> Option<String> {
        (self.ranks > 1).then(|| format!("a cell is the worst of {0} x {0} pairs", self.ranks))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_tile_has_the_worst_of_its_pairs() {
        let report = fixture::small();
        for view in &report.meshes[0].views {
            let tiles = Tiles::of(view, 3);
            assert_eq!((tiles.ranks, tiles.side), (3, 3), "8 ranks in threes");
            for (row, column) in [(0, 0), (0, 2), (2, 1)] {
                let values = (row * 3..8.min(row * 3 + 3))
                    .flat_map(|from| (column * 3..8.min(column * 3 + 3)).map(move |to| (from, to)))
                    .filter_map(|(from, to)| view.values.get(from, to));
                let worst =
                    values.reduce(|one, other| if view.unit.is_worse(other, one) { other } else { one });
                assert_eq!(tiles.get(row, column), worst);
            }
            assert_eq!(tiles.numbers(2, 8), "6-7");
            assert!(tiles.note().is_some_and(|note| note.contains("3 x 3")));
            assert!(Tiles::of(view, 8).note().is_none());
        }
    }
}
