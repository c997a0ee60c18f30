//! The best of the cells that were measured.

use serde::Serialize;

use super::least_squares::Fit;
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

/// The best of the measured cells by their means with blocks removed.
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
    let cells = distinct(observations);
    let columns = columns(observations, &cells);
    let values: Vec<f64> = observations.iter().map(|observation| observation.y).collect();
    let fit = Fit::new(&columns, &values);
    let mean = |cell: usize| fit.contrast(&[(cell, 1.0)]).map(|contrast| contrast.estimate);
    let goodness = |cell: &usize| {
        let mean = mean(*cell).unwrap_or(f64::NEG_INFINITY);
        if higher_is_better { mean } else { -mean }
    };
    let mut ranks: Vec<usize> = (0..cells.len()).collect();
    ranks.sort_by(|one, other| goodness(other).total_cmp(&goodness(one)));
    let (best, others) = ranks.split_first().ok_or(EffectsError::NoObservations)?;
    let freedom = fit.freedom() as f64;
    let variance = (fit.freedom() > 0).then(|| fit.squares() / freedom);
    let contrasts: Vec<_> =
        others.iter().map(|other| fit.contrast(&[(*other, 1.0), (*best, -1.0)])).collect();
    let p: Vec<Option<f64>> = contrasts
        .iter()
        .map(|contrast| {
            let (contrast, variance) = ((*contrast)?, variance?);
            let t = contrast.estimate / (contrast.variance * variance).sqrt();
            Some(if contrast.estimate == 0.0 { 1.0 } else { student_p(t, freedom) })
        })
        .collect();
    let known: Vec<f64> = p.iter().flatten().copied().collect();
    let mut adjusted = holm(&known).into_iter();
    let contender =
        |((other, contrast), p): ((&usize, &Option<super::least_squares::Contrast>), &Option<f64>)| {
            Contender {
                cell: cells[*other].to_vec(),
                difference: contrast.map(|contrast| contrast.estimate),
                adjusted: p.and_then(|_| adjusted.next()),
            }
        };
    let others = others.iter().zip(&contrasts).zip(&p).map(contender).collect();
    Ok(Best { cell: cells[*best].to_vec(), others })
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
