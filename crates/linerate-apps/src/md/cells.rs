//! Cells: the atoms of a rank sorted by where they are, so that neighbours are found among few.
//!
//! The cells are those of the whole box, whoever owns an atom, and inside one atoms are in the order of their numbers. So
//! the order in which neighbours are found, and with it the order of every sum of forces, is the same for any number of
//! ranks.

use super::grid::Part;
use super::particles::Particles;
use crate::atoms::Vector;

/// The atoms of a rank by cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Cells over length.
    inverse: Vector,
    /// The first cell along each axis; those of images may be negative.
    first: [i64; 3],
    count: [usize; 3],
    /// Where each cell begins in what follows; one more than there are cells.
    starts: Vec<u32>,
    /// Which atom it is.
    pub index: Vec<u32>,
    /// Its place.
    pub place: [Vec<f64>; 3],
}

impl Cells {
    /// Cells whose sides are at least `reach`, for the part of a box and one layer around it.
    pub(super) fn new(sides: Vector, part: &Part, reach: f64) -> Self {
        // A side that is `reach` to the last digit may be rounded to less.
        let inverse = sides.map(|side| (side / (reach * (1.0 + 1e-12))).floor().max(1.0) / side);
        let cell = |place: f64, axis: usize| (place * inverse[axis]).floor() as i64;
        let first = [0, 1, 2].map(|axis| cell(part.low[axis], axis) - 1);
        let count = [0, 1, 2].map(|axis| (cell(part.high[axis], axis) + 2 - first[axis]) as usize);
        Self { inverse, first, count, ..Self::default() }
    }

    /// The cell of a place; the nearest one if there is none, as for what is not a number.
    pub(super) fn at(&self, place: Vector) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            let cell = (place[axis] * self.inverse[axis]).floor() as i64;
            cell.saturating_sub(self.first[axis]).clamp(0, self.count[axis] as i64 - 1) as usize
        })
    }

    const fn number(&self, at: [usize; 3]) -> usize {
        (at[0] * self.count[1] + at[1]) * self.count[2] + at[2]
    }

    /// Sorts atoms into the cells.
    pub(super) fn fill(&mut self, atoms: &Particles) {
        let cells: Vec<u32> =
            (0..atoms.len()).map(|index| self.number(self.at(atoms.at(index))) as u32).collect();
        self.starts = vec![0; self.count.iter().product::<usize>() + 1];
        for cell in &cells {
            self.starts[*cell as usize + 1] += 1;
        }
        for cell in 1..self.starts.len() {
            self.starts[cell] += self.starts[cell - 1];
        }
        let mut next = self.starts.clone();
        self.index = vec![0; cells.len()];
        for (index, cell) in cells.iter().enumerate() {
            self.index[next[*cell as usize] as usize] = index as u32;
            next[*cell as usize] += 1;
        }
        for cell in self.starts.windows(2) {
            // Images of one atom in one cell, as in a small box, are told apart by where they are.
            let order = |index: &u32| {
                let [x, y, z] = atoms.at(*index as usize).map(f64::to_bits);
                (atoms.id[*index as usize], x, y, z)
            };
            self.index[cell[0] as usize..cell[1] as usize].sort_unstable_by_key(order);
        }
        self.place =
            atoms.place.each_ref().map(|axis| self.index.iter().map(|index| axis[*index as usize]).collect());
    }

    /// The stretches of sorted atoms that hold all within reach of a place in the cell `at`.
    pub(super) fn around(&self, at: [usize; 3]) -> impl Iterator<Item = std::ops::Range<usize>> {
        let near = move |axis: usize| at[axis].saturating_sub(1)..(at[axis] + 2).min(self.count[axis]);
        let columns = near(0).flat_map(move |x| near(1).map(move |y| [x, y]));
        let z = near(2);
        columns.map(move |[x, y]| {
            let [first, end] = [z.start, z.end - 1].map(|z| self.number([x, y, z]));
            self.starts[first] as usize..self.starts[end + 1] as usize
        })
    }
}
