//! The one way to conduct a run: start, save after each part, notice an interrupt, conclude.

use std::ops::ControlFlow;
use std::path::Path;

use jiff::Zoned;
use linerate_analysis::assessment::assess;
use linerate_analysis::report::{AppResult, LoadResult, MeshResult, NamedRun, Report};
use linerate_core::caution::Caution;
use linerate_core::plan::Plan;
use linerate_core::run::{Laboratory, LaboratoryLink, Model, Run, Source, State};
use linerate_core::series::Series;

use super::results::{Files, named, page, print};
use crate::context::Context;
use crate::progress::Line;
use crate::screen::note;
use crate::signals::Interrupt;
use crate::store::{self, Writer};
use crate::trouble::Trouble;

/// What a run measures: hosts and a wire, a model of them, another tool's server.
pub trait Subject {
    /// Where the numbers come from.
    fn source(&self) -> Source;

    /// Puts the hosts and the connections between them into `run`, as far as they are known.
    fn set_hosts(&self, run: &mut Run);

    /// The model, if the run was computed.
    fn model(&self) -> Option<Model> {
        None
    }

    /// The laboratory, if the hosts are in one.
    fn laboratory(&self) -> Option<Laboratory> {
        None
    }

    /// Ends it and collects what is known only then.
    ///
    /// # Errors
    ///
    /// When an end is lost; what was measured is kept.
    fn finish(&mut self, context: &Context) -> Result<(), Trouble>;

    /// Another such subject as `plan` says, once [`finish`](Self::finish) has ended this one, which keeps what it saw. Absent
    /// where nothing can be changed.
    ///
    /// # Errors
    ///
    /// When the peer cannot be reached again.
    fn another(&self, plan: &Plan) -> Result<Option<Self>, Trouble>
    where
        Self: Sized,
    {
        let _ = plan;
        Ok(None)
    }
}

/// Why a run ended before all of it was done.
pub enum Stopped {
    /// The user ended it.
    Interrupted,
    /// A part failed.
    Failed {
        /// As in the run file.
        reason: String,
        /// As shown to the user.
        trouble: Trouble,
    },
    /// The path or the peer went away after something was measured: a finding.
    Broken {
        /// As in the run file.
        reason: String,
    },
}

/// What a run has around it.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// What the command is given.
    pub context: &'a Context,
    /// What is shown meanwhile.
    pub line: &'a Line,
    /// Who may end it.
    pub interrupt: &'a Interrupt,
}

/// A run in progress, and its file.
pub struct Underway<'a> {
    /// What is known of it until now.
    pub run: Run,
    pub(super) context: &'a Context,
    /// What is shown meanwhile.
    pub line: &'a Line,
    /// The pass under way, if there are several.
    pass: Option<PassUnderway>,
    interrupt: &'a Interrupt,
    files: Files,
    /// The first save that failed. What was saved before is still there.
    unsaved: Option<Trouble>,
}

/// One of several passes.
struct PassUnderway {
    /// Its number, from 0.
    number: u32,
    /// When it began.
    started: Zoned,
}

impl Underway<'_> {
    /// Begins pass `number` of `all`. A single one is not told from the run.
    pub(super) fn begin_pass(&mut self, number: u32, all: u32) {
        self.pass = (all > 1).then(|| PassUnderway { number, started: Zoned::now() });
        self.line.pass(number, all);
    }

    /// Keeps what the hosts saw in the pass that ended.
    pub(super) fn end_pass(&mut self, subject: &impl Subject) {
        subject.set_hosts(&mut self.run);
        if let Some(PassUnderway { started, .. }) = self.pass.take() {
            self.run.end_pass(written(&started));
        }
    }

    /// Adds the curve of the pass under way to those of the passes before it, or to those of other patterns.
    pub fn measured(&mut self, series: Series) {
        let number = self.pass.as_ref().map_or(0, |pass| pass.number);
        match self.run.series.iter_mut().find(|earlier| earlier.pattern == series.pattern) {
            Some(earlier) => earlier.add_pass(number, series),
            None => self.run.series.push(series),
        }
    }

    /// Whether the user wants it to go on.
    pub fn go_on(&self) -> ControlFlow<()> {
        go_on(self.interrupt)
    }

    /// Saves the run so far. A path that can no longer be written does not end the run.
    pub fn save(&mut self) {
        self.run.cautions = assess(&self.run);
        if passes_on(&self.files.run) {
            return;
        }
        match self.context.files.replace_run(&self.files.run, &self.run) {
            Ok(()) => self.line.saved(&self.files.run),
            Err(trouble) => {
                self.unsaved.get_or_insert(trouble);
            }
        }
    }

    /// Fills in what is known only at the end, then saves and shows the result.
    fn conclude(mut self, subject: &impl Subject, ended: Result<(), Stopped>) -> Result<Report, Trouble> {
        self.end_pass(subject);
        self.run.laboratory = subject.laboratory();
        let links = self.run.laboratory.as_ref().map_or(Vec::new(), |laboratory| laboratory.links.clone());
        let ended = match ended {
            Ok(()) => {
                self.run.state = broken(&self.run).map_or(State::Complete, State::Failed);
                Ok(())
            }
            Err(Stopped::Broken { reason }) => {
                self.run.state = State::Failed(broken(&self.run).unwrap_or(reason));
                Ok(())
            }
            Err(Stopped::Interrupted) => {
                self.run.state = State::Interrupted;
                Err(Trouble::new("interrupted", "the results so far are shown and kept"))
            }
            Err(Stopped::Failed { reason, trouble }) => {
                self.run.state = State::Failed(reason);
                Err(trouble)
            }
        };
        self.run.cautions = assess(&self.run);
        let Context { files, history, .. } = self.context;
        let saved = files.replace_run(&self.files.run, &self.run);
        self.line.finished(&self.run);
        let unrecorded = if ended.is_ok() { history.keep(&self.run, &self.files.run) } else { Ok(()) };
        let report = Report::new(vec![named(self.run)]);
        print(&report)?;
        say_links(self.line, &links);
        // Each file is tried: a disk that is full for one may have room for the other.
        let written = self.files.report.as_deref().map(|path| (path, write_page(&report, path, files)));
        if saved.is_ok() {
            say(self.line, "run file:", &self.files.run);
        }
        let reported =
            written.map_or(Ok(()), |(path, written)| written.map(|()| say(self.line, "report:  ", path)));
        // A history that is down costs nothing that was measured.
        if let Err(trouble) = unrecorded {
            note(trouble.as_caution());
        }
        let done = saved.and(reported).and(ended).and(self.unsaved.map_or(Ok(()), Err));
        done.map(|()| report).map_err(Trouble::after_report)
    }
}

/// What a curve lost on its way, if its link was down or its peer silent. A load has its own account of that.
fn broken(run: &Run) -> Option<String> {
    let lost = |caution: &Caution| matches!(caution, Caution::LinkDown { .. } | Caution::Silent { .. });
    let found = assess(run).into_iter().find(lost);
    found.filter(|_| !run.series.is_empty()).map(|caution| caution.finding())
}

/// Says what made the links of a laboratory late and lossy, and what became of their frames.
fn say_links(line: &Line, links: &[LaboratoryLink]) {
    if !line.is_quiet() && !links.is_empty() {
        note(linerate_report::lab::mechanisms(links).trim_end());
        linerate_report::lab::frames(links).iter().for_each(note);
    }
}

/// A moment as in run files: RFC 3339, with the zone.
fn written(moment: &Zoned) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// Says that `what` was written to `path`, unless that is standard output.
fn say(line: &Line, what: &str, path: &Path) {
    if !store::is_stream(path) {
        line.written(what, path);
    }
}

/// Whether `path` is a stream or a device: it gets the final text only.
fn passes_on(path: &Path) -> bool {
    store::is_stream(path) || store::is_device(path)
}

/// Writes what the extension of `path` asks for: a page, unless it is the name of another form.
fn write_page(report: &Report, path: &Path, files: &Writer) -> Result<(), Trouble> {
    files.replace(path, &page(report, path)?)
}

/// Whether the user wants it to go on.
pub(super) fn go_on(interrupt: &Interrupt) -> ControlFlow<()> {
    if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Does `work` on `subject` as a run of `plan`, then shows and saves the result.
///
/// # Errors
///
/// When a file cannot be written, or what ended the work early.
pub fn conduct<S: Subject>(
    mut subject: S,
    plan: Plan,
    around: Surroundings<'_>,
    work: impl FnOnce(&mut S, &mut Underway<'_>) -> Result<(), Stopped>,
) -> Result<Report, Trouble> {
    let mut underway = start(&subject, plan, around)?;
    let ended = work(&mut subject, &mut underway);
    let observed = subject.finish(around.context);
    around.line.clear();
    let concluded = underway.conclude(&subject, ended);
    let result = concluded.and_then(|report| observed.map(|()| report));
    let exit = result.as_ref().map_or(2, exit_status);
    around.line.ended(exit);
    result
}

/// The status that the process exits with: 1 if the report has a finding. That is a flow that stalled or failed, a rank or link
/// that is lost or slow, a wrong result, a curve whose path or peer went away.
#[must_use]
pub fn exit_status(report: &Report) -> u8 {
    let Report { runs, loads, meshes, apps, .. } = report;
    let failed = |named: &NamedRun| matches!(named.run.state, State::Failed(_));
    let sound = !runs.iter().any(failed)
        && loads.iter().all(LoadResult::is_complete)
        && !meshes.iter().any(MeshResult::has_finding)
        && !apps.iter().any(AppResult::has_finding);
    u8::from(!sound)
}

/// Starts a run and its file.
fn start<'a>(subject: &impl Subject, plan: Plan, around: Surroundings<'a>) -> Result<Underway<'a>, Trouble> {
    let Surroundings { context, line, interrupt } = around;
    let started = Zoned::now();
    let source = subject.source();
    let files = Files::choose(&plan, &source, &started)?;
    let run = Run {
        id: uuid::Uuid::now_v7().to_string(),
        started: written(&started),
        labels: plan.common.output.labels.clone(),
        model: subject.model(),
        laboratory: subject.laboratory(),
        ..Run::new(source, plan)
    };
    let mut underway = Underway { run, context, line, pass: None, interrupt, files, unsaved: None };
    subject.set_hosts(&mut underway.run);
    // Finds a path that cannot be written before anything is measured.
    let outputs = [Some(&underway.files.run), underway.files.report.as_ref()];
    outputs.into_iter().flatten().try_for_each(|path| context.files.writable(path))?;
    if !passes_on(&underway.files.run) {
        context.files.replace_run(&underway.files.run, &underway.run)?;
    }
    line.started(&underway.run, &underway.files.run);
    Ok(underway)
}
