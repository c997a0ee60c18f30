//! A mesh as it is shown: matrices of what was measured of pairs, what all did at once, and what is slow.

mod collectives;
mod node;
mod suspects;
mod together;
mod unit;
mod victims;
mod view;

use serde::Serialize;

use linerate_core::mesh::Mesh;
use linerate_core::mesh::suspects::{suspects as search, too_long};
use linerate_core::pattern::Pattern;
use linerate_core::plan::{MeshPlan, MeshSchedule};
use linerate_core::run::Run;

pub use collectives::CollectiveRow;
pub use node::{MeshNode, PairStats};
pub use suspects::SuspectRow;
pub use together::Together;
pub use unit::{MeshUnit, probe_name};
pub use victims::Victims;
pub use view::{MeshView, PairValue};

/// A mesh.
#[derive(Clone, Debug, Serialize)]
pub struct MeshResult {
    /// Its run, by its index in the report.
    pub run: usize,
    /// The names of the ranks.
    pub ranks: Vec<String>,
    /// A matrix for each probe and each schedule that has one.
    pub views: Vec<MeshView>,
    /// What all did at once.
    pub together: Vec<Together>,
    /// What a load does to those who ask beside it. Absent if that was not measured.
    pub victims: Option<Victims>,
    /// What all ranks did together, by collective, algorithm and size.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collectives: Vec<CollectiveRow>,
    /// Packets of all ranks. Absent if that is not known.
    pub packets: Option<Packets>,
    /// What each rank saw, by probe.
    #[serde(skip)]
    pub nodes: Vec<MeshNode>,
    /// What is slow, unsteady or lossy: faults first.
    pub suspects: Vec<SuspectRow>,
    /// Ranks and pairs that were not measured to the end, and why.
    pub lost: Vec<String>,
}

/// Packets that carried payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Packets {
    /// All of them, also those that were sent again.
    pub sent: u64,
    /// Those that were sent again because one was lost.
    pub lost: u64,
    /// How many of these in visits of bulk, which fills queues.
    pub lost_in_bulk: u64,
    /// How many of these outside of the visits of pairs: in shifts, fans, rings and collectives.
    pub lost_besides: u64,
}

/// Those of every visit that says so, and what the ranks counted besides.
fn packets(mesh: &Mesh) -> Option<Packets> {
    let mut sum: Option<Packets> = None;
    for pass in mesh.phases.iter().flat_map(|phase| &phase.rounds).flat_map(|round| &round.passes) {
        for (probe, visit) in mesh.probes.iter().zip(&pass.visits) {
            let Some(seen) = visit.and_then(|visit| visit.segments) else { continue };
            let sum = sum.get_or_insert_default();
            sum.sent += seen.sent;
            sum.lost += seen.retransmitted;
            sum.lost_in_bulk += if probe.pattern == Pattern::OneWay { seen.retransmitted } else { 0 };
        }
    }
    if let Some(all) = mesh.ranks.iter().filter_map(|rank| rank.segments).reduce(|one, other| one + other) {
        let sum = sum.get_or_insert_default();
        // A rank that was lost told nothing, and its visits are known.
        sum.sent = sum.sent.max(all.sent);
        sum.lost_besides = all.retransmitted.saturating_sub(sum.lost);
        sum.lost += sum.lost_besides;
    }
    sum
}

impl MeshResult {
    /// The mesh of a run, if it has one.
    pub(crate) fn of(index: usize, run: &Run) -> Option<Self> {
        let mesh = run.mesh.as_ref()?;
        let usual = MeshPlan::default();
        let plan = run.plan.mesh().unwrap_or(&usual);
        let name =
            |rank: usize| mesh.ranks.get(rank).map_or_else(|| rank.to_string(), |rank| rank.name.clone());
        let found = search(mesh, plan.tolerance);
        Some(Self {
            run: index,
            ranks: mesh.ranks.iter().map(|rank| rank.name.clone()).collect(),
            views: view::views(mesh),
            together: MeshSchedule::ALL
                .into_iter()
                .filter_map(|schedule| together::together(mesh, schedule))
                .collect(),
            victims: victims::victims(&mesh.victims),
            collectives: collectives::rows(&mesh.collectives),
            packets: packets(mesh),
            nodes: node::nodes(mesh),
            suspects: too_long(mesh)
                .iter()
                .map(|one| suspects::too_long(run, one, &name))
                .chain(found.iter().map(|one| suspects::row(mesh, one, &name)))
                .collect(),
            lost: mesh
                .lost
                .iter()
                .map(|lost| match lost.with {
                    None if lost.absent => {
                        format!("{}: absent from the start: {}", name(lost.rank as usize), lost.reason)
                    }
                    None => format!("{}: failed to {}", name(lost.rank as usize), lost.reason),
                    Some(with) => {
                        let pair = [lost.rank, with].map(|rank| name(rank as usize));
                        format!("{} and {}: failed to {}", pair[0], pair[1], lost.reason)
                    }
                })
                .collect(),
        })
    }

    /// Whether something is lost or bad.
    #[must_use]
    pub fn has_finding(&self) -> bool {
        !self.lost.is_empty() || self.suspects.iter().any(|one| one.is_bad)
    }
}
