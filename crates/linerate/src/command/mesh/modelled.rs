//! A modelled network as the subject of a mesh: every station is a rank.

use std::cell::Cell;

use linerate_core::comm::{Comm, CommError};
use linerate_core::mesh::{self, Asked, RankAccount};
use linerate_core::plan::{Plan, PlanError};
use linerate_core::report::Report;
use linerate_core::run::{EndState, Model, Run, Source};
use linerate_core::units::Span;
use linerate_sim::ranks::{ModelComm, ModelRanks};

use super::measured::has_any;
use super::watcher::Watcher;
use crate::command::conduct::{Stopped, Subject, Underway, conduct};
use crate::command::modelled::Chosen;
use crate::command::ranks::numbered;
use crate::progress::Line;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// A modelled network, ready for its ranks.
struct Modelled {
    chosen: Chosen,
    /// Until they run.
    ranks: Option<ModelRanks>,
    size: usize,
    model: Model,
    ends: Vec<EndState>,
    interrupt: Interrupt,
}

/// Measures the mesh of the stations of the chosen model, or of the first `ranks`.
pub(super) fn measure(
    chosen: Chosen,
    plan: Plan,
    ranks: Option<u32>,
    line: &Line,
    interrupt: &Interrupt,
) -> Result<Report, Trouble> {
    Chosen::refuse(&plan)?;
    let built = ModelRanks::build(&chosen.plan).map_err(|error| Trouble::model(&error, ""))?;
    let stations = built.size();
    let size = ranks.map_or(stations, |ranks| ranks as usize);
    if size < 2 || size > stations {
        return Err(Trouble::new(
            format!("failed to have {size} ranks: the model has {stations} stations"),
            "ask for other --ranks, or change the model with --set stations=N",
        ));
    }
    let checked: Result<(), PlanError> = plan.mesh().map_or(Ok(()), |mesh| mesh.check_for(size));
    checked.map_err(|error| Trouble::plan(error, None))?;
    let subject = Modelled {
        model: chosen.model(built.link, built.payload, &built.cautions),
        ends: built.ends.iter().take(size).cloned().collect(),
        ranks: Some(built),
        size,
        chosen,
        interrupt: interrupt.clone(),
    };
    conduct(subject, plan, line, interrupt, Modelled::conduct)
}

impl Modelled {
    fn conduct(&mut self, underway: &mut Underway<'_>) -> Result<(), Stopped> {
        let plan = underway.run.plan.clone();
        let Some(mesh_plan) = plan.mesh() else { unreachable!("the plan of this verb is one of a mesh") };
        // The model's time is not the user's: nobody is lost in silence.
        let asked = Asked { plan: mesh_plan, seed: plan.common.seed, patience: Span::MAX, first: 0 };
        let stations: Vec<String> = (0..self.size).map(|station| format!("s{station}")).collect();
        let watcher = Cell::new(Some(Watcher::of(underway)));
        let Some(ranks) = self.ranks.take() else { unreachable!("it is conducted once") };
        let program = async |mut comm: ModelComm| -> Result<_, CommError> {
            if comm.rank() > 0 {
                mesh::follow(&mut comm, asked).await?;
                return Ok(None);
            }
            let Some(mut watcher) = watcher.take() else { unreachable!("there is one rank 0") };
            let done = mesh::conduct(&mut comm, asked, numbered(&stations), &mut watcher).await;
            Ok(Some(done))
        };
        let (ended, _) = ranks.run(self.size, &self.interrupt.flag(), program);
        let mut failed = None;
        for rank in ended {
            match rank {
                Ok(Some((mesh, _))) => underway.run.mesh = Some(mesh),
                Ok(None) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if self.interrupt.asked() {
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
}

impl Subject for Modelled {
    fn source(&self) -> Source {
        self.chosen.source()
    }

    fn set_hosts(&self, run: &mut Run) {
        let account = |end: &EndState| {
            let (environment, observation) = (end.environment.clone(), end.observation.clone());
            Some(RankAccount { environment, observation, ..RankAccount::default() })
        };
        run.set_stations(self.ends.iter().map(account).collect());
    }

    fn model(&self) -> Option<Model> {
        Some(self.model.clone())
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        Ok(())
    }
}
