//! The smallest change that could have been seen, and how many runs would decide.

use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, Normal, StudentsT};

/// How often a change of this size is found.
const POWER: f64 = 0.8;
/// Steps of the integral over the spread that a sample may show.
const STEPS: u32 = 400;
/// Nobody measures more runs a side.
pub const MOST_RUNS: u32 = 1000;

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

/// What more runs are to show, of an effect that is what it is now. In standard deviations of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// That it is there: a test at level `alpha`, either way, rejects that there is none.
    Change {
        /// The effect.
        effect: f64,
        /// The level.
        alpha: f64,
    },
    /// That it is small: the whole interval that leaves out `alpha` lies within `margin` either way.
    Small {
        /// The effect.
        effect: f64,
        /// What it is to be less than.
        margin: f64,
        /// What the interval leaves out.
        alpha: f64,
    },
}

/// The least number of runs a side that shows it in four of five cases; at least two. Absent above [`MOST_RUNS`].
///
/// With n runs a side the standard error is `e = sqrt(2/n)` and the limit `t = t(1 - alpha/2, 2n - 2)`. A change is
/// shown with probability `P(Z < effect/e - t)`, and smallness with `P(Z < (margin - effect)/e - t) +
/// P(Z < (margin + effect)/e - t) - 1`, Z standard normal.
/// Source: Chow, Shao and Wang, Sample Size Calculations in Clinical Research (2008), section 3.2.
#[must_use]
pub fn runs_needed(wanted: Wanted) -> Option<u32> {
    let normal = Normal::new(0.0, 1.0).ok()?;
    let shown = |runs: u32| {
        let error = (2.0 / f64::from(runs)).sqrt();
        let (Wanted::Change { alpha, .. } | Wanted::Small { alpha, .. }) = wanted;
        let student = StudentsT::new(0.0, 1.0, f64::from(2 * runs - 2)).ok()?;
        let limit = student.inverse_cdf(1.0 - alpha / 2.0);
        let below = |distance: f64| normal.cdf(distance / error - limit);
        Some(match wanted {
            Wanted::Change { effect, .. } => below(effect.abs()),
            Wanted::Small { effect, margin, .. } => below(margin - effect) + below(margin + effect) - 1.0,
        })
    };
    let enough = |runs: u32| shown(runs).is_some_and(|share| share >= POWER);
    let (mut few, mut many) = (1, MOST_RUNS);
    if !enough(many) {
        return None;
    }
    while many - few > 1 {
        let middle = u32::midpoint(few, many);
        if enough(middle) { many = middle } else { few = middle }
    }
    Some(many)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sd(variation: f64) -> f64 {
        variation.powi(2).ln_1p().sqrt()
    }

    /// Computed with scipy's noncentral t, of which this is the normal form.
    #[test]
    fn as_many_runs_find_a_change_as_the_noncentral_t_says() {
        for (variation, runs) in
            [(0.02, [4, 3, 2]), (0.05, [18, 6, 3]), (0.10, [67, 19, 6]), (0.20, [260, 69, 20])]
        {
            for (change, expected) in [0.05_f64, 0.10, 0.20].into_iter().zip(runs) {
                let effect = change.ln_1p() / sd(variation);
                let found = runs_needed(Wanted::Change { effect, alpha: 0.05 }).expect("few enough");
                assert!(found.abs_diff(expected) <= 1, "{variation}, {change}: {found} is not {expected}");
            }
        }
    }

    #[test]
    fn what_is_equal_needs_the_more_runs_the_nearer_the_effect_is_to_the_margin() {
        let needed = |effect| {
            let margin = 0.05_f64.ln_1p() / sd(0.05);
            runs_needed(Wanted::Small { effect: effect / sd(0.05), margin, alpha: 0.05 })
        };
        // (z(.975) + z(.9))^2 2 s^2 / ln(1.05)^2 = 22, and one for the t.
        assert_eq!(needed(0.0), Some(23));
        let more: Vec<u32> = [0.0, 0.01, 0.02, 0.03].into_iter().filter_map(needed).collect();
        assert!(more.len() == 4 && more.is_sorted() && more[3] > 2 * more[0], "{more:?}");
        assert_eq!(needed(0.02), needed(-0.02));
        assert_eq!((needed(0.0487), needed(0.06)), (None, None), "at the margin, and beyond it");
    }

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
