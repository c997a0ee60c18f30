//! Outliers: a few runs that are off and come back.

use super::pieces::{LEAST, Piece, SHORTEST};
use super::sums::Sums;
use linerate_core::stats::median;

/// Runs that are off by more than this many standard deviations are an excursion.
const OFF: f64 = 4.0;

/// Up to four runs in a row that are off to one side of the runs around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Excursion {
    pub(super) first: usize,
    pub(super) runs: usize,
    /// No run after them tells whether they come back.
    pub(super) last: bool,
}

/// The excursions of a series, of which `scale` says how much neighbours differ at each place.
pub(super) fn excursions(x: &[f64], scale: &[f64]) -> Vec<Excursion> {
    let mut found = Vec::new();
    let mut kept: Vec<f64> = Vec::with_capacity(x.len());
    let mut place = 0;
    while place < x.len() {
        let before = &kept[kept.len().saturating_sub(LEAST)..];
        let runs = (1..LEAST.min(x.len() - place + 1))
            .find(|runs| is_off(x, before, place..place + runs, scale[place]));
        match runs {
            Some(runs) => {
                found.push(Excursion { first: place, runs, last: place + runs == x.len() });
                place += runs;
            }
            None => {
                kept.push(x[place]);
                place += 1;
            }
        }
    }
    found
}

/// Whether the runs `group` are off the runs kept before them and the runs that follow, and their
/// neighbours are not.
fn is_off(x: &[f64], before: &[f64], group: std::ops::Range<usize>, scale: f64) -> bool {
    let after = &x[group.end..(group.end + LEAST).min(x.len())];
    let at_start = group.start == 0;
    // One side alone must be a level.
    if (at_start && after.len() < LEAST)
        || (after.is_empty() && before.len() < LEAST)
        || (before.is_empty() && !at_start)
    {
        return false;
    }
    let middle = median(x[group.clone()].iter().copied()).unwrap_or(0.0);
    let clear_of = |side: &[f64], neighbour: Option<&f64>| {
        let Some(neighbour) = neighbour else { return true };
        let level = median(side.iter().copied()).unwrap_or(0.0);
        let direction = (middle - level).signum();
        let off = x[group.clone()].iter().all(|value| (value - level) * direction > OFF * scale);
        off && (neighbour - level).abs() < (neighbour - middle).abs()
    };
    clear_of(before, before.last()) && clear_of(after, after.first())
}

/// What an excursion must explain better than the piece around it: two standard deviations, squared.
const BETTER: f64 = 4.0;

/// Excursions that took some of their neighbours in and became pieces: up to four runs that alone explain a short piece better than
/// the whole of it, the rest being like the pieces beside it. `variance` is that of the noise.
pub(super) fn within(sums: &Sums, pieces: &[Piece], variance: f64) -> Vec<Excursion> {
    let mut found = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        if pieces.len() == 1 || piece.len() >= SHORTEST {
            continue;
        }
        let before = index.checked_sub(1).map(|index| pieces[index].fit.base);
        let after = pieces.get(index + 1).map(|next| next.fit.base);
        let mut best = (piece.fit.rss - BETTER * variance, None);
        for first in piece.from..piece.to {
            for end in first + 1..=(first + LEAST - 1).min(piece.to) {
                let cost = distance(sums, piece.from..first, before)
                    + sums.level(first, end).rss
                    + distance(sums, end..piece.to, after);
                if cost < best.0 {
                    best = (cost, Some(first..end));
                }
            }
        }
        let group = best.1.into_iter().flatten();
        let last = sums.run[sums.len() - 1];
        let single =
            |place: usize| Excursion { first: sums.run[place], runs: 1, last: sums.run[place] == last };
        found.extend(group.map(single));
    }
    found
}

/// Weighted squares around a level. Infinite if there are values but no level.
fn distance(sums: &Sums, places: std::ops::Range<usize>, level: Option<f64>) -> f64 {
    match level {
        Some(level) => places.map(|place| (sums.x[place] - level).powi(2) * sums.weight[place]).sum(),
        None if places.is_empty() => 0.0,
        None => f64::INFINITY,
    }
}
