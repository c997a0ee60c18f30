//! Median polish: what is usual, what each row and each column adds, and what is left to each cell.
//! Source: Tukey, Exploratory Data Analysis, 1977, chapter 11.

use super::super::matrix::Matrix;
use crate::stats;

/// By then it has settled, or goes back and forth by less than matters.
const SWEEPS: u32 = 10;
/// The standard deviation of a normal distribution from its median absolute deviation.
const NORMAL: f64 = 1.4826;

/// The parts of a matrix.
#[derive(Clone, Debug)]
pub(super) struct Polished {
    /// What each sender adds. The median is 0.
    pub(super) rows: Vec<f64>,
    /// What each receiver adds. The median is 0.
    pub(super) columns: Vec<f64>,
    /// What is left.
    pub(super) rest: Matrix,
}

impl Polished {
    /// The parts of `matrix`, whose diagonal is empty.
    pub(super) fn of(matrix: &Matrix) -> Self {
        let size = matrix.size();
        let mut polished = Self { rows: vec![0.0; size], columns: vec![0.0; size], rest: matrix.clone() };
        for _ in 0..SWEEPS {
            for rank in 0..size {
                let usual = polished.rest.sent(rank).unwrap_or(0.0);
                polished.rows[rank] += usual;
                polished.rest.add_to_row(rank, -usual);
            }
            for rank in 0..size {
                let usual = polished.rest.received(rank).unwrap_or(0.0);
                polished.columns[rank] += usual;
                polished.rest.add_to_column(rank, -usual);
            }
        }
        let sends: Vec<bool> = (0..size).map(|rank| matrix.sent(rank).is_some()).collect();
        let receives: Vec<bool> = (0..size).map(|rank| matrix.received(rank).is_some()).collect();
        centre(&mut polished.rows, &sends);
        centre(&mut polished.columns, &receives);
        polished
    }

    /// The spread of what is left, as the standard deviation of a normal distribution. It is widened by the share of the
    /// cells that the rows and columns account for: of four ranks most of what was noise is in them.
    pub(super) fn spread(&self) -> f64 {
        let rest: Vec<f64> = self.rest.iter().map(|(_, _, rest)| rest.abs()).collect();
        let (cells, effects) = (rest.len() as f64, (self.rows.len() * 2).saturating_sub(1) as f64);
        NORMAL * usual(rest) * cells / (cells - effects).max(1.0)
    }
}

/// Takes the median of the effects off all of them. Those of which nothing is known are usual.
fn centre(effects: &mut [f64], known: &[bool]) {
    let usual = usual(effects.iter().zip(known).filter(|(_, known)| **known).map(|(effect, _)| *effect));
    for (effect, known) in effects.iter_mut().zip(known) {
        *effect = if *known { *effect - usual } else { 0.0 };
    }
}

/// The median, 0 of nothing.
pub(super) fn usual(values: impl IntoIterator<Item = f64>) -> f64 {
    stats::median(values).unwrap_or(0.0)
}
