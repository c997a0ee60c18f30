//! Which rank, direction, link or shared way is slow.
//!
//! The logarithms of the times are parted into what is usual, what each sender and each receiver adds, and what is left
//! to the pair, all by medians, so that a few slow ones do not move the rest. A stripe of the matrix is then a rank, a
//! cell a link. What is slow only while others talk is told from what is slow alone by measuring it alone.

mod alone;
mod candidates;
mod groups;
mod polish;

use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use super::Mesh;
use super::matrix::Matrix;
use crate::pattern::Pattern;
use crate::plan::MeshSchedule;

use candidates::{Candidate, candidates};

/// Separates the random numbers of this module from others of the same seed.
const STREAM: u128 = 0x7375_7370;
/// Of a place with many pairs, so many are measured alone.
const PAIRS_OF_A_PLACE: usize = 4;
/// The fewest ordinary pairs that are measured alone beside the slow ones.
const FEWEST_CONTROLS: usize = 5;

/// The schedules in which slow places are looked for: the first that there is.
const SEARCHED: [MeshSchedule; 3] = [MeshSchedule::Pairs, MeshSchedule::Serial, MeshSchedule::Shifts];

/// Where something is slow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Between groups of ranks, each of which is fast within: they share a way.
    Between(Vec<Vec<usize>>),
    /// A rank: all that it sends and receives.
    Rank(usize),
    /// All that a rank sends, and not what it receives.
    Sends(usize),
    /// All that a rank receives, and not what it sends.
    Receives(usize),
    /// Between two ranks, both ways; the lower one first.
    Link(usize, usize),
    /// From one rank to another, and not back.
    OneWay {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
    },
}

impl Place {
    /// Whether what passes from one rank to another passes here.
    #[must_use]
    pub fn holds(&self, from: usize, to: usize) -> bool {
        match self {
            Self::Between(groups) => {
                let group = |rank: usize| groups.iter().position(|group| group.contains(&rank));
                group(from) != group(to)
            }
            Self::Rank(rank) => from == *rank || to == *rank,
            Self::Sends(rank) => from == *rank,
            Self::Receives(rank) => to == *rank,
            Self::Link(one, other) => (from.min(to), from.max(to)) == (*one, *other),
            Self::OneWay { from: sender, to: receiver } => (from, to) == (*sender, *receiver),
        }
    }
}

/// What was seen when it was measured alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is slow alone as well.
    Bad,
    /// Alone it is as fast as others: it was slow because others talked.
    Congested,
    /// It was not measured alone, or not often enough.
    Unconfirmed,
}

/// Something slow.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// Where.
    pub place: Place,
    /// Of which of [`Mesh::probes`] it was found.
    pub probe: usize,
    /// How many times as long as usual it takes while others talk.
    pub times_slower: f64,
    /// The same when it was measured alone, against ordinary pairs that were.
    pub alone: Option<f64>,
    /// What that says.
    pub verdict: Verdict,
}

/// The pairs that are worth measuring alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recheck {
    /// The slow ones, the lower rank first.
    pub slow: Vec<(usize, usize)>,
    /// Ordinary ones, to hold them against.
    pub controls: Vec<(usize, usize)>,
}

/// What is slow in `mesh` by more than the share `tolerance`, slowest first. [`docs/method.md`] has the rule and how
/// often it names something where nothing is slow.
///
/// [`docs/method.md`]: https://github.com/linerate/linerate/blob/main/docs/method.md
#[must_use]
pub fn suspects(mesh: &Mesh, tolerance: f64) -> Vec<Suspect> {
    let found = candidates(mesh, tolerance);
    let mut suspects: Vec<Suspect> =
        found.iter().map(|one| alone::judged(mesh, one, &found, tolerance)).collect();
    suspects.sort_by(|one, other| other.times_slower.total_cmp(&one.times_slower));
    let shared: Vec<Place> = suspects
        .iter()
        .filter(|one| matches!(one.place, Place::Between(_)) && one.verdict == Verdict::Congested)
        .map(|one| one.place.clone())
        .collect();
    // How many others use a shared way differs from round to round: that a pair on it met more of them is no news.
    suspects.retain(|one| {
        let (Place::Link(from, to) | Place::OneWay { from, to }) = one.place else { return true };
        one.verdict != Verdict::Congested || !shared.iter().any(|way| way.holds(from, to))
    });
    suspects
}

/// The pairs of `mesh` that are worth measuring alone, at most `most` slow ones, and as many ordinary ones.
#[must_use]
pub fn to_recheck(mesh: &Mesh, tolerance: f64, most: usize, seed: u64) -> Recheck {
    let found = candidates(mesh, tolerance);
    let mut random = Pcg64::new(u128::from(seed), STREAM);
    let mut pairs: Vec<(usize, usize)> = every_pair(mesh).collect();
    pairs.shuffle(&mut random);
    let holds = |one: &Candidate, pair: &(usize, usize)| {
        one.place.holds(pair.0, pair.1) || one.place.holds(pair.1, pair.0)
    };
    let mut slow = Vec::new();
    for one in &found {
        let of_it = pairs.iter().filter(|pair| holds(one, pair)).take(PAIRS_OF_A_PLACE);
        slow.extend(of_it.copied().filter(|pair| !slow.contains(pair)).collect::<Vec<_>>());
    }
    slow.truncate(most);
    let ordinary = pairs.into_iter().filter(|pair| !found.iter().any(|one| holds(one, pair)));
    let count = if slow.is_empty() { 0 } else { slow.len().max(FEWEST_CONTROLS) };
    Recheck { controls: ordinary.take(count).collect(), slow }
}

/// Every pair that was measured, the lower rank first.
fn every_pair(mesh: &Mesh) -> impl Iterator<Item = (usize, usize)> {
    let matrix = measured(mesh, 0).or_else(|| measured(mesh, mesh.probes.len().saturating_sub(1)));
    let size = mesh.ranks.len();
    let pairs = (0..size).flat_map(move |one| (one + 1..size).map(move |other| (one, other)));
    pairs.filter(move |(one, other)| {
        matrix.as_ref().is_some_and(|matrix| matrix.get(*one, *other).or(matrix.get(*other, *one)).is_some())
    })
}

/// The matrix in which slow places are looked for: while all talk, or else one pair at a time.
fn measured(mesh: &Mesh, probe: usize) -> Option<Matrix> {
    SEARCHED.into_iter().find_map(|schedule| {
        let matrix = Matrix::of(mesh, probe, mesh.phases_of(&[schedule]));
        let found = matrix.median().is_some();
        found.then_some(matrix)
    })
}

/// Whether a probe tells the two directions apart.
fn is_directed(mesh: &Mesh, probe: usize) -> bool {
    mesh.probes.get(probe).is_some_and(|probe| probe.pattern == Pattern::OneWay)
}

#[cfg(test)]
mod tests;
