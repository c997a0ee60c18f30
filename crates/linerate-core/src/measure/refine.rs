//! Which sizes are the least certain.

use crate::derive::local_residuals;
use crate::series::{Point, Series};

/// A refining round visits at most this part of the sizes ...
const PART: usize = 2;
/// ... but at least so many, if so many are uncertain.
const FEWEST: usize = 8;
/// A time that differs from what its neighbours suggest by more than so many targets is doubted,
const DOUBTED: f64 = 5.0;
/// until it has been visited so many times.
const ENOUGH_ROUNDS: usize = 15;

/// The sizes that deserve another round: those whose interval is wider than `target`, and those
/// that differ from their neighbours.
///
/// First come those to which a round helps most: an interval shrinks with the root of the number
/// of rounds, so one more round takes off a share that falls with the rounds a size has had. A
/// hopelessly noisy size thus does not starve the others.
pub(super) fn least_certain(series: &Series, target: f64, affordable: impl Fn(usize) -> bool) -> Vec<usize> {
    let residuals = local_residuals(series);
    let gain = |(index, point): (usize, &Point)| {
        let width = point.time()?.relative_half_width().map_or(f64::INFINITY, |width| width / target);
        let rounds = point.rounds.len();
        let odd = residuals[index].map_or(0.0, |residual| residual.abs() / (DOUBTED * target));
        let doubt = if rounds < ENOUGH_ROUNDS { odd } else { 0.0 };
        let uncertainty = width.max(doubt);
        (uncertainty > 1.0 && affordable(index)).then_some((index, uncertainty / rounds as f64))
    };
    let mut due: Vec<(usize, f64)> = series.points.iter().enumerate().filter_map(gain).collect();
    due.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    due.truncate((series.points.len() / PART).max(FEWEST));
    due.into_iter().map(|(index, _)| index).collect()
}
