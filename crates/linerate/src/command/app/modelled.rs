//! A modelled network as the subject of an application: every station is a rank.

use std::cell::Cell;

use linerate_apps::catalogue::App;
use linerate_apps::run::{self, Asked, Stop};
use linerate_apps::work::UnitCost;
use linerate_core::app::{AppRun, Cost};
use linerate_core::comm::{Comm, CommError};
use linerate_core::mesh::{Rank, RankAccount};
use linerate_core::plan::Plan;
use linerate_core::report::Report;
use linerate_core::run::{EndState, Model, Run, Source};
use linerate_core::units::Span;
use linerate_net::observe::HostClock;
use linerate_sim::ranks::{ModelComm, ModelRanks};

use super::measured::{cases, ended, failed};
use super::shown::Shown;
use super::watcher::Watcher;
use super::{alone, trouble};
use crate::command::conduct::{Stopped, Subject, Underway, conduct};
use crate::command::modelled::Chosen;
use crate::command::ranks::numbered;
use crate::progress::Line;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// A modelled network, ready for its ranks.
struct Modelled<'a> {
    app: &'a App,
    shown: &'a Shown,
    clock: HostClock,
    chosen: Chosen,
    /// Until they run.
    ranks: Option<ModelRanks>,
    size: usize,
    model: Model,
    ends: Vec<EndState>,
    interrupt: Interrupt,
}

/// Runs `app` on the stations of the chosen model, or on the first of them.
pub(super) fn measure(
    (chosen, ranks): (Chosen, Option<u32>),
    app: &App,
    plan: Plan,
    (shown, clock): (&Shown, HostClock),
    line: &Line,
    interrupt: &Interrupt,
) -> Result<Report, Trouble> {
    Chosen::refuse(&plan)?;
    let built = ModelRanks::build(&chosen.plan).map_err(|error| Trouble::model(&error, ""))?;
    let stations = built.size();
    let size = ranks.map_or(stations, |ranks| ranks as usize);
    if size < 1 || size > stations {
        return Err(Trouble::new(
            format!("failed to have {size} ranks: the model has {stations} stations"),
            "ask for other --ranks, or change the model with --set stations=N",
        ));
    }
    let numbers = plan.app().map_or(Ok(Vec::new()), |asked| asked.cases(size as u32));
    for ranks in numbers.map_err(|error| Trouble::plan(error, None))? {
        app.check(ranks as usize).map_err(|error| trouble(&error, app.name()))?;
    }
    let subject = Modelled {
        app,
        shown,
        clock,
        model: chosen.model(built.link, built.payload, &built.cautions),
        ends: built.ends.iter().take(size).cloned().collect(),
        ranks: Some(built),
        size,
        chosen,
        interrupt: interrupt.clone(),
    };
    conduct(subject, plan, line, interrupt, Modelled::conduct)
}

impl Modelled<'_> {
    fn named(&self) -> Vec<Rank> {
        let stations: Vec<String> = (0..self.size).map(|station| format!("s{station}")).collect();
        numbered(&stations)
    }

    fn cost(&self, underway: &Underway<'_>) -> Result<Cost, Stopped> {
        match underway.run.plan.app().and_then(|asked| asked.unit_cost_ps) {
            Some(unit_ps) => Ok(Cost { unit_ps, measured: false }),
            None => alone::cost(self.app, self.clock, underway.line, &self.interrupt),
        }
    }

    fn conduct(&mut self, underway: &mut Underway<'_>) -> Result<(), Stopped> {
        // A model gives the same every time.
        let cases = cases(&underway.run.plan, self.size, Some(1))?;
        underway.run.app = Some(run::begun(self.app, None, self.named()));
        let cost = self.cost(underway)?;
        let begun = run::begun(self.app, Some(cost), self.named());
        underway.run.app = Some(begun.clone());
        let line = underway.line;
        // The model's time is not the user's: nobody is lost in silence.
        let asked =
            Asked { app: self.app, cost: Some(UnitCost(cost.unit_ps)), first: 0, patience: Span::MAX };
        let wants = self.shown.is_wanted();
        let first = Cell::new(Some((begun, Watcher::of(underway))));
        let Some(ranks) = self.ranks.take() else { unreachable!("it is conducted once") };
        let program = async |mut comm: ModelComm| -> Result<Option<(AppRun, Stop, Vec<u8>)>, CommError> {
            if comm.rank() > 0 {
                run::follow(&mut comm, asked).await?;
                return Ok(None);
            }
            let Some((mut run, mut watcher)) = first.take() else { unreachable!("there is one rank 0") };
            let (stop, file) = run::conduct(&mut comm, asked, &mut run, &cases, wants, &mut watcher).await;
            Ok(Some((run, stop, file)))
        };
        let (all, _) = ranks.run(self.size, &self.interrupt.flag(), program);
        let (mut result, mut lost) = (None, None);
        for rank in all {
            match rank {
                Ok(done) => result = result.or(done),
                Err(error) => lost = lost.or(Some(error)),
            }
        }
        let help = "look at the losses with `linerate model load`";
        match (result, lost) {
            (Some((run, stop, file)), _) => {
                underway.run.app = Some(run);
                ended(stop, help)?;
                self.shown.write(&file, line).map_err(failed)
            }
            _ if self.interrupt.asked() => Err(Stopped::Interrupted),
            (None, lost) => {
                let reason = lost.map_or_else(|| "run it".to_owned(), |error| error.to_string());
                ended(Stop::Failed(reason), help)
            }
        }
    }
}

impl Subject for Modelled<'_> {
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
