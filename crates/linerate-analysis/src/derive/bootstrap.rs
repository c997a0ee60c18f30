//! What the percentile bootstraps of a curve share.

use rand::RngExt;
use rand_pcg::Pcg64;

use linerate_core::stats::median;

/// Resamplings for an interval.
pub(super) const RESAMPLES: usize = 200;

/// The median of as many values, drawn from these with replacement.
pub(super) fn redrawn_median(values: &[f64], random: &mut Pcg64) -> f64 {
    median(values.iter().map(|_| values[random.random_range(0..values.len())])).unwrap_or(0.0)
}

/// The places of the ends of the inner 95 % of `count` sorted results. `None` without any.
pub(super) fn inner_95(count: usize) -> Option<[usize; 2]> {
    let last = count.checked_sub(1)?;
    let tail = count / 40;
    Some([tail, last - tail])
}
