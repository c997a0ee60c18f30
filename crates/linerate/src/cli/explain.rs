//! The flags of `linerate explain`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// Run files of linerate, or result files of NetPIPE; `-` is standard input
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// Write a page (.html), a picture (.svg), Markdown (.md) or every number (.json); repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Vec<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = ExplainFormat::Table)]
    pub(crate) format: ExplainFormat,
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ExplainFormat {
    /// Verdicts with their evidence
    #[value(alias = "text")]
    Table,
    /// Every number
    Json,
}
