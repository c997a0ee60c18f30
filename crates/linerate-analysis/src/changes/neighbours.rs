//! How much neighbouring runs differ, whatever the level does.

use linerate_core::stats::{median, median_in_place};

/// A median absolute deviation times this is a standard deviation, for normal noise.
const MAD_TO_SIGMA: f64 = 1.4826;
/// With more equal neighbours than this share of all, values are few.
const MOST_EQUAL: f64 = 0.25;
/// A local median is that of a run, and as many before and after it.
const REACH: usize = 5;

/// Whether values are few, such as 0 and 1.
pub(super) fn has_few_values(x: &[f64]) -> bool {
    let equal = x.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64;
    equal > MOST_EQUAL * x.len() as f64
}

/// The standard deviation of independent noise, from the differences of neighbours, so that a few
/// steps and outliers do not count. If values are few, from the mean of the differences: their median
/// says which of the values are frequent. Zero for a constant.
pub(super) fn difference_scale(x: &[f64]) -> f64 {
    let mut differences: Vec<f64> = x.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    if differences.is_empty() {
        return 0.0;
    }
    if has_few_values(x) {
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        return mean * std::f64::consts::PI.sqrt() / 2.0;
    }
    MAD_TO_SIGMA * median_in_place(&mut differences).unwrap_or(0.0) / std::f64::consts::SQRT_2
}

/// The median around each value, of as many values near the ends as elsewhere.
pub(super) fn local_medians_within(x: &[f64]) -> Vec<f64> {
    let width = (2 * REACH + 1).min(x.len());
    let first = |place: usize| place.saturating_sub(REACH).min(x.len() - width);
    let around = |place: usize| x[first(place)..first(place) + width].iter().copied();
    (0..x.len()).filter_map(|place| median(around(place))).collect()
}

/// The median around each value. It follows a step of more than [`REACH`] values without rounding it.
pub(super) fn local_medians(x: &[f64]) -> Vec<f64> {
    let mut around = Vec::with_capacity(2 * REACH + 1);
    let mut at = |place: usize| {
        around.clear();
        around.extend_from_slice(&x[place.saturating_sub(REACH)..(place + REACH + 1).min(x.len())]);
        median_in_place(&mut around)
    };
    (0..x.len()).filter_map(&mut at).collect()
}
