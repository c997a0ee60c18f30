//! The flags of `linerate experiment`.

use std::path::PathBuf;

use linerate_core::plan::Rows;
use linerate_core::units::Span;

use super::{ShardChoice, examples, shared};

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ExperimentArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<ExperimentVerb>,
    #[command(flatten)]
    pub(crate) run: RunExperiment,
}

/// What `linerate experiment PLAN` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct RunExperiment {
    /// A TOML file, or a name from `linerate experiment list`
    #[arg(required = true)]
    pub(crate) plan: Option<String>,
    /// Show cells, order and duration; run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Folder for runs, ledger and page [default: NAME.experiment]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Run in this laboratory instead of the plan's bench
    #[arg(long, value_name = "PLAN", conflicts_with = "model")]
    pub(crate) lab: Option<String>,
    /// Run on this model instead of the plan's bench
    ///
    /// `lab:PLAN` models a laboratory.
    #[arg(long, value_name = "PLAN")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) how: HowToRun,
}

/// What running an experiment, and going on with it, take.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct HowToRun {
    /// Begin no run after this time [default: the plan's]
    ///
    /// `linerate experiment resume` goes on later.
    #[arg(long, short, value_name = "TIME")]
    pub(crate) time: Option<Span>,
    /// Record every run in the history too (always if LINERATE_HISTORY is set)
    #[arg(long, hide_short_help = true)]
    pub(crate) record: bool,
    /// Run only part I of N of the runs, from 1
    ///
    /// For models, when several processes share the folder. With `slurm`, I and N are those of the task of a job array. `linerate experiment resume` without --shard runs what is
    /// missing and shows everything. See docs/sweeps.md.
    #[arg(long, value_name = "I/N|slurm", hide_short_help = true)]
    pub(crate) shard: Option<ShardChoice>,
    /// Print only the result: no progress, no file names
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum ExperimentVerb {
    /// The same as without `run`
    #[command(hide = true)]
    Run(RunExperiment),
    /// Print a plan with comments, to begin with
    Init {
        /// The design that it has
        #[arg(value_enum, default_value_t)]
        design: InitDesign,
    },
    /// Continue an experiment that was interrupted or waits for a person
    #[command(after_help = examples::EXPERIMENT_RESUME)]
    Resume {
        /// Its folder
        folder: PathBuf,
        /// How it goes on
        #[command(flatten)]
        how: HowToRun,
    },
    /// Show what an experiment has found so far
    Report {
        /// Its folder
        folder: PathBuf,
        /// Write a .html, .json or .csv file; repeatable
        #[arg(long, value_name = "FILE")]
        report: Vec<PathBuf>,
        /// Rows: short (default: the goal, its best cells) or all
        #[arg(long, value_name = "WHICH", value_parser = shared::rows_parser(), hide_possible_values = true)]
        rows: Option<Rows>,
        /// The same as --rows all
        #[arg(long, hide = true)]
        all: bool,
    },
    /// List the experiments that come with linerate
    List,
    /// Print one of them
    Show {
        /// Name from `linerate experiment list`
        name: String,
    },
}

/// The designs of the plans that `init` prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum InitDesign {
    /// Every combination of some factors
    #[default]
    Full,
    /// One change at a time, kept if it helps
    Staircase,
    /// The highest rate without loss
    HighestLoad,
    /// The smallest value that keeps the peak
    Smallest,
    /// A program of your own
    Command,
}
