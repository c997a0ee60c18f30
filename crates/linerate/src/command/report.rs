//! `linerate report`.

use std::path::Path;
use std::process::ExitCode;

use linerate_core::plan::Level;
use linerate_core::report::Report;
use linerate_report as render;

use crate::cli::ReportArgs;
use crate::screen::{columns, show};
use crate::store;
use crate::trouble::Trouble;

pub(super) fn run(args: &ReportArgs) -> Result<ExitCode, Trouble> {
    let runs: Result<Vec<_>, _> = args.runs.iter().map(|path| store::load(path)).collect();
    let report = Report::new(runs?);
    if args.to.is_empty() {
        show(&render::text(&report, columns()))?;
    }
    for path in &args.to {
        store::replace(path, &rendered(&report, path, args.level)?)?;
        eprintln!("report: {}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// The report in the format of the file's extension.
fn rendered(report: &Report, path: &Path, level: Option<Level>) -> Result<String, Trouble> {
    let rows = level.unwrap_or_default();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let rendered = match ending.as_deref() {
        Some("html") => render::html(report),
        Some("svg") => render::svg(report),
        Some("csv") => render::csv(report, rows),
        Some("json") => render::json(report, rows),
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
