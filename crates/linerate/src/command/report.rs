//! `linerate report`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use linerate_core::report::{NamedRun, Report};
use linerate_report as render;

use crate::cli::ReportArgs;
use crate::screen::{columns, show};
use crate::store;
use crate::trouble::Trouble;

/// Rows of the terminal chart.
pub(super) const CHART_ROWS: u16 = 18;

pub(super) fn run(args: &ReportArgs) -> Result<ExitCode, Trouble> {
    let runs: Result<Vec<_>, _> = args.runs.iter().map(|path| store::load(path)).collect();
    let runs = runs?;
    if runs.iter().any(|named| !named.run.transfers.is_empty()) {
        return loads(runs, &args.to);
    }
    let report = Report::new(runs);
    if args.to.is_empty() {
        show(&text(&report))?;
    }
    for path in &args.to {
        store::replace(path, &rendered(&report, path)?)?;
        eprintln!("report: {}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows a run of loads: one at a time, because two of them share no axis.
fn loads(runs: Vec<NamedRun>, to: &[PathBuf]) -> Result<ExitCode, Trouble> {
    if runs.len() > 1 {
        return Err(Trouble::new(
            "failed to show the runs together: one is of `linerate stream` or `linerate rr`",
            "report these one by one",
        ));
    }
    let report = Report::new(runs);
    let run = &report.runs[0].run;
    if to.is_empty() {
        show(&render::traffic::text(run, columns()))?;
    }
    for path in to {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let rendered = match ending.as_deref() {
            Some("html") => render::traffic::html(&report),
            Some("csv") => render::traffic::csv(run),
            Some("json") => render::traffic::json(run),
            _ => {
                return Err(Trouble::new(
                    format!("failed to choose a format for {}", path.display()),
                    "end the file's name in .html, .csv or .json",
                ));
            }
        };
        let rendered = rendered.map_err(|error| {
            Trouble::new(format!("{}: failed to {error}", path.display()), "give another format")
        })?;
        store::replace(path, &rendered)?;
        eprintln!("report: {}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// The report for people at a terminal.
pub(super) fn text(report: &Report) -> String {
    let columns = columns();
    let mut text =
        format!("{}\n{}", render::table(report, columns), render::chart(report, columns, CHART_ROWS));
    for named in &report.runs {
        if let Some(stages) = render::stages::text(named, columns) {
            text = format!("{text}\n{stages}\n");
        }
    }
    text
}

/// The report in the form that the file's name says.
fn rendered(report: &Report, path: &Path) -> Result<String, Trouble> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let rendered = match ending.as_deref() {
        Some("html") => render::html(report),
        Some("svg") => render::svg(report),
        Some("csv") => render::csv(report),
        Some("json") => render::json(report),
        Some("np" | "out") => render::np(report),
        _ => {
            return Err(Trouble::new(
                format!("failed to choose a format for {}", path.display()),
                "end the file's name in .html, .svg, .csv, .json or .np",
            ));
        }
    };
    rendered.map_err(|error| {
        Trouble::new(format!("{}: failed to {error}", path.display()), "give other runs, or another format")
    })
}
