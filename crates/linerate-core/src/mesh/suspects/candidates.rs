//! What is slow while others talk.

use super::super::Mesh;
use super::super::matrix::Matrix;
use super::groups::groups;
use super::polish::{Polished, usual};
use super::{Place, SEARCHED, is_directed, measured};
use crate::plan::MeshSchedule;

/// How many standard deviations of what is left a cell must be above the usual. Wider than a normal distribution needs
/// for any mesh, because times have heavy tails.
const DEVIATIONS: f64 = 6.0;
/// The fewest ranks of which one can be told from its links.
const FEWEST_FOR_RANKS: usize = 4;
/// The fewest ranks of which two groups can be told from slow links.
const FEWEST_FOR_GROUPS: usize = 6;
/// If more than this share of the ranks deviate, there are two kinds of them, and neither is slow.
const TWO_KINDS: f64 = 1.0 / 3.0;
/// The share of the times of a rank that must be slow.
const NEARLY_ALL: f64 = 0.9;

/// Something that was slow.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) place: Place,
    pub(super) probe: usize,
    pub(super) times_slower: f64,
}

/// Everything that was slow, each place once.
pub(super) fn candidates(mesh: &Mesh, tolerance: f64) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    // What tells the directions apart comes first: it says more.
    let mut probes: Vec<usize> = (0..mesh.probes.len()).collect();
    probes.sort_by_key(|probe| !is_directed(mesh, *probe));
    for probe in probes {
        for one in of_probe(mesh, probe, tolerance) {
            let known = found.iter_mut().find(|other| is_part(&other.place, &one.place));
            match known {
                Some(known) if known.place == one.place && known.times_slower < one.times_slower => {
                    *known = one;
                }
                Some(_) => {}
                None => found.push(one),
            }
        }
    }
    found
}

/// Whether a place that is known says all that `another` would.
fn is_part(known: &Place, another: &Place) -> bool {
    match (known, another) {
        (Place::Sends(rank) | Place::Receives(rank), Place::Rank(same)) => rank == same,
        (Place::OneWay { from, to }, Place::Link(one, other)) => {
            (*from.min(to), *from.max(to)) == (*one, *other)
        }
        _ => known == another,
    }
}

fn of_probe(mesh: &Mesh, probe: usize, tolerance: f64) -> Vec<Candidate> {
    let Some(times) = measured(mesh, probe) else { return Vec::new() };
    let gap = tolerance.ln_1p();
    let mut logs = times.map(f64::ln);
    let mut found = Vec::new();
    let candidate = |place, log: f64| Candidate { place, probe, times_slower: log.exp() };
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
    let passes = Passes::of(mesh, probe, &times);
    let mut slow_ranks = ranks(&polished, gap, spread, is_directed(mesh, probe));
    slow_ranks.retain(|(place, _)| passes.nearly_all_slow(place, tolerance / 2.0));
    let of_ranks = slow_ranks.iter().map(|(place, log)| candidate(place.clone(), *log));
    found.extend(of_ranks);
    let always = passes.always_slow(tolerance);
    let links = links(&polished, gap.max(DEVIATIONS * spread), &always, is_directed(mesh, probe));
    let in_a_stripe = |place: &Place| match place {
        Place::Link(one, other) => {
            slow_ranks.iter().any(|(rank, _)| *rank == Place::Rank(*one) || *rank == Place::Rank(*other))
        }
        _ => false,
    };
    found.extend(
        links.into_iter().filter(|(place, _)| !in_a_stripe(place)).map(|(place, log)| candidate(place, log)),
    );
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
fn links(polished: &Polished, limit: f64, always: &Matrix, directed: bool) -> Vec<(Place, f64)> {
    let rest = &polished.rest;
    let is_slow =
        |from, to| rest.get(from, to).is_some_and(|rest| rest > limit) && always.get(from, to) == Some(1.0);
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

/// Every single time of a probe.
struct Passes<'a> {
    /// From, to, seconds.
    all: Vec<(usize, usize, f64)>,
    /// Their medians.
    times: &'a Matrix,
    usual: f64,
}

impl<'a> Passes<'a> {
    /// Those that `times` are the medians of.
    fn of(mesh: &Mesh, probe: usize, times: &'a Matrix) -> Self {
        let there = |schedule: &MeshSchedule| mesh.phases_of(std::slice::from_ref(schedule)).next().is_some();
        let schedule = SEARCHED.iter().find(|schedule| there(schedule));
        let phases = schedule.map(|schedule| mesh.phases_of(std::slice::from_ref(schedule)));
        let passes =
            phases.into_iter().flatten().flat_map(|phase| &phase.rounds).flat_map(|round| &round.passes);
        let all = passes.filter_map(|pass| {
            let time = pass.times.get(probe).copied().flatten()?;
            Some((pass.from as usize, pass.to as usize, time.as_seconds()))
        });
        Self { all: all.collect(), times, usual: times.median().unwrap_or(0.0) }
    }

    /// Whether nearly all times of a place are above the usual by this share: one slow visit is no slow place.
    fn nearly_all_slow(&self, place: &Place, share: f64) -> bool {
        let here: Vec<f64> = self
            .all
            .iter()
            .filter(|(from, to, _)| place.holds(*from, *to))
            .map(|(_, _, time)| *time)
            .collect();
        let slow = here.iter().filter(|time| **time > self.usual * (1.0 + share)).count();
        slow as f64 >= NEARLY_ALL * here.len() as f64
    }

    /// 1 for each cell that was above the usual by this share whenever it was measured, and 0 for the others.
    fn always_slow(&self, share: f64) -> Matrix {
        let mut always = self.times.map(|_| 1.0);
        for (from, to, time) in &self.all {
            if *time <= self.usual * (1.0 + share) && always.get(*from, *to).is_some() {
                always.set(*from, *to, Some(0.0));
            }
        }
        always
    }
}
