//! Which elements of a matrix are whose.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a matrix is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// Each rank has some rows, and rows go round a ring: P - 1 messages of 8 n^2 / P for a product.
    #[default]
    Ring,
    /// Each rank of a square number has a square block; blocks are broadcast along the rows and columns of ranks: SUMMA (van de
    /// Geijn and Watts 1997), 2 (sqrt P - 1) blocks received for a product.
    Summa,
}

/// A rank's share of a square matrix. Shares of all ranks have the same lengths; what is beyond the matrix is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Rows and columns of the matrix.
    pub order: usize,
    /// The first row and column.
    pub first: [usize; 2],
    /// How many rows and columns.
    pub count: [usize; 2],
}

impl Share {
    /// The share of `rank` of `ranks`.
    #[must_use]
    pub const fn of(distribution: Distribution, order: usize, rank: usize, ranks: usize) -> Self {
        match distribution {
            Distribution::Ring => {
                let rows = order.div_ceil(ranks);
                Self { order, first: [rank * rows, 0], count: [rows, order] }
            }
            Distribution::Summa => {
                let side = ranks.isqrt();
                let block = order.div_ceil(side);
                Self { order, first: [rank / side * block, rank % side * block], count: [block; 2] }
            }
        }
    }

    /// Elements that it has room for.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count[0] * self.count[1]
    }

    /// Never: every rank has a row.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows of the matrix that are here.
    #[must_use]
    pub fn rows(&self) -> Range<usize> {
        self.part(0)
    }

    /// Columns of the matrix that are here.
    #[must_use]
    pub fn columns(&self) -> Range<usize> {
        self.part(1)
    }

    fn part(&self, of: usize) -> Range<usize> {
        self.first[of].min(self.order)..(self.first[of] + self.count[of]).min(self.order)
    }

    /// Where an element is, if it is here.
    #[must_use]
    pub fn place(&self, row: usize, column: usize) -> Option<usize> {
        let is_here = self.rows().contains(&row) && self.columns().contains(&column);
        is_here.then(|| (row - self.first[0]) * self.count[1] + column - self.first[1])
    }

    /// The sum of the diagonal's elements that are here.
    #[must_use]
    pub fn trace(&self, elements: &[f64]) -> f64 {
        self.rows().filter_map(|row| self.place(row, row)).map(|place| elements[place]).sum()
    }
}
