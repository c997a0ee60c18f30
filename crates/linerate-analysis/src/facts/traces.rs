//! The stages of traced messages, and every message.

use linerate_core::plan::Level;
use linerate_core::trace::{Message, Point, Stage, Way};
use serde_json::Value;

use super::Unit::{Count, Microseconds, Share, Size as MessageSize, Word};
use super::{Fact, Kind};
use crate::report::{NamedRun, Report, TraceRow};

const WAY: &str = "`there` (from the initiator) or `back`";

/// A stage of the messages of a size and way.
#[derive(Clone, Debug)]
pub struct OfStage<'r> {
    row: &'r TraceRow,
    stage: &'r Stage,
    name: String,
}

impl<'r> OfStage<'r> {
    /// The stages of each of these rows, and its whole.
    pub fn of(rows: impl IntoIterator<Item = &'r TraceRow>) -> impl Iterator<Item = Self> {
        rows.into_iter().flat_map(|row| {
            let whole = row.whole.iter().map(|whole| (whole, "all".to_owned()));
            let stages = row.stages.iter().map(|stage| (stage, stage.work())).chain(whole);
            stages.map(move |(stage, name)| Self { row, stage, name })
        })
    }
}

/// A traced message.
#[derive(Clone, Copy, Debug)]
pub struct Traced<'r> {
    size: u64,
    way: Way,
    message: &'r Message,
}

impl Traced<'_> {
    fn at(&self, point: Point) -> Value {
        self.message.at(point).map_or(Value::Null, us)
    }
}

/// Stages of traced messages, by size and way.
#[derive(Debug)]
pub struct Stages;

type StageFact = Fact<Stages>;

impl Kind for Stages {
    const NAME: &'static str = "stage";
    const LEVELS: &'static [Level] = &[Level::Point];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_trace;
    type Row<'r> = OfStage<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        StageFact::new("size_bytes", MessageSize, "message size", |row| row.row.size.into())
            .column("size", 0),
        StageFact::new("way", Word, WAY, |row| row.row.way.name().into()),
        StageFact::new("from_point", Word, "point at which the stage begins", |row| {
            row.stage.from.name().into()
        }),
        StageFact::new("to_point", Word, "point at which it ends", |row| row.stage.to.name().into()),
        StageFact::new("stage", Word, "what happens there; `all` is the whole", |row| {
            row.name.clone().into()
        })
        .column("stage", 0),
        StageFact::new("median_us", Microseconds, "median over the messages", |row| us(row.stage.median_ns))
            .less()
            .column("p50", 0),
        StageFact::new("p90_us", Microseconds, "90th percentile over the messages", |row| {
            us(row.stage.p90_ns)
        })
        .less()
        .column("p90", 2),
        StageFact::new("p99_us", Microseconds, "99th percentile over the messages", |row| {
            us(row.stage.p99_ns)
        })
        .less()
        .column("p99", 3),
        StageFact::new("max_us", Microseconds, "longest of all", |row| us(row.stage.max_ns))
            .less()
            .column("max", 5),
        StageFact::new(
            "share",
            Share,
            "part of the mean time of the messages in the middle: without the quickest and the slowest tenth",
            |row| row.stage.share.into(),
        )
        .column("share", 1),
        StageFact::new("messages", Count, "messages that have the stage", |row| row.stage.messages.into())
            .column("messages", 4),
        StageFact::new(
            "clock_uncertainty_us",
            Microseconds,
            "how wrong a time from one clock to the other may be; empty if unknown",
            |row| row.row.clocks.uncertainty_ns().map(|ns| ns as f64 / 1e3).into(),
        )
        .less(),
    ];

    fn rows(report: &Report) -> impl Iterator<Item = (usize, OfStage<'_>)> {
        report.traces.iter().flat_map(|trace| OfStage::of(&trace.rows).map(|stage| (trace.run, stage)))
    }
}

/// Traced messages.
#[derive(Debug)]
pub struct Messages;

type MessageFact = Fact<Messages>;

impl Kind for Messages {
    const NAME: &'static str = "message";
    const LEVELS: &'static [Level] = &[Level::Round];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_trace;
    type Row<'r> = Traced<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        MessageFact::new("size_bytes", MessageSize, "message size", |row| row.size.into()),
        MessageFact::new("way", Word, WAY, |row| row.way.name().into()),
        MessageFact::new("message", Count, "number of the message", |row| row.message.number.into()),
        MessageFact::new(
            "call_us",
            Microseconds,
            "when it was sent, since the first message of the size",
            |row| us(row.message.call_ns),
        ),
        MessageFact::new("accepted_us", Microseconds, "when TCP or UDP had it, since its call", |row| {
            row.at(Point::Accepted)
        }),
        MessageFact::new("queued_us", Microseconds, "when it was in the queue, since its call", |row| {
            row.at(Point::Queued)
        }),
        MessageFact::new("driven_us", Microseconds, "when the driver had it, since its call", |row| {
            row.at(Point::Driven)
        }),
        MessageFact::new(
            "handed_us",
            Microseconds,
            "when the driver had handed it on, since its call",
            |row| row.at(Point::Handed),
        ),
        MessageFact::new("arrived_us", Microseconds, "when the other kernel had it, since its call", |row| {
            row.at(Point::Arrived)
        }),
        MessageFact::new(
            "segment_us",
            Microseconds,
            "when the other TCP or UDP had it, since its call",
            |row| row.at(Point::Segment),
        ),
        MessageFact::new("ready_us", Microseconds, "when it could be read, since its call", |row| {
            row.at(Point::Ready)
        }),
        MessageFact::new("woken_us", Microseconds, "when its reader was woken, since its call", |row| {
            row.at(Point::Woken)
        }),
        MessageFact::new("running_us", Microseconds, "when its reader ran, since its call", |row| {
            row.at(Point::Running)
        }),
        MessageFact::new("taken_us", Microseconds, "when its reader had it, since its call", |row| {
            us(row.message.taken_ns)
        })
        .less(),
        MessageFact::new(
            "returned_us",
            Microseconds,
            "when the call that sent it returned, since its call",
            |row| row.message.returned_ns.map_or(Value::Null, us),
        ),
        MessageFact::new("retransmitted", Word, "`true` if a segment was retransmitted meanwhile", |row| {
            row.message.retransmitted.into()
        }),
    ];

    fn rows(report: &Report) -> impl Iterator<Item = (usize, Traced<'_>)> {
        let traced =
            report.runs.iter().enumerate().filter_map(|(run, named)| Some((run, named.run.trace.as_ref()?)));
        traced.flat_map(|(run, trace)| {
            trace.sizes.iter().flat_map(move |size| {
                [Way::There, Way::Back].into_iter().flat_map(move |way| {
                    let of = move |message| (run, Traced { size: size.size, way, message });
                    size.messages(way).iter().map(of)
                })
            })
        })
    }
}

fn us(ns: i64) -> Value {
    (ns as f64 / 1e3).into()
}
