//! `linerate measure`.

mod memory;
mod modelled;
mod subject;

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use jiff::Zoned;
use linerate_core::caution::assess;
use linerate_core::measure::{Ended, Outcome, Progress, Watch, measure};
use linerate_core::plan::{Format, Plan};
use linerate_core::report::Report;
use linerate_core::run::{FORMAT, Run, State};
use linerate_core::series::Series;
use linerate_core::stages::Stages;
use linerate_core::transport::Transport;
use linerate_core::units::Size;
use linerate_net::observe::HostClock;
use linerate_net::pair::Pair;
use linerate_report as render;
use linerate_study::changed;

use self::memory::Memory;
use self::modelled::Modelled;
use self::subject::{Hosts, Subject};
use super::hosts::Peer;
use super::model::Given;
use super::results::{Files, named};
use super::{planned, report};
use crate::cli::MeasureArgs;
use crate::progress::Line;
use crate::screen::show;
use crate::signals::Interrupt;
use crate::store;
use crate::trouble::{Trouble, run_help};

pub(super) fn run(args: &MeasureArgs, clock: HostClock) -> Result<ExitCode, Trouble> {
    let model = args.model.as_deref().map(|given| model(given, &args.set)).transpose()?;
    let base = model.as_ref().map(|given| given.plan.measure.clone());
    let mut plan = plan(args, base)?;
    if planned::printed(&args.plan, &plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let interrupt = Interrupt::listen()?;
    let line = Line::new();
    match model {
        Some(Given { name, plan: model }) => {
            let subject = Modelled::build(name, model, &plan, args.trace.clone())?;
            if subject.is_exact() {
                plan.rounds = 1;
            }
            conduct(subject, plan, &line, &interrupt)
        }
        None if plan.transport == Transport::Memory => {
            conduct(Memory::prepare(&plan, clock)?, plan, &line, &interrupt)
        }
        None => conduct(hosts(&plan, args, clock, &line, &interrupt)?, plan, &line, &interrupt),
    }
}

/// The model's plan with the values of `--set`.
fn model(given: &str, settings: &[String]) -> Result<Given, Trouble> {
    let Given { name, plan } = Given::read(given)?;
    Ok(Given { name, plan: changed(&plan, settings)? })
}

/// Connects to the peer that the plan names, or starts one.
fn hosts(
    plan: &Plan,
    args: &MeasureArgs,
    clock: HostClock,
    line: &Line,
    interrupt: &Interrupt,
) -> Result<Hosts, Trouble> {
    let Peer { target, key, started, .. } = Peer::of(plan, &args.key)?;
    let pair = Pair::open(&target, key.as_ref(), plan, clock, |place| {
        line.queued(place);
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(Hosts { pair, peer: started })
}

/// Measures the plan over `subject`, whatever that is, and shows and keeps the result.
fn conduct<S: Subject>(
    mut subject: S,
    plan: Plan,
    line: &Line,
    interrupt: &Interrupt,
) -> Result<ExitCode, Trouble> {
    let started = Zoned::now();
    let source = subject.source();
    let files = Files::choose(&plan, &source, &started)?;
    let (local, remote, path) = subject.ends();
    let mut run = Run {
        format: FORMAT,
        generator: format!("linerate {}", env!("CARGO_PKG_VERSION")),
        started: started.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        source,
        state: State::Running,
        plan,
        local,
        remote,
        path,
        model: subject.model(),
        series: Vec::new(),
        stages: Vec::new(),
        others: Vec::new(),
        traffic: Vec::new(),
        cautions: Vec::new(),
    };
    // A place that cannot be written is found before anything is measured.
    store::replace(&files.run, &run.to_json())?;

    let method = subject.method(&run.plan).map_err(|error| Trouble::plan(error, None))?;
    let mut watcher = Watcher { line, interrupt, run: &mut run, file: &files.run, unsaved: None };
    let mut outcome = measure(subject.bench(), &method, &mut watcher);
    let unsaved = watcher.unsaved;
    let staged = match &outcome.ended {
        Ended::Complete => stages(&mut subject, &run.plan, line, interrupt),
        Ended::Interrupted | Ended::Failed(_) => Ok(Vec::new()),
    };
    if run.plan.stages.is_some() && interrupt.asked() && matches!(outcome.ended, Ended::Complete) {
        outcome.ended = Ended::Interrupted;
    }
    let observed = subject.finish();
    line.clear();

    (run.local, run.remote, run.path) = subject.ends();
    let ended = conclude(&mut run, outcome).and(staged.map(|staged| run.stages = staged));
    let saved = store::replace(&files.run, &run.to_json());
    let report = Report::new(vec![named(run)]);
    print(&report)?;
    // Each file by itself: a disk that is full for one may have room for the other.
    let reported = html(&report).and_then(|page| store::replace(&files.report, &page));
    if saved.is_ok() {
        eprintln!("run file: {}", files.run.display());
    }
    if reported.is_ok() {
        eprintln!("report:   {}", files.report.display());
    }
    saved.and(reported)?;
    ended.and(unsaved.map_or(Ok(()), Err)).and(observed)?;
    Ok(ExitCode::SUCCESS)
}

/// The stages of single messages after the curve, if they are asked for.
fn stages(
    subject: &mut impl Subject,
    plan: &Plan,
    line: &Line,
    interrupt: &Interrupt,
) -> Result<Vec<Stages>, Trouble> {
    subject.stages(plan, |size| {
        line.doing(&format!("stages of messages of {}", Size(size)));
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

/// The plan file, if there is one, or else the model's, with the flags laid over it.
fn plan(args: &MeasureArgs, of_model: Option<Plan>) -> Result<Plan, Trouble> {
    let base = planned::given(&args.plan)?.or(of_model);
    let plan = args.over(base.unwrap_or_default());
    plan.check().map_err(|error| Trouble::plan(error, None))?;
    if plan.has_loads() {
        let verb = if plan.rr.is_some() { "rr" } else { "stream" };
        return Err(Trouble::new(
            format!("failed to measure a curve: the plan asks for [{verb}]"),
            format!("run `linerate {verb} --plan FILE`, or take [{verb}] out of the plan"),
        ));
    }
    Ok(plan)
}

/// Shows progress, saves after every round, and ends the measurement when the user asks.
struct Watcher<'a> {
    line: &'a Line,
    interrupt: &'a Interrupt,
    run: &'a mut Run,
    file: &'a Path,
    unsaved: Option<Trouble>,
}

impl Watch for Watcher<'_> {
    fn trial_done(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.line.trial_done(progress);
        if self.interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn round_done(&mut self, series: &mut Series) {
        let empty = Series::new(series.pattern, &[]);
        self.run.series = vec![std::mem::replace(series, empty)];
        self.run.cautions = assess(self.run);
        // The rounds before are still on disk, and the table will show everything.
        if let Err(trouble) = store::replace(self.file, &self.run.to_json()) {
            self.unsaved = Some(trouble);
        }
        if let Some(lent) = self.run.series.pop() {
            *series = lent;
        }
    }
}

/// Fills in what is known only at the end; the trouble, if the measurement ended early.
fn conclude(run: &mut Run, outcome: Outcome) -> Result<(), Trouble> {
    run.series = vec![outcome.series];
    let ended = match outcome.ended {
        Ended::Complete => {
            run.state = State::Complete;
            Ok(())
        }
        Ended::Interrupted => {
            run.state = State::Interrupted;
            Err(Trouble::new("interrupted", "what was measured until then is shown and kept"))
        }
        Ended::Failed(error) => {
            run.state = State::Failed(error.to_string());
            Err(Trouble::new(format!("failed to {error}"), run_help(&error)))
        }
    };
    run.cautions = assess(run);
    ended
}

/// The result on standard output, in the form that the plan says.
fn print(report: &Report) -> Result<(), Trouble> {
    let plan = &report.runs[0].run.plan;
    let text = match plan.output.format {
        Format::Table => report::text(report),
        Format::Json => report.runs[0].run.to_json(),
        Format::Csv => render::csv(report).map_err(|error| unrendered(&error))?,
        Format::Np => render::np(report).map_err(|error| unrendered(&error))?,
    };
    show(&text)
}

fn html(report: &Report) -> Result<String, Trouble> {
    render::html(report).map_err(|error| unrendered(&error))
}

fn unrendered(error: &render::RenderError) -> Trouble {
    Trouble::new(
        format!("failed to show the result: {error}"),
        "the run file is complete; try `linerate report`",
    )
}
