//! The median, and an interval for it that assumes no distribution.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, DiscreteCDF};

/// Coverage that every interval here promises at least.
const COVERAGE: f64 = 0.95;

/// A median with its 95 % order-statistic interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The median, in the unit of the values.
    pub median: f64,
    /// Lower and upper end of the interval. Absent with too few values.
    pub interval: Option<[f64; 2]>,
}

impl Estimate {
    /// Half the interval's width as a share of the median. Absent without an interval.
    #[must_use]
    pub fn relative_half_width(&self) -> Option<f64> {
        let [low, high] = self.interval?;
        (self.median > 0.0).then(|| (high - low) / 2.0 / self.median)
    }
}

/// The median of `values` in any order. Absent if there are no values.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    median_in_place(&mut values.into_iter().collect::<Vec<_>>())
}

/// The same without memory of its own: it puts the values into another order.
#[must_use]
pub fn median_in_place(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let is_odd = values.len() % 2 == 1;
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().max_by(f64::total_cmp).filter(|_| !is_odd);
    Some(lower.map_or(*upper, |lower| f64::midpoint(lower, *upper)))
}

/// The median of `values` with its interval between two order statistics.
///
/// With n values the interval is from the k-th smallest to the k-th largest for the largest k
/// with P(Binomial(n, 1/2) < k) <= 2.5 %, which needs at least six values. It holds for any
/// continuous distribution of independent values.
///
/// ```
/// use linerate_core::stats::median_interval;
///
/// let values: Vec<f64> = (1..=10).map(f64::from).collect();
/// let estimate = median_interval(&values).expect("there are values");
/// assert_eq!(estimate.median, 5.5);
/// // Fewer than two of ten fall below the median in 1.07 % of all cases, fewer than three in 5.5 %.
/// assert_eq!(estimate.interval, Some([2.0, 9.0]));
/// ```
///
/// Source: Conover, Practical Nonparametric Statistics, section 3.2.
#[must_use]
pub fn median_interval(values: &[f64]) -> Option<Estimate> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = median(sorted.iter().copied())?;
    let interval = outer_rank(sorted.len()).map(|rank| [sorted[rank], sorted[sorted.len() - 1 - rank]]);
    Some(Estimate { median, interval })
}

/// How many values lie outside the interval on each side. Absent when even the whole range of `n`
/// values covers too little.
fn outer_rank(n: usize) -> Option<usize> {
    let tail = (1.0 - COVERAGE) / 2.0;
    let binomial = Binomial::new(0.5, n as u64).ok()?;
    // The first rank whose cumulated probability reaches the tail; it may just equal it.
    let reaching = binomial.inverse_cdf(tail);
    let within = if binomial.cdf(reaching) <= tail { Some(reaching) } else { reaching.checked_sub(1) };
    within.map(|rank| rank as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    #[test]
    fn the_ranks_are_those_of_the_tables() {
        // Outer ranks for 95 %: n = 5 none, 6..8 the extremes, 9..11 the second, 20 the sixth.
        let ranks =
            [(0, None), (5, None), (6, Some(0)), (8, Some(0)), (9, Some(1)), (20, Some(5)), (100, Some(39))];
        for (n, rank) in ranks {
            assert_eq!(outer_rank(n), rank, "n = {n}");
        }
    }

    #[test]
    fn the_interval_covers_the_true_median_at_least_95_times_in_100() {
        let mut random = Pcg64::new(1, 1);
        for n in [6, 7, 9, 15, 40] {
            let covered = (0..4000)
                .filter(|_| {
                    // A skewed distribution, as times are: the median of exp(u) for u in [0, 1) is exp(1/2).
                    let values: Vec<f64> = (0..n).map(|_| random.random::<f64>().exp()).collect();
                    let [low, high] = median_interval(&values).and_then(|e| e.interval).expect("n >= 6");
                    (low..=high).contains(&0.5_f64.exp())
                })
                .count();
            assert!(covered >= 3760, "n = {n}: {covered} of 4000");
        }
    }

    proptest! {
        #[test]
        fn the_median_parts_the_values(values in prop::collection::vec(-1e9_f64..1e9, 1..200)) {
            let estimate = median_interval(&values).expect("there are values");
            let below = values.iter().filter(|value| **value < estimate.median).count();
            let above = values.iter().filter(|value| **value > estimate.median).count();
            prop_assert!(below <= values.len() / 2 && above <= values.len() / 2);
            if let Some([low, high]) = estimate.interval {
                prop_assert!(low <= estimate.median && estimate.median <= high);
            }
        }
    }
}
