//! `linerate report`.

use std::path::Path;
use std::process::ExitCode;

use linerate_analysis::report::Report;
use linerate_core::plan::{Format, Level, Rows};
use linerate_report::{self as render, Beside, FORMS, Form, Holds, Shown};

use super::host_limits;
use crate::cli::ReportArgs;
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
    let is_table = args.format.name == Format::Table.name();
    if let ([], [file], [], true) = (&runs[..], &hosts[..], &comparisons[..], is_table) {
        host_limits::report(file, &args.report, args.quiet, &context.files)?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = Report::new(runs);
    let beside = Beside { hosts: &hosts, comparisons: &comparisons };
    let (level, rows) = (args.level.unwrap_or_default(), args.rows.unwrap_or_default());
    let shown = Shown { beside, rows, ..shown(&report, level) };
    need_runs(args.format, beside, "--format")?;
    let printed = args.format.write(&shown).map_err(|error| {
        Trouble::new(format!("failed to {error}"), "give other runs, or another --format")
    })?;
    let reports = context.files.prepare(&args.report, |path| {
        let form = form_of(path)?;
        need_runs(form, beside, "--report")?;
        form.write(&shown).map_err(|error| unrendered(path, &error))
    })?;
    if is_table { show_text(&printed) } else { show(&printed) }?;
    for (path, text) in reports {
        context.files.replace(path, &text)?;
        if !args.quiet {
            note(format_args!("report: {}", path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// `report` alone, with rows of `level`.
pub(super) fn shown(report: &Report, level: Level) -> Shown<'_> {
    let began = |started: &str| {
        let began: jiff::Timestamp = started.parse().ok()?;
        Some(began.as_microsecond() as f64 / 1e6)
    };
    Shown { report, beside: Beside::default(), width: columns(), rows: Rows::Short, level, began }
}

/// Refuses others than runs where a form holds runs.
fn need_runs(form: &Form, beside: Beside<'_>, flag: &str) -> Result<(), Trouble> {
    let what = match (form.holds, beside.hosts, beside.comparisons) {
        (Holds::Everything, ..) | (_, [], []) => return Ok(()),
        (_, [], _) => "a comparison",
        _ => "the limits of a host",
    };
    let help = format!("give run files, or leave out {flag}; tables, .html and .md hold all");
    Err(Trouble::new(format!("failed to show {what}: that form holds runs only"), help))
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

/// The form that the ending of `path` asks for.
pub(super) fn form(path: &Path) -> Option<&'static Form> {
    Form::of_ending(path.extension()?.to_str()?)
}

fn form_of(path: &Path) -> Result<&'static Form, Trouble> {
    let endings: Vec<String> =
        FORMS.iter().flat_map(|form| form.endings).map(|ending| format!(".{ending}")).collect();
    form(path).ok_or_else(|| {
        Trouble::new(
            format!("failed to choose a format for {}", path.display()),
            format!("end the file's name in one of {}", endings.join(", ")),
        )
    })
}

fn unrendered(path: &Path, error: &render::RenderError) -> Trouble {
    Trouble::new(format!("{}: failed to {error}", path.display()), "give other runs, or another format")
}
