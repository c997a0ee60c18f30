//! An application on the stations of a modelled network.

use std::cell::Cell;

use linerate_analysis::report::Report;
use linerate_apps::catalogue::App;
use linerate_apps::run::{self, Asked, Stop};
use linerate_apps::work::UnitCost;
use linerate_core::app::Cost;
use linerate_core::comm::{Comm, CommError};
use linerate_core::plan::Plan;
use linerate_core::units::Span;
use linerate_sim::ranks::ModelComm;

use super::measured::{cases, ended, failed};
use super::shown::Shown;
use super::watcher::Watcher;
use super::{alone, check_app};
use crate::command::conduct::{Stopped, Surroundings, Underway, conduct};
use crate::command::modelled::Chosen;
use crate::command::modelled_ranks::Stations;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// Runs `app` on the stations of the chosen model, or on the first of them.
pub(super) fn measure(
    (chosen, ranks): (Chosen, Option<u32>),
    (app, shown): (&App, &Shown),
    plan: Plan,
    around: Surroundings<'_>,
) -> Result<Report, Trouble> {
    let stations = Stations::of(chosen, &plan, ranks, 1, around.interrupt)?;
    check_app(app, &plan, stations.size)?;
    conduct(stations, plan, around, |stations, underway| conduct_app(stations, (app, shown), underway))
}

/// What a unit of work takes: what the plan says, or what it is here.
fn cost(app: &App, underway: &Underway<'_>, interrupt: &Interrupt) -> Result<Cost, Stopped> {
    match underway.run.plan.app().and_then(|asked| asked.unit_cost_ps) {
        Some(unit_ps) => Ok(Cost { unit_ps, measured: false }),
        None => alone::cost(app, underway.context.clock, underway.line, interrupt),
    }
}

fn conduct_app(
    stations: &mut Stations,
    (app, shown): (&App, &Shown),
    underway: &mut Underway<'_>,
) -> Result<(), Stopped> {
    shown.writable(underway).map_err(failed)?;
    // A model gives the same every time.
    let cases = cases(&underway.run.plan, stations.size, Some(1))?;
    underway.run.app = Some(run::begun(app, None, stations.named()));
    let cost = cost(app, underway, &stations.interrupt)?;
    let begun = run::begun(app, Some(cost), stations.named());
    underway.run.app = Some(begun.clone());
    // The model's time is not the user's: nobody is lost in silence.
    let asked = Asked { app, cost: Some(UnitCost(cost.unit_ps)), first: 0, patience: Span::MAX };
    let first = Cell::new(Some((begun, Watcher::of(underway))));
    let program = async |mut comm: ModelComm| -> Result<_, CommError> {
        if comm.rank() > 0 {
            run::follow(&mut comm, asked).await?;
            return Ok(None);
        }
        let Some((mut run, mut watcher)) = first.take() else { unreachable!("there is one rank 0") };
        let (stop, file) =
            run::conduct(&mut comm, asked, &mut run, &cases, shown.is_wanted(), &mut watcher).await;
        Ok(Some((run, stop, file)))
    };
    let help = "look at the losses with `linerate model load`";
    match stations.run(program) {
        (Some((run, stop, file)), _) => {
            underway.run.app = Some(run);
            ended(stop, help)?;
            shown.write(&file, underway).map_err(failed)
        }
        _ if stations.interrupt.asked() => Err(Stopped::Interrupted),
        (None, lost) => {
            let reason = lost.map_or_else(|| "run it".to_owned(), |error| error.to_string());
            ended(Stop::Failed(reason), help)
        }
    }
}
