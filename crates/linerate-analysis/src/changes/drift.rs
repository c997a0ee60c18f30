//! Slow drifts: a ramp against the best of the models that have only steps.

use super::noise::Noise;
use super::pieces::{LEAST, Piece};
use super::significance::z_of;
use super::sums::{Fit, Sums};

/// A drift takes at least this many runs; what is faster is a step.
const LEAST_DRIFT: usize = 15;
/// A stretch is searched for a drift if it has at least this many runs.
const SHORTEST_RAMP: usize = 20;
/// Knees of a ramp are searched on a grid of about this many places.
const GRID: usize = 40;
/// A stretch is condensed to at most this many means before steps are fitted to it.
const MEANS: usize = 256;
/// A ramp joins at most this many levels.
const MOST_JOINED: usize = 24;

/// A ramp that begins and ends within its stretch has so many.
const MOST_PARAMETERS: f64 = 4.0;

/// The largest p, as if it were the only test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Of a step.
    pub(super) step: f64,
    /// Of the slope of a drift.
    pub(super) drift: f64,
}

/// Parameters of a ramp: its level, its slope, and each knee inside of the stretch.
fn parameters(sums: &Sums, from: usize, to: usize, fit: &Fit) -> f64 {
    let inside = usize::from(fit.knees[0] > sums.run[from]) + usize::from(fit.knees[1] < sums.run[to - 1]);
    (2 + inside) as f64
}

/// Parameters that a ramp has less than one with two knees. In the place of a single step it must win as
/// if it had them: a ramp's two are fewer than a step's three, and small steps would be drifts.
fn missing(sums: &Sums, from: usize, to: usize, fit: &Fit) -> f64 {
    MOST_PARAMETERS - parameters(sums, from, to, fit)
}

/// The ramp of least cost in a stretch, with its cost: weighted squares over the noise, and ln(n)
/// for each parameter (BIC for known variance).
pub(super) fn best_ramp(sums: &Sums, from: usize, to: usize, noise: &Noise) -> Option<(Fit, f64)> {
    let length = to - from;
    if length < SHORTEST_RAMP {
        return None;
    }
    let step = length.div_ceil(GRID);
    let unit = noise.variance * noise.inflation;
    let penalty = (sums.len() as f64).ln();
    let mut best: Option<(Fit, f64)> = None;
    for first in (from..to).step_by(step) {
        let ends = (first..to).step_by(step).skip(1).filter(|last| last + step < to).chain([to - 1]);
        for last in ends.filter(|last| *last >= first + LEAST_DRIFT - 1) {
            let Some(fit) = sums.ramp(from, to, [first, last]) else { continue };
            let cost = fit.rss / unit + penalty * parameters(sums, from, to, &fit);
            if best.is_none_or(|(_, least)| cost < least) {
                best = Some((fit, cost));
            }
        }
    }
    best
}

/// The least cost of any number of levels in a stretch, by optimal partitioning.
///
/// A stretch of more than [`MEANS`] values is cut at multiples of a few runs only.
/// Source: Jackson et al., An algorithm for optimal partitioning of data on an interval, IEEE Signal
/// Processing Letters 12 (2005).
fn cost_of_steps(sums: &Sums, from: usize, to: usize, noise: &Noise) -> f64 {
    let width = (to - from).div_ceil(MEANS);
    let places: Vec<usize> = (from..to).step_by(width).chain([to]).collect();
    let least = LEAST.div_ceil(width);
    let unit = noise.variance * noise.inflation;
    let penalty = (sums.len() as f64).ln();
    let mut costs = vec![f64::INFINITY; places.len()];
    for end in least..places.len() {
        costs[end] = sums.level(from, places[end]).rss / unit + penalty;
        for cut in least..=end.saturating_sub(least) {
            let cost = costs[cut] + sums.level(places[cut], places[end]).rss / unit + 2.0 * penalty;
            costs[end] = costs[end].min(cost);
        }
    }
    costs[places.len() - 1]
}

/// Replaces levels by ramps.
///
/// A ramp may stand for adjacent levels that all go one way, if its slope is significant and it costs
/// less than the best number of levels there; `limits` are those of a single test for a step and for a
/// drift. Of all pieces so allowed, those of least cost are taken, where a cut costs as much as a step
/// must be worth to be significant: beside a drift there is no small step to make it fit a little better.
pub(super) fn ramps_for_stairs(sums: &Sums, levels: &[Piece], noise: &Noise, limits: Limits) -> Vec<Piece> {
    let penalty = (sums.len() as f64).ln();
    let unit = noise.variance * noise.inflation;
    let cut = z_of(limits.step).powi(2);
    // best[i]: the least cost of the first i levels, and the piece that ends there.
    let mut best: Vec<(f64, usize, Option<Fit>)> = vec![(0.0, 0, None)];
    for end in 1..=levels.len() {
        let level = &levels[end - 1];
        let mut least = (best[end - 1].0 + level.fit.rss / unit + penalty + cut, end - 1, None);
        for start in one_way(&levels[end.saturating_sub(MOST_JOINED)..end], end) {
            let (from, to) = (levels[start].from, level.to);
            let Some((fit, cost)) = best_ramp(sums, from, to, noise) else { continue };
            let total = best[start].0 + cost + cut;
            let margin = if end - start > 2 { 0.0 } else { penalty * missing(sums, from, to, &fit) };
            if total < least.0
                && noise.p_of_slope(&fit) <= limits.drift
                && cost + margin < cost_of_steps(sums, from, to, noise)
            {
                least = (total, start, Some(fit));
            }
        }
        best.push(least);
    }
    let mut pieces = Vec::new();
    let mut end = levels.len();
    while end > 0 {
        let (_, start, fit) = best[end];
        pieces.push(match fit {
            Some(fit) => Piece { from: levels[start].from, to: levels[end - 1].to, fit },
            None => levels[end - 1],
        });
        end = start;
    }
    pieces.reverse();
    pieces
}

/// The places, last one first, from which on the levels before `end` go one way.
fn one_way(levels: &[Piece], end: usize) -> impl Iterator<Item = usize> {
    let up = |pair: &[Piece]| pair[1].fit.base > pair[0].fit.base;
    let last_up = levels.windows(2).next_back().map(up);
    let same = levels.windows(2).rev().take_while(|pair| Some(up(pair)) == last_up).count();
    (end - 1 - same..end).rev()
}
