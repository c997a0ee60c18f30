//! The flags of `linerate lab`, and of a laboratory that is made for one measurement.

use std::path::PathBuf;

use super::examples;

#[derive(Debug, clap::Args)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    pub(crate) verb: LabVerb,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum LabVerb {
    /// Make a laboratory that stays until it is taken down
    #[command(after_help = examples::LAB_UP)]
    Up {
        /// A TOML file, a containerlab topology (.yml, .yaml), or the name of a plan that `linerate lab plans` names
        plan: String,
        /// What to call it [default: the plan's name]
        #[arg(long)]
        name: Option<String>,
    },
    /// Remove laboratories, also what a killed process left of one
    Down {
        /// Their names
        #[arg(value_name = "LAB", required_unless_present = "all", conflicts_with = "all")]
        names: Vec<String>,
        /// Remove every laboratory on this host
        #[arg(long)]
        all: bool,
        /// Remove it although processes are in it; they keep their part until they end
        #[arg(long)]
        busy: bool,
    },
    /// List the laboratories on this host, and what is wrong with them
    List,
    /// Run a command on a host of a laboratory
    #[command(after_help = examples::LAB_EXEC)]
    Exec {
        /// Host, switch or router: NODE, or LAB.NODE if several laboratories are up
        node: String,
        /// The command and its arguments
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
        command: Vec<std::ffi::OsString>,
    },
    /// Forward the frames of links between the namespaces of a laboratory; for linerate itself
    #[command(hide = true)]
    Forward {
        /// Where to tell the counts, of a laboratory that stays
        socket: Option<PathBuf>,
    },
    /// List the plans of laboratories that come with linerate
    Plans,
    /// Print a shipped plan, or a containerlab topology as a plan
    Show {
        /// Name from `linerate lab plans`, or a file
        plan: String,
    },
}

/// A laboratory on this host instead of other hosts.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Path")]
pub(crate) struct InLabArgs {
    /// Measure in a laboratory on this host, made for this run
    ///
    /// PLAN is a file (TOML or a containerlab topology), or the name of a plan that comes with linerate (`linerate lab plans`). HOST is then a host of
    /// the laboratory: if left out, the last one. Needs root. Nothing stays behind, also when linerate is killed.
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["key", "key_file", "model"], hide_short_help = true)]
    pub(crate) lab: Option<String>,
    /// The host of the laboratory that measures [default: its first]
    #[arg(long, value_name = "HOST", requires = "lab", hide_short_help = true)]
    pub(crate) on: Option<String>,
}
