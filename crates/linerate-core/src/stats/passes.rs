//! What whole passes agree on: the geometric mean of their results, with an interval from run to run.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::Estimate;

/// The share that the interval leaves out on each side: 95 % are within.
const TAIL: f64 = 0.025;

/// The geometric mean of `values`, one of each pass, with its 95 % interval from pass to pass.
///
/// The logarithms of the results of whole passes are taken for normally distributed, so the
/// interval is exp(m -+ t s / sqrt(n)) with n - 1 degrees of freedom. It is right for few passes,
/// where resampling is too narrow, and it covers what stays the same within a pass and differs
/// between passes. Absent without values, or with one that is not above 0; without an interval for
/// one pass. Unit: that of the values.
/// Source: Jain, The Art of Computer Systems Performance Analysis, sections 12.3 and 13.2.
#[must_use]
pub fn over_passes(values: &[f64]) -> Option<Estimate> {
    if values.is_empty() || values.iter().any(|value| *value <= 0.0 || !value.is_finite()) {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().map(|value| value.ln()).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value.ln() - mean).powi(2)).sum();
    let freedom = count - 1.0;
    let interval = StudentsT::new(0.0, 1.0, freedom).ok().map(|student| {
        let reach = student.inverse_cdf(1.0 - TAIL) * (squares / freedom / count).sqrt();
        [(mean - reach).exp(), (mean + reach).exp()]
    });
    Some(Estimate { median: mean.exp(), interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_passes_have_a_wide_interval_and_one_has_none() {
        let one = over_passes(&[5.0]).expect("a value");
        assert!((one.median - 5.0).abs() < 1e-12 && one.interval.is_none(), "{one:?}");
        // Table of t: 12.706 with one degree of freedom. ln 1, ln e: mean 1/2, s = sqrt(1/2).
        let two = over_passes(&[1.0, 1_f64.exp()]).expect("values");
        let [low, high] = two.interval.expect("two passes have an interval").map(f64::ln);
        assert!((high - low - 12.706).abs() < 0.001, "{low} to {high}");
        assert!((two.median.ln() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn eight_passes_have_the_interval_of_the_table() {
        // t of seven degrees of freedom is 2.365.
        let values: Vec<f64> = [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5].map(f64::exp).to_vec();
        let [low, high] = over_passes(&values).and_then(|it| it.interval).expect("an interval").map(f64::ln);
        // s^2 = 42 / 7 = 6; s / sqrt(8) = 0.8660.
        assert!((high - 2.365 * 0.866).abs() < 0.001 && (low + high).abs() < 1e-9, "{low} to {high}");
    }

    #[test]
    fn what_has_no_logarithm_has_no_estimate() {
        for values in [&[][..], &[0.0, 1.0], &[-1.0, 2.0], &[f64::NAN, 1.0], &[f64::INFINITY]] {
            assert_eq!(over_passes(values), None, "{values:?}");
        }
    }
}
