//! A run with traced messages of which everything is known.

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::plan::{Plan, Task, TracePlan};
use linerate_core::run::{Run, Source, State};
use linerate_core::stages::Clocks;
use linerate_core::trace::{Means, Message, RoundTrips, Stamped, Trace, TracedEnd, TracedSize};
use linerate_core::units::Size;

/// A message whose stages take 1, 2, 3 and so on times `step`, woken if its number is even.
fn message(number: u32, step: i64) -> Message {
    let woken = number.is_multiple_of(2);
    let wait = if woken { 7 + 8 } else { 0 };
    Message {
        number,
        call_ns: i64::from(number) * 1_000 * step,
        accepted_ns: Some(step),
        queued_ns: Some(3 * step),
        driven_ns: Some(6 * step),
        handed_ns: Some(10 * step),
        arrived_ns: Some(15 * step),
        segment_ns: Some(21 * step),
        ready_ns: Some(28 * step),
        woken_ns: woken.then_some(35 * step),
        running_ns: woken.then_some(43 * step),
        taken_ns: (28 + wait + 9) * step,
        returned_ns: Some(8 * step),
        retransmitted: false,
    }
}

/// As a model tells of it.
fn modelled(number: u32, step: i64) -> Message {
    let all = message(number, step);
    Message { accepted_ns: None, arrived_ns: None, segment_ns: None, woken_ns: None, running_ns: None, ..all }
}

fn size(size: u64, step: i64, of: fn(u32, i64) -> Message) -> TracedSize {
    let messages = || (0..20).map(|number| of(number, step)).collect();
    TracedSize {
        size,
        asked: 20,
        clocks: Clocks::One,
        there: messages(),
        back: messages(),
        lost_events: [0; 2],
        turns: Vec::new(),
        stamped: None,
        packets: Vec::new(),
    }
}

fn run(name: &str, source: Source, trace: Trace) -> NamedRun {
    let sizes = trace.sizes.iter().map(|size| Size(size.size)).collect();
    let plan = TracePlan { sizes, messages: 20, ..TracePlan::default() };
    let plan = Plan { task: Task::Trace(plan), ..Plan::default() };
    let run = Run { state: State::Complete, trace: Some(trace), ..Run::new(source, plan) };
    NamedRun { name: name.to_owned(), run }
}

/// Two sizes between hosts.
pub(crate) fn measured() -> NamedRun {
    let mut first = size(64, 100, message);
    first.turns = vec![RoundTrips { untraced_ns: vec![10_000], traced_ns: vec![10_300] }; 3];
    first.stamped =
        Some(Stamped { queued_ns: vec![-40; 5], driven_ns: vec![20; 5], arrived_ns: vec![150; 5] });
    first.there[3].queued_ns = None;
    first.lost_events = [1, 0];
    let end = TracedEnd { means: Means::EBpf, ..TracedEnd::default() };
    let other = TracedEnd { lacking: vec!["tcp_sendmsg_locked".to_owned()], ..end.clone() };
    let sizes = vec![first, size(16_384, 1_000, message)];
    let addresses = ["192.0.2.1:40000", "192.0.2.7:5470"].map(str::to_owned).to_vec();
    run("x.run.json", Source::Measured, Trace { ends: vec![end, other], addresses, sizes })
}

/// The same of a model.
pub(crate) fn of_model() -> NamedRun {
    let end = TracedEnd { means: Means::Model, ..TracedEnd::default() };
    let sizes = vec![size(64, 100, modelled), size(16_384, 1_000, modelled)];
    let trace = Trace { ends: vec![end; 2], addresses: Vec::new(), sizes };
    run("gigabit", Source::Modelled("gigabit".to_owned()), trace)
}

pub(crate) fn report(runs: Vec<NamedRun>) -> Report {
    Report::new(runs)
}
