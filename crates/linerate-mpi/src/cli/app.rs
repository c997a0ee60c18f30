//! The options of `linerate-mpi app`.

use linerate::{Trouble, WhichAppArgs};
use linerate_core::plan::{Plan, Task};

use super::Verb;

/// Options of `app`.
#[derive(Debug, Default, clap::Args)]
pub struct AppArgs {
    #[command(flatten)]
    which: WhichAppArgs,
}

impl Verb for AppArgs {
    const TASK: &'static str = "app";

    fn over(&self, base: Plan) -> Result<Plan, Trouble> {
        Ok(Plan { common: base.common, task: Task::App(self.which.over(base.task)) })
    }
}
