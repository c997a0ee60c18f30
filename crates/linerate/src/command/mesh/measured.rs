//! A mesh of ranks over TCP.

use linerate_core::endpoint::run_ready;
use linerate_core::mesh::{self, Asked, Mesh};

use super::watcher::Watcher;
use crate::command::conduct::{Stopped, Underway};
use crate::command::ranks::{ACCOUNT, Ranks};
use crate::trouble::Trouble;

/// Measures the mesh of the run that is under way.
pub(super) fn conduct(ranks: &mut Ranks, underway: &mut Underway<'_>) -> Result<(), Stopped> {
    let plan = underway.run.plan.clone();
    let Some(mesh_plan) = plan.mesh() else { unreachable!("the plan of this verb is one of a mesh") };
    let Ranks { patience, first, .. } = *ranks;
    let asked = Asked { plan: mesh_plan, seed: plan.common.seed, patience, first };
    let named = ranks.named();
    let watch = ranks.watch();
    let mut watcher = Watcher::of(underway);
    let (mut mesh, ended) = run_ready(mesh::conduct(&mut ranks.comm, asked, named, &mut watcher));
    underway.line.doing("what the ranks saw");
    let told = run_ready(mesh::collect(&mut ranks.comm, &mut mesh, first, ACCOUNT));
    ranks.keep(told, watch);
    let measured = has_any(&mesh);
    let lost = mesh.lost.first().map(|lost| lost.reason.clone());
    underway.run.mesh = Some(mesh);
    if ended.is_break() {
        return Err(Stopped::Interrupted);
    }
    if measured {
        return Ok(());
    }
    let reason =
        lost.map_or_else(|| "measure any pair".to_owned(), |lost| format!("measure any pair: {lost}"));
    let trouble = Trouble::new(
        format!("failed to {reason}"),
        "look whether the ranks reach each other at the addresses by which they reached rank 0 (firewalls, routes)",
    );
    Err(Stopped::Failed { reason, trouble })
}

/// Whether a pair or a collective was measured.
pub(super) fn has_any(mesh: &Mesh) -> bool {
    let mut passes = mesh.phases.iter().flat_map(|phase| &phase.rounds).flat_map(|round| &round.passes);
    !mesh.collectives.is_empty() || passes.any(|pass| pass.times.iter().any(Option::is_some))
}
