//! The options of `linerate-mpi app`.

use linerate::{Trouble, lay};
use linerate_core::plan::{AppOptions, AppPlan, Plan, Task, app_option};

use super::{CommonArgs, Verb};

/// Options of `app`.
#[derive(Debug, Default, clap::Args)]
pub struct AppArgs {
    /// hint, photon, md or tbmd
    #[arg(value_name = "NAME", required_unless_present = "plan")]
    name: Option<String>,
    /// Its own options, such as steps=1000; `linerate app NAME --describe` lists them
    #[arg(value_name = "OPTION=VALUE", value_parser = app_option)]
    options: Vec<(String, serde_json::Value)>,
    /// Run it on so many ranks in turn [default: 1, 2, 4, .., all]
    #[arg(long, value_name = "N,N,..", value_delimiter = ',')]
    speed_up: Option<Vec<u32>>,
    /// Run it so often on each number of ranks [default: 3]
    #[arg(long, value_name = "N")]
    repeat: Option<u32>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

impl Verb for AppArgs {
    const TASK: &'static str = "app";

    fn common(&self) -> &CommonArgs {
        &self.common
    }

    fn over(&self, base: Plan) -> Result<Plan, Trouble> {
        let mut app = if let Task::App(app) = base.task { app } else { AppPlan::default() };
        // Options of another application mean nothing to this one.
        if let Some(name) = self.name.as_ref().filter(|name| **name != app.name) {
            (app.name, app.options) = (name.clone(), AppOptions::new());
        }
        app.options.extend(self.options.iter().cloned());
        lay(self.speed_up.as_ref(), &mut app.ranks);
        lay(self.repeat.as_ref(), &mut app.repeat);
        Ok(Plan { common: base.common, task: Task::App(app) })
    }
}
