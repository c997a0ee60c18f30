//! The flags of `linerate model`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    pub(crate) verb: ModelVerb,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum ModelVerb {
    /// Put a modelled network under load and show what it carries.
    ///
    /// Throughput and efficiency count the bits of MAC frames that arrived, from the destination
    /// address to the check sequence, without preamble and gap, from the end of the warm-up on.
    /// Efficiency is their share of what one line carries: above 1 where several lines work at
    /// once. Goodput counts the client data alone.
    ///
    /// The plan is TOML; `--print-plan` shows it with every value filled in.
    Load(Box<LoadArgs>),
    /// Hold published measurements against the model.
    ///
    /// Each claim is one published figure or statement. The model's value is read off plans that
    /// come with linerate and compared within a stated interval. A claim that parameters were
    /// calibrated on predicts nothing, and is counted apart.
    ///
    /// Exit codes: 0 all that should hold does, 1 a claim fails, 2 one could not be checked.
    Check(CheckArgs),
    /// List the physical layers, relays, hosts, kernels and plans that a model can name.
    List(ListArgs),
    /// Print a plan, a host or a kernel that comes with linerate.
    Show {
        /// Its name, as `linerate model list` says it.
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoadArgs {
    /// A file, or the name of a plan that comes with linerate (see `linerate model list`).
    #[arg(value_name = "PLAN")]
    pub(crate) plan: String,
    /// Change one value of the plan; may be repeated.
    ///
    /// KEY is a path such as `network.stations`, or its last part where that says which. VALUE is
    /// a TOML value; a bare word is text. Another `network.medium` keeps only the number of
    /// stations, and its own keys follow it.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Run the plan with each of these values; repeated, with every combination.
    ///
    /// KEY and the values are as for --set.
    #[arg(long, value_name = "KEY=A,B,..")]
    pub(crate) sweep: Vec<String>,
    /// Run everything with so many seeds, from the plan's on; results are means with their 95 %
    /// intervals.
    #[arg(long, value_name = "N", default_value = "1", value_parser = from_one::<NonZeroU32>)]
    pub(crate) seeds: NonZeroU32,
    /// Runs at the same time [default: one a processor].
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroUsize>)]
    pub(crate) jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) output: LoadOutput,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct LoadOutput {
    /// What goes to standard output.
    #[arg(long, value_enum, default_value_t = LoadFormat::Table)]
    pub(crate) format: LoadFormat,
    /// Write a page with charts.
    #[arg(long, value_name = "X.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write what passed the stations' ports, as Wireshark reads it; of a single run only.
    ///
    /// At most the first 100,000 passages. Every medium is written as Ethernet, IPv4 and UDP (or
    /// TCP, for a stream) with payload of zeros and no check sequence: also cells, rings and Fibre
    /// Channel, whose own framing has no place there. Times are whole nanoseconds, rounded down.
    #[arg(long, value_name = "X.pcapng", conflicts_with = "sweep")]
    pub(crate) trace: Option<PathBuf>,
    /// Print the effective plan as TOML and run nothing.
    #[arg(long)]
    pub(crate) print_plan: bool,
}

/// What goes to standard output after a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LoadFormat {
    Table,
    Json,
    Csv,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Claims by name, such as F063, or all of a source by its letter: F, P, A or T [default: all].
    ///
    /// Claims by name are shown in full.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Runs at the same time [default: one a processor].
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroUsize>)]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// What goes to standard output.
    #[arg(long, value_enum, default_value_t = CheckFormat::Table)]
    pub(crate) format: CheckFormat,
    /// Write a page with every verdict and with charts.
    #[arg(long, value_name = "X.html")]
    pub(crate) report: Option<PathBuf>,
}

/// What goes to standard output of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CheckFormat {
    Table,
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Tables for people, or JSON.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub(crate) format: ListFormat,
}

/// A whole number that is not 0.
fn from_one<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number from 1"))
}

/// What goes to standard output of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ListFormat {
    Table,
    Json,
}
