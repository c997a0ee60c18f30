//! Sizes with the same bound.

use serde::Serialize;

use super::bound::Bound;
use super::candidate::Candidate;
use super::settle;

/// A bound that accounts for this share of the time,
const MOST: f64 = 0.5;
/// and for so much more of it than the next, is the likely one.
const AHEAD: f64 = 0.1;
/// One that accounts for this share, the next for at most half as much, is sure.
const SURE: f64 = 0.75;
const SURE_RIVAL: f64 = 0.5;
/// From one size to the next the bound changes only if what it then accounts for more, summed over the sizes, is
/// worth this part of the whole time of all sizes,
const CHANGE: f64 = 0.04;
/// and at most so many times the time of one.
const MOST_CHANGE: f64 = 1.5;

/// Adjacent sizes with the same bound.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Band {
    /// The smallest message. Unit: bytes.
    pub from_bytes: u64,
    /// The largest.
    pub to_bytes: u64,
    /// The one in the middle of them.
    pub middle_bytes: u64,
    /// How many sizes of the curve it has.
    pub sizes: usize,
    /// The bound that binds. Absent if it cannot be told.
    pub verdict: Option<Bound>,
    /// How sure that is.
    pub certainty: Certainty,
    /// Every bound, the one with the largest share first; shares are the means of the sizes, the evidence that of
    /// the size in the middle.
    pub candidates: Vec<Candidate>,
    /// What would settle it, in one sentence.
    pub settle: String,
}

/// How sure a verdict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// It accounts for at least three quarters of the time, and for at least twice as much as any rival.
    Sure,
    /// It accounts for at least half of the time, and for clearly more than any rival.
    Likely,
    /// No bound does.
    CannotTell,
}

/// What is said of one size.
type Sized = (u64, Vec<Candidate>);

/// The bands of `sizes`.
pub(super) fn bands(mut sizes: Vec<Sized>) -> Vec<Band> {
    sizes.sort_by_key(|(size, _)| *size);
    let bounds = smoothest(&sizes);
    let mut bands: Vec<Band> = Vec::new();
    let mut start = 0;
    for end in 1..=sizes.len() {
        if end < sizes.len() && bounds[start] == bounds[end] {
            continue;
        }
        bands.push(band(&sizes[start..end], bounds[start]));
        start = end;
    }
    bands
}

/// A bound for each size, such that they account for as much of the time as possible, and change rarely: the
/// shortest way through a table of sizes and bounds (Viterbi).
fn smoothest(sizes: &[Sized]) -> Vec<Bound> {
    let mut all: Vec<Bound> = Vec::new();
    for it in sizes.iter().flat_map(|(_, of)| of).filter(|it| it.share.is_some()) {
        if !all.contains(&it.bound) {
            all.push(it.bound);
        }
    }
    let lost = |(_, of): &Sized, bound: Bound| {
        1.0 - of.iter().find(|it| it.bound == bound).map_or(0.0, Candidate::known_share)
    };
    let change = (CHANGE * sizes.len() as f64).min(MOST_CHANGE);
    let least = |costs: &[f64]| (0..costs.len()).min_by(|one, other| costs[*one].total_cmp(&costs[*other]));
    // What every bound costs up to a size, and from which bound of the size before it came.
    let mut costs = vec![0.0; all.len()];
    let mut ways: Vec<Vec<usize>> = Vec::new();
    for size in sizes {
        let Some(best) = least(&costs) else { return Vec::new() };
        let way = |bound: usize| if costs[bound] <= costs[best] + change { bound } else { best };
        let ways_here: Vec<usize> = (0..all.len()).map(way).collect();
        let cost = |bound: usize| {
            let before = costs[ways_here[bound]] + if ways_here[bound] == bound { 0.0 } else { change };
            before + lost(size, all[bound])
        };
        costs = (0..all.len()).map(cost).collect();
        ways.push(ways_here);
    }
    let Some(mut at) = least(&costs) else { return Vec::new() };
    let mut bounds = Vec::new();
    for way in ways.iter().rev() {
        bounds.push(all[at]);
        at = way[at];
    }
    bounds.reverse();
    bounds
}

/// The bound that binds, and how sure that is.
pub(super) fn verdict(candidates: &[Candidate]) -> (Option<Bound>, Certainty) {
    let mut ranked: Vec<&Candidate> = candidates.iter().filter(|it| it.share.is_some()).collect();
    ranked.sort_by(|one, other| other.known_share().total_cmp(&one.known_share()));
    let Some(first) = ranked.first() else { return (None, Certainty::CannotTell) };
    let next = ranked.get(1).map_or(0.0, |it| it.known_share());
    let share = first.known_share();
    if matches!(first.bound, Bound::PerMessage | Bound::PerByte) || share < MOST || share - next < AHEAD {
        (None, Certainty::CannotTell)
    } else if share >= SURE && next <= share * SURE_RIVAL {
        (Some(first.bound), Certainty::Sure)
    } else {
        (Some(first.bound), Certainty::Likely)
    }
}

/// One band: its sizes, of which there is at least one, for which `bound` accounts for the most.
fn band(sizes: &[Sized], bound: Bound) -> Band {
    let candidates = together(sizes, bound);
    let (verdict, certainty) = verdict(&candidates);
    let [from_bytes, to_bytes] = [sizes.first(), sizes.last()].map(|it| it.map_or(0, |(size, _)| *size));
    Band {
        from_bytes,
        to_bytes,
        middle_bytes: sizes[sizes.len() / 2].0,
        sizes: sizes.len(),
        verdict,
        certainty,
        settle: settle::settle(verdict, &candidates),
        candidates,
    }
}

/// The candidates of several sizes as one list. What a processor works for is what it does for most of the sizes.
fn together(sizes: &[Sized], bound: Bound) -> Vec<Candidate> {
    let has = |(_, of): &&Sized| of.iter().any(|it| it.bound == bound);
    let alike: Vec<&Sized> = sizes.iter().filter(has).collect();
    let (_, middle) = alike.get(alike.len() / 2).copied().unwrap_or(&sizes[sizes.len() / 2]);
    let mean = |it: &Candidate| {
        let of_size = |(_, of): &Sized| of.iter().find(|other| other.bound.is_like(it.bound))?.share;
        // What a size does not have takes nothing of it; what is not known there may.
        let unknown =
            |(_, of): &&Sized| of.iter().any(|other| other.bound.is_like(it.bound) && other.share.is_none());
        let known = sizes.len() - sizes.iter().filter(unknown).count();
        let sum: f64 = sizes.iter().filter_map(of_size).sum();
        Candidate { share: it.share.map(|_| sum / known.max(1) as f64), ..it.clone() }
    };
    let mut all: Vec<Candidate> = middle.iter().map(mean).collect();
    all.sort_by(|one, other| other.known_share().total_cmp(&one.known_share()));
    all
}
