//! Every pair of many ranks: in which order they are measured, how, and which of them are slow.
//!
//! Rank 0 conducts: it gives every rank an order, takes part itself, and receives what each measured. So the ranks
//! know no schedule, and one that is lost costs its own pairs only.

mod account;
mod collectives;
mod conduct;
mod follow;
mod hand;
pub mod matrix;
mod order;
mod rank;
pub mod rounds;
pub mod suspects;
mod visit;
mod visit_stats;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comm::CommError;
use crate::plan::{MeshPlan, MeshSchedule, Probe};
use crate::units::Span;

pub use account::{collect, collect_from, tell};
pub use collectives::{CollectiveTimes, LIBRARY, SentInAll};
pub use conduct::{MeshWatch, Stage, Step, conduct};
pub use follow::follow;
pub use order::MOST_RANKS;
pub use rank::{Moved, Rank, RankAccount};
pub use visit_stats::VisitStats;

/// What every rank knows of a mesh. All have the same.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What is measured.
    pub plan: &'a MeshPlan,
    /// Seed of everything random: the order of the rounds, the payload.
    pub seed: u64,
    /// A rank that does not move a byte for so long is lost.
    pub patience: Span,
    /// The first rank that is measured: 0, or 1 if rank 0 only conducts. The mesh counts ranks from there.
    pub first: usize,
}

/// What was measured of the pairs of many ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mesh {
    /// The ranks, by number.
    pub ranks: Vec<Rank>,
    /// What was measured of each pair.
    pub probes: Vec<Probe>,
    /// Every repetition of every schedule, in the order in which they were gone through.
    pub phases: Vec<Phase>,
    /// Who answers beside a load how late.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub victims: Vec<Victim>,
    /// What all ranks did together, by collective, algorithm and size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collectives: Vec<CollectiveTimes>,
    /// Ranks and pairs that could not be measured to the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Lost>,
    /// Visits of ordered pairs, one for each pass, that were not gone through, but taken from a pair that is alike: of a model
    /// that is exact, and whose stations are equal.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub copied: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One repetition of a schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "WrittenPhase", into = "WrittenPhase")]
pub struct Phase {
    /// Who talked to whom.
    pub schedule: MeshSchedule,
    /// What was measured at the same time.
    pub rounds: Vec<Round>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct WrittenPhase {
    /// Who talked to whom.
    schedule: MeshSchedule,
    /// What was measured at the same time; times in picoseconds.
    rounds_ps: Vec<Round>,
    /// Of each pass of each round, in this order, and each probe: how many times were taken, their mean, their 99th
    /// percentile and the longest in picoseconds, and how many segments the sender sent, and sent again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    visits: Vec<Vec<Option<visit_stats::Written>>>,
}

impl From<WrittenPhase> for Phase {
    fn from(WrittenPhase { schedule, rounds_ps: mut rounds, visits }: WrittenPhase) -> Self {
        let passes = rounds.iter_mut().flat_map(|round| &mut round.passes);
        for (pass, visits) in passes.zip(visits) {
            pass.visits = visits.into_iter().map(|visit| visit.map(VisitStats::from)).collect();
        }
        Self { schedule, rounds }
    }
}

impl From<Phase> for WrittenPhase {
    fn from(Phase { schedule, rounds: rounds_ps }: Phase) -> Self {
        let passes = || rounds_ps.iter().flat_map(|round| &round.passes);
        let of = |pass: &Pass| pass.visits.iter().map(|visit| visit.map(Into::into)).collect();
        let has_visits = passes().any(|pass| !pass.visits.is_empty());
        let visits = if has_visits { passes().map(of).collect() } else { Vec::new() };
        Self { schedule, rounds_ps, visits }
    }
}

/// What was measured at the same time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Round {
    /// Who sent to whom.
    pub passes: Vec<Pass>,
}

/// From one rank to another, in the file `[from, to, [time, ..]]` with times in picoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Written", into = "Written")]
pub struct Pass {
    /// Who sent. Of a ping-pong: who began.
    pub from: u32,
    /// Who received.
    pub to: u32,
    /// The time of a message one way, for each of [`Mesh::probes`]. Absent if that was not measured, or not to its
    /// end.
    pub times: Vec<Option<Span>>,
    /// What else the sender saw, for each of [`Mesh::probes`]: of pairs that are measured by themselves. Empty in older
    /// files.
    pub visits: Vec<Option<VisitStats>>,
}

/// The times in picoseconds.
type Written = (u32, u32, Vec<Option<u64>>);

impl From<Written> for Pass {
    fn from((from, to, times): Written) -> Self {
        let times = times.into_iter().map(|time| time.map(Span::from_ps)).collect();
        Self { from, to, times, visits: Vec::new() }
    }
}

impl From<Pass> for Written {
    fn from(pass: Pass) -> Self {
        (pass.from, pass.to, pass.times.into_iter().map(|time| time.map(Span::as_ps)).collect())
    }
}

/// A pair that was measured alone and beside the load of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Victim {
    /// Who began each round trip.
    pub from: u32,
    /// Who answered.
    pub to: u32,
    /// With the network to themselves.
    pub alone: Tail,
    /// Beside the load.
    pub loaded: Tail,
}

/// Times of many messages: half a round trip each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tail {
    /// How many.
    pub messages: u64,
    /// Their mean.
    #[serde(rename = "mean_ps")]
    pub mean: Span,
    /// Their median.
    #[serde(rename = "p50_ps")]
    pub median: Span,
    /// 99 of 100 take no longer.
    #[serde(rename = "p99_ps")]
    pub p99: Span,
}

/// What could not be measured to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lost {
    /// The rank that is gone, or that could not do its part with another.
    pub rank: u32,
    /// This other one, if only the way between the two was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<u32>,
    /// What was seen, after "failed to ...".
    pub reason: String,
    /// Whether it did not come when the ranks met: nothing was measured of it, and the reason is a clause by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub absent: bool,
}

impl Lost {
    /// A rank that is gone, with the reason after "failed to ...".
    #[must_use]
    pub const fn new(rank: usize, reason: String) -> Self {
        Self { rank: rank as u32, with: None, reason, absent: false }
    }

    /// A rank that never came.
    #[must_use]
    pub fn absent(rank: usize, reason: String) -> Self {
        Self { absent: true, ..Self::new(rank, reason) }
    }
}

impl Mesh {
    /// The phases whose schedule is one of these.
    pub fn phases_of(&self, schedules: &[MeshSchedule]) -> impl Iterator<Item = &Phase> {
        self.phases.iter().filter(|phase| schedules.contains(&phase.schedule))
    }

    /// Whether all of its ranks and pairs were measured to the end.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.lost.is_empty()
    }

    /// Whether this rank is gone.
    #[must_use]
    pub fn has_lost(&self, rank: usize) -> bool {
        self.lost.iter().any(|lost| lost.with.is_none() && lost.rank as usize == rank)
    }

    /// The rank is gone, and all of its pairs: that others could not reach it is no news.
    pub(crate) fn lose(&mut self, rank: usize, error: &CommError) {
        let number = rank as u32;
        self.lost.retain(|lost| lost.with.is_none() || (lost.rank != number && lost.with != Some(number)));
        // The carrier may count ranks that take no part in the mesh.
        let reason = match error {
            CommError::Lost { reason, .. } => {
                CommError::Lost { peer: rank, reason: reason.clone() }.to_string()
            }
            other => other.to_string(),
        };
        self.lost.push(Lost::new(rank, reason));
    }
}
