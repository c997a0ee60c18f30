//! What the verbs that put loads on a path have in common.

use std::ops::ControlFlow;
use std::process::ExitCode;

use jiff::Zoned;
use linerate_core::carrier::{CarriedLoad, Carrier as _, LoadWatch, Look};
use linerate_core::caution::assess;
use linerate_core::plan::{Format, Plan};
use linerate_core::report::Report;
use linerate_core::run::{Answering, FORMAT, Run, Source, State};
use linerate_core::traffic::{Class, Ended, Load, StreamPlan, Transfer};
use linerate_core::transport::Transport;
use linerate_net::observe::HostClock;
use linerate_net::pair::Loads;
use linerate_report as render;

use super::hosts::Peer;
use super::results::{Files, named};
use crate::cli::KeyArgs;
use crate::progress::Line;
use crate::screen::{columns, show};
use crate::signals::Interrupt;
use crate::store;
use crate::trouble::Trouble;

/// A load to put on the path, and what it is called.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// What it differs in from the others; empty for the only one.
    pub(super) label: String,
    pub(super) load: Load,
}

/// Refuses what loads cannot do.
pub(super) fn check(plan: &Plan) -> Result<(), Trouble> {
    plan.check().map_err(|error| Trouble::plan(error, None))?;
    if plan.transport == Transport::Memory {
        return Err(Trouble::new(
            "failed to load the transport memory: copies in one process have no peer",
            "run `linerate measure --transport memory`, or choose another --transport",
        ));
    }
    if plan.output.format == Format::Np {
        return Err(Trouble::new(
            "failed to choose a form for the result: np holds curves",
            "give --format table, json or csv",
        ));
    }
    Ok(())
}

/// 1 when a flow stalled or failed, which the report says, and else 0.
pub(super) fn conclude(report: &Report) -> Result<ExitCode, Trouble> {
    let run = &report.runs[0].run;
    let stall = run.plan.stream.clone().unwrap_or_default().stall;
    let mut flows = run.traffic.iter().flat_map(|transfer| &transfer.flows);
    let mut latencies = run.traffic.iter().flat_map(|transfer| &transfer.latencies);
    let broken = flows.any(|flow| flow.class(stall) != Class::Complete)
        || latencies.any(|latency| latency.ended != Ended::Complete);
    Ok(if broken { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Puts one load after the other on the path, keeps what came of each, and shows it.
pub(super) fn conduct(
    plan: Plan,
    loads: &[Asked],
    key: &KeyArgs,
    clock: HostClock,
) -> Result<Report, Trouble> {
    let interrupt = Interrupt::listen()?;
    let line = Line::new();
    let Peer { target, others, key, started: peer } = Peer::of(&plan, key)?;
    let targets = [vec![target], others].concat();
    let mut pair = Loads::open(&targets, key.as_ref(), &plan, clock, |place| {
        line.queued(place);
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let started = Zoned::now();
    let source = if peer.is_some() { Source::Loopback } else { Source::Measured };
    let files = Files::choose(&plan, &source, &started)?;
    let (local, mut answering) = pair.ends();
    let Answering { end: remote, path } = answering.remove(0);
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
        model: None,
        series: Vec::new(),
        stages: Vec::new(),
        others: answering,
        traffic: Vec::new(),
        cautions: Vec::new(),
    };
    // A place that cannot be written is found before anything is measured.
    store::replace(&files.run, &run.to_json())?;
    let mut ended = Ok(());
    for asked in loads {
        announce(&run.plan, asked, loads.len());
        let Asked { label, load } = asked;
        let mut watch = Watcher { live: live(&run.plan, load), interrupt: &interrupt };
        let CarriedLoad { transfer, ended: carried } = pair.carry(load, &mut watch);
        run.traffic.extend(transfer.map(|transfer| Transfer { label: label.clone(), ..transfer }));
        if let Err(error) = carried
            && !interrupt.asked()
        {
            run.state = State::Failed(error.to_string());
            ended = Err(error.into());
            break;
        }
        store::replace(&files.run, &run.to_json())?;
        if interrupt.asked() {
            run.state = State::Interrupted;
            ended = Err(Trouble::new("interrupted", "what was measured until then is shown and kept"));
            break;
        }
    }
    let observed = pair.finish().map_err(Trouble::from);
    line.clear();
    let (local, answering) = pair.ends();
    run.local = local;
    let mut answering = answering.into_iter();
    if let Some(Answering { end, path }) = answering.next() {
        (run.remote, run.path) = (end, path);
    }
    run.others = answering.collect();
    if run.state == State::Running {
        run.state = State::Complete;
    }
    run.cautions = assess(&run);
    let saved = store::replace(&files.run, &run.to_json());
    let report = Report::new(vec![named(run)]);
    print(&report)?;
    let reported = render::traffic::html(&report)
        .map_err(|error| unrendered(&error))
        .and_then(|page| store::replace(&files.report, &page));
    if reported.is_ok() {
        eprintln!("report:   {}", files.report.display());
    }
    if saved.is_ok() {
        eprintln!("run file: {}", files.run.display());
    }
    saved.and(reported).and(ended).and(observed)?;
    Ok(report)
}

/// Says which of several loads the lines that follow are about.
fn announce(plan: &Plan, asked: &Asked, loads: usize) {
    if loads > 1 && asked.load.stream.is_some() && plan.output.format == Format::Table {
        let name = render::traffic::called(&asked.label, asked.load.phase());
        show(&format!("{name}:\n")).unwrap_or(());
    }
}

/// The bulk of which each interval is shown: only where a person reads it.
fn live(plan: &Plan, load: &Load) -> Option<StreamPlan> {
    let mut stream = load.stream.clone().filter(|_| plan.output.format == Format::Table)?;
    let hosts = u32::try_from(plan.more_hosts.len() + 1).unwrap_or(u32::MAX);
    stream.flows = stream.flows.saturating_mul(hosts);
    Some(stream)
}

/// Shows what passes, and ends the load when the user asks.
struct Watcher<'a> {
    live: Option<StreamPlan>,
    interrupt: &'a Interrupt,
}

impl LoadWatch for Watcher<'_> {
    fn interval(&mut self, look: &Look) {
        let Some(stream) = &self.live else { return };
        // The last look may be just after the one before, when the flows have ended: too short for a rate.
        if look.span < stream.interval / 10 {
            return;
        }
        let line = render::traffic::interval(stream, look);
        // A reader who left says so at the end; the measurement goes on.
        show(&line).unwrap_or(());
    }

    fn go_on(&mut self) -> ControlFlow<()> {
        if self.interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn print(report: &Report) -> Result<(), Trouble> {
    let run = &report.runs[0].run;
    match run.plan.output.format {
        Format::Json => show(&run.to_json()),
        Format::Csv => show(&render::traffic::csv(run).map_err(|error| unrendered(&error))?),
        _ => show(&render::traffic::text(run, columns())),
    }
}

fn unrendered(error: &render::RenderError) -> Trouble {
    Trouble::new(
        format!("failed to show the result: {error}"),
        "the run file is complete; try `linerate report`",
    )
}
