//! The runs of a series that the search for levels sees: without excursions, far values pulled in.

use super::candidates::candidates;
use super::excursion::Excursion;
use super::neighbours::{has_few_values, local_medians, local_medians_within};
use super::pieces::Piece;
use super::spread::Spread;
use super::sums::Sums;

/// Values count as no further than this many standard deviations from the level around them, so that
/// heavy tails do not make levels.
const CLIP: f64 = 2.5;

/// What is searched, and where.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) sums: Sums,
    /// Places at which the level may have changed: indices into `sums`, sorted.
    pub(super) cuts: Vec<usize>,
}

impl Kept {
    /// Pulls values towards the local median.
    pub(super) fn new(x: &[f64], spread: &Spread, off: &[Excursion]) -> Self {
        let runs = kept(x.len(), off);
        let values: Vec<f64> = runs.iter().map(|run| x[*run]).collect();
        let sums = clipped(x, spread, runs, &local_medians(&values));
        let borders = spread.changes.iter().map(|change| sums.run.partition_point(|run| *run < change.at));
        let mut cuts = Vec::new();
        let mut from = 0;
        for to in borders.chain([sums.len()]) {
            cuts.extend(candidates(&sums.x[from..to]).into_iter().map(|cut| from + cut));
            if from < to && to < sums.len() {
                cuts.push(to);
            }
            from = to;
        }
        Self { sums, cuts }
    }

    /// Pulls values towards the local median of their piece instead: near its ends, the local median of the
    /// series is that of one side, or of another piece.
    pub(super) fn around(x: &[f64], spread: &Spread, sums: &Sums, pieces: &[Piece]) -> Sums {
        let mut around = Vec::with_capacity(sums.len());
        for piece in pieces {
            let values: Vec<f64> = (piece.from..piece.to).map(|place| x[sums.run[place]]).collect();
            around.extend(local_medians_within(&values));
        }
        clipped(x, spread, sums.run.clone(), &around)
    }
}

fn clipped(x: &[f64], spread: &Spread, runs: Vec<usize>, around: &[f64]) -> Sums {
    let pulled = |(run, around): (&usize, &f64)| {
        let reach = CLIP * spread.sigma[*run];
        x[*run].clamp(around - reach, around + reach) - x[0]
    };
    let values = runs.iter().zip(around).map(pulled).collect();
    let weight = runs.iter().map(|run| spread.sigma[*run].powi(-2)).collect();
    let few_values = has_few_values(x).then(|| x.iter().map(|value| value - x[0]).collect());
    Sums::new(values, runs, weight).of_few_values(few_values)
}

/// The runs that are in no excursion.
fn kept(count: usize, off: &[Excursion]) -> Vec<usize> {
    let mut kept = vec![true; count];
    for excursion in off {
        kept[excursion.first..excursion.first + excursion.runs].fill(false);
    }
    (0..count).filter(|run| kept[*run]).collect()
}
