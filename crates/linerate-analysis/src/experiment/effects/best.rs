//! The best of the cells that were measured.

use serde::Serialize;

use super::least_squares::{Contrast, Fit};
use super::{EffectsError, Factors, Observation, check, distinct};
use crate::experiment::distribution::student_p;
use crate::inference::holm;

/// The cell with the best mean, and those that may be as good.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Best {
    /// For each factor the index of its level.
    pub cell: Vec<usize>,
    /// All other cells, the best first.
    pub others: Vec<Contender>,
}

/// A cell beside the best one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contender {
    /// For each factor the index of its level.
    pub cell: Vec<usize>,
    /// Its mean less that of the best one, blocks removed. Absent if no block has both.
    pub difference: Option<f64>,
    /// The probability of a difference as large where there is none, by the noise of all cells together,
    /// corrected by Holm for all other cells. Absent without repetition.
    pub adjusted: Option<f64>,
}

impl Best {
    /// The cells that cannot be told from the best one at this level.
    pub fn as_good(&self, alpha: f64) -> impl Iterator<Item = &Contender> {
        self.others.iter().filter(move |other| other.adjusted.is_none_or(|adjusted| adjusted > alpha))
    }
}

/// The best of the measured cells by their means with blocks removed. Where blocks have no cell in common
/// their levels are unknown, and cells are ranked by their plain means.
///
/// The best of many is overestimated: measure it again beside the base. With hard factors the noise is
/// that of plots and of single values together, which is nearly right for cells of different plots and too
/// wide for those of one plot.
///
/// # Errors
///
/// As [`effects`](super::effects()).
pub fn best(
    observations: &[Observation<'_>],
    factors: Factors<'_>,
    higher_is_better: bool,
) -> Result<Best, EffectsError> {
    check::check(observations, factors)?;
    let means = Means::new(observations);
    let goodness = |cell: &usize| if higher_is_better { means.mean(*cell) } else { -means.mean(*cell) };
    let mut ranks: Vec<usize> = (0..means.cells.len()).collect();
    ranks.sort_by(|one, other| goodness(other).total_cmp(&goodness(one)));
    let (best, others) = ranks.split_first().ok_or(EffectsError::NoObservations)?;
    let differences: Vec<Option<Contrast>> =
        others.iter().map(|other| means.fit.contrast(&[(*other, 1.0), (*best, -1.0)])).collect();
    let p: Vec<f64> = differences.iter().flatten().filter_map(|one| means.p(*one)).collect();
    let mut adjusted = holm(&p).into_iter();
    let contender = |(other, difference): (&usize, Option<Contrast>)| Contender {
        cell: means.cells[*other].to_vec(),
        difference: difference.map(|difference| difference.estimate),
        adjusted: difference.and_then(|difference| means.p(difference)).and_then(|_| adjusted.next()),
    };
    let others = others.iter().zip(differences).map(contender).collect();
    Ok(Best { cell: means.cells[*best].to_vec(), others })
}

/// The means of cells beside those of blocks.
struct Means<'a> {
    observations: &'a [Observation<'a>],
    cells: Vec<&'a [usize]>,
    fit: Fit,
}

impl<'a> Means<'a> {
    fn new(observations: &'a [Observation<'a>]) -> Self {
        let cells = distinct(observations);
        let values: Vec<f64> = observations.iter().map(|observation| observation.y).collect();
        let fit = Fit::new(&columns(observations, &cells), &values);
        Self { observations, cells, fit }
    }

    fn mean(&self, cell: usize) -> f64 {
        let plain = || {
            let own = self.observations.iter().filter(|one| one.cell == self.cells[cell]);
            let (count, sum) = own.fold((0.0, 0.0), |(count, sum), one| (count + 1.0, sum + one.y));
            sum / count
        };
        self.fit.contrast(&[(cell, 1.0)]).map_or_else(plain, |contrast| contrast.estimate)
    }

    /// The probability of a difference as large where there is none. Absent without repetition.
    fn p(&self, difference: Contrast) -> Option<f64> {
        let freedom = self.fit.freedom() as f64;
        let error = (difference.variance * self.fit.squares() / freedom).sqrt();
        let t = if difference.estimate == 0.0 { 0.0 } else { difference.estimate / error };
        (freedom > 0.0).then(|| student_p(t, freedom))
    }
}

/// A column for each cell, then one for each block, whose sum is zero.
fn columns(observations: &[Observation<'_>], cells: &[&[usize]]) -> Vec<Vec<f64>> {
    let mut blocks: Vec<usize> = observations.iter().map(|observation| observation.block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let sign = |is: bool| f64::from(u8::from(is));
    let of_cell = |cell: &&[usize]| observations.iter().map(|one| sign(one.cell == *cell)).collect();
    let of_block = |block: &usize| {
        observations.iter().map(|one| sign(one.block == *block) - sign(one.block == blocks[0])).collect()
    };
    cells.iter().map(of_cell).chain(blocks[1..].iter().map(of_block)).collect()
}
