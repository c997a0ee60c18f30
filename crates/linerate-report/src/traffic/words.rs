//! What loads are called, and their numbers as people write them.

use linerate_core::assessment::PACE_KEPT;
use linerate_core::kernel::limit::Holder;
use linerate_core::plan::{StreamTask, Task};
use linerate_core::run::Run;
use linerate_core::traffic::{Class, Direction, FlowAccount, Phase, StreamPlan, Transfer};
use linerate_core::units::{Rate, Span};

use crate::text::{count, digits, plain};

/// What was asked, as labels and values.
pub(super) fn facts(run: &Run) -> Vec<[String; 2]> {
    let fact = |label: &str, value: String| [label.to_owned(), value];
    let paths = run
        .answering()
        .map(|(_, path)| fact("path", plain(&format!("{} -> {}", path.from_address, path.to_address))));
    let mut facts: Vec<_> = paths.collect();
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
    facts.push(fact("calls", io(run)));
    facts
}

/// The headline of a run: `stream over tcp, 4 flows from here`.
pub(super) fn headline(run: &Run) -> String {
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
        Task::Curve(_) => format!("loads over {transport}"),
    }
}

fn bulk(run: &Run, stream: &StreamPlan) -> String {
    let bound = match (stream.bytes, stream.count) {
        (Some(bytes), _) => format!("{bytes} a flow"),
        (None, Some(messages)) => format!("{} a flow", count(messages, "message")),
        (None, None) if stream.warm_up == Span::ZERO => run.plan.common.time.to_string(),
        (None, None) => format!("{} after {} of warm-up", run.plan.common.time, stream.warm_up),
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

/// What a load is called among the others of its run.
pub(super) fn name(transfer: &Transfer) -> String {
    called(&transfer.label, transfer.load.phase())
}

/// What a load of this label and phase is called.
pub fn called(label: &str, phase: Phase) -> String {
    match phase {
        _ if !label.is_empty() => plain(label),
        Phase::Idle => "idle".to_owned(),
        Phase::Loaded(Direction::Send) => "bulk from here".to_owned(),
        Phase::Loaded(Direction::Receive) => "bulk to here".to_owned(),
        Phase::Loaded(Direction::Both) => "bulk both ways".to_owned(),
    }
}

/// The flow's rate, or the class that it has instead.
pub(super) fn speed(transfer: &Transfer, flow: &FlowAccount) -> String {
    match transfer.class(flow) {
        Class::Complete => rate(flow.rate()),
        Class::Stalled(silent) => format!("STALLED {silent}"),
        Class::Failed(reason) => format!("FAILED: {}", plain(&reason)),
    }
}

/// Who held the flows back, in a line: of one flow with the shares of its time, of many by number.
pub(super) fn held_back(transfer: &Transfer, run: &Run) -> Option<String> {
    let pace = transfer.load.stream.as_ref().and_then(|stream| stream.rate);
    let kept = |pace: &Rate| transfer.slowest().is_some_and(|rate| rate.share_of(*pace) >= PACE_KEPT);
    if let Some(pace) = pace.filter(kept) {
        // TCP counts a wait for the last acknowledgement as its own, though nothing more is to be sent.
        return Some(format!("by the pace that was asked, {pace} a direction"));
    }
    let link = run.payload_link();
    let flows = transfer.flows.iter();
    let verdicts: Vec<_> = flows.filter_map(|flow| transfer.holders(flow, link)).collect();
    let first = verdicts.first()?.to_string();
    let first = first.trim_start_matches("held back ");
    if verdicts.len() == 1 {
        return Some(first.to_owned());
    }
    let counts = Holder::ALL.into_iter().filter_map(|holder| {
        let count = verdicts.iter().filter(|verdict| verdict.winner == holder).count();
        (count > 0).then(|| format!("{count} by the {holder}"))
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    Some(format!("of {} flows {counts}; flow #1 {first}", verdicts.len()))
}

pub(super) fn rate(rate: Option<Rate>) -> String {
    rate.map_or_else(|| "-".to_owned(), |rate| rate.to_string())
}

pub(super) fn time(span: Option<Span>) -> String {
    span.map_or_else(|| "-".to_owned(), |span| span.to_string())
}

/// Bytes in powers of 1000, as link rates are counted.
pub(super) fn amount(bytes: u64) -> String {
    match bytes as f64 {
        bytes if bytes >= 1e9 => format!("{} GB", digits(bytes / 1e9)),
        bytes if bytes >= 1e6 => format!("{} MB", digits(bytes / 1e6)),
        bytes if bytes >= 1e4 => format!("{} kB", digits(bytes / 1e3)),
        bytes => format!("{bytes} B"),
    }
}
