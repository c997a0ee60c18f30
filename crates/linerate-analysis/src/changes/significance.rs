//! How surprising a change is, over everything that was searched for it.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::gamma::checked_gamma_ur;

/// Less skewness than this is none.
const LEAST_SKEWNESS: f64 = 0.02;
/// Below this deviate nothing is significant, and the number of tests does not shrink.
const LEAST_Z: f64 = 3.3;

/// Two-sided probability of a Student's t at least this large.
pub(super) fn two_sided(t: f64, degrees_of_freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    match StudentsT::new(0.0, 1.0, degrees_of_freedom.max(1.0)) {
        Ok(student) if t.is_finite() => 2.0 * student.cdf(-t.abs()),
        _ => 1.0,
    }
}

/// The t that two-sided 95 % lie within.
pub(super) fn t_95(degrees_of_freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees_of_freedom.max(1.0))
        .map_or(f64::INFINITY, |student| student.inverse_cdf(0.975))
}

/// The two-sided p of a statistic whose distribution leans to one side, from the p of one that does
/// not. `skewness` is that of the statistic, positive if large values in the direction seen are more
/// likely than small ones. The tail is that of a gamma distribution of this skewness (Pearson III).
pub(super) fn with_skewness(p: f64, skewness: f64) -> f64 {
    if skewness < LEAST_SKEWNESS || !(1e-250..0.5).contains(&p) {
        return p;
    }
    let shape = 4.0 / (skewness * skewness);
    let tail = checked_gamma_ur(shape, shape + z_of(p) * shape.sqrt()).unwrap_or(0.0);
    (2.0 * tail).clamp(p, 1.0)
}

/// The standard normal deviate with this two-sided p.
pub(super) fn z_of(p: f64) -> f64 {
    std::f64::consts::SQRT_2 * statrs::function::erf::erfc_inv(p.clamp(1e-300, 1.0))
}

/// What a series is searched for. Each has its own number of places and shapes to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    Step,
    Drift,
    Spread,
}

impl Search {
    /// How many independent tests the search is worth for each run of the series, for a result with
    /// this p of its own: `factor * (z / 4)^power`, as for the maximum of a random field.
    fn tests_a_run(self, p: f64) -> f64 {
        let (factor, power) = match self {
            Search::Step => (2.0, 7.0),
            Search::Drift => (1.0, 6.0),
            Search::Spread => (1.8, 6.0),
        };
        factor * (z_of(p).max(LEAST_Z) / 4.0).powf(power)
    }
}

/// The p of the best of a whole search of `runs` runs, from that of a single test.
pub(super) fn over_search(search: Search, p: f64, runs: usize) -> f64 {
    (p * search.tests_a_run(p) * runs as f64).min(1.0)
}

/// The p of a single test that is `limit` over the whole search.
pub(super) fn single_limit(search: Search, limit: f64, runs: usize) -> f64 {
    let (mut low, mut high) = (-700.0, 0.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if over_search(search, middle.exp(), runs) > limit { high = middle } else { low = middle }
    }
    f64::exp(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    // scipy: 2 * t.sf(4.303, 2), 2 * norm.sf(4), 2 * gamma.sf(4 / g^2 + 4 * 2 / g, 4 / g^2), g = 0.5.
    #[test]
    fn tails_are_those_of_the_tables() {
        assert!((two_sided(4.302_652_73, 2.0) - 0.05).abs() < 1e-8);
        assert_eq!(two_sided(f64::INFINITY, 5.0), 0.0);
        assert_eq!(two_sided(f64::NAN, 5.0), 1.0);
        assert!((z_of(6.334_248_366_623_973e-5) - 4.0).abs() < 1e-6);
        assert!((t_95(10.0) - 2.228_138_85).abs() < 1e-6);
    }

    #[test]
    fn a_long_tail_makes_far_values_less_surprising() {
        let p = 6.334_248_366_623_973e-5;
        assert_eq!(with_skewness(p, 0.0), p);
        assert_eq!(with_skewness(p, -1.0), p, "the short tail gets no smaller p");
        // With skewness 2 the gamma distribution is the exponential one: P(X > 1 + 4) = e^-5.
        assert!((with_skewness(p, 2.0) - 2.0 * (-5.0_f64).exp()).abs() < 1e-8);
    }

    #[test]
    fn the_limit_of_one_test_is_that_of_the_search() {
        for search in [Search::Step, Search::Drift, Search::Spread] {
            for (limit, runs) in [(0.05, 20), (0.05, 10_000), (1e-6, 100)] {
                let single = single_limit(search, limit, runs);
                assert!((over_search(search, single, runs) / limit - 1.0).abs() < 1e-6);
            }
            assert!(over_search(search, 1e-9, 100) < over_search(search, 1e-8, 100));
        }
        assert!(single_limit(Search::Step, 0.0, 100) < 1e-200);
    }
}
