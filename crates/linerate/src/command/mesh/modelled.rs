//! A mesh of the stations of a modelled network.

use std::cell::Cell;

use linerate_analysis::report::Report;
use linerate_core::comm::{Comm, CommError};
use linerate_core::mesh::{self, Asked};
use linerate_core::plan::{Plan, PlanError};
use linerate_core::units::Span;
use linerate_sim::ranks::ModelComm;

use super::measured::has_any;
use super::watcher::Watcher;
use crate::command::conduct::{Stopped, Surroundings, Underway, conduct};
use crate::command::modelled::Chosen;
use crate::command::modelled_ranks::Stations;
use crate::trouble::Trouble;

/// Measures the mesh of the stations of the chosen model, or of the first `ranks`.
pub(super) fn measure(
    chosen: Chosen,
    plan: Plan,
    ranks: Option<u32>,
    around: Surroundings<'_>,
) -> Result<Report, Trouble> {
    let stations = Stations::of(chosen, &plan, ranks, 2, around.interrupt)?;
    let checked: Result<(), PlanError> = plan.mesh().map_or(Ok(()), |mesh| mesh.check_for(stations.size));
    checked.map_err(|error| Trouble::plan(error, None))?;
    conduct(stations, plan, around, conduct_mesh)
}

fn conduct_mesh(stations: &mut Stations, underway: &mut Underway<'_>) -> Result<(), Stopped> {
    let plan = underway.run.plan.clone();
    let Some(mesh_plan) = plan.mesh() else { unreachable!("the plan of this verb is one of a mesh") };
    // The model's time is not the user's: nobody is lost in silence.
    let asked = Asked { plan: mesh_plan, seed: plan.common.seed, patience: Span::MAX, first: 0 };
    let first = Cell::new(Some((stations.named(), Watcher::of(underway))));
    let program = async |mut comm: ModelComm| -> Result<_, CommError> {
        if comm.rank() > 0 {
            mesh::follow(&mut comm, asked).await?;
            return Ok(None);
        }
        let Some((named, mut watcher)) = first.take() else { unreachable!("there is one rank 0") };
        Ok(Some(mesh::conduct(&mut comm, asked, named, &mut watcher).await))
    };
    let (found, failed) = stations.run(program);
    if let Some((mesh, _)) = found {
        underway.run.mesh = Some(mesh);
    }
    if stations.interrupt.asked() {
        return Err(Stopped::Interrupted);
    }
    let measured = underway.run.mesh.as_ref().is_some_and(has_any);
    match failed {
        None if measured => Ok(()),
        failed => {
            let reason = failed.map_or_else(|| "measure any pair".to_owned(), |error| error.to_string());
            let help = "look at the losses with `linerate model load`, or allow a longer --visit";
            Err(Stopped::Failed { trouble: Trouble::new(format!("failed to {reason}"), help), reason })
        }
    }
}
