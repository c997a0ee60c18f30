//! What is slow, unsteady or lossy while others talk.

use super::super::Mesh;
use super::super::matrix::Matrix;
use super::groups::groups;
use super::observed::Observed;
use super::polish::{Polished, usual};
use super::{Measure, Place};
use crate::pattern::Pattern;

/// How many standard deviations of what is left a cell must be above the usual. Wider than a normal distribution needs
/// for any mesh, because times have heavy tails.
const DEVIATIONS: f64 = 6.0;
/// The fewest ranks of which one can be told from its links.
const FEWEST_FOR_RANKS: usize = 4;
/// The fewest ranks of which two groups can be told from slow links.
const FEWEST_FOR_GROUPS: usize = 6;
/// If more than this share of the ranks deviate, there are two kinds of them, and neither is slow.
const TWO_KINDS: f64 = 1.0 / 3.0;

/// Something that was found.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) place: Place,
    pub(super) probe: usize,
    pub(super) measure: Measure,
    /// How many times as long as usual, or as much loss.
    pub(super) times_worse: f64,
}

/// Everything that was found, each place once. Packets that are lost by one message at a time explain what is slow, and
/// that explains what bulk loses in the queue before it and what is unsteady.
pub(super) fn candidates(mesh: &Mesh, tolerance: f64) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let of = |pattern| {
        let probes = mesh.probes.iter().enumerate().filter(move |(_, probe)| probe.pattern == pattern);
        probes.map(|(place, _)| place)
    };
    let (small, bulk) = (|| of(Pattern::PingPong), || of(Pattern::OneWay));
    let steps: [(Measure, Vec<usize>); 4] = [
        (Measure::Loss, small().collect()),
        (Measure::Time, bulk().chain(small()).collect()),
        (Measure::Loss, bulk().collect()),
        (Measure::Mean, small().collect()),
    ];
    for (measure, probes) in steps {
        let mut of_all: Vec<Candidate> = Vec::new();
        for probe in probes {
            of_all.extend(of_probe(mesh, probe, measure, tolerance));
        }
        // A rank explains its links. What is worst says most: a direction is worse than half of a round trip.
        let order = |one: &Candidate| (one.place.ranks().len() == 2, -one.times_worse);
        of_all.sort_by(|one, other| {
            let ((is_link, worse), (is_other, other_worse)) = (order(one), order(other));
            is_link.cmp(&is_other).then(worse.total_cmp(&other_worse))
        });
        for one in of_all {
            let is_explained = |known: &Candidate| {
                let by_loss = known.measure == Measure::Loss && measure != known.measure;
                known.place.explains(&one.place) || by_loss && known.place.crosses(&one.place)
            };
            if !found.iter().any(is_explained) {
                found.push(one);
            }
        }
    }
    found
}

fn of_probe(mesh: &Mesh, probe: usize, measure: Measure, tolerance: f64) -> Vec<Candidate> {
    let is_bulk = mesh.probes.get(probe).is_some_and(|probe| probe.pattern == Pattern::OneWay);
    let Some(observed) = Observed::of(mesh, probe, measure) else { return Vec::new() };
    if is_bulk && observed.is_lossy_everywhere() {
        return Vec::new();
    }
    let gap = measure.gap(tolerance);
    let directed = measure.is_directed(mesh, probe);
    let mut logs = observed.usual_of.map(f64::ln);
    let mut found = Vec::new();
    let candidate = |place, log: f64| Candidate { place, probe, measure, times_worse: log.exp() };
    let size = logs.size();
    if size >= FEWEST_FOR_GROUPS
        && let Some(groups) = groups(&symmetric(&logs), gap)
    {
        let place = Place::Between(groups);
        let (between, within): (Vec<_>, Vec<_>) =
            logs.iter().partition(|(from, to, _)| place.holds(*from, *to));
        let usual = |cells: &[(usize, usize, f64)]| usual(cells.iter().map(|cell| cell.2));
        let slower = usual(&between) - usual(&within);
        // What is left may still have slow ranks and links.
        for (from, to, log) in &between {
            logs.set(*from, *to, Some(log - slower));
        }
        found.push(candidate(place, slower));
    }
    let polished = if size < FEWEST_FOR_RANKS { unpolished(&logs) } else { Polished::of(&logs) };
    let spread = polished.spread();
    let mut slow_ranks = ranks(&polished, gap, spread, directed);
    let half = (gap / 2.0).exp();
    slow_ranks.retain(|(place, _)| observed.is_nearly_always_slow(place, half));
    let of_ranks = slow_ranks.iter().map(|(place, log)| candidate(place.clone(), *log));
    found.extend(of_ranks);
    let mut links = links(&polished, gap.max(DEVIATIONS * spread), directed);
    links.retain(|(place, _)| observed.is_nearly_always_slow(place, gap.exp()));
    let in_a_stripe = |place: &Place| {
        matches!(place, Place::Link(..)) && slow_ranks.iter().any(|(rank, _)| rank.explains(place))
    };
    found.extend(
        links.into_iter().filter(|(place, _)| !in_a_stripe(place)).map(|(place, log)| candidate(place, log)),
    );
    found.retain(|one: &Candidate| observed.is_beyond_chance(&one.place));
    found
}

/// The same both ways: the mean of the two.
fn symmetric(logs: &Matrix) -> Matrix {
    let mut both = logs.clone();
    for (from, to, log) in logs.iter() {
        let back = logs.get(to, from).unwrap_or(log);
        both.set(from, to, Some(f64::midpoint(log, back)));
    }
    both
}

/// Of so few ranks that nothing can be said of one: everything is left to the cells.
fn unpolished(logs: &Matrix) -> Polished {
    let usual = logs.median().unwrap_or(0.0);
    Polished {
        rows: vec![0.0; logs.size()],
        columns: vec![0.0; logs.size()],
        rest: logs.map(|log| log - usual),
    }
}

/// The ranks whose rows or columns are slow.
fn ranks(polished: &Polished, gap: f64, spread: f64, directed: bool) -> Vec<(Place, f64)> {
    let size = polished.rows.len();
    // The standard error of a median of as many cells as a row has (normal: sqrt(pi / 2)).
    let error = spread * (std::f64::consts::FRAC_PI_2 / size.saturating_sub(1).max(1) as f64).sqrt();
    let limit = gap.max(DEVIATIONS * error);
    let slow = (0..size).filter_map(|rank| {
        let (sends, receives) = (polished.rows[rank], polished.columns[rank]);
        match (sends > limit, receives > limit) {
            // A round trip has both directions in its row and in its column.
            (true, true) if !directed => Some((Place::Rank(rank), sends.max(receives))),
            (true, true) => Some((Place::Rank(rank), f64::midpoint(sends, receives))),
            (true, false) if directed => Some((Place::Sends(rank), sends)),
            (false, true) if directed => Some((Place::Receives(rank), receives)),
            _ => None,
        }
    });
    let slow: Vec<(Place, f64)> = slow.collect();
    if slow.len() as f64 > TWO_KINDS * size as f64 { Vec::new() } else { slow }
}

/// The cells that are slow beyond their ranks.
fn links(polished: &Polished, limit: f64, directed: bool) -> Vec<(Place, f64)> {
    let rest = &polished.rest;
    let is_slow = |from, to| rest.get(from, to).is_some_and(|rest| rest > limit);
    let slow = rest.iter().filter(|(from, to, _)| is_slow(*from, *to));
    let found = slow.filter_map(|(from, to, log)| {
        if is_slow(to, from) {
            let back = rest.get(to, from).unwrap_or(log);
            (from < to).then_some((Place::Link(from, to), f64::midpoint(log, back)))
        } else {
            // Half of a round trip is no direction.
            directed.then_some((Place::OneWay { from, to }, log))
        }
    });
    found.collect()
}
