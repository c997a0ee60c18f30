//! A test that holds however often it is looked at.

use serde::{Deserialize, Serialize};

/// The mixture sequential probability ratio test of a mean of 0, for differences of pairs with a known
/// standard deviation.
/// Source: Johari et al., Always valid inference, Operations Research 70 (2022), equation (9); Robbins,
/// Annals of Mathematical Statistics 41 (1970).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixture {
    deviation: f64,
    prior: f64,
    count: f64,
    sum: f64,
    p: f64,
}

/// What is known after some pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anytime {
    /// Mean difference.
    pub mean: f64,
    /// The probability that it ever appears this small where there is no difference.
    pub p: f64,
}

impl Mixture {
    /// For differences with this standard deviation, and effects of about the size `prior`, the standard
    /// deviation of a normal distribution around 0. Absent unless both are positive and finite.
    #[must_use]
    pub fn new(deviation: f64, prior: f64) -> Option<Self> {
        let good = |value: f64| value.is_finite() && value > 0.0;
        (good(deviation) && good(prior)).then_some(Self { deviation, prior, count: 0.0, sum: 0.0, p: 1.0 })
    }

    /// Adds the difference of one more pair.
    pub fn told(&mut self, difference: f64) -> Anytime {
        self.count += 1.0;
        self.sum += difference;
        let (variance, wide) = self.variances();
        let exponent = (self.prior * self.sum).powi(2) / (2.0 * variance * wide);
        let likelihood = (variance / wide).sqrt() * exponent.exp();
        self.p = self.p.min(1.0 / likelihood);
        Anytime { mean: self.sum / self.count, p: self.p }
    }

    /// Half the width of the interval around the mean, such that with probability 1 - `alpha` the
    /// intervals after every number of pairs hold the true difference. Infinite before the first pair.
    #[must_use]
    pub fn half_width(&self, alpha: f64) -> f64 {
        if self.count == 0.0 {
            return f64::INFINITY;
        }
        let (variance, wide) = self.variances();
        let reach = ((wide / variance).sqrt() / alpha).ln();
        (2.0 * variance * wide * reach).sqrt() / (self.count * self.prior)
    }

    /// That of a difference, and that with the prior of all pairs.
    fn variances(&self) -> (f64, f64) {
        let variance = self.deviation * self.deviation;
        (variance, variance + self.count * self.prior * self.prior)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_pairs_have_the_probabilities_of_the_vector() {
        let mut test = Mixture::new(0.03, 0.05).expect("positive");
        let steps = [
            (0.05, 0.700_001, 0.094_659),
            (0.08, 0.047_922, 0.064_652),
            (0.02, 0.047_922, 0.052_570),
            (0.06, 0.012_623, 0.045_619),
            (0.07, 0.001_141, 0.040_954),
        ];
        for (difference, p, half_width) in steps {
            let found = test.told(difference);
            assert!((found.p - p).abs() < 1e-6, "{found:?}");
            assert!((test.half_width(0.05) - half_width).abs() < 1e-6, "{test:?}");
        }
    }

    #[test]
    fn spreads_that_are_none_are_refused() {
        assert!(Mixture::new(0.0, 1.0).is_none() && Mixture::new(1.0, f64::NAN).is_none());
        assert_eq!(Mixture::new(1.0, 1.0).map(|test| test.half_width(0.05)), Some(f64::INFINITY));
    }
}
