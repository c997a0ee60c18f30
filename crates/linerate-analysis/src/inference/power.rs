//! The smallest change that could have been seen.

use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, Normal, StudentsT};

/// How often a change of this size is found.
const POWER: f64 = 0.8;
/// Steps of the integral over the spread that a sample may show.
const STEPS: u32 = 400;

/// The smallest difference that a two-sided test at level `alpha` finds in four of five cases, in
/// standard deviations of one value, for sets of these sizes with `freedom` degrees of freedom behind
/// their spread. Absent without degrees of freedom.
/// Source: Cohen, Statistical Power Analysis (1988), section 2.4; noncentral t.
#[must_use]
pub fn visible(counts: [usize; 2], freedom: f64, alpha: f64) -> Option<f64> {
    let [first, second] = counts.map(|count| count as f64);
    let limit = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(1.0 - alpha / 2.0);
    let (mut low, mut high) = (0.0, limit * 20.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if found(middle, freedom, limit)? < POWER { low = middle } else { high = middle }
    }
    Some(high * (1.0 / first + 1.0 / second).sqrt())
}

/// P(|T| > limit) for a noncentral t: over each spread that chi-squared allows, the normal part beyond.
fn found(noncentrality: f64, freedom: f64, limit: f64) -> Option<f64> {
    let spread = ChiSquared::new(freedom).ok()?;
    let normal = Normal::new(0.0, 1.0).ok()?;
    let beyond = |chi: f64| {
        let reach = limit * (chi * chi / freedom).sqrt();
        normal.sf(reach - noncentrality) + normal.cdf(-reach - noncentrality)
    };
    // In chi, not chi squared: the density of chi has no pole at 0.
    let density = |chi: f64| spread.pdf(chi * chi) * 2.0 * chi;
    let end = (freedom + 12.0 * (2.0 * freedom).sqrt() + 30.0).sqrt();
    let step = end / f64::from(STEPS);
    let value = |nth: u32| {
        let chi = (f64::from(nth) * step).max(1e-9);
        beyond(chi) * density(chi)
    };
    // Simpson's rule.
    let inner: f64 = (1..STEPS).map(|nth| value(nth) * if nth % 2 == 1 { 4.0 } else { 2.0 }).sum();
    Some((value(0) + inner + value(STEPS)) * step / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, where 20 questions share the 5 %: in percent, runs that differ by 5 %.
    #[test]
    fn more_questions_see_only_larger_changes() {
        let sd = 0.05_f64.mul_add(0.05, 1.0).ln().sqrt();
        for (each, expected) in [(3, 41.0), (5, 18.7), (10, 10.4)] {
            let found = visible([each; 2], 2.0 * each as f64 - 2.0, 0.05 / 20.0).expect("degrees of freedom");
            let percent = ((found * sd).exp() - 1.0) * 100.0;
            assert!((percent - expected).abs() < 0.6, "{each}: {percent} is not {expected}");
        }
    }

    /// Computed with scipy's noncentral t.
    #[test]
    fn it_is_that_of_the_noncentral_t() {
        for (each, expected) in
            [(2, 5.653), (3, 3.071), (4, 2.381), (5, 2.024), (8, 1.507), (10, 1.325), (30, 0.736)]
        {
            let found = visible([each; 2], 2.0 * each as f64 - 2.0, 0.05).expect("degrees of freedom");
            assert!((found - expected).abs() < 0.002, "{each}: {found} is not {expected}");
        }
        assert_eq!(visible([1, 1], 0.0, 0.05), None);
    }
}
