//! Where a run's results go.

use std::path::{Path, PathBuf};

use jiff::Zoned;
use linerate_analysis::explain::explain;
use linerate_analysis::report::{NamedRun, Report};
use linerate_core::plan::{Format, NO_REPORT, Output, Plan};
use linerate_core::run::{Run, Source};
use linerate_core::transport::Transport;
use linerate_report as render;

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
        if let Some(path) = report.as_deref().filter(|path| !fits(path, plan)) {
            return Err(Trouble::new(
                format!(
                    "failed to write {}: that form cannot hold {} runs",
                    path.display(),
                    plan.task.verb()
                ),
                "end the name of --report in .html, .csv or .json",
            ));
        }
        if report.as_ref() == Some(&run) && !is_device(&run) {
            return Err(Trouble::new(
                format!("failed to write the results: {} is both the run file and the report", run.display()),
                "end the name of --out with .run.json, or choose another path with --report",
            ));
        }
        Ok(Self { run, report })
    }
}

/// Whether the form that the extension of `path` names can hold what `plan` asks for.
fn fits(path: &Path, plan: &Plan) -> bool {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => !plan.has_loads(),
        Some("np" | "out") => plan.curve().is_some(),
        _ => true,
    }
}

/// A run file of this name that is not there yet: the runs of one second are numbered.
fn unused(name: &str) -> PathBuf {
    let numbered = (2_u32..).map(|nth| format!("{name}-{nth}.run.json"));
    let mut names = std::iter::once(format!("{name}.run.json")).chain(numbered).map(PathBuf::from);
    names.find(|path| !path.exists()).expect("a folder has fewer files")
}

/// Whether writing to `path` replaces nothing, as with `/dev/null`.
fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.is_file())
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
    let run = &report.runs[0].run;
    if !is_free(&run.plan.common.output) {
        return Ok(());
    }
    let Output { format, level, rows, .. } = run.plan.common.output;
    let rendered = match format {
        Format::Json => render::json(report, level),
        Format::Csv => render::csv(report, level),
        Format::Table => {
            return show_text(&(render::text(report, columns(), rows) + &explained(&report.runs[0])));
        }
        Format::Markdown => Ok(render::markdown(report, &render::Beside::default())),
        Format::Np => render::np(report),
    };
    show(&rendered.map_err(|error| unrendered(&error))?)
}

/// Which bound binds, if that was asked.
fn explained(named: &NamedRun) -> String {
    if !named.run.plan.curve().is_some_and(|curve| curve.explain) {
        return String::new();
    }
    explain(&named.run).map_or_else(
        |_| String::new(),
        |explanation| format!("\n{}", render::explain::text(named, &explanation, usize::from(columns()))),
    )
}

/// The HTML report.
pub(super) fn page(report: &Report) -> Result<String, Trouble> {
    render::html(report).map_err(|error| unrendered(&error))
}

fn unrendered(error: &render::RenderError) -> Trouble {
    Trouble::new(
        format!("failed to show the result: {error}"),
        "the run file is complete; try `linerate report`",
    )
}
