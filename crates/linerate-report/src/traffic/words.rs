//! What loads are called, and their numbers as people write them.

use linerate_analysis::facts::Unit;
use linerate_analysis::report::{FlowClass, FlowResult, LoadResult, load_name};
use linerate_core::plan::{Load, StreamTask, Task, Tool};
use linerate_core::run::Run;
use linerate_core::traffic::{Direction, StreamPlan};
use linerate_core::units::{Rate, Span};

use crate::numbers::quantity;
use crate::text::{count, path_mtus, plain, time_text};

/// The most flows that are named with one reason.
const MOST_NAMED: usize = 8;

/// What was asked, as labels and values.
pub(super) fn facts(run: &Run) -> Vec<[String; 2]> {
    let fact = |label: &str, value: String| [label.to_owned(), value];
    let paths = run
        .answering()
        .map(|(_, path)| fact("path", plain(&format!("{} -> {}", path.from_address, path.to_address))));
    let mut facts: Vec<_> = paths.collect();
    facts.extend(path_mtus(run).map(|mtu| fact("path MTU", mtu)));
    if let Some((tool, _)) = run.plan.common.host.as_deref().and_then(Tool::of) {
        let scheme = tool.scheme();
        facts.push(fact(
            "peer",
            format!("an {scheme} server: it reports totals of each flow, nothing of its host, its TCP and its intervals"),
        ));
    }
    if let Some(stream) = run.plan.stream() {
        facts.push(fact("bulk", bulk(run, &stream.bulk)));
    }
    if let Some(rr) = run.plan.requests() {
        let loop_kind = match rr.rate {
            Some(rate) => format!("an open loop of {rate} a second"),
            None if rr.connect => "a connection for each".to_owned(),
            None => format!("a closed loop, {} under way", rr.depth),
        };
        let sizes = format!("requests of {} and responses of {}", rr.request, rr.response);
        facts.push(fact("requests", format!("{sizes}, {loop_kind}, {}", count(rr.flows.into(), "flow"))));
    }
    if run.model.is_none() {
        // A modelled application calls nothing by these names.
        facts.push(fact("calls", io(run)));
    }
    facts
}

/// The headline of a run: `stream over tcp, 4 flows from here`.
pub(crate) fn headline(run: &Run) -> String {
    let transport = plain(&run.path().transport);
    match &run.plan.task {
        Task::Requests(rr) => format!("rr over {transport}, {}", count(rr.flows.into(), "flow")),
        Task::Stream(StreamTask { bulk: stream, .. }) => {
            let (way, each) = match stream.direction {
                Direction::Send => ("from here", "to each"),
                Direction::Receive => ("to here", "from each"),
                Direction::Both => ("each way", "with each"),
            };
            let flows = count(stream.flows.into(), "flow");
            if run.paths.len() == 1 {
                return format!("stream over {transport}, {flows} {way}");
            }
            let hosts = run.paths.len();
            format!("stream over {transport}, {hosts} hosts: {flows} {way} {each}")
        }
        Task::Curve(_) | Task::Mesh(_) | Task::App(_) | Task::Trace(_) => format!("loads over {transport}"),
    }
}

fn bulk(run: &Run, stream: &StreamPlan) -> String {
    let bound = match (stream.bytes, stream.count) {
        (Some(bytes), _) => format!("{bytes} a flow"),
        (None, Some(messages)) => format!("{} a flow", count(messages, "message")),
        (None, None) if stream.warm_up == Span::ZERO => run.plan.common.time.exact(),
        (None, None) => {
            format!("{} after {} of warm-up", run.plan.common.time.exact(), stream.warm_up.exact())
        }
    };
    let paced = stream.rate.map_or_else(String::new, |rate| format!(", paced to {rate} a direction"));
    format!("{bound}{paced}")
}

/// How the bytes were moved, and whether the application got them.
fn io(run: &Run) -> String {
    let socket = &run.plan.common.socket;
    let (send, receive) = (socket.io, socket.receives());
    let both = if send == receive { send.to_string() } else { format!("{send} out and {receive} in") };
    let delivered = if receive.delivers() { "copied to the application" } else { "thrown away unread" };
    let touched = if run.plan.common.memory.touch { " and read by it" } else { "" };
    format!("{both}; what arrives is {delivered}{touched}")
}

/// What a load of this label is called, safe to show.
pub fn called(label: &str, load: &Load) -> String {
    plain(&load_name(label, load))
}

/// What `load` is called in a block, a card or a table about its run alone.
pub(super) fn own_name(load: &LoadResult) -> String {
    plain(&load.what)
}

/// The flow's rate, or the class that it has instead; [`reasons`] says why.
pub(super) fn speed(flow: &FlowResult) -> String {
    match flow.class {
        FlowClass::Complete => rate(flow.mbps),
        FlowClass::Stalled => "STALLED".to_owned(),
        FlowClass::Failed => "FAILED".to_owned(),
    }
}

/// Why flows stalled or failed: a line for each reason, with the flows that have it. A column of a table has
/// no room for it.
pub(super) fn reasons(load: &LoadResult) -> Vec<String> {
    let both_ways = load.sums.len() > 1;
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for flow in &load.flows {
        let reason = plain(flow.reason.as_deref().unwrap_or_default());
        let said = match flow.class {
            FlowClass::Complete => continue,
            FlowClass::Stalled => format!("STALLED: no byte moved for {reason}"),
            FlowClass::Failed => format!("FAILED: {reason}"),
        };
        let way = if both_ways { format!(" ({})", flow.direction) } else { String::new() };
        let name = format!("#{}{way}", flow.flow);
        match found.iter_mut().find(|(before, _)| *before == said) {
            Some((_, flows)) => flows.push(name),
            None => found.push((said, vec![name])),
        }
    }
    let of = if load.labelled { format!("{}: ", own_name(load)) } else { String::new() };
    let line = |(said, flows): &(String, Vec<String>)| {
        let (first, more) = (&flows[..flows.len().min(MOST_NAMED)], flows.len().saturating_sub(MOST_NAMED));
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let plural = if flows.len() > 1 { "s" } else { "" };
        format!("{of}flow{plural} {}{more}: {said}", first.join(", "))
    };
    found.iter().map(line).collect()
}

/// Mb/s in the unit that fits.
pub(super) fn rate(mbps: Option<f64>) -> String {
    mbps.map_or_else(|| "-".to_owned(), |mbps| Rate::from_mbps(mbps).to_string())
}

/// Microseconds in the unit that fits.
pub(super) fn time(us: Option<f64>) -> String {
    us.map_or_else(|| "-".to_owned(), |us| time_text(us * 1e6))
}

/// Seconds in the unit that fits.
pub(super) fn since(seconds: f64) -> String {
    Span::from_seconds(seconds).to_string()
}

/// Bytes in powers of 1000, as link rates are counted.
pub(super) fn amount(bytes: u64) -> String {
    quantity(Unit::Bytes, bytes as f64)
}

#[cfg(test)]
mod tests;
