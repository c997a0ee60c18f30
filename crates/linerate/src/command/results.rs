//! Where a run's results go.

use std::path::{Path, PathBuf};

use jiff::Zoned;
use linerate_analysis::explain::explain;
use linerate_analysis::report::{NamedRun, Report};
use linerate_core::plan::{Format, Level, NO_REPORT, Output, Plan};
use linerate_core::run::{Run, Source};
use linerate_core::transport::Transport;
use linerate_report::{self as render, Form, Shown};

use crate::screen::{columns, show, show_text};
use crate::store;
use crate::trouble::Trouble;

/// Where the results go.
pub(super) struct Files {
    pub(super) run: PathBuf,
    /// If absent, no page is written.
    pub(super) report: Option<PathBuf>,
}

impl Files {
    /// # Errors
    ///
    /// When one file would replace the other.
    pub(super) fn choose(plan: &Plan, source: &Source, started: &Zoned) -> Result<Self, Trouble> {
        let run = plan.common.output.out.as_ref().map_or_else(
            || {
                let host = subject_name(plan, source);
                let safe: String =
                    host.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
                let safe = safe.trim_matches('-');
                unused(&format!("linerate-{safe}-{}", started.strftime("%Y%m%dT%H%M%S")))
            },
            PathBuf::from,
        );
        let report = match plan.common.output.report.as_deref() {
            Some(NO_REPORT) => None,
            Some(path) => Some(PathBuf::from(path)),
            // A user who reads standard output wants no other file.
            None => (!store::is_stream(&run)).then(|| store::report_beside(&run)),
        };
        let fits = |path: &Path| super::report::form(path).is_none_or(|form| form.fits(plan));
        if let Some(path) = report.as_deref().filter(|path| !fits(path)) {
            return Err(Trouble::new(
                format!(
                    "failed to write {}: that form cannot hold {} runs",
                    path.display(),
                    plan.task.verb()
                ),
                "end the name of --report in .html, .csv or .json",
            ));
        }
        if report.as_ref() == Some(&run) && !store::is_device(&run) {
            return Err(Trouble::new(
                format!("failed to write the results: {} is both the run file and the report", run.display()),
                "end the name of --out with .run.json, or choose another path with --report",
            ));
        }
        Ok(Self { run, report })
    }
}

/// A run file of this name that is not there yet: the runs of one second are numbered.
fn unused(name: &str) -> PathBuf {
    let numbered = (2_u32..).map(|nth| format!("{name}-{nth}.run.json"));
    let mut names = std::iter::once(format!("{name}.run.json")).chain(numbered).map(PathBuf::from);
    names.find(|path| !path.exists()).expect("a folder has fewer files")
}

/// The run with the name that is shown.
pub(super) fn named(run: Run) -> NamedRun {
    NamedRun { name: subject_name(&run.plan, &run.source).to_owned(), run }
}

/// What was measured, in one word.
fn subject_name<'a>(plan: &'a Plan, source: &'a Source) -> &'a str {
    match source {
        Source::Modelled(name) => name,
        _ if plan.common.transport == Transport::Mpi => "mpi",
        _ if plan.mesh().is_some() => "mesh",
        _ if plan.app().is_some() => plan.app().map_or("app", |app| &app.name),
        _ => plan.common.host.as_deref().unwrap_or("loopback"),
    }
}

/// Whether neither the run file nor the page goes to standard output.
pub(super) fn is_free(output: &Output) -> bool {
    let taken = |name: &Option<String>| name.as_deref().is_some_and(|name| store::is_stream(Path::new(name)));
    !taken(&output.out) && !taken(&output.report)
}

/// The result on standard output, in the form that the plan says.
pub(super) fn print(report: &Report) -> Result<(), Trouble> {
    let output = &report.runs[0].run.plan.common.output;
    if !is_free(output) {
        return Ok(());
    }
    let written = Form::named(output.format.name())
        .unwrap_or(&render::FORMS[0])
        .write(&Shown { rows: output.rows, ..super::report::shown(report, output.level) });
    let written = written.map_err(|error| unrendered(&error))?;
    match output.format {
        Format::Table => show_text(&(written + &explained(&report.runs[0]))),
        _ => show(&written),
    }
}

/// Which bound binds, if that was asked.
fn explained(named: &NamedRun) -> String {
    if !named.run.plan.common.explain {
        return String::new();
    }
    explain(&named.run).map_or_else(
        |_| String::new(),
        |explanation| format!("\n{}", render::explain::text(named, &explanation, usize::from(columns()))),
    )
}

/// What the ending of `path` asks for; a page, unless it is that of another form.
pub(super) fn page(report: &Report, path: &Path) -> Result<String, Trouble> {
    let written = match super::report::form(path) {
        Some(form) => form.write(&super::report::shown(report, Level::Point)),
        None => render::html(report),
    };
    written.map_err(|error| unrendered(&error))
}

fn unrendered(error: &render::RenderError) -> Trouble {
    Trouble::new(
        format!("failed to show the result: {error}"),
        "the run file is complete; try `linerate report`",
    )
}
