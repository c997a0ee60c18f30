//! `linerate report`.

use std::path::Path;
use std::process::ExitCode;

use linerate_core::plan::Level;
use linerate_core::report::Report;
use linerate_report as render;

use crate::cli::ReportArgs;
use crate::screen::{columns, note, show};
use crate::store;
use crate::trouble::Trouble;

pub(super) fn run(args: &ReportArgs) -> Result<ExitCode, Trouble> {
    let runs: Result<Vec<_>, _> = args.runs.iter().map(|path| store::load(path)).collect();
    let report = Report::new(runs?);
    if args.to.is_empty() {
        show(&render::text(&report, columns(), args.rows.unwrap_or_default()))?;
    }
    for path in &args.to {
        // NetPIPE's file is no run file, and no less somebody's only one.
        if args.runs.iter().any(|run| !store::is_stream(run) && same_file(run, path)) {
            return Err(Trouble::new(
                format!("failed to write {}: it is what the report is made of", path.display()),
                "choose another path",
            ));
        }
        store::replace(path, &rendered(&report, path, args.level)?)?;
        if !args.quiet {
            note(format_args!("report: {}", path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(one).is_some_and(|one| Some(one) == real(other))
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
