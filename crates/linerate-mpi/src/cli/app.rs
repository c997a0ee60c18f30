//! The options of `linerate-mpi app`.

use linerate::{Trouble, WhichAppArgs};
use linerate_core::plan::{Plan, Task};

use super::{CommonArgs, Verb};

/// Options of `app`.
#[derive(Debug, Default, clap::Args)]
pub struct AppArgs {
    #[command(flatten)]
    which: WhichAppArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

impl Verb for AppArgs {
    const TASK: &'static str = "app";

    fn common(&self) -> &CommonArgs {
        &self.common
    }

    fn over(&self, base: Plan) -> Result<Plan, Trouble> {
        Ok(Plan { common: base.common, task: Task::App(self.which.over(base.task)) })
    }
}
