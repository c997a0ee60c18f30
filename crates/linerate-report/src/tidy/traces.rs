//! The stages of traced messages, and every message.

use linerate_analysis::report::{Report, TraceRow};
use linerate_core::trace::{Message, Point, Stage, Way};
use serde_json::Value;

use super::Rows;
use super::fact::{Fact, fact, less};
use crate::trace::way;

pub(super) const STAGE: &str = "stage";
pub(super) const MESSAGE: &str = "message";

const WAY: &str = "`there` (from the initiator) or `back`";

/// A stage of the messages of a size and way.
pub(super) struct OfStage<'r> {
    row: &'r TraceRow,
    stage: &'r Stage,
    name: String,
}

pub(super) struct Traced<'r> {
    size: u64,
    way: Way,
    message: &'r Message,
}

impl Traced<'_> {
    fn at(&self, point: Point) -> Value {
        self.message.at(point).map_or(Value::Null, us)
    }
}

pub(super) fn stage_facts<'r>() -> [Fact<OfStage<'r>>; 12] {
    [
        fact("size_bytes", "bytes", "message size", |row: &OfStage<'r>| row.row.size.into()),
        fact("way", "", WAY, |row| way(row.row.way).into()),
        fact("from_point", "", "point at which the stage begins", |row| row.stage.from.name().into()),
        fact("to_point", "", "point at which it ends", |row| row.stage.to.name().into()),
        fact("stage", "", "what happens there; `all` is the whole", |row| row.name.clone().into()),
        less("median_us", "us", "median over the messages", |row| us(row.stage.median_ns)),
        less("p90_us", "us", "90th percentile over the messages", |row| us(row.stage.p90_ns)),
        less("p99_us", "us", "99th percentile over the messages", |row| us(row.stage.p99_ns)),
        less("max_us", "us", "longest of all", |row| us(row.stage.max_ns)),
        fact(
            "share",
            "share",
            "part of the mean time of the messages in the middle: without the quickest and the slowest tenth",
            |row| row.stage.share.into(),
        ),
        fact("messages", "", "messages that have the stage", |row| row.stage.messages.into()),
        less(
            "clock_uncertainty_us",
            "us",
            "how wrong a time from one clock to the other may be; empty if unknown",
            |row| row.row.clocks.uncertainty_ns().map(|ns| ns as f64 / 1e3).into(),
        ),
    ]
}

pub(super) fn message_facts<'r>() -> [Fact<Traced<'r>>; 16] {
    [
        fact("size_bytes", "bytes", "message size", |row: &Traced<'r>| row.size.into()),
        fact("way", "", WAY, |row| way(row.way).into()),
        fact("message", "", "number of the message", |row| row.message.number.into()),
        fact("call_us", "us", "when it was sent, since the first message of the size", |row| {
            us(row.message.call_ns)
        }),
        fact("accepted_us", "us", "when TCP or UDP had it, since its call", |row| row.at(Point::Accepted)),
        fact("queued_us", "us", "when it was in the queue, since its call", |row| row.at(Point::Queued)),
        fact("driven_us", "us", "when the driver had it, since its call", |row| row.at(Point::Driven)),
        fact("handed_us", "us", "when the driver had handed it on, since its call", |row| {
            row.at(Point::Handed)
        }),
        fact("arrived_us", "us", "when the other kernel had it, since its call", |row| {
            row.at(Point::Arrived)
        }),
        fact("segment_us", "us", "when the other TCP or UDP had it, since its call", |row| {
            row.at(Point::Segment)
        }),
        fact("ready_us", "us", "when it could be read, since its call", |row| row.at(Point::Ready)),
        fact("woken_us", "us", "when its reader was woken, since its call", |row| row.at(Point::Woken)),
        fact("running_us", "us", "when its reader ran, since its call", |row| row.at(Point::Running)),
        less("taken_us", "us", "when its reader had it, since its call", |row| us(row.message.taken_ns)),
        fact("returned_us", "us", "when the call that sent it returned, since its call", |row| {
            row.message.returned_ns.map_or(Value::Null, us)
        }),
        fact("retransmitted", "", "`true` if something was sent again meanwhile", |row| {
            row.message.retransmitted.into()
        }),
    ]
}

/// A row for each stage of each size and way, and one for all of them: from `call` to `taken`.
pub(super) fn stages(report: &Report) -> Rows {
    let all = report.traces.iter().flat_map(|trace| trace.rows.iter().map(move |row| (trace.run, row)));
    let rows = all.flat_map(|(run, row)| {
        let whole = row.whole.iter().map(|whole| (whole, "all".to_owned()));
        let stages = row.stages.iter().map(|stage| (stage, stage.work())).chain(whole);
        stages.map(move |(stage, name)| (run, OfStage { row, stage, name }))
    });
    Rows::of(STAGE, &stage_facts(), rows)
}

/// A row for each message: when it passed each point, since the call.
pub(super) fn messages(report: &Report) -> Rows {
    let traced =
        report.runs.iter().enumerate().filter_map(|(run, named)| Some((run, named.run.trace.as_ref()?)));
    let rows = traced.flat_map(|(run, trace)| {
        trace.sizes.iter().flat_map(move |size| {
            [Way::There, Way::Back].into_iter().flat_map(move |way| {
                size.messages(way).iter().map(move |message| (run, Traced { size: size.size, way, message }))
            })
        })
    });
    Rows::of(MESSAGE, &message_facts(), rows)
}

fn us(ns: i64) -> Value {
    (ns as f64 / 1e3).into()
}
