//! An application on the ranks of an MPI.

use linerate::{AppWatcher, Stopped, Trouble, Underway, app_cases, app_ended, check_app};
use linerate_apps::catalogue::App;
use linerate_apps::run;
use linerate_core::endpoint::run_ready;
use linerate_core::plan::Plan;

use super::subject::names;
use super::{AllRanks, PATIENCE, failed_to};
use crate::comm::{Lengths, MpiComm};
use crate::sys::Group;

/// Where the options are.
const OPTIONS: &str = "`linerate app --describe` lists what can be asked; choose other options or --speed-up";

impl AllRanks {
    /// Runs the application of `plan` on one number of ranks after the other.
    pub(super) fn app(&self, plan: &Plan, underway: Option<&mut Underway<'_>>) -> Result<(), Stopped> {
        let Some(asked) = plan.app() else { return Ok(()) };
        let app = App::read(&asked.name, &asked.options).map_err(|error| failed_to(error, OPTIONS))?;
        let mut comm = MpiComm::new(Group::of(self.group.communicator()), self.clock, Lengths::Trusted);
        let all = run::Asked { app: &app, cost: None, first: 0, patience: PATIENCE };
        let Some(underway) = underway else {
            return run_ready(run::follow(&mut comm, all))
                .map_err(|error| failed_to(error, "rank 0's own error stands above"));
        };
        let cases = app_cases(plan, self.group.size(), None)?;
        let mut found = run::begun(&app, None, names(&underway.run.nodes));
        let mut watcher = AppWatcher::of(underway);
        let conducted = run::conduct(&mut comm, all, &mut found, &cases, false, &mut watcher);
        let (stop, _) = run_ready(conducted);
        underway.run.app = Some(found);
        app_ended(stop, "the results so far are kept")
    }
    /// Refuses numbers of ranks on which the application cannot run.
    pub(super) fn enough_for_app(&self, plan: &Plan) -> Result<(), Trouble> {
        let Some(asked) = plan.app() else { return Ok(()) };
        let app = App::read(&asked.name, &asked.options)
            .map_err(|error| Trouble::new(format!("failed to {error}"), OPTIONS))?;
        check_app(&app, plan, self.group.size())
    }
}
