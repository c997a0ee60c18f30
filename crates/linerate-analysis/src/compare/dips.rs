//! Dips of two sides: which are the same, which moved, appeared or vanished.

use serde::{Deserialize, Serialize};

use super::method::Method;
use super::sides::Sides;
use crate::derive::{Boundaries, Dip, dips as find};
use crate::inference::{ALPHA, Welch, holm};
use crate::report::NamedRun;
use linerate_core::pattern::Pattern;
use linerate_core::series::Series;
use linerate_core::series::local_residuals;

/// A dip that is there on one side only, and as deep as this: a share of the throughput.
const LEAST_DEPTH: f64 = 0.05;
/// Dips whose deepest sizes lie this near may be the same one. Unit: octaves.
const NEAR: f64 = 0.5;

/// What a dip did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DipChange {
    /// The dip on each side, where it has it.
    pub dips: [Option<Dip>; 2],
    /// What became of it.
    pub fate: Fate,
}

/// What became of a dip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// At the same size as before.
    Same,
    /// At another size.
    Moved,
    /// Only the second side has it.
    Appeared,
    /// Only the first side has it.
    Vanished,
    /// Only one side shows it, and that is no proof that the other does not have it.
    Unclear,
    /// The other side did not measure the size.
    NotSeen,
}

/// What the dips of the curves of a pattern did, by size.
pub(super) fn dips(sides: &Sides<'_>, pattern: Pattern, method: Method) -> Vec<DipChange> {
    let merged = sides.runs.each_ref().map(|side| merged(side, pattern));
    let [Some(base), Some(candidate)] = &merged else { return Vec::new() };
    let found = [
        find(base, &Boundaries::of(&sides.runs[0][0].run)),
        find(candidate, &Boundaries::of(&sides.runs[1][0].run)),
    ];
    let step = grid_step(base).max(grid_step(candidate));
    let pairs = matched(&found, step);
    let mut changes: Vec<DipChange> = pairs
        .iter()
        .map(|[one, other]| {
            let (one, other) = (&found[0][*one], &found[1][*other]);
            let fate = if octaves(one.size, other.size) <= step * 1.001 { Fate::Same } else { Fate::Moved };
            DipChange { dips: [Some(one.clone()), Some(other.clone())], fate }
        })
        .collect();
    changes.extend(unmatched(&Unmatched { sides, pattern, method, found: &found, pairs: &pairs }));
    let place = |change: &DipChange| change.dips.iter().flatten().map(|dip| dip.size).min();
    changes.sort_by_key(place);
    changes
}

/// All runs of a side as one curve, each a pass of it.
fn merged(side: &[&NamedRun], pattern: Pattern) -> Option<Series> {
    let mut curves = side.iter().enumerate().filter_map(|(nth, named)| {
        let mut series = named.run.series.iter().find(|series| series.pattern == pattern)?.clone();
        for round in series.points.iter_mut().flat_map(|point| &mut point.rounds) {
            round.pass = u32::try_from(nth).unwrap_or(u32::MAX);
        }
        Some(series)
    });
    let mut all = curves.next()?;
    for next in curves {
        for point in next.points {
            match all.points.iter_mut().find(|known| known.size == point.size) {
                Some(known) => known.rounds.extend(point.rounds),
                None => all.points.push(point),
            }
        }
    }
    all.points.sort_by_key(|point| point.size);
    Some(all)
}

/// The usual distance of neighbouring sizes. Unit: octaves.
fn grid_step(series: &Series) -> f64 {
    let sizes: Vec<u64> = series.timed().map(|point| point.size.max(1)).collect();
    linerate_core::stats::median(sizes.windows(2).map(|pair| octaves(pair[0], pair[1]))).unwrap_or(0.0)
}

fn octaves(one: u64, other: u64) -> f64 {
    (one.max(1) as f64 / other.max(1) as f64).log2().abs()
}

/// Pairs of dips, one of each side, by their indices: the nearest first.
fn matched(found: &[Vec<Dip>; 2], step: f64) -> Vec<[usize; 2]> {
    let mut possible = Vec::new();
    for (one, base) in found[0].iter().enumerate() {
        for (other, candidate) in found[1].iter().enumerate() {
            if may_match(base, candidate, step) {
                let deeper = base.depth.max(candidate.depth);
                possible.push((octaves(base.size, candidate.size), -deeper, [one, other]));
            }
        }
    }
    possible.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for (_, _, pair) in possible {
        if !pairs.iter().any(|taken| taken[0] == pair[0] || taken[1] == pair[1]) {
            pairs.push(pair);
        }
    }
    pairs
}

/// The same named boundary, extents that meet when each is one step wider, or deepest sizes half an
/// octave apart.
fn may_match(one: &Dip, other: &Dip, step: f64) -> bool {
    let named = |dip: &Dip| dip.boundary.map(|boundary| (boundary.kind, boundary.multiple));
    let wide = |dip: &Dip| {
        let [first, last] = dip.extent.map(|size| (size.max(1) as f64).log2());
        [first - step, last + step]
    };
    let ([first, last], [other_first, other_last]) = (wide(one), wide(other));
    let meet = first <= other_last && other_first <= last;
    (named(one).is_some() && named(one) == named(other)) || meet || octaves(one.size, other.size) <= NEAR
}

struct Unmatched<'a> {
    sides: &'a Sides<'a>,
    pattern: Pattern,
    method: Method,
    found: &'a [Vec<Dip>; 2],
    pairs: &'a [[usize; 2]],
}

/// Dips that one side has and the other does not show. That it does not show one is no proof: how far the
/// size lies from its neighbours must itself differ between the sides.
fn unmatched(unmatched: &Unmatched<'_>) -> Vec<DipChange> {
    let Unmatched { sides, pattern, method, found, pairs } = unmatched;
    let single = [0, 1].into_iter().flat_map(|side| {
        let alone = move |nth: &usize| !pairs.iter().any(|pair| pair[side] == *nth);
        (0..found[side].len()).filter(alone).map(move |nth| (side, &found[side][nth]))
    });
    let single: Vec<(usize, &Dip)> = single.collect();
    let tests: Vec<Test> = single.iter().map(|(_, dip)| Test::of(sides, *pattern, dip.size)).collect();
    let p: Vec<f64> = tests.iter().map(|test| test.welch.map_or(1.0, |welch| welch.p())).collect();
    let adjusted = holm(&p);
    let fate = |nth: usize, side: usize| {
        let test = &tests[nth];
        let clear = *method == Method::Exact || adjusted[nth] <= ALPHA;
        if !test.seen {
            Fate::NotSeen
        } else if clear && test.depth.is_some_and(|depth| depth.abs() >= LEAST_DEPTH) {
            if side == 0 { Fate::Vanished } else { Fate::Appeared }
        } else {
            Fate::Unclear
        }
    };
    let change = |(nth, (side, dip)): (usize, &(usize, &Dip))| {
        let mut dips = [None, None];
        dips[*side] = Some((*dip).clone());
        DipChange { dips, fate: fate(nth, *side) }
    };
    single.iter().enumerate().map(change).collect()
}

/// Whether the distance of a size from its neighbours differs between the sides.
struct Test {
    /// Both sides measured it.
    seen: bool,
    welch: Option<Welch>,
    /// By how much, as a share of the throughput.
    depth: Option<f64>,
}

impl Test {
    fn of(sides: &Sides<'_>, pattern: Pattern, size: u64) -> Self {
        let residual = |named: &&NamedRun| {
            let series = named.run.series.iter().find(|series| series.pattern == pattern)?;
            let index = series.points.iter().position(|point| point.size == size)?;
            local_residuals(series)[index]
        };
        let values: [Vec<f64>; 2] =
            sides.runs.each_ref().map(|side| side.iter().filter_map(residual).collect());
        let seen = values.iter().all(|side| !side.is_empty());
        let mean = |side: &[f64]| side.iter().sum::<f64>() / side.len() as f64;
        Self {
            seen,
            welch: Welch::new(&values[0], &values[1], None),
            depth: seen.then(|| 1.0 - (-(mean(&values[1]) - mean(&values[0])).abs()).exp()),
        }
    }
}

#[cfg(test)]
mod tests;
