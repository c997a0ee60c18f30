//! Places at which a level may have changed: E-divisive in windows, at several scales.

use std::collections::BTreeSet;

use super::edivisive::best_split;
use super::pieces::LEAST;
use super::significance::two_sided;

/// Values in a window, as means of neighbours at the coarser scales.
const WINDOW: usize = 64;
/// Each scale is this many times coarser than the one before.
const COARSER: usize = 4;
/// A split is a candidate if its own t-test, which knows nothing of the search, is below this. What
/// is kept of them is decided over the whole series.
const LENIENT: f64 = 0.01;

/// Candidates in `z`, a stretch of even spread, sorted. Each is the first index after a change.
pub(super) fn candidates(z: &[f64]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut width = 1;
    while z.len() / width >= 2 * LEAST {
        let means: Vec<f64> =
            z.chunks_exact(width).map(|chunk| chunk.iter().sum::<f64>() / width as f64).collect();
        found.extend(in_windows(&means).into_iter().map(|place| place * width));
        width *= COARSER;
    }
    found
}

/// Windows overlap by half, but begin anew after a change.
fn in_windows(z: &[f64]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut start = 0;
    loop {
        let end = (start + WINDOW).min(z.len());
        let splits = divide(&z[start..end]);
        if end == z.len() {
            found.extend(splits.iter().map(|place| start + place));
            return found;
        }
        let next = splits.last().map_or(WINDOW / 2, |last| (*last).max(WINDOW / 2));
        found.extend(splits.iter().map(|place| start + place));
        start += next;
    }
}

/// Splits a window where it differs most, and its parts again, while the two sides of a split
/// differ by a t-test of the stretch before it and the one after it: not of all that follows, so a
/// step and its return are both found.
fn divide(z: &[f64]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut parts = vec![(0, z.len())];
    while let Some((from, to)) = parts.pop() {
        let Some(split) = best_split(&z[from..to], LEAST) else { continue };
        let at = from + split.at;
        if p_of_means(&z[from..at], &z[at..from + split.end]) <= LENIENT {
            found.insert(at);
            parts.push((from, at));
            parts.push((at, to));
        }
    }
    found
}

/// Student's t-test of two means, with the pooled sample variance.
fn p_of_means(left: &[f64], right: &[f64]) -> f64 {
    let [(n, mean_left, squares_left), (m, mean_right, squares_right)] = [left, right].map(moments);
    let degrees_of_freedom = n + m - 2.0;
    let variance = (squares_left + squares_right) / degrees_of_freedom * (1.0 / n + 1.0 / m);
    let difference = mean_right - mean_left;
    if difference == 0.0 { 1.0 } else { two_sided(difference / variance.sqrt(), degrees_of_freedom) }
}

/// Count, mean, and the sum of squares around the mean.
fn moments(values: &[f64]) -> (f64, f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (count, mean, values.iter().map(|value| (value - mean).powi(2)).sum())
}
