//! Whether the bench drifts: the check cell over time.

use serde::Serialize;

use super::distribution::{student_limit, student_p};
use crate::inference::{ALPHA, Relevance};

/// A straight line through the values of one cell over time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Drift {
    /// Change of the value in one unit of time.
    pub slope: f64,
    /// Standard error of the slope.
    pub error: f64,
    /// Degrees of freedom: two less than values.
    pub freedom: f64,
    /// The probability of such a slope, either way, where there is none.
    pub p: f64,
    /// From the first to the last time.
    pub span: f64,
}

impl Drift {
    /// The line through pairs of time and value (a logarithm where ratios are meant), in any order. Absent
    /// with fewer than three values or one time only, and if a number is not finite.
    #[must_use]
    pub fn new(values: &[(f64, f64)]) -> Option<Self> {
        let finite = values.iter().all(|(time, value)| time.is_finite() && value.is_finite());
        if values.len() < 3 || !finite {
            return None;
        }
        let count = values.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| values.iter().map(of).sum::<f64>() / count;
        let (time, value) = (mean(|one| one.0), mean(|one| one.1));
        let spread: f64 = values.iter().map(|one| (one.0 - time).powi(2)).sum();
        if spread == 0.0 {
            return None;
        }
        let slope = values.iter().map(|one| (one.0 - time) * (one.1 - value)).sum::<f64>() / spread;
        let squares: f64 = values.iter().map(|one| (one.1 - value - slope * (one.0 - time)).powi(2)).sum();
        let freedom = count - 2.0;
        let error = (squares / freedom / spread).sqrt();
        let p = student_p(if slope == 0.0 { 0.0 } else { slope / error }, freedom);
        let last = values.iter().map(|one| one.0).fold(f64::NEG_INFINITY, f64::max);
        let first = values.iter().map(|one| one.0).fold(f64::INFINITY, f64::min);
        Some(Self { slope, error, freedom, p, span: last - first })
    }

    /// The change from the first to the last time.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.slope * self.span
    }

    /// The interval of this change that leaves out `alpha`.
    #[must_use]
    pub fn interval(&self, alpha: f64) -> [f64; 2] {
        let reach = student_limit(alpha, self.freedom) * self.error * self.span;
        [self.total() - reach, self.total() + reach]
    }

    /// Whether it matters beside effects as small as this, in the unit of the values: half as much does. Then measure
    /// more blocks; do not divide by the check cell, which adds its noise to every value.
    #[must_use]
    pub fn relevance(&self, smallest_effect: f64) -> Relevance {
        Relevance::of(self.p <= ALPHA, self.interval(ALPHA), smallest_effect.abs() / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_cell() -> Drift {
        let values = [100.0_f64, 100.8, 101.1, 102.2, 102.6, 103.5];
        let over_time: Vec<(f64, f64)> =
            values.iter().enumerate().map(|(time, value)| (time as f64, value.ln())).collect();
        Drift::new(&over_time).expect("six values")
    }

    #[test]
    fn the_slope_of_the_check_cell_is_that_of_the_vector() {
        let drift = check_cell();
        assert!((drift.slope - 0.006_741).abs() < 5e-7, "{drift:?}");
        assert!((drift.error - 0.000_422).abs() < 5e-7, "{drift:?}");
        assert!((drift.p - 9.0e-5).abs() < 5e-7, "{drift:?}");
        assert!((drift.total() - 0.033_705).abs() < 3e-6, "{drift:?}");
        let [low, high] = drift.interval(0.05);
        // t(.975, 4) = 2.776445.
        assert!((high - low - 2.0 * 2.776_445 * 0.000_422 * 5.0).abs() < 2e-5, "{low} to {high}");
    }

    #[test]
    fn a_drift_over_half_of_the_smallest_effect_matters() {
        let of = |effect: f64| check_cell().relevance(effect.ln());
        assert_eq!([1.05, 1.10].map(of), [Relevance::Effect, Relevance::SmallEffect]);
    }

    /// Three times as much by the last run, p .075, is neither a drift nor small.
    #[test]
    fn a_drift_that_is_not_significant_is_not_small() {
        let values = [1.0_f64, 4.2, 0.8, 2.9, 3.1, 3.3, 6.1];
        let over_time: Vec<(f64, f64)> =
            values.iter().enumerate().map(|(time, value)| (time as f64, value.ln())).collect();
        let drift = Drift::new(&over_time).expect("seven values");
        assert!(drift.p > 0.05 && drift.total().exp() > 2.0, "{drift:?}");
        assert_eq!(drift.relevance(1.05_f64.ln()), Relevance::Inconclusive);
    }

    #[test]
    fn too_little_gives_no_line() {
        assert_eq!(Drift::new(&[(0.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(Drift::new(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(Drift::new(&[(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0)]), None);
        let flat = Drift::new(&[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)]).expect("three values");
        assert!(flat.slope == 0.0 && flat.p == 1.0, "{flat:?}");
        assert_eq!(flat.relevance(0.01), Relevance::Negligible);
    }
}
