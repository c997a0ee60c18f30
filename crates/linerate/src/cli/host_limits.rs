//! The flags of `linerate host`.

use std::path::PathBuf;

use linerate_core::units::Span;

use super::shared::ProgressForm;

#[derive(Debug, clap::Args)]
pub(crate) struct HostArgs {
    /// Time to measure [default: 60s, with --quick 10s]
    #[arg(long, short, value_name = "TIME")]
    pub(crate) time: Option<Span>,
    /// Measure fewer sizes and numbers of threads
    #[arg(long)]
    pub(crate) quick: bool,
    /// Write everything that was measured to a JSON file; `-` is standard output
    #[arg(long, value_name = "FILE.json")]
    pub(crate) out: Option<PathBuf>,
    /// Write a page (.html), or the same as --out (.json); repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Vec<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: HostFormat,
    /// Print only the result: no progress, no file names
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Progress on standard error: auto, none or ndjson
    #[arg(long, value_enum, default_value_t, value_name = "HOW", hide_short_help = true)]
    pub(crate) progress: ProgressForm,
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HostFormat {
    /// A page of text
    #[default]
    #[value(alias = "text")]
    Table,
    /// Everything that was measured
    Json,
}
