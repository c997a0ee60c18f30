//! `linerate report`.

use std::path::Path;
use std::process::ExitCode;

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::plan::Level;
use linerate_report as render;

use super::host_limits;
use crate::cli::{ReportArgs, ReportFormat};
use crate::screen::{columns, note, show, show_text};
use crate::store::{self, Loaded};
use crate::trouble::Trouble;

pub(super) fn run(args: &ReportArgs) -> Result<ExitCode, Trouble> {
    if let [path] = &args.runs[..] {
        return match store::load_any(path)? {
            Loaded::Run(named) => of_runs(vec![*named], args),
            Loaded::Limits(_) if args.format != ReportFormat::Table => Err(Trouble::new(
                format!("failed to print {} in that format: it holds the limits of a host", path.display()),
                "give run files, or leave --format out",
            )),
            Loaded::Limits(file) => {
                args.report.iter().try_for_each(|path| other_than(path, args))?;
                host_limits::report(&file, &args.report, args.quiet)?;
                Ok(ExitCode::SUCCESS)
            }
        };
    }
    let runs: Result<Vec<_>, _> = args.runs.iter().map(|path| store::load(path)).collect();
    of_runs(runs?, args)
}

fn of_runs(runs: Vec<NamedRun>, args: &ReportArgs) -> Result<ExitCode, Trouble> {
    let report = Report::new(runs);
    args.report.iter().try_for_each(|path| other_than(path, args))?;
    let printed = printed(&report, args)?;
    if args.format == ReportFormat::Table {
        show_text(&printed)?;
    } else {
        show(&printed)?;
    }
    for path in &args.report {
        store::replace(path, &rendered(&report, path, args.level)?)?;
        if !args.quiet {
            note(format_args!("report: {}", path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What goes to standard output.
fn printed(report: &Report, args: &ReportArgs) -> Result<String, Trouble> {
    let level = args.level.unwrap_or_default();
    let printed = match args.format {
        ReportFormat::Table => Ok(render::text(report, columns(), args.rows.unwrap_or_default())),
        ReportFormat::Json => render::json(report, level),
        ReportFormat::Csv => render::csv(report, level),
        ReportFormat::Markdown => Ok(render::markdown(report)),
        ReportFormat::Np => render::np(report),
        ReportFormat::Openmetrics => Ok(metrics(report)),
    };
    printed
        .map_err(|error| Trouble::new(format!("failed to {error}"), "give other runs, or another --format"))
}

/// Refuses to replace what the report is made of: NetPIPE's file is no run file, and no less somebody's only one.
fn other_than(path: &Path, args: &ReportArgs) -> Result<(), Trouble> {
    if args.runs.iter().all(|run| store::is_stream(run) || !same_file(run, path)) {
        return Ok(());
    }
    Err(Trouble::new(
        format!("failed to write {}: it is what the report is made of", path.display()),
        "choose another path",
    ))
}

fn same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(one).is_some_and(|one| Some(one) == real(other))
}

/// The key figures as metrics.
fn metrics(report: &Report) -> String {
    render::openmetrics(report, |started| {
        let began: jiff::Timestamp = started.parse().ok()?;
        Some(began.as_microsecond() as f64 / 1e6)
    })
}

/// Whether the file's extension is that of a form of a report.
pub(super) fn has_form(path: &Path) -> bool {
    let forms = ["html", "svg", "csv", "json", "md", "np", "out", "prom"];
    path.extension().is_some_and(|ending| forms.iter().any(|form| ending.eq_ignore_ascii_case(form)))
}

/// The report in the format of the file's extension.
pub(super) fn rendered(report: &Report, path: &Path, level: Option<Level>) -> Result<String, Trouble> {
    let rows = level.unwrap_or_default();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let rendered = match ending.as_deref() {
        Some("html") => render::html(report),
        Some("svg") => render::svg(report),
        Some("csv") => render::csv(report, rows),
        Some("json") => render::json(report, rows),
        Some("md") => Ok(render::markdown(report)),
        Some("np" | "out") => render::np(report),
        Some("prom") => Ok(metrics(report)),
        _ => {
            return Err(Trouble::new(
                format!("failed to choose a format for {}", path.display()),
                "end the file's name in .html, .svg, .csv, .json, .md, .prom or .np",
            ));
        }
    };
    rendered.map_err(|error| {
        Trouble::new(format!("{}: failed to {error}", path.display()), "give other runs, or another format")
    })
}
