//! A timeline of messages for ui.perfetto.dev and chrome://tracing.

use linerate_core::generator::GENERATOR;
use linerate_core::run::Run;
use linerate_core::trace::{Message, Point, TracedSize, Way};
use linerate_core::units::Size;
use serde_json::{Value, json};

use crate::text::plain;

/// Between two sizes, which were traced apart. Unit: nanoseconds.
const GAP_NS: i64 = 100_000;
/// Tracks of a host, and the process of what is between the hosts.
const SENDS: u32 = 1;
const RECEIVES: u32 = 2;
const BETWEEN: u32 = 3;

/// The traced messages of `run` in the Trace Event Format: a process for each host with a track for what it sends and
/// one for what it receives, and a process for what is between them. A slice is a stage, an arrow a message from driver
/// to driver. The sizes are one after the other. Without traced messages it has no slices.
///
/// Source: "Trace Event Format" of the Chromium project; times are in microseconds there.
#[must_use]
pub fn perfetto(run: &Run) -> String {
    let mut events = Vec::new();
    let names = names(run);
    for (pid, name) in (1_u32..).zip(names.into_iter().chain(["between the hosts".to_owned()])) {
        events.push(named("process_name", pid, 0, &name));
    }
    for (pid, tid, name) in
        [(1, SENDS, "sends"), (1, RECEIVES, "receives"), (2, SENDS, "sends"), (2, RECEIVES, "receives")]
            .into_iter()
            .chain([(BETWEEN, 1, "there"), (BETWEEN, 2, "back")])
    {
        events.push(named("thread_name", pid, tid, name));
    }
    let mut begin = 0;
    let mut arrow = 0_u64;
    for size in run.trace.iter().flat_map(|trace| &trace.sizes) {
        let mut end = begin;
        for way in [Way::There, Way::Back] {
            for message in size.messages(way) {
                arrow += 1;
                let at = Place { begin: begin + message.call_ns, way, arrow };
                slices(size, message, at, &mut events);
                end = end.max(at.begin + message.taken_ns);
            }
        }
        begin = end + GAP_NS;
    }
    json!({ "displayTimeUnit": "ns", "generator": GENERATOR, "traceEvents": events }).to_string() + "\n"
}

/// What the two hosts are called; two ends of one host are told apart.
fn names(run: &Run) -> [String; 2] {
    let name = |nth: usize, usual: &str| {
        let known = run.nodes.get(nth).and_then(|node| node.environment.hostname.known());
        known.map_or_else(|| usual.to_owned(), |name| plain(name))
    };
    let [one, other] = [name(0, "initiator"), name(1, "responder")];
    if one == other { [format!("{one} (initiator)"), format!("{other} (responder)")] } else { [one, other] }
}

/// Where a message is in the timeline.
#[derive(Clone, Copy)]
struct Place {
    /// When it was sent. Unit: nanoseconds.
    begin: i64,
    way: Way,
    /// The number of its arrow.
    arrow: u64,
}

fn named(what: &str, pid: u32, tid: u32, name: &str) -> Value {
    json!({ "ph": "M", "name": what, "pid": pid, "tid": tid, "args": { "name": name } })
}

/// The slices of one message.
fn slices(size: &TracedSize, message: &Message, place: Place, events: &mut Vec<Value>) {
    let (sender, receiver, between) = match place.way {
        Way::There => (1, 2, 1),
        Way::Back => (2, 1, 2),
    };
    let at = |ns: i64| (place.begin + ns) as f64 / 1e3;
    let whose = format!("{} no. {}", Size(size.size), message.number);
    let left = message.driven_ns.or(message.queued_ns);
    let call_end = left.into_iter().chain(message.returned_ns).max().unwrap_or(message.taken_ns);
    let mut slice = |name: &str, pid: u32, tid: u32, from: i64, to: i64| {
        let (ts, dur) = (at(from), at(to.max(from)) - at(from));
        events.push(json!({ "ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur,
            "args": { "message": whose, "retransmitted": message.retransmitted } }));
    };
    slice(&format!("send {whose}"), sender, SENDS, 0, call_end);
    let arrived = [Point::Handed, Point::Arrived, Point::Segment, Point::Ready]
        .into_iter()
        .find_map(|point| message.at(point));
    if let Some(arrived) = arrived {
        slice(&format!("receive {whose}"), receiver, RECEIVES, arrived, message.taken_ns);
    }
    let mut from = 0;
    for point in Point::ALL.into_iter().skip(1) {
        let Some(to) = message.at(point) else { continue };
        let first_of_receiver = arrived == Some(to) && point.is_of_receiver() && point != Point::Taken;
        match (point.is_of_receiver(), first_of_receiver || arrived.is_none()) {
            (false, _) => slice(point.work(), sender, SENDS, from, to),
            (true, true) => slice(point.work(), BETWEEN, between, from, to),
            (true, false) => slice(point.work(), receiver, RECEIVES, from, to),
        }
        from = to;
    }
    if let (Some(left), Some(arrived)) = (left, arrived) {
        let arrow = |ph: &str, pid: u32, tid: u32, ns: i64| json!({ "ph": ph, "bp": "e", "cat": "message", "name": "on its way", "id": place.arrow, "pid": pid, "tid": tid, "ts": at(ns) });
        events.push(arrow("s", sender, SENDS, left));
        events.push(arrow("f", receiver, RECEIVES, arrived));
    }
}
