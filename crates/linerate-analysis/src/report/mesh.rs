//! A mesh as it is shown: matrices of what was measured of pairs, what all did at once, and what is slow.

mod collectives;
mod suspects;
mod together;
mod unit;
mod victims;
mod view;

use serde::Serialize;

use linerate_core::mesh::suspects::suspects as search;
use linerate_core::plan::{MeshPlan, MeshSchedule};
use linerate_core::run::Run;

pub use collectives::CollectiveRow;
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
    /// What is slow, slowest first.
    pub suspects: Vec<SuspectRow>,
    /// Ranks and pairs that were not measured to the end, and why.
    pub lost: Vec<String>,
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
            suspects: found.iter().map(|one| suspects::row(mesh, one, &name)).collect(),
            lost: mesh
                .lost
                .iter()
                .map(|lost| match lost.with {
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
