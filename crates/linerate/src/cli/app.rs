//! The flags of `linerate app`.

use std::path::PathBuf;

use linerate_core::plan::{AppOptions, AppPlan, Plan, Task, app_option};
use linerate_core::units::Span;
use serde_json::Value;

use super::lab::InLabArgs;
use super::mesh::RanksArgs;
use super::shared::{KeyArgs, OnModelArgs, OutputArgs, PlanArgs, lay};

/// Which application, and on how many ranks.
#[derive(Debug, Default, clap::Args)]
pub struct WhichAppArgs {
    /// hint, photon, md or tbmd
    #[arg(value_name = "NAME", required_unless_present = "plan")]
    first: Option<String>,
    /// Its own options, such as steps=1000: see --describe
    #[arg(value_name = "OPTION=VALUE", value_parser = app_option)]
    options: Vec<(String, Value)>,
    /// Run it on so many ranks in turn [default: 1,2,4..]
    ///
    /// Without it: on 1, 2, 4 and so on, and on all.
    #[arg(long, value_name = "N,N,..", value_delimiter = ',', help_heading = "Question")]
    speed_up: Option<Vec<u32>>,
    /// Run it so often on each number of ranks [default: 3]
    ///
    /// A model gives the same every time, and is asked once.
    #[arg(long, value_name = "N", help_heading = "Question", hide_short_help = true)]
    repeat: Option<u32>,
}

#[derive(Debug, Default, clap::Args)]
pub(crate) struct AppArgs {
    #[command(flatten)]
    which: WhichAppArgs,
    #[command(flatten)]
    question: QuestionArgs,
    #[command(flatten)]
    pub(crate) ranks: RanksArgs,
    /// Ranks on this host are threads of this process
    #[arg(long, help_heading = "Ranks", hide_short_help = true, conflicts_with_all = ["hosts", "servers", "model", "lab"])]
    pub(crate) threads: bool,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    #[command(flatten)]
    pub(crate) lab: InLabArgs,
    #[command(flatten)]
    pub(crate) model: OnModelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Question")]
struct QuestionArgs {
    /// On a model: what a unit of work takes [default: measured here]
    ///
    /// Without it, the application runs here on one rank first.
    #[arg(long, value_name = "TIME", requires = "model", hide_short_help = true)]
    unit_cost: Option<Span>,
    /// Write what it shows: a picture (.png) or a trajectory (.xyz)
    ///
    /// photon draws what the scene's camera sees, as PNG; md and tbmd write their frames as extended XYZ, which ASE and OVITO
    /// read. It is of the last run.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    show: Option<PathBuf>,
    /// List the application's options, or all applications
    #[arg(long, hide_short_help = true)]
    describe: bool,
}

impl WhichAppArgs {
    fn name(&self) -> Option<&str> {
        self.first.as_deref().filter(|first| !first.contains('='))
    }

    /// The application of `task` with the given flags over it. Options of another application than the named one are
    /// dropped.
    #[must_use]
    pub fn over(&self, task: Task) -> AppPlan {
        let mut app = if let Task::App(app) = task { app } else { AppPlan::default() };
        if let Some(name) = self.name()
            && *name != app.name
        {
            (app.name, app.options) = (name.to_owned(), AppOptions::new());
        }
        // A plan names the application, so the first word may be an option.
        let first = self.first.as_deref().and_then(|first| app_option(first).ok());
        app.options.extend(first.into_iter().chain(self.options.iter().cloned()));
        lay(self.speed_up.as_ref(), &mut app.ranks);
        lay(self.repeat.as_ref(), &mut app.repeat);
        app
    }
}

impl AppArgs {
    /// Which application is named.
    pub(crate) fn name(&self) -> Option<&str> {
        self.which.name()
    }

    /// The plan in `base` with the given flags over it.
    pub(crate) fn over(&self, base: Plan) -> Plan {
        let Plan { mut common, task } = base;
        let mut app = self.which.over(task);
        if let Some(cost) = self.question.unit_cost {
            app.unit_cost_ps = Some(cost.as_ps() as f64);
        }
        self.output.over(&mut common.output);
        Plan { common, task: Task::App(app) }
    }

    /// Where to write what it shows.
    pub(crate) fn show(&self) -> Option<&std::path::Path> {
        self.question.show.as_deref()
    }

    /// Whether the options are to be listed.
    pub(crate) const fn describes(&self) -> bool {
        self.question.describe
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::json;

    use super::*;
    use crate::cli::{Cli, Command};

    fn args(flags: &str) -> AppArgs {
        let words = ["linerate", "app"].into_iter().chain(flags.split_whitespace());
        let Ok(Cli { command: Command::App(args), .. }) = Cli::try_parse_from(words) else {
            panic!("{flags} is an app command");
        };
        *args
    }

    #[test]
    fn every_flag_reaches_its_field_of_the_plan() {
        let flags = "md steps=50 cells=6,6,6 decomposition=replicated --model x --speed-up 1,4 --repeat 2 --unit-cost 26ns";
        let plan = args(flags).over(Plan::default());
        let expected = "[app]\nname = 'md'\nranks = [1, 4]\nrepeat = 2\nunit-cost-ps = 26000.0\n[app.options]\n\
             steps = 50\ncells = [6, 6, 6]\ndecomposition = 'replicated'";
        assert_eq!(plan, Plan::from_toml(expected).expect("a plan"));
        assert_eq!(Plan::from_toml(&plan.to_toml()).expect("it is read again"), plan);
    }

    #[test]
    fn flags_win_over_a_plan_of_the_same_application_only() {
        let plan = args("md steps=50 seed=2").over(Plan::default());
        let over = args("steps=60 --plan x").over(plan.clone());
        assert_eq!(
            over.app().expect("an application").options,
            *json!({"steps": 60, "seed": 2}).as_object().expect("a table")
        );
        let other = args("tbmd").over(plan);
        assert!(other.app().expect("an application").options.is_empty());
    }
}
