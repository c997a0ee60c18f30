//! The difference of two means with unequal spreads.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The difference of the means of two sets, with its standard error and degrees of freedom.
/// Source: Welch, The generalization of "Student's" problem, Biometrika 34 (1947).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// Mean of the second set less that of the first.
    pub difference: f64,
    /// Standard error of the difference.
    pub error: f64,
    /// Degrees of freedom.
    pub freedom: f64,
    /// Standard deviation of one value, of both sets together.
    pub deviation: f64,
}

/// What is known of the spread of single values from elsewhere, such as from the history.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Prior {
    /// Standard deviation of one value.
    pub deviation: f64,
    /// Degrees of freedom behind it.
    pub freedom: f64,
}

impl Welch {
    /// The difference of `second` from `first`. If one set has a single value, the spread of the other
    /// is taken for both; if both have, that of `prior`. Absent if there is no spread to take, and
    /// without values.
    #[must_use]
    pub fn new(first: &[f64], second: &[f64], prior: Option<Prior>) -> Option<Self> {
        let (one, other) = (Moments::of(first)?, Moments::of(second)?);
        let difference = other.mean - one.mean;
        let known = match (one.variance, other.variance, prior) {
            (Some(left), Some(right), _) => return Some(Self::of_two(difference, one, other, [left, right])),
            (Some(variance), None, _) => Prior { deviation: variance.sqrt(), freedom: one.count - 1.0 },
            (None, Some(variance), _) => Prior { deviation: variance.sqrt(), freedom: other.count - 1.0 },
            (None, None, prior) => prior?,
        };
        let error = known.deviation * (1.0 / one.count + 1.0 / other.count).sqrt();
        Some(Self { difference, error, freedom: known.freedom, deviation: known.deviation })
    }

    fn of_two(difference: f64, one: Moments, other: Moments, [left, right]: [f64; 2]) -> Self {
        let (left_share, right_share) = (left / one.count, right / other.count);
        let squared = left_share + right_share;
        let below = left_share.powi(2) / (one.count - 1.0) + right_share.powi(2) / (other.count - 1.0);
        let all = one.count + other.count - 2.0;
        let freedom = if below > 0.0 { squared.powi(2) / below } else { all };
        let pooled = (left * (one.count - 1.0) + right * (other.count - 1.0)) / all;
        Self { difference, error: squared.sqrt(), freedom, deviation: pooled.sqrt() }
    }

    /// The statistic t. Infinite where values without any spread differ.
    #[must_use]
    pub fn t(&self) -> f64 {
        if self.difference == 0.0 { 0.0 } else { self.difference / self.error }
    }

    /// The probability of a difference this large, either way, where there is none.
    #[must_use]
    pub fn p(&self) -> f64 {
        2.0 * self.beyond(self.t().abs())
    }

    /// The interval that leaves out `alpha`, half of it on each side.
    #[must_use]
    pub fn interval(&self, alpha: f64) -> [f64; 2] {
        let reach = self.student().map_or(f64::INFINITY, |student| student.inverse_cdf(1.0 - alpha / 2.0))
            * self.error;
        [self.difference - reach, self.difference + reach]
    }

    /// P(T > t).
    fn beyond(&self, t: f64) -> f64 {
        if t == f64::INFINITY {
            return 0.0;
        }
        self.student().map_or(1.0, |student| student.sf(t))
    }

    fn student(&self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, self.freedom).ok()
    }
}

#[derive(Clone, Copy)]
struct Moments {
    count: f64,
    mean: f64,
    /// Absent for a single value.
    variance: Option<f64>,
}

impl Moments {
    fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self { count, mean, variance: (values.len() > 1).then(|| squares / (count - 1.0)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ln(values: &[f64]) -> Vec<f64> {
        values.iter().map(|value| value.ln()).collect()
    }

    fn near(one: f64, other: f64, tolerance: f64) {
        assert!((one - other).abs() <= tolerance, "{one} is not {other}");
    }

    /// The vectors were computed with scipy 1.16.
    #[test]
    fn ratios_have_the_intervals_of_published_vectors() {
        let a = ln(&[100.0, 102.0, 98.0, 101.0]);
        for (other, ratio, ends, freedom, p) in [
            (ln(&[105.0, 107.0, 103.0, 108.0]), 1.054_804, [1.020_064, 1.090_726], 5.76, 0.008_289),
            (ln(&[101.0, 104.0, 99.0, 106.0]), 1.022_203, [0.976_692, 1.069_834], 4.7297, 0.265_909),
        ] {
            let welch = Welch::new(&a, &other, None).expect("two sets");
            near(welch.difference.exp(), ratio, 1e-6);
            let [low, high] = welch.interval(0.05).map(f64::exp);
            near(low, ends[0], 1e-6);
            near(high, ends[1], 1e-6);
            near(welch.freedom, freedom, 1e-4);
            near(welch.p(), p, 1e-6);
        }
    }

    #[test]
    fn one_run_a_side_needs_a_spread_from_elsewhere() {
        assert_eq!(Welch::new(&[0.0], &[1.0], None), None);
        // A spread of 5 % on ten degrees of freedom: news only beyond 17.1 % (comparing two runs).
        let deviation = (1.0_f64 + 0.05 * 0.05).ln().sqrt();
        let prior = Prior { deviation, freedom: 10.0 };
        let welch = Welch::new(&[0.0], &[0.0], Some(prior)).expect("a prior");
        near((welch.interval(0.05)[1].exp() - 1.0) * 100.0, 17.1, 0.1);
        // Against several, their spread counts: t of 2 degrees of freedom, sqrt(1 + 1/3).
        let welch = Welch::new(&[0.0, 1.0, -1.0], &[0.0], None).expect("three and one");
        near(welch.interval(0.05)[1], 4.302_65 * (4.0_f64 / 3.0).sqrt(), 1e-4);
    }

    #[test]
    fn values_without_spread_differ_for_certain_or_not_at_all() {
        let differ = Welch::new(&[1.0, 1.0], &[2.0, 2.0], None).expect("two sets");
        assert!(differ.p() == 0.0 && differ.t() == f64::INFINITY, "{differ:?}");
        let same = Welch::new(&[1.0, 1.0], &[1.0, 1.0], None).expect("two sets");
        assert!(same.p() == 1.0 && same.interval(0.05) == [0.0; 2], "{same:?} {}", same.p());
    }
}
