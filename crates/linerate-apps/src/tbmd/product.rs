//! Products of dense matrices on one rank: the loop in which nearly all the time goes.
//!
//! The factors are copied in strips that fit into the caches, and a tile of the product is held in registers while a strip
//! goes by (Goto and van de Geijn 2008). The compiler makes vector instructions of it.

/// Rows of a tile.
const TILE_ROWS: usize = 4;
/// Columns of a tile: a tile of 4 x 4 numbers takes half of the 16 vector registers that every x86-64 has.
const TILE_COLUMNS: usize = 4;
/// How much of the common length is copied at once: a strip of either factor has 8 KiB, and several fit into a first-level cache.
const DEPTH: usize = 256;
/// With fewer rows than this the right factor is read where it is: a copy would not be used often enough.
const FEW_ROWS: usize = 16;
/// Rows of the left factor that are copied at once: 256 KiB, within a second-level cache.
const ROWS: usize = 128;

/// A matrix, or a part of one, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'e> {
    /// From the first element on.
    pub elements: &'e [f64],
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// From one row to the next.
    pub stride: usize,
}

impl<'e> Matrix<'e> {
    /// A whole matrix.
    #[must_use]
    pub const fn whole(elements: &'e [f64], rows: usize, columns: usize) -> Self {
        Self { elements, rows, columns, stride: columns }
    }

    fn row(&self, row: usize) -> &'e [f64] {
        &self.elements[row * self.stride..][..self.columns]
    }
}

/// Copies of the factors. It can be used again, so that nothing is allocated in a loop.
#[derive(Clone, Debug, Default)]
pub struct Strips {
    left: Vec<[f64; TILE_ROWS]>,
    right: Vec<[f64; TILE_COLUMNS]>,
}

impl Strips {
    /// Adds `left` times `right` to `sum`, which is as high as `left` and as wide as `right`, without gaps.
    pub fn multiply_add(&mut self, sum: &mut [f64], left: Matrix<'_>, right: Matrix<'_>) {
        for first in (0..left.columns).step_by(DEPTH) {
            let depth = DEPTH.min(left.columns - first);
            if left.rows <= FEW_ROWS {
                self.copy_left(left, [0, left.rows], [first, depth]);
                self.few_rows(sum, right, [first, depth]);
                continue;
            }
            self.copy_right(right, first, depth);
            for top in (0..left.rows).step_by(ROWS) {
                let rows = ROWS.min(left.rows - top);
                self.copy_left(left, [top, rows], [first, depth]);
                self.tiles(&mut sum[top * right.columns..][..rows * right.columns], right.columns, depth);
            }
        }
    }

    fn copy_right(&mut self, right: Matrix<'_>, first: usize, depth: usize) {
        self.right.clear();
        for column in (0..right.columns).step_by(TILE_COLUMNS) {
            let width = TILE_COLUMNS.min(right.columns - column);
            for row in first..first + depth {
                let mut piece = [0.0; TILE_COLUMNS];
                piece[..width].copy_from_slice(&right.row(row)[column..column + width]);
                self.right.push(piece);
            }
        }
    }

    fn copy_left(&mut self, left: Matrix<'_>, [top, rows]: [usize; 2], [first, depth]: [usize; 2]) {
        self.left.clear();
        for row in (top..top + rows).step_by(TILE_ROWS) {
            let start = self.left.len();
            self.left.resize(start + depth, [0.0; TILE_ROWS]);
            for place in 0..TILE_ROWS.min(top + rows - row) {
                let elements = &left.row(row + place)[first..first + depth];
                for (piece, element) in self.left[start..].iter_mut().zip(elements) {
                    piece[place] = *element;
                }
            }
        }
    }

    fn tiles(&self, sum: &mut [f64], columns: usize, depth: usize) {
        for (rows, left) in sum.chunks_mut(TILE_ROWS * columns).zip(self.left.chunks_exact(depth)) {
            for (column, right) in (0..columns).step_by(TILE_COLUMNS).zip(self.right.chunks_exact(depth)) {
                put(rows, columns, column, tile(left, right));
            }
        }
    }

    /// The same without a copy of the right factor.
    fn few_rows(&self, sum: &mut [f64], right: Matrix<'_>, [first, depth]: [usize; 2]) {
        let columns = right.columns;
        for (rows, left) in sum.chunks_mut(TILE_ROWS * columns).zip(self.left.chunks_exact(depth)) {
            for column in (0..columns).step_by(TILE_COLUMNS) {
                let mut tile = [[0.0; TILE_COLUMNS]; TILE_ROWS];
                for (left, row) in left.iter().zip(first..) {
                    let there = &right.row(row)[column..];
                    if let Some(right) = there.first_chunk::<TILE_COLUMNS>() {
                        add(&mut tile, left, right);
                    } else {
                        let mut right = [0.0; TILE_COLUMNS];
                        right[..there.len()].copy_from_slice(there);
                        add(&mut tile, left, &right);
                    }
                }
                put(rows, columns, column, tile);
            }
        }
    }
}

/// Adds a tile, or as much of it as there is.
#[inline(always)]
fn put(rows: &mut [f64], columns: usize, column: usize, tile: [[f64; TILE_COLUMNS]; TILE_ROWS]) {
    let width = TILE_COLUMNS.min(columns - column);
    for (row, tile) in rows.chunks_mut(columns).zip(tile) {
        for (sum, more) in row[column..column + width].iter_mut().zip(tile) {
            *sum += more;
        }
    }
}

/// A tile of the product, from one strip of each factor.
#[inline(always)]
fn tile(left: &[[f64; TILE_ROWS]], right: &[[f64; TILE_COLUMNS]]) -> [[f64; TILE_COLUMNS]; TILE_ROWS] {
    let mut tile = [[0.0; TILE_COLUMNS]; TILE_ROWS];
    for (left, right) in left.iter().zip(right) {
        add(&mut tile, left, right);
    }
    tile
}

/// Adds the products of all pairs.
#[inline(always)]
fn add(tile: &mut [[f64; TILE_COLUMNS]; TILE_ROWS], left: &[f64; TILE_ROWS], right: &[f64; TILE_COLUMNS]) {
    for row in 0..TILE_ROWS {
        for column in 0..TILE_COLUMNS {
            tile[row][column] += left[row] * right[column];
        }
    }
}
