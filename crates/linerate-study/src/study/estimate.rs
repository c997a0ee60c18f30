//! Means over seeds.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// What is left on either side of an interval of 95 %.
const TAIL: f64 = 0.025;

/// A mean over independent runs, and how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Estimate {
    /// Arithmetic mean.
    pub mean: f64,
    /// Half the width of the mean's 95 % interval. Absent for one run.
    pub half_width: Option<f64>,
    /// How many runs.
    pub runs: usize,
}

impl Estimate {
    /// The mean of `values` with its interval by Student's t. Absent without values.
    ///
    /// The interval takes the runs as independent and their values as normally distributed.
    pub fn of(values: &[f64]) -> Option<Self> {
        let runs = values.len();
        if runs == 0 {
            return None;
        }
        let count = runs as f64;
        let mean = values.iter().sum::<f64>() / count;
        let half_width = StudentsT::new(0.0, 1.0, count - 1.0).ok().map(|student| {
            let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
            student.inverse_cdf(1.0 - TAIL) * (squares / (count - 1.0) / count).sqrt()
        });
        Some(Self { mean, half_width, runs })
    }

    /// Both ends of the interval; of one run the mean itself.
    pub fn ends(&self) -> [f64; 2] {
        let half = self.half_width.unwrap_or(0.0);
        [self.mean - half, self.mean + half]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quantiles of Student's t are those of printed tables: 12.706 with 1 degree of freedom,
    /// 2.776 with 4.
    #[test]
    fn the_interval_is_students() {
        let two = Estimate::of(&[1.0, 3.0]).expect("two values");
        assert_eq!((two.mean, two.runs), (2.0, 2));
        assert!((two.half_width.expect("two values") - 12.706).abs() < 2e-3, "{two:?}");
        let five = Estimate::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("five values");
        let half = 2.776 * (2.5_f64 / 5.0).sqrt();
        assert!((five.half_width.expect("five values") - half).abs() < 1e-3, "{five:?}");
        let [low, high] = five.ends();
        assert!((low - (3.0 - half)).abs() < 1e-3 && (high - (3.0 + half)).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn one_run_has_no_interval_and_equal_runs_have_one_of_no_width() {
        let one = Estimate::of(&[7.0]).expect("a value");
        assert_eq!((one.mean, one.half_width, one.ends()), (7.0, None, [7.0, 7.0]));
        assert_eq!(Estimate::of(&[7.0, 7.0]).and_then(|same| same.half_width), Some(0.0));
        assert_eq!(Estimate::of(&[]), None);
    }
}
