//! An application on the ranks of an MPI.

use linerate_apps::catalogue::App;
use linerate_apps::run;
use linerate_core::endpoint::run_ready;
use linerate_core::plan::Plan;

use super::{AllRanks, PATIENCE, names};
use crate::comm::{Lengths, MpiComm};
use crate::job::{Job, Stopped};
use crate::sys::Group;
use crate::trouble::Trouble;

impl AllRanks {
    /// Runs the application of `plan` on one number of ranks after the other.
    pub(super) fn app(&self, plan: &Plan, job: Option<&mut Job>) -> Result<(), Stopped> {
        let failed =
            |error: String, help: &str| Stopped::Failed(Trouble::new(format!("failed to {error}"), help));
        let Some(asked) = plan.app() else { return Ok(()) };
        let app = App::read(&asked.name, &asked.options).map_err(|error| {
            failed(error.to_string(), "`linerate app --describe` lists what can be asked")
        })?;
        let mut comm = MpiComm::new(Group::of(self.group.communicator()), self.clock, Lengths::Trusted);
        let all = run::Asked { app: &app, cost: None, first: 0, patience: PATIENCE };
        let Some(job) = job else {
            return run_ready(run::follow(&mut comm, all))
                .map_err(|error| failed(error.to_string(), "rank 0's own error stands above"));
        };
        let numbers = asked
            .cases(self.group.size() as u32)
            .map_err(|error| failed(error.to_string(), "choose other numbers"))?;
        let mut found = run::begun(&app, None, names(&job.run.nodes));
        let cases = run::cases(&numbers, asked.repeat);
        let conducted = run::conduct(&mut comm, all, &mut found, &cases, false, job);
        let (stop, _) = run_ready(conducted);
        job.run.app = Some(found);
        match stop {
            run::Stop::Done => Ok(()),
            run::Stop::Interrupted => Err(Stopped::Interrupted),
            run::Stop::Failed(reason) => Err(failed(reason, "the results so far are kept")),
        }
    }

    /// Refuses numbers of ranks on which the application cannot run.
    pub(super) fn enough_for_app(&self, plan: &Plan) -> Result<(), Trouble> {
        let help = "`linerate app --describe` lists what can be asked; choose other options or --speed-up";
        let trouble = |error: String| Trouble::new(format!("failed to {error}"), help);
        let Some(asked) = plan.app() else { return Ok(()) };
        let app = App::read(&asked.name, &asked.options).map_err(|error| trouble(error.to_string()))?;
        let numbers = asked.cases(self.group.size() as u32);
        let numbers = numbers.map_err(|error| trouble(format!("carry out the plan: {error}")))?;
        for ranks in numbers {
            app.check(ranks as usize).map_err(|error| trouble(error.to_string()))?;
        }
        Ok(())
    }
}
