//! The flags of `linerate compare`.

use std::path::PathBuf;

use linerate_core::plan::Rows;

use super::shared;

#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    /// Runs of the first side: files, or names from the history
    ///
    /// A file is a run file, or a result file of NetPIPE. A name is the id of a run (or its first characters), a path (its baseline is meant), or PATH@N, its
    /// last N runs.
    #[arg(required = true, value_name = "BASE")]
    pub(crate) base: Vec<PathBuf>,
    /// Runs of the second side
    #[arg(long = "with", required = true, num_args = 1.., value_name = "CANDIDATE")]
    pub(crate) candidate: Vec<PathBuf>,
    /// Changes within this do not matter; worse beyond it exits with 1
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = parse_share)]
    pub(crate) within: f64,
    /// Any change beyond --within exits with 1
    #[arg(long)]
    pub(crate) any: bool,
    /// Inconclusive exits with 3 (fail) or 0 (ok)
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Inconclusive::Fail, hide_possible_values = true, hide_default_value = true)]
    pub(crate) inconclusive: Inconclusive,
    /// Compare the common sizes of different plans
    #[arg(long)]
    pub(crate) anyway: bool,
    /// Write a .html, .md or .json file; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Vec<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    pub(crate) format: CompareFormat,
    /// Rows of the table: short (default: changed sizes) or all
    #[arg(long, value_name = "WHICH", value_parser = shared::rows_parser(), hide_possible_values = true)]
    pub(crate) rows: Option<Rows>,
}

/// How an inconclusive comparison ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Inconclusive {
    /// Exit code 3
    Fail,
    /// Exit code 0
    Ok,
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CompareFormat {
    /// The verdict and tables
    Table,
    /// Every number
    Json,
    /// The verdict and tables, for a pull request
    Markdown,
}

/// A share from 0 to 1.
fn parse_share(text: &str) -> Result<f64, String> {
    let share = shared::parse_share(text)?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("write a share from 0% to 100%".to_owned()) }
}
