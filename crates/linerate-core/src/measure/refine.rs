//! Which sizes are the least certain.

use crate::derive::local_residuals;
use crate::series::{Series, Stop};

/// A refining round visits at most this part of the sizes ...
const PART: usize = 4;
/// ... but at least so many, if so many are uncertain.
const FEWEST: usize = 8;
/// A time that differs from what its neighbours suggest by more than so many targets is doubted,
const DOUBTED: f64 = 5.0;
/// until it has been visited so many times.
const ENOUGH_ROUNDS: usize = 15;

/// The sizes that deserve another round: those whose interval is wider than `target`, and those
/// that differ from their neighbours; the least certain first, cut to a fraction of the schedule.
pub(super) fn least_certain(series: &Series, target: f64, affordable: impl Fn(usize) -> bool) -> Vec<usize> {
    let residuals = local_residuals(series);
    let score = |(index, point): (usize, &crate::series::Point)| {
        let width = point
            .time()
            .map_or(f64::INFINITY, |time| time.relative_half_width().unwrap_or(f64::INFINITY) / target);
        let odd = residuals[index].map_or(0.0, |residual| residual.abs() / (DOUBTED * target));
        let doubt = if point.rounds.len() < ENOUGH_ROUNDS { odd } else { 0.0 };
        let open = point.stop != Some(Stop::Target) || doubt > 1.0;
        let score = width.max(doubt);
        (open && score > 1.0 && affordable(index)).then_some((index, score))
    };
    let mut due: Vec<(usize, f64)> = series.points.iter().enumerate().filter_map(score).collect();
    due.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    due.truncate((series.points.len() / PART).max(FEWEST));
    due.into_iter().map(|(index, _)| index).collect()
}
