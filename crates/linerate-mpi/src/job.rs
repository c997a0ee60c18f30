//! The run and its files, at rank 0.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Zoned;
use linerate_analysis::assessment::assess;
use linerate_analysis::report::{AppResult, NamedRun, Report};
use linerate_apps::run::{Case, RunWatch};
use linerate_core::app::AppRun;
use linerate_core::measure::{Progress, Watch};
use linerate_core::mesh::{Mesh, MeshWatch, Step};
use linerate_core::plan::{Format, NO_REPORT, Output, Plan};
use linerate_core::run::{Node, Path as RunPath, Run, Source, State};
use linerate_core::series::Series;
use linerate_report as render;

use crate::cli::OutputArgs;
use crate::trouble::Trouble;

/// Columns of a table when standard output is not a terminal: mpirun's never is.
const COLUMNS: u16 = 80;

/// A run in progress, and its files.
#[derive(Debug)]
pub struct Job {
    /// What is known of it until now.
    pub run: Run,
    out: PathBuf,
    report: Option<PathBuf>,
    quiet: bool,
    asked_to_end: Arc<AtomicBool>,
    /// The curves that are done.
    done: Vec<Series>,
}

/// Why a run ended before all of it was done.
#[derive(Debug)]
pub enum Stopped {
    /// The user ended it.
    Interrupted,
    /// A part failed.
    Failed(Trouble),
}

impl Job {
    /// A run of `plan`, whose file can be written.
    ///
    /// # Errors
    ///
    /// When it cannot, or would replace another run.
    pub fn begin(
        plan: Plan,
        asked: &OutputArgs,
        library: &str,
        asked_to_end: Arc<AtomicBool>,
    ) -> Result<Self, Trouble> {
        let started = Zoned::now();
        let Output { out, report, labels, .. } = &plan.common.output;
        let name = || format!("linerate-mpi-{}.run.json", started.strftime("%Y%m%dT%H%M%S"));
        let out = PathBuf::from(out.clone().unwrap_or_else(name));
        if !asked.force && out.is_file() {
            return Err(Trouble::new(
                format!("failed to write {}: it exists", out.display()),
                "choose another path with --out, or replace it with --force",
            ));
        }
        let report = match report.as_deref() {
            Some(NO_REPORT) => None,
            Some(path) => Some(PathBuf::from(path)),
            None => Some(beside(&out)),
        };
        let mut run = Run {
            id: uuid::Uuid::now_v7().to_string(),
            generator: concat!("linerate-mpi ", env!("CARGO_PKG_VERSION")).to_owned(),
            started: started.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            labels: labels.clone(),
            ..Run::new(Source::Measured, plan)
        };
        run.paths[0].library = Some(library.to_owned());
        run.paths[0].transport = "mpi".to_owned();
        let quiet = asked.quiet;
        let job = Self { run, out, report, quiet, asked_to_end, done: Vec::new() };
        job.written()?;
        Ok(job)
    }

    /// Every rank is a node; `pairs` are those that send to each other.
    pub fn set_nodes(&mut self, nodes: Vec<Node>, pairs: &[[usize; 2]]) {
        let first = &nodes[0].environment;
        let together = nodes.iter().all(|node| {
            node.environment.same_host(first) == Some(true)
                && node.environment.network_namespace == first.network_namespace
        });
        self.run.source = if together { Source::Loopback } else { Source::Measured };
        let like = self.run.paths[0].clone();
        let path = |[from, to]: &[usize; 2]| RunPath {
            from: *from as u32,
            to: *to as u32,
            from_address: format!("rank {from}"),
            to_address: format!("rank {to}"),
            ..like.clone()
        };
        self.run.paths = pairs.iter().map(path).collect();
        self.run.nodes = nodes;
    }

    /// Whether the user wants it to go on.
    pub fn go_on(&self) -> ControlFlow<()> {
        if self.asked_to_end.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Adds a curve that is done.
    pub fn measured(&mut self, series: Series) {
        self.done.push(series);
        self.run.series.clone_from(&self.done);
    }

    /// Saves what there is. A path that can no longer be written does not end the run.
    fn save(&mut self) {
        self.run.cautions = assess(&self.run);
        if let Err(trouble) = self.written() {
            note(&trouble);
        }
    }

    fn written(&self) -> Result<(), Trouble> {
        replace(&self.out, &self.run.to_json())
    }

    /// Fills in how it ended, then saves and shows the result. Gives 1 if a result is wrong, else 0.
    ///
    /// # Errors
    ///
    /// What ended it early, or what could not be written.
    pub fn conclude(mut self, ended: Result<(), Stopped>) -> Result<ExitCode, Trouble> {
        let ended = match ended {
            Ok(()) => {
                self.run.state = State::Complete;
                Ok(())
            }
            Err(Stopped::Interrupted) => {
                self.run.state = State::Interrupted;
                Err(Trouble::new("interrupted", "the results so far are shown and kept"))
            }
            Err(Stopped::Failed(trouble)) => {
                self.run.state = State::Failed(trouble.reason().to_owned());
                Err(trouble)
            }
        };
        self.run.cautions = assess(&self.run);
        let saved = self.written();
        let (out, page, quiet) = (self.out, self.report, self.quiet);
        let report = Report::new(vec![NamedRun { name: "mpi".to_owned(), run: self.run }]);
        show(&shown(&report)?)?;
        saved?;
        if !quiet {
            note(format_args!("run file: {}", out.display()));
        }
        if let Some(path) = page {
            let text = render::html(&report).map_err(|error| unrendered(&error))?;
            replace(&path, &text)?;
            if !quiet {
                note(format_args!("report:   {}", path.display()));
            }
        }
        let wrong = report.apps.iter().any(AppResult::has_finding);
        ended.map(|()| ExitCode::from(u8::from(wrong)))
    }
}

/// The result in the form that the plan says.
fn shown(report: &Report) -> Result<String, Trouble> {
    let Output { format, level, rows, .. } = report.runs[0].run.plan.common.output;
    let rendered = match format {
        Format::Json => render::json(report, level),
        Format::Csv => render::csv(report, level),
        Format::Markdown => Ok(render::markdown(report, &[])),
        Format::Np => render::np(report),
        Format::Table => Ok(render::text(report, COLUMNS, rows)),
    };
    rendered.map_err(|error| unrendered(&error))
}

fn unrendered(error: &render::RenderError) -> Trouble {
    Trouble::new(
        format!("failed to show the result: {error}"),
        "the run file is complete; try `linerate report`",
    )
}

/// Writes to standard output. A reader that has closed it is no error.
pub(crate) fn show(text: &str) -> Result<(), Trouble> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Trouble::new(
            format!("failed to write to standard output: {error}"),
            "free space there; the run file is complete",
        )),
        _ => Ok(()),
    }
}

/// Notes on standard error. A reader that has closed it misses that, and nothing else.
pub(crate) fn note(line: impl std::fmt::Display) {
    writeln!(std::io::stderr(), "{line}").unwrap_or(());
}

/// The report of the run file `out`.
fn beside(out: &Path) -> PathBuf {
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".run.json").or_else(|| name.strip_suffix(".json")).unwrap_or(&name);
    out.with_file_name(format!("{stem}.html"))
}

/// Writes `text` to `path` in one step: a reader never sees half of it.
fn replace(path: &Path, text: &str) -> Result<(), Trouble> {
    let failed = |error: &std::io::Error| {
        Trouble::new(
            format!("failed to write {}: {}", path.display(), error.kind()),
            "create the folder, free space there, or choose another path with --out and --report",
        )
    };
    if path.exists() && !path.is_file() {
        return std::fs::write(path, text).map_err(|error| failed(&error));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".linerate-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(|error| failed(&error))?;
    file.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
    file.persist(path).map_err(|error| failed(&error.error))?;
    Ok(())
}

impl Watch for Job {
    fn trial_done(&mut self, _: &Progress) -> ControlFlow<()> {
        self.go_on()
    }

    fn round_done(&mut self, series: &mut Series) {
        self.run.series.clone_from(&self.done);
        self.run.series.push(series.clone());
        self.save();
    }
}

impl MeshWatch for Job {
    fn step(&mut self, _: &Step) -> ControlFlow<()> {
        self.go_on()
    }

    fn phase_done(&mut self, mesh: &Mesh) {
        self.run.mesh = Some(mesh.clone());
        self.save();
    }
}

impl RunWatch for Job {
    fn begins(&mut self, _: Case, _: usize, _: usize) -> ControlFlow<()> {
        self.go_on()
    }

    fn progress(&mut self, _: u64, _: u64, _: f64) -> ControlFlow<()> {
        self.go_on()
    }

    fn case_done(&mut self, run: &AppRun) {
        self.run.app = Some(run.clone());
        self.save();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_lies_beside_its_run() {
        assert_eq!(beside(Path::new("a/b.run.json")), Path::new("a/b.html"));
        assert_eq!(beside(Path::new("b.json")), Path::new("b.html"));
        assert_eq!(beside(Path::new("b")), Path::new("b.html"));
    }
}
