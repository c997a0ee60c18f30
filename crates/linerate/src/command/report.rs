//! `linerate report`.

use std::path::Path;
use std::process::ExitCode;

use linerate_analysis::compare::Comparison;
use linerate_analysis::report::Report;
use linerate_core::host_limits::HostLimitsFile;
use linerate_core::plan::Level;
use linerate_report::{self as render, Beside};

use super::host_limits;
use crate::cli::{ReportArgs, ReportFormat};
use crate::context::Context;
use crate::screen::{columns, note, show, show_text};
use crate::store::{self, Loaded};
use crate::trouble::Trouble;

pub(super) fn run(args: &ReportArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let (mut runs, mut hosts, mut comparisons) = (Vec::new(), Vec::new(), Vec::new());
    for path in &args.runs {
        match store::load_any(path)? {
            Loaded::Runs(named) => runs.extend(named),
            Loaded::Limits(file) => hosts.push(*file),
            Loaded::Comparison(comparison) => comparisons.push(*comparison),
        }
    }
    args.report.iter().try_for_each(|path| other_than(path, args))?;
    if let ([], [file], [], ReportFormat::Table) = (&runs[..], &hosts[..], &comparisons[..], args.format) {
        host_limits::report(file, &args.report, args.quiet, &context.files)?;
        return Ok(ExitCode::SUCCESS);
    }
    let shown = Shown { report: Report::new(runs), hosts, comparisons };
    let printed = shown.printed(args)?;
    if args.format == ReportFormat::Table {
        show_text(&printed)?;
    } else {
        show(&printed)?;
    }
    for path in &args.report {
        context.files.replace(path, &shown.file(path, args.level)?)?;
        if !args.quiet {
            note(format_args!("report: {}", path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is shown: runs, the limits of hosts, and comparisons.
struct Shown {
    report: Report,
    hosts: Vec<HostLimitsFile>,
    comparisons: Vec<Comparison>,
}

impl Shown {
    fn beside(&self) -> Beside<'_> {
        Beside { hosts: &self.hosts, comparisons: &self.comparisons }
    }

    /// What goes to standard output.
    fn printed(&self, args: &ReportArgs) -> Result<String, Trouble> {
        let (report, level) = (&self.report, args.level.unwrap_or_default());
        if !matches!(args.format, ReportFormat::Table | ReportFormat::Markdown) {
            self.need_runs("--format")?;
        }
        let printed = match args.format {
            ReportFormat::Table => {
                let rows = args.rows.unwrap_or_default();
                let runs = (!report.runs.is_empty()).then(|| render::text(report, columns(), rows));
                let hosts =
                    self.hosts.iter().map(|file| render::host_limits::document(file).text(columns(), rows));
                let compared = |comparison| render::compare::document(comparison).text(columns(), rows);
                let comparisons = self.comparisons.iter().map(compared);
                Ok(runs.into_iter().chain(hosts).chain(comparisons).collect::<Vec<_>>().join("\n"))
            }
            ReportFormat::Markdown => Ok(render::markdown(report, &self.beside())),
            ReportFormat::Json => render::json(report, level),
            ReportFormat::Csv => render::csv(report, level),
            ReportFormat::Np => render::np(report),
            ReportFormat::Openmetrics => Ok(metrics(report)),
        };
        printed.map_err(|error| {
            Trouble::new(format!("failed to {error}"), "give other runs, or another --format")
        })
    }

    /// A file in the format of its extension.
    fn file(&self, path: &Path, level: Option<Level>) -> Result<String, Trouble> {
        let beside = |error| unrendered(path, &error);
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("html") => render::html_beside(&self.report, &self.beside()).map_err(beside),
            Some("md") => Ok(render::markdown(&self.report, &self.beside())),
            _ => {
                self.need_runs("--report")?;
                rendered(&self.report, path, level)
            }
        }
    }

    /// Refuses others than runs where a form holds runs.
    fn need_runs(&self, flag: &str) -> Result<(), Trouble> {
        let what = match (&self.hosts[..], &self.comparisons[..]) {
            ([], []) => return Ok(()),
            ([], _) => "a comparison",
            _ => "the limits of a host",
        };
        let help = format!("give run files, or leave out {flag}; tables, .html and .md hold all");
        Err(Trouble::new(format!("failed to show {what}: that form holds runs only"), help))
    }
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
        Some("md") => Ok(render::markdown(report, &Beside::default())),
        Some("np" | "out") => render::np(report),
        Some("prom") => Ok(metrics(report)),
        _ => {
            return Err(Trouble::new(
                format!("failed to choose a format for {}", path.display()),
                "end the file's name in .html, .svg, .csv, .json, .md, .prom or .np",
            ));
        }
    };
    rendered.map_err(|error| unrendered(path, &error))
}

fn unrendered(path: &Path, error: &render::RenderError) -> Trouble {
    Trouble::new(format!("{}: failed to {error}", path.display()), "give other runs, or another format")
}
