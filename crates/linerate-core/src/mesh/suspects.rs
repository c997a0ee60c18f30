//! Which rank, direction, link or shared way is slow, unsteady or loses packets.
//!
//! The logarithms of the times are parted into what is usual, what each sender and each receiver adds, and what is left
//! to the pair, all by medians, so that a few slow ones do not move the rest. A stripe of the matrix is then a rank, a
//! cell a link. What is slow only while others talk is told from what is slow alone by measuring it alone.

mod alone;
mod candidates;
mod groups;
mod observed;
mod polish;
mod too_long;

use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use super::Mesh;
use crate::comm::Segments;
use crate::plan::MeshSchedule;

use candidates::{Candidate, candidates};
use observed::Observed;
pub use too_long::{TooLong, too_long};

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

    /// The rank, or the two ranks of a link. None of groups.
    fn ranks(&self) -> Vec<usize> {
        match self {
            Self::Between(_) => Vec::new(),
            Self::Rank(rank) | Self::Sends(rank) | Self::Receives(rank) => vec![*rank],
            Self::Link(one, other) => vec![*one, *other],
            Self::OneWay { from, to } => vec![*from.min(to), *from.max(to)],
        }
    }

    /// Whether it is narrower than `another`: a link than a rank, and a rank than groups.
    fn is_within(&self, another: &Self) -> bool {
        self.ranks().len() > another.ranks().len()
    }

    /// Whether `link` is one that passes here.
    fn crosses(&self, link: &Self) -> bool {
        matches!(link.ranks()[..], [one, other] if self.holds(one, other))
    }

    /// Whether what is wrong here says all that is wrong at `another`: the same rank or link, or a link of this rank.
    fn explains(&self, another: &Self) -> bool {
        let (known, other) = (self.ranks(), another.ranks());
        self == another
            || known == other && !known.is_empty()
            || known.len() == 1 && other.contains(&known[0])
    }
}

/// What is judged of the visits of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// How many packets were lost.
    Loss,
    /// The usual time of a message.
    Time,
    /// The mean, which a few long times raise.
    Mean,
}

/// What was seen when it was measured alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is slow alone as well.
    Slow,
    /// It loses packets alone as well.
    Lossy,
    /// It is slow at times, alone as well.
    Unsteady,
    /// Alone it is as good as others: it was worse because others talked.
    Congested,
    /// It was not measured alone, or not often enough.
    Unconfirmed,
}

impl Verdict {
    /// Whether it is a fault, and not what others do to it.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        matches!(self, Self::Slow | Self::Lossy | Self::Unsteady)
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Packets of the place, alone and while others talked.
    pub here: Segments,
    /// The same of ordinary pairs.
    pub elsewhere: Segments,
    /// How many of its visits alone were slow, and of how many.
    pub slow_alone: Option<[usize; 2]>,
}

/// Something slow, unsteady or lossy.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// Where.
    pub place: Place,
    /// Of which of [`Mesh::probes`] it was found.
    pub probe: usize,
    /// By what.
    pub measure: Measure,
    /// How many times as long as usual it takes while others talk, or how many times as many packets it loses.
    pub times_slower: f64,
    /// The same when it was measured alone, against ordinary pairs that were.
    pub alone: Option<f64>,
    /// What that says.
    pub verdict: Verdict,
    /// What it rests on.
    pub evidence: Evidence,
}

/// The pairs that are worth measuring alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recheck {
    /// The slow ones, the lower rank first.
    pub slow: Vec<(usize, usize)>,
    /// Ordinary ones, to hold them against.
    pub controls: Vec<(usize, usize)>,
}

/// What is slow in `mesh` by more than the share `tolerance`, faults first, and the slowest of each. [`docs/method.md`] has the rule and how
/// often it names something where nothing is slow.
///
/// [`docs/method.md`]: https://github.com/linerate/linerate/blob/main/docs/method.md
#[must_use]
pub fn suspects(mesh: &Mesh, tolerance: f64) -> Vec<Suspect> {
    let found = candidates(mesh, tolerance);
    let mut suspects: Vec<Suspect> =
        found.iter().filter_map(|one| alone::judged(mesh, one, &found, tolerance)).collect();
    suspects.sort_by(|one, other| {
        other
            .verdict
            .is_fault()
            .cmp(&one.verdict.is_fault())
            .then(other.times_slower.total_cmp(&one.times_slower))
    });
    // Whom a pair meets on its way differs from round to round: that a single one met more is no news.
    suspects.retain(|one| one.verdict != Verdict::Congested || one.place.ranks().len() < 2);
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
    let time = |probe| Observed::of(mesh, probe, Measure::Time);
    let observed = time(0).or_else(|| time(mesh.probes.len().saturating_sub(1)));
    let size = mesh.ranks.len();
    let pairs = (0..size).flat_map(move |one| (one + 1..size).map(move |other| (one, other)));
    pairs.filter(move |(one, other)| {
        observed.as_ref().is_some_and(|observed| {
            let usual = &observed.usual_of;
            usual.get(*one, *other).or(usual.get(*other, *one)).is_some()
        })
    })
}

#[cfg(test)]
mod tests;
