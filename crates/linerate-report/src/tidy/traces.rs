//! The stages of traced messages, and every message.

use linerate_analysis::report::Report;
use linerate_core::trace::{Point, Way};
use serde_json::Value;

use super::Rows;
use crate::trace::way;

static STAGES: [&str; 12] = [
    "size_bytes",
    "way",
    "from_point",
    "to_point",
    "stage",
    "median_us",
    "p90_us",
    "p99_us",
    "max_us",
    "share",
    "messages",
    "clock_uncertainty_us",
];

static MESSAGES: [&str; 16] = [
    "size_bytes",
    "way",
    "message",
    "call_us",
    "accepted_us",
    "queued_us",
    "driven_us",
    "handed_us",
    "arrived_us",
    "segment_us",
    "ready_us",
    "woken_us",
    "running_us",
    "taken_us",
    "returned_us",
    "retransmitted",
];

/// A row for each stage of each size and way, and one for all of them: from `call` to `taken`.
pub(super) fn stages(report: &Report) -> Rows {
    let rows = report.traces.iter().flat_map(|trace| {
        trace.rows.iter().flat_map(move |row| {
            let all = row.whole.iter().map(|whole| (whole, "all".to_owned()));
            row.stages.iter().map(|stage| (stage, stage.work())).chain(all).map(move |(stage, name)| {
                let values: [Value; STAGES.len()] = [
                    row.size.into(),
                    way(row.way).into(),
                    stage.from.name().into(),
                    stage.to.name().into(),
                    name.into(),
                    us(stage.median_ns),
                    us(stage.p90_ns),
                    us(stage.p99_ns),
                    us(stage.max_ns),
                    stage.share.into(),
                    stage.messages.into(),
                    row.clocks.uncertainty_ns().map(|ns| ns as f64 / 1e3).into(),
                ];
                (trace.run, values)
            })
        })
    });
    Rows::new("stage", &STAGES, rows)
}

/// A row for each message: when it passed each point, since the call.
pub(super) fn messages(report: &Report) -> Rows {
    let traced =
        report.runs.iter().enumerate().filter_map(|(run, named)| Some((run, named.run.trace.as_ref()?)));
    let rows = traced.flat_map(|(run, trace)| {
        trace.sizes.iter().flat_map(move |size| {
            [Way::There, Way::Back].into_iter().flat_map(move |to| {
                size.messages(to).iter().map(move |message| {
                    let at = |point: Point| message.at(point).map_or(Value::Null, us);
                    let values: [Value; MESSAGES.len()] = [
                        size.size.into(),
                        way(to).into(),
                        message.number.into(),
                        us(message.call_ns),
                        at(Point::Accepted),
                        at(Point::Queued),
                        at(Point::Driven),
                        at(Point::Handed),
                        at(Point::Arrived),
                        at(Point::Segment),
                        at(Point::Ready),
                        at(Point::Woken),
                        at(Point::Running),
                        us(message.taken_ns),
                        message.returned_ns.map_or(Value::Null, us),
                        message.retransmitted.into(),
                    ];
                    (run, values)
                })
            })
        })
    });
    Rows::new("message", &MESSAGES, rows)
}

fn us(ns: i64) -> Value {
    (ns as f64 / 1e3).into()
}
