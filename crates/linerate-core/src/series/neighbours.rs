//! What the neighbours of a size suggest for it.

use super::{Point, Series};
use crate::stats::median;

/// A size is compared with this many sizes on each side.
const NEIGHBOURS: usize = 6;

/// For each point in the order of the series, how much longer it takes than its neighbours suggest,
/// as a difference of logarithms. Absent where there are too few neighbours.
#[must_use]
pub fn local_residuals(series: &Series) -> Vec<Option<f64>> {
    let curve = log_curve(series);
    let mut residuals = vec![None; series.points.len()];
    for (place, (index, _, time)) in curve.iter().enumerate() {
        residuals[*index] = expected(&curve, place).map(|expected| time - expected);
    }
    residuals
}

/// (index in the series, log size, log time), by size.
fn log_curve(series: &Series) -> Vec<(usize, f64, f64)> {
    let point = |(index, point): (usize, &Point)| {
        let time = point.time()?.median;
        // A file may say 0 B, which has no logarithm.
        (time > 0.0 && point.size > 0).then(|| (index, (point.size as f64).ln(), time.ln()))
    };
    let mut curve: Vec<_> = series.points.iter().enumerate().filter_map(point).collect();
    curve.sort_by(|(_, one, _), (_, other, _)| one.total_cmp(other));
    curve
}

/// The log time that the neighbours of the point at `place` suggest.
///
/// Each of up to six neighbours on one side and each on the other suggest what a straight line
/// between them gives here; the median of all suggestions is taken, so that a dip among the
/// neighbours moves it little (the idea of Theil and Sen, for pairs that span the point).
fn expected(curve: &[(usize, f64, f64)], place: usize) -> Option<f64> {
    let (_, size, _) = curve[place];
    let left = &curve[place.saturating_sub(NEIGHBOURS)..place];
    let right = &curve[place + 1..(place + 1 + NEIGHBOURS).min(curve.len())];
    if left.len() < 2 || right.len() < 2 {
        return None;
    }
    let across = left.iter().flat_map(|(_, left_size, left_time)| {
        right.iter().map(move |(_, right_size, right_time)| {
            let share = (size - left_size) / (right_size - left_size).max(f64::MIN_POSITIVE);
            left_time + share * (right_time - left_time)
        })
    });
    median(across)
}
