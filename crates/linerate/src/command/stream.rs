//! `linerate stream`.

use std::ops::ControlFlow;
use std::process::ExitCode;

use jiff::Zoned;
use linerate_core::caution::assess;
use linerate_core::plan::{Format, Plan};
use linerate_core::report::Report;
use linerate_core::run::{FORMAT, Run, Source, State};
use linerate_core::traffic::{Class, Load, StreamPlan, Transfer};
use linerate_core::units::Span;
use linerate_net::observe::HostClock;
use linerate_net::pair::Loads;

use super::hosts::Peer;
use super::planned;
use super::results::{Files, named};
use crate::cli::{Axis, StreamArgs};
use crate::progress::Line;
use crate::screen::{columns, show};
use crate::signals::Interrupt;
use crate::trouble::Trouble;
use crate::{render, store};

pub(super) fn run(args: &StreamArgs, clock: HostClock) -> Result<ExitCode, Trouble> {
    let base = args.plan.as_deref().map(planned::read).transpose()?;
    let plan = args.over(base);
    plan.check().map_err(|error| Trouble::plan(error, None))?;
    if plan.output.format == Format::Np {
        return Err(Trouble::new(
            "failed to choose a form for the stream: np holds curves",
            "give --format table, json or csv",
        ));
    }
    if args.print_plan {
        show(&plan.to_toml())?;
        return Ok(ExitCode::SUCCESS);
    }
    let loads = loads(&plan, &args.table);
    let interrupt = Interrupt::listen().map_err(|error| {
        Trouble::new(format!("failed to listen for Ctrl-C: {error}"), "look at `ulimit -n`")
    })?;
    conduct(args, plan, &loads, clock, &interrupt)
}

/// Every load of the table, or the one of the plan.
fn loads(plan: &Plan, table: &[Axis]) -> Vec<(String, Load)> {
    let stream = plan.stream.clone().unwrap_or_default();
    let one = Load { stream: Some(stream), rr: None, socket: plan.socket.clone(), time: plan.time };
    let mut loads = vec![(String::new(), one)];
    for axis in table {
        loads = loads.into_iter().flat_map(|(label, load)| spread(&label, &load, axis)).collect();
    }
    loads
}

/// One load for each value of an axis.
fn spread(label: &str, load: &Load, axis: &Axis) -> Vec<(String, Load)> {
    let label = |value: String| if label.is_empty() { value } else { format!("{label} {value}") };
    match axis {
        Axis::Buffers(sizes) => sizes
            .iter()
            .map(|size| {
                let mut load = load.clone();
                (load.socket.sndbuf, load.socket.rcvbuf) = (*size, *size);
                (
                    label(size.map_or_else(|| "buffers=auto".to_owned(), |size| format!("buffers={size}"))),
                    load,
                )
            })
            .collect(),
        Axis::Messages(sizes) => sizes
            .iter()
            .map(|size| {
                let stream = load.stream.clone().unwrap_or_default();
                let stream = StreamPlan { message: Some(*size), ..stream };
                (label(format!("messages={size}")), Load { stream: Some(stream), ..load.clone() })
            })
            .collect(),
    }
}

/// Puts one load after the other on the path, keeps what came of each, and shows it.
fn conduct(
    args: &StreamArgs,
    mut plan: Plan,
    loads: &[(String, Load)],
    clock: HostClock,
    interrupt: &Interrupt,
) -> Result<ExitCode, Trouble> {
    let line = Line::new();
    let Peer { target, key, started: peer } = Peer::of(&plan, &args.key)?;
    // The server reserves for the largest message of all loads.
    let largest = loads.iter().filter_map(|(_, load)| load.stream.as_ref()?.message).max();
    if let Some(stream) = &mut plan.stream {
        stream.message = stream.message.max(largest);
    }
    let mut pair = Loads::open(&target, key.as_ref(), &plan, clock, |place| {
        line.queued(place);
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let started = Zoned::now();
    let source = if peer.is_some() { Source::Loopback } else { Source::Measured };
    let files = Files::choose(&plan, &source, &started);
    let (local, remote, path) = pair.ends();
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
        traffic: Vec::new(),
        cautions: Vec::new(),
    };
    // A place that cannot be written is found before anything is measured.
    store::replace(&files.run, &run.to_json())?;
    let mut ended = Ok(());
    for (label, load) in loads {
        let looked = || if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        match pair.run(load, looked) {
            Ok(transfer) => run.traffic.push(Transfer { label: label.clone(), ..transfer }),
            Err(error) => {
                run.state = State::Failed(error.to_string());
                ended = Err(error.into());
                break;
            }
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
    (run.local, run.remote, run.path) = pair.ends();
    if run.state == State::Running {
        run.state = State::Complete;
    }
    run.cautions = assess(&run);
    let stall = run.plan.stream.as_ref().map_or(Span::MAX, |stream| stream.stall);
    let broken = run
        .traffic
        .iter()
        .flat_map(|transfer| &transfer.flows)
        .any(|flow| flow.class(stall) != Class::Complete);
    let saved = store::replace(&files.run, &run.to_json());
    let report = Report::new(vec![named(run)]);
    print(&report)?;
    if saved.is_ok() {
        eprintln!("run file: {}", files.run.display());
    }
    saved.and(ended).and(observed)?;
    Ok(if broken { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn print(report: &Report) -> Result<(), Trouble> {
    let run = &report.runs[0].run;
    match run.plan.output.format {
        Format::Json => show(&run.to_json()),
        _ => show(&render::traffic::text(run, columns())),
    }
}
