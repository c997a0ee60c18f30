//! The flags of `linerate model`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;

use linerate_core::plan::Rows;

use super::{ShardArgs, examples, shared};

#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    pub(crate) verb: ModelVerb,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum ModelVerb {
    /// Put a modelled network under load and show what it carries
    ///
    /// Throughput counts the bits of frames that arrived after the warm-up, on every medium from the
    /// first byte of the header to the last of the check sequence. Efficiency is throughput divided
    /// by the rate of one line; it exceeds 1 where several lines work at once. Goodput counts only
    /// the IP packets in the frames.
    ///
    /// Several plans are compared in the same charts, a curve each. `--media` compares all media.
    ///
    /// The plan is TOML. `--print-plan` shows it with every value filled in.
    #[command(after_help = examples::LOAD)]
    Load(Box<LoadArgs>),
    /// Compare the models with published claims
    ///
    /// A claim is one published figure or statement. Its model value comes from plans that ship with
    /// linerate, and must lie within a stated interval. Definitions (a standard compared with
    /// itself) and claims that calibrated a parameter are counted apart from predictions. So are
    /// known misses: the model's value and the reason are recorded with the claim.
    ///
    /// Exit codes: 0 every claim comes out as recorded, known misses too; 1 a claim that should hold
    /// fails, or a known miss holds or has another value; 2 a claim could not be checked.
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// List the physical layers, relays, hosts, kernels and plans of models
    #[command(after_help = examples::LIST)]
    List(ListArgs),
    /// Print a plan, host or kernel that ships with linerate
    #[command(after_help = examples::SHOW)]
    Show {
        /// Name from `linerate model list`
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoadArgs {
    /// Plan files, or names from `linerate model list`
    #[arg(value_name = "PLAN", required_unless_present = "media", conflicts_with = "media")]
    pub(crate) plans: Vec<String>,
    #[command(flatten)]
    pub(crate) question: LoadQuestion,
    #[command(flatten)]
    pub(crate) output: LoadOutput,
    #[command(flatten)]
    pub(crate) shards: ShardArgs,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Question")]
pub(crate) struct LoadQuestion {
    /// Compare all media, a plan each
    ///
    /// The plans are ethernet, fast-ethernet, gigabit, ten-gigabit, ten-gigabit-wan, atm-oc3c, fddi,
    /// fibre-channel and myrinet. Give sizes as `load.packet`, the IP packet, which means the same on each.
    #[arg(long)]
    pub(crate) media: bool,
    /// Change one value of the plan; repeatable
    ///
    /// KEY is a path such as `network.stations`. Its last part is enough where that is unambiguous.
    /// VALUE is a TOML value; a bare word is text. A new `network.medium` keeps only the number of
    /// stations; set the medium's own keys after it.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Run once per value; repeatable for combinations
    ///
    /// KEY and the values are as for --set.
    #[arg(long, value_name = "KEY=A,B,..")]
    pub(crate) sweep: Vec<String>,
    /// Run with N seeds and show means with 95 % intervals
    ///
    /// The first seed is the plan's.
    #[arg(long, value_name = "N", default_value = "1", value_parser = from_one::<NonZeroU32>)]
    pub(crate) seeds: NonZeroU32,
    /// Parallel runs [default: one per processor]
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroUsize>)]
    pub(crate) jobs: Option<NonZeroUsize>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct LoadOutput {
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = LoadFormat::Table)]
    pub(crate) format: LoadFormat,
    /// Rows of the tables: short (default) or all
    #[arg(long, value_name = "WHICH", value_parser = shared::rows_parser(), hide_possible_values = true,
          hide_short_help = true)]
    pub(crate) rows: Option<Rows>,
    /// Write an HTML page with charts
    #[arg(long, value_name = "X.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write a packet capture, for Wireshark
    ///
    /// It shows what passed the stations' ports. It needs a single run, and holds at most the first 100,000 frames. Every medium is written as
    /// Ethernet, IPv4 and UDP (or TCP, for a stream), with a payload of zeros and no frame check
    /// sequence. This includes cells, rings and Fibre Channel, whose own framing is lost. Times are
    /// rounded down to nanoseconds.
    #[arg(long, value_name = "X.pcapng", conflicts_with_all = ["sweep", "shard", "merge"])]
    pub(crate) trace: Option<PathBuf>,
    /// Print the effective plan as TOML and exit
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
    /// Claims by name, such as F063, or a source's letter [default: all]
    ///
    /// The sources are F, P, A and T. Named claims are shown in full.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Parallel runs [default: one per processor]
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroUsize>)]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = CheckFormat::Table)]
    pub(crate) format: CheckFormat,
    /// Rows of the tables: short (default) or all
    #[arg(long, value_name = "WHICH", value_parser = shared::rows_parser(), hide_possible_values = true,
          hide_short_help = true)]
    pub(crate) rows: Option<Rows>,
    /// Write an HTML page with every verdict and with charts
    #[arg(long, value_name = "X.html")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shards: ShardArgs,
}

/// What goes to standard output of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CheckFormat {
    Table,
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub(crate) format: ListFormat,
}

/// A whole number that is not 0.
fn from_one<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number above 0"))
}

/// What goes to standard output of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ListFormat {
    Table,
    Json,
}
