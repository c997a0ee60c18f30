//! Products of dense matrices on one rank: the loop in which nearly all the time goes.
//!
//! The factors are copied in strips that fit into the caches, and a tile of the product is held in registers while a strip
//! goes by (Goto and van de Geijn 2008). The compiler makes vector instructions of it. Blocks that came in a message are
//! read where they lie, as bytes.

/// Rows of a tile.
const TILE_ROWS: usize = 4;
/// Columns of a tile: a tile of 4 x 4 numbers takes half of the 16 vector registers that every x86-64 has.
const TILE_COLUMNS: usize = 4;
/// Numbers in a vector register that every x86-64 has.
const LANES: usize = 2;
/// How much of the common length is copied at once: a strip of the right factor has 8 KiB, one of the left 16 KiB, and both fit
/// into a first-level cache.
const DEPTH: usize = 256;
/// Rows of the left factor that are copied at once: 512 KiB, within a second-level cache.
const ROWS: usize = 128;
/// With so short a common length every row of the right factor is read at once, and no tile is held.
const SHALLOW: usize = 4;

/// A number of a matrix as it lies in memory.
pub trait Element: Copy {
    /// The number.
    fn value(self) -> f64;
}

impl Element for f64 {
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
}

/// As in a message: little-endian.
impl Element for [u8; 8] {
    #[inline(always)]
    fn value(self) -> f64 {
        f64::from_le_bytes(self)
    }
}

/// A matrix, or a part of one, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'e, E = f64> {
    /// From the first element on.
    pub elements: &'e [E],
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// From one row to the next.
    pub stride: usize,
}

impl<'e, E> Matrix<'e, E> {
    /// A whole matrix.
    #[must_use]
    pub const fn whole(elements: &'e [E], rows: usize, columns: usize) -> Self {
        Self { elements, rows, columns, stride: columns }
    }

    #[inline(always)]
    fn row(&self, row: usize) -> &'e [E] {
        &self.elements[row * self.stride..][..self.columns]
    }
}

/// Numbers of the left factor for each row of a tile, each as often as a vector has room for.
type Spread = [[f64; LANES]; TILE_ROWS];
type Tile = [[f64; TILE_COLUMNS]; TILE_ROWS];

/// Copies of the factors. It can be used again, so that nothing is allocated in a loop.
#[derive(Clone, Debug, Default)]
pub struct Strips {
    left: Vec<Spread>,
    right: Vec<[f64; TILE_COLUMNS]>,
}

impl Strips {
    /// Adds `left` times `right` to `sum`, which is as high as `left` and as wide as `right`, without gaps.
    pub fn multiply_add<L: Element, R: Element>(
        &mut self,
        sum: &mut [f64],
        left: Matrix<'_, L>,
        right: Matrix<'_, R>,
    ) {
        if left.columns == SHALLOW {
            return shallow(sum, left, right);
        }
        for first in (0..left.columns).step_by(DEPTH) {
            let depth = DEPTH.min(left.columns - first);
            self.copy_right(right, first, depth);
            for top in (0..left.rows).step_by(ROWS) {
                let rows = ROWS.min(left.rows - top);
                self.copy_left(left, [top, rows], [first, depth]);
                self.tiles(&mut sum[top * right.columns..][..rows * right.columns], right.columns, depth);
            }
        }
    }

    fn copy_right<R: Element>(&mut self, right: Matrix<'_, R>, first: usize, depth: usize) {
        self.right.clear();
        for column in (0..right.columns).step_by(TILE_COLUMNS) {
            let width = TILE_COLUMNS.min(right.columns - column);
            self.right
                .extend((first..first + depth).map(|row| piece(&right.row(row)[column..column + width])));
        }
    }

    fn copy_left<L: Element>(
        &mut self,
        left: Matrix<'_, L>,
        [top, rows]: [usize; 2],
        [first, depth]: [usize; 2],
    ) {
        self.left.clear();
        for row in (top..top + rows).step_by(TILE_ROWS) {
            // Beyond the last row it does not matter what there is: it is not put anywhere.
            let four =
                [0, 1, 2, 3].map(|place| &left.row((row + place).min(top + rows - 1))[first..first + depth]);
            let spread = |place: usize| four.map(|row| [row[place].value(); LANES]);
            self.left.extend((0..depth).map(spread));
        }
    }

    fn tiles(&self, sum: &mut [f64], columns: usize, depth: usize) {
        for (rows, left) in sum.chunks_mut(TILE_ROWS * columns).zip(self.left.chunks_exact(depth)) {
            for (column, right) in (0..columns).step_by(TILE_COLUMNS).zip(self.right.chunks_exact(depth)) {
                put(rows, columns, column, tile(left, right));
            }
        }
    }
}

/// As many numbers as there are, and then 0.
#[inline(always)]
fn piece<E: Element>(line: &[E]) -> [f64; TILE_COLUMNS] {
    if let Some(numbers) = line.first_chunk::<TILE_COLUMNS>() {
        return numbers.map(Element::value);
    }
    let mut piece = [0.0; TILE_COLUMNS];
    for (place, number) in piece.iter_mut().zip(line) {
        *place = number.value();
    }
    piece
}

/// Adds a tile, or as much of it as there is.
#[inline(always)]
fn put(rows: &mut [f64], columns: usize, column: usize, tile: Tile) {
    let width = TILE_COLUMNS.min(columns - column);
    for (row, tile) in rows.chunks_mut(columns).zip(tile) {
        for (sum, more) in row[column..column + width].iter_mut().zip(tile) {
            *sum += more;
        }
    }
}

/// A tile of the product, from one strip of each factor.
#[inline(always)]
fn tile(left: &[Spread], right: &[[f64; TILE_COLUMNS]]) -> Tile {
    let mut tile = [[0.0; TILE_COLUMNS]; TILE_ROWS];
    for (left, right) in left.iter().zip(right) {
        for row in 0..TILE_ROWS {
            for column in 0..TILE_COLUMNS {
                tile[row][column] += left[row][column % LANES] * right[column];
            }
        }
    }
    tile
}

/// The product if the common length is [`SHALLOW`]: two rows at a time, along the whole rows of the right factor.
fn shallow<L: Element, R: Element>(sum: &mut [f64], left: Matrix<'_, L>, right: Matrix<'_, R>) {
    let columns = right.columns;
    let lines = [0, 1, 2, 3].map(|row| right.row(row));
    for (rows, top) in sum.chunks_mut(2 * columns).zip((0..left.rows).step_by(2)) {
        let factors = |row: usize| [0, 1, 2, 3].map(|place| left.row(row)[place].value());
        let (one, two) = rows.split_at_mut(columns);
        if two.is_empty() {
            // The row is added to numbers that nobody needs.
            return add_rows([one, &mut vec![0.0; columns]], [factors(top); 2], lines);
        }
        add_rows([one, two], [factors(top), factors(top + 1)], lines);
    }
}

/// Adds to each of two rows what four rows make of it, with factors of their own.
#[inline(always)]
fn add_rows<R: Element>(sums: [&mut [f64]; 2], factors: [[f64; SHALLOW]; 2], lines: [&[R]; SHALLOW]) {
    let [one, two] = sums;
    let [[a0, a1, a2, a3], [b0, b1, b2, b3]] = factors;
    let [r0, r1, r2, r3] = lines;
    let above = one.iter_mut().zip(two);
    let below = r0.iter().zip(r1).zip(r2.iter().zip(r3));
    for ((one, two), ((r0, r1), (r2, r3))) in above.zip(below) {
        let [r0, r1, r2, r3] = [r0, r1, r2, r3].map(|number| number.value());
        *one += a0 * r0 + a1 * r1 + a2 * r2 + a3 * r3;
        *two += b0 * r0 + b1 * r1 + b2 * r2 + b3 * r3;
    }
}
