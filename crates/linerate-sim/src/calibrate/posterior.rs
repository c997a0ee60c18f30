//! Sets of parameters that are as likely as the best one.

use rand::RngExt as _;
use rand_pcg::Pcg64;
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::least_squares::{Qr, norm, sum};
use super::problem::Problem;
use super::reach;

/// Of everything random here: equal evidence gives an equal profile.
const SEED: u128 = 1;

/// How often slopes are found anew for a set.
const ROUNDS: usize = 1;
/// Steps with the same slopes, at most.
const STEPS: usize = 3;

/// Sets of the logarithms of the parameters that are as likely as the best. Each is found by
/// fitting the evidence with every piece moved by a random error of its own size. The curvature at
/// the optimum alone is not enough: where the slower of two hosts counts, the likelihood has an
/// edge. The first steps of every set have the slopes at the optimum (a chord method), because to find
/// them anew takes as many runs of the model as there are parameters; the last ones have those where they
/// led.
///
/// Absent where the model fails on the evidence, for instance with absurd costs.
///
/// Source: Bardsley, Solonen, Haario, Laine, "Randomize-then-optimize", SIAM J. Sci. Comput. 36, 2014.
pub(super) fn draws(mut problem: Problem<'_>, best: &[f64], count: usize) -> Vec<Vec<f64>> {
    let Some(factors) = problem.slopes(best).and_then(Qr::new) else { return Vec::new() };
    let mut random = Pcg64::new(SEED, 0);
    let mut drawn = Vec::with_capacity(count);
    for _ in 0..count {
        problem.errors.fill_with(|| normal(&mut random));
        drawn.extend(nearest(&problem, best, &factors));
    }
    drawn
}

/// The least squares of `problem`, from `start` with the factors of its slopes.
fn nearest(problem: &Problem<'_>, start: &[f64], first: &Qr) -> Option<Vec<f64>> {
    // As far as the errors alone move it; from there only downwards.
    let moved = sum(start, &first.solve(&problem.residuals(start)?), -1.0);
    let mut logs = descended(problem, moved, first)?;
    for _ in 0..ROUNDS {
        let Some(again) = problem.slopes_ahead(&logs).and_then(Qr::new) else { break };
        logs = descended(problem, logs, &again)?;
    }
    Some(logs)
}

/// A few steps to the least squares with the same slopes. One that does not help is halved.
fn descended(problem: &Problem<'_>, mut logs: Vec<f64>, slopes: &Qr) -> Option<Vec<f64>> {
    let mut left = problem.residuals(&logs)?;
    let mut share = 1.0;
    for _ in 0..STEPS {
        let next = sum(&logs, &slopes.solve(&left), -share);
        match problem.residuals(&next) {
            Some(after) if norm(&after) < norm(&left) => (logs, left) = (next, after),
            _ => share /= 2.0,
        }
    }
    Some(logs)
}

/// A number of the standard normal distribution.
fn normal(random: &mut Pcg64) -> f64 {
    // Zero would be minus infinity.
    Normal::standard().inverse_cdf(random.random::<f64>().max(f64::EPSILON))
}

/// Fewer draws on a side are too few for an estimate.
const FEWEST: usize = 3;

/// The 95 % interval of a logarithm around its best value: each side uses the draws on that side,
/// or all draws if there are too few. A spread estimated from few draws is itself uncertain: it has
/// as many degrees of freedom as there are draws on that side, besides those of the model's error.
pub(super) fn interval(best: f64, drawn: &[f64], freedom: f64) -> [f64; 2] {
    let half = |below: bool| {
        let apart = || drawn.iter().map(|log| log - best);
        let side: Vec<f64> = apart().filter(|apart| (*apart < 0.0) == below).collect();
        let taken = if side.len() < FEWEST { apart().collect() } else { side };
        let squares: f64 = taken.iter().map(|apart| apart * apart).sum();
        let freedom = (freedom.max(1.0).recip() + (taken.len().max(1) as f64).recip()).recip();
        reach(freedom) * (squares / taken.len().max(1) as f64).sqrt()
    };
    [best - half(true), best + half(false)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_reaches_to_each_side_by_itself() {
        let many = |of: &[f64]| of.repeat(100_000);
        let [low, high] = interval(1.0, &many(&[0.9, 1.3]), 1e9);
        assert!((low - (1.0 - 0.196)).abs() < 1e-3 && (high - (1.0 + 0.588)).abs() < 1e-3, "{low} {high}");
        let [low, high] = interval(1.0, &many(&[0.9]), 1e9);
        assert!((low - 0.804).abs() < 1e-3 && (high - 1.196).abs() < 1e-3, "{low} {high}");
        // Ten draws alone: Student's t with 10 degrees of freedom, 2.228.
        let [low, _] = interval(1.0, &[0.9; 10], 1e9);
        assert!((low - (1.0 - 0.2228)).abs() < 1e-3, "{low}");
        assert_eq!(interval(1.0, &[], 5.0), [1.0, 1.0]);
    }
}
