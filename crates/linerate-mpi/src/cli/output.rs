//! Where results go.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use linerate_core::plan::{Format, Level, NO_REPORT, Output, Rows};

/// Options of the output.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Run file [default: linerate-mpi-TIME.run.json]
    #[arg(long, value_name = "X.run.json")]
    out: Option<PathBuf>,
    /// HTML report [default: beside the run file]
    #[arg(long, value_name = "X.html")]
    report: Option<PathBuf>,
    /// Write no HTML report
    #[arg(long, conflicts_with = "report")]
    no_report: bool,
    /// Output: table, json, csv, markdown or np [default: table]
    #[arg(long, value_parser = format_parser())]
    format: Option<Format>,
    /// What a row of CSV and JSON is: point or round [default: point]
    #[arg(long, value_parser = level_parser())]
    level: Option<Level>,
    /// Show every size in the table
    #[arg(long)]
    all_rows: bool,
    /// Label the run, such as `kernel=6.18`; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_label)]
    label: Vec<(String, String)>,
    /// Replace a run file
    #[arg(long)]
    pub(crate) force: bool,
    /// Print only the result
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl OutputArgs {
    pub(super) fn over(&self, asked: &mut Output) {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        asked.out = self.out.as_ref().map(text).or(asked.out.take());
        asked.report = self.report.as_ref().map(text).or(asked.report.take());
        if self.no_report {
            asked.report = Some(NO_REPORT.to_owned());
        }
        asked.format = self.format.unwrap_or(asked.format);
        asked.level = self.level.unwrap_or(asked.level);
        if self.all_rows {
            asked.rows = Rows::All;
        }
        asked.labels.extend(self.label.iter().cloned());
    }
}

fn format_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["table", "json", "csv", "markdown", "np"]).map(|name| match name.as_str() {
        "json" => Format::Json,
        "csv" => Format::Csv,
        "markdown" => Format::Markdown,
        "np" => Format::Np,
        _ => Format::Table,
    })
}

fn level_parser() -> impl clap::builder::TypedValueParser<Value = Level> {
    PossibleValuesParser::new(["point", "round"])
        .map(|name| if name == "round" { Level::Round } else { Level::Point })
}

fn parse_label(text: &str) -> Result<(String, String), String> {
    let label = text.split_once('=').filter(|(key, _)| !key.trim().is_empty());
    let label = label.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
    label.ok_or_else(|| format!("`{text}` is not a label; write KEY=VALUE, such as kernel=6.18"))
}
