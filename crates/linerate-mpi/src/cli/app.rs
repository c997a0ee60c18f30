//! The options of `linerate-mpi app`.

use linerate_apps::catalogue::App;
use linerate_core::plan::{AppPlan, Common, Plan, Task, app_option};

use super::{OutputArgs, lay};

/// Options of `app`.
#[derive(Debug, clap::Args)]
pub struct AppArgs {
    /// hint, photon, md or tbmd
    #[arg(value_name = "NAME")]
    name: String,
    /// Its own options, such as steps=1000; `linerate app NAME --describe` lists them
    #[arg(value_name = "OPTION=VALUE", value_parser = app_option)]
    options: Vec<(String, serde_json::Value)>,
    /// Run it on so many ranks in turn [default: 1, 2, 4, .., all]
    #[arg(long, value_name = "N,N,..", value_delimiter = ',')]
    speed_up: Vec<u32>,
    /// Run it so often on each number of ranks [default: 3]
    #[arg(long, value_name = "N")]
    repeat: Option<u32>,
    #[command(flatten)]
    output: OutputArgs,
}

impl AppArgs {
    pub(super) const fn output(&self) -> &OutputArgs {
        &self.output
    }

    pub(super) fn plan(&self) -> Result<Plan, [String; 2]> {
        let mut app = AppPlan { name: self.name.clone(), ranks: self.speed_up.clone(), ..AppPlan::default() };
        app.options.extend(self.options.iter().cloned());
        lay(self.repeat.as_ref(), &mut app.repeat);
        // With every default filled in.
        let read = App::read(&app.name, &app.options);
        let help = "`linerate app --describe` lists what can be asked";
        app.options = read.map_err(|error| [error.to_string(), help.to_owned()])?.options();
        Ok(Plan { common: Common::default(), task: Task::App(app) })
    }
}
