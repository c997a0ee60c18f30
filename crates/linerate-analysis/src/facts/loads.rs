//! The flows of loads, what they did together, their intervals, and their requests. Rates are of payload, as the receiver
//! counted (10^6 bit/s).

use linerate_core::foreign::plain;
use linerate_core::plan::Level;
use linerate_core::traffic::{Datagrams, Direction as Way, EcnCounts};
use serde_json::Value;

use super::Unit::{
    Bytes, Count, Mbps, Microseconds, PerGigabyte, PerSecond, Seconds, SecondsPerGigabyte, Share,
    Size as MessageSize, Word,
};
use super::{Fact, Followed, Kind, Part, When};
use crate::report::{
    DirectionSum, FlowClass, FlowResult, IntervalRate, LatencyRow, LoadResult, NamedRun, Report, SHARES,
    TcpPoint,
};

const LOAD: &str = "what the load is called among those of its run; empty if bulk is the only one";
const WAY: &str = "`send` or `receive`";
/// A change of the loss that matters: a share of the datagrams.
const LOSS: f64 = 0.001;
/// A change of retransmissions that matters: the same share of the segments of 1448 B of 10^9 bytes.
const RETRANSMISSIONS: f64 = LOSS * 1e9 / 1448.0;

/// A bulk flow of a load.
#[derive(Clone, Copy, Debug)]
pub struct Flow<'r> {
    /// Its load.
    pub load: &'r LoadResult,
    /// The flow.
    pub flow: &'r FlowResult,
}

/// What the flows of a direction of a load did together.
#[derive(Clone, Copy, Debug)]
pub struct Direction<'r> {
    /// Their load.
    pub load: &'r LoadResult,
    /// All of them.
    pub sum: &'r DirectionSum,
}

/// A share of the transactions, and the time that they did not exceed.
#[derive(Clone, Copy, Debug)]
pub struct Percentile<'r> {
    load: &'r LoadResult,
    row: &'r LatencyRow,
    share: f64,
    us: Option<f64>,
}

/// An interval of a flow, with what the sender's TCP said nearest to its end.
#[derive(Clone, Copy, Debug)]
pub struct Interval<'r> {
    flow: Flow<'r>,
    interval: &'r IntervalRate,
    tcp: Option<&'r TcpPoint>,
}

const fn class(class: FlowClass) -> &'static str {
    match class {
        FlowClass::Complete => "complete",
        FlowClass::Stalled => "stalled",
        FlowClass::Failed => "failed",
    }
}

fn fate(row: &Flow<'_>, of: impl Fn(&Datagrams) -> u64) -> Value {
    row.flow.datagrams.as_ref().map(of).into()
}

fn code_point(row: &Flow<'_>, of: impl Fn(EcnCounts) -> u64) -> Value {
    row.flow.datagrams.as_ref().and_then(|fate| fate.ecn).map(of).into()
}

/// Bulk flows.
#[derive(Debug)]
pub struct Flows;

type FlowFact = Fact<Flows>;

impl Kind for Flows {
    const NAME: &'static str = "flow";
    const LEVELS: &'static [Level] = &[Level::Point];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_loads;
    type Row<'r> = Flow<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        FlowFact::new("load", Word, LOAD, |row| plain(&row.load.what).into()).column_when(
            "load",
            0,
            When::Differs,
        ),
        FlowFact::new("direction", Word, WAY, |row| row.flow.direction.to_string().into()).column_when(
            "way",
            0,
            When::Differs,
        ),
        FlowFact::new("flow", Count, "number of the flow, from 1", |row| row.flow.flow.into())
            .column("flow", 0),
        FlowFact::new("peer", Count, "number of the peer, from 1", |row| row.flow.peer.into()).column_when(
            "peer",
            2,
            When::Differs,
        ),
        FlowFact::new("class", Word, "`complete`, `stalled` or `failed`", |row| class(row.flow.class).into())
            .column_when("state", 0, When::Unless("complete")),
        FlowFact::new("reason", Word, "for how long it stalled, or why it failed", |row| {
            row.flow.reason.as_deref().map(plain).into()
        }),
        FlowFact::new("bytes", Bytes, "payload", |row| row.flow.bytes.into()).column("received", 2),
        FlowFact::new("mbps", Mbps, "rate of payload", |row| row.flow.mbps.into()).more().column("rate", 0),
        FlowFact::new("share", Share, "part of its direction's sum, 0 to 1", |row| row.flow.share.into())
            .column("share", 5),
        FlowFact::new("message_bytes", MessageSize, "payload of a message", |row| {
            row.flow.message_bytes.into()
        }),
        FlowFact::new("sent_in_us", Microseconds, "time from the first byte sent to the last", |row| {
            row.flow.sent_in_us.into()
        })
        .column("sent in", 4),
        FlowFact::new(
            "received_in_us",
            Microseconds,
            "time from the first byte received to the last",
            |row| row.flow.received_in_us.into(),
        )
        .column("received in", 1),
        FlowFact::new("rtt_us", Microseconds, "smoothed round trip that the sender's TCP saw last", |row| {
            row.flow.tcp.last().map(|last| last.rtt_us).into()
        })
        .less()
        .column("rtt", 6),
        FlowFact::new("retransmits", Count, "segments retransmitted", |row| row.flow.retransmits.into())
            .less()
            .column("retransmitted", 6),
        FlowFact::new(
            "marked",
            Count,
            "segments that a queue marked (CE, RFC 3168), as the peer said",
            |row| row.flow.tcp.last().map(|last| last.marked).into(),
        )
        .less()
        .column("marked", 6),
        FlowFact::new("datagrams_sent", Count, "datagrams sent", |row| fate(row, |fate| fate.sent)),
        FlowFact::new("datagrams_lost", Count, "datagrams lost on the path", |row| {
            fate(row, |fate| fate.lost)
        })
        .less()
        .column("lost", 1),
        FlowFact::new("datagrams_dropped", Count, "datagrams dropped by the receiver's socket", |row| {
            fate(row, |fate| fate.dropped_by_socket)
        })
        .less()
        .column("host dropped", 1),
        FlowFact::new("datagrams_reordered", Count, "datagrams that came after a later one", |row| {
            fate(row, |fate| fate.reordered)
        })
        .less()
        .column("reordered", 5),
        FlowFact::new("datagrams_duplicated", Count, "datagrams that came again", |row| {
            fate(row, |fate| fate.duplicated)
        })
        .less()
        .column("duplicated", 6),
        FlowFact::new(
            "ecn_marked",
            Count,
            "datagrams that came as CE (RFC 3168): a queue marked them",
            |row| code_point(row, |ecn| ecn.marked),
        )
        .less()
        .column("CE", 6),
        FlowFact::new("ecn_bleached", Count, "datagrams that left with ECN and came as Not-ECT", |row| {
            code_point(row, |ecn| ecn.bleached)
        })
        .less()
        .column("bleached", 6),
        FlowFact::new(
            "ecn_changed",
            Count,
            "datagrams that came with the other of ECT(0) and ECT(1)",
            |row| code_point(row, |ecn| ecn.changed),
        )
        .less(),
        FlowFact::new("jitter_us", Microseconds, "interarrival jitter (RFC 3550) of the datagrams", |row| {
            row.flow.datagrams.as_ref().map(|fate| fate.jitter.as_us()).into()
        })
        .less()
        .column("jitter", 5),
    ];

    fn rows(report: &Report) -> impl Iterator<Item = (usize, Flow<'_>)> {
        each(report).flat_map(|load| load.flows.iter().map(move |flow| (load.run, Flow { load, flow })))
    }
}

/// What the flows of a direction did together.
#[derive(Debug)]
pub struct Directions;

type DirectionFact = Fact<Directions>;

impl Kind for Directions {
    const NAME: &'static str = "direction";
    const LEVELS: &'static [Level] = &[Level::Run, Level::Point];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_loads;
    const PARTS: fn() -> Vec<Part> = || Way::ALL.map(Part::Way).to_vec();
    type Row<'r> = Direction<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        DirectionFact::new("load", Word, LOAD, |row| plain(&row.load.what).into()),
        DirectionFact::new("direction", Word, WAY, |row| row.sum.direction.to_string().into()),
        DirectionFact::new("bytes", Bytes, "payload of all flows", |row| row.sum.bytes.into()),
        DirectionFact::new("mbps", Mbps, "rate of all flows", |row| row.sum.mbps.into())
            .more()
            .followed(Followed::new("rate", "rate", "rate").headline()),
        DirectionFact::new("loss_share", Share, "part of the datagrams that was lost or dropped", |row| {
            row.sum.datagrams.map(|sum| sum.lost_share + sum.dropped_share).into()
        })
        .less()
        .followed(Followed::new("loss", "loss", "loss").by_difference(Some(LOSS))),
        DirectionFact::new(
            "retransmits_per_gb",
            PerGigabyte,
            "segments retransmitted, for each 10^9 bytes",
            |row| row.sum.retransmits_per_gb.into(),
        )
        .less()
        .followed(
            Followed::new("retransmissions", "retransmitted", "retransmitted")
                .by_difference(Some(RETRANSMISSIONS)),
        ),
        DirectionFact::new(
            "path_mtu_bytes",
            Bytes,
            "largest IP packet that arrives this way; absent if that was not tried",
            |row| row.sum.path_mtu_bytes.into(),
        ),
        DirectionFact::new("complete_flows", Count, "flows that ended as planned", |row| {
            row.sum.complete.into()
        }),
        DirectionFact::new("stalled_flows", Count, "flows in which no byte moved for too long", |row| {
            row.sum.stalled.into()
        })
        .less(),
        DirectionFact::new("failed_flows", Count, "flows that failed", |row| row.sum.failed.into()).less(),
        DirectionFact::new("fairness", Count, "Jain's index of the flows", |row| row.sum.fairness.into())
            .more(),
        DirectionFact::new(
            "fair_after_s",
            Seconds,
            "when the flows began to share fairly and did so to the end",
            |row| row.sum.fair_after_s.into(),
        )
        .less(),
        DirectionFact::new(
            "sender_cpu_s_per_gb",
            SecondsPerGigabyte,
            "processor time of the sending threads for each 10^9 bytes",
            |row| row.sum.cpu_s_per_gb[0].into(),
        )
        .less()
        .followed(Followed::new("sender-cpu", "sender's CPU", "sender_cpu")),
        DirectionFact::new(
            "receiver_cpu_s_per_gb",
            SecondsPerGigabyte,
            "processor time of the receiving threads for each 10^9 bytes",
            |row| row.sum.cpu_s_per_gb[1].into(),
        )
        .less()
        .followed(Followed::new("receiver-cpu", "receiver's CPU", "receiver_cpu")),
        DirectionFact::new("datagrams_sent", Count, "datagrams sent", |row| {
            row.sum.datagrams.map(|it| it.sent).into()
        }),
        DirectionFact::new("datagrams_lost", Count, "datagrams lost on the path", |row| {
            row.sum.datagrams.map(|it| it.lost).into()
        })
        .less(),
        DirectionFact::new(
            "datagrams_dropped",
            Count,
            "datagrams dropped by the receivers' sockets",
            |row| row.sum.datagrams.map(|it| it.dropped).into(),
        )
        .less(),
        DirectionFact::new("ecn_marked", Count, "datagrams that came as CE (RFC 3168)", |row| {
            row.sum.datagrams.and_then(|it| it.ecn).map(|ecn| ecn.marked).into()
        })
        .less(),
        DirectionFact::new(
            "ecn_bleached",
            Count,
            "datagrams that left with ECN and came as Not-ECT",
            |row| row.sum.datagrams.and_then(|it| it.ecn).map(|ecn| ecn.bleached).into(),
        )
        .less(),
    ];

    fn subject(row: &Direction<'_>) -> String {
        subject(row.load)
    }

    fn part(row: &Direction<'_>) -> Part {
        Part::Way(row.sum.direction)
    }

    fn rows(report: &Report) -> impl Iterator<Item = (usize, Direction<'_>)> {
        each(report).flat_map(|load| load.sums.iter().map(move |sum| (load.run, Direction { load, sum })))
    }
}

/// The requests of a load: of several flows what is usual among them.
#[derive(Debug)]
pub struct RequestLoads;

type RequestFact = Fact<RequestLoads>;

impl Kind for RequestLoads {
    const NAME: &'static str = "requests";
    const LEVELS: &'static [Level] = &[Level::Run];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_loads;
    type Row<'r> = &'r LoadResult;
    const FACTS: &'static [Fact<Self>] = &[
        RequestFact::new("load", Word, LOAD, |row| plain(&row.what).into()),
        RequestFact::new("transactions_per_s", PerSecond, "transactions a second", |row| {
            row.usual(|row| row.per_second).into()
        })
        .more()
        .followed(Followed::new("transactions", "transactions", "transactions").headline()),
        RequestFact::new("p50_us", Microseconds, "median latency", |row| {
            row.usual(|row| row.percentile("p50")).into()
        })
        .less()
        .followed(Followed::new("p50", "p50", "request_time").quantile("0.5").headline()),
        RequestFact::new("p99_us", Microseconds, "99th percentile of the latency", |row| {
            row.usual(|row| row.percentile("p99")).into()
        })
        .less()
        .followed(Followed::new("p99", "p99", "request_time").quantile("0.99").headline()),
        RequestFact::new("p999_us", Microseconds, "99.9th percentile of the latency", |row| {
            row.usual(|row| row.percentile("p99.9")).into()
        })
        .less()
        .followed(Followed::new("p99.9", "p99.9", "request_time").quantile("0.999")),
    ];

    fn subject(row: &&LoadResult) -> String {
        subject(row)
    }

    fn rows(report: &Report) -> impl Iterator<Item = (usize, &LoadResult)> {
        each(report).filter(|load| !load.latencies.is_empty()).map(|load| (load.run, load))
    }
}

/// Percentiles of histograms of requests.
#[derive(Debug)]
pub struct Percentiles;

type PercentileFact = Fact<Percentiles>;

impl Kind for Percentiles {
    const NAME: &'static str = "percentile";
    const LEVELS: &'static [Level] = &[Level::Point];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_loads;
    type Row<'r> = Percentile<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        PercentileFact::new("load", Word, LOAD, |row| plain(&row.load.what).into()),
        PercentileFact::new(
            "timed",
            Word,
            "what the time is of: `request to response`, `from when it was due` or `to connect`",
            |row| if row.row.kind.is_empty() { "request to response" } else { row.row.kind }.into(),
        ),
        PercentileFact::new("flow", Count, "number of the flow, from 1; empty if there is one", |row| {
            row.row.flow.into()
        }),
        PercentileFact::new("transactions", Count, "times in the histogram", |row| {
            row.row.transactions.into()
        }),
        PercentileFact::new("transactions_per_s", PerSecond, "transactions a second", |row| {
            row.row.per_second.into()
        })
        .more(),
        PercentileFact::new("lost", Count, "requests without a response", |row| row.row.lost.into()).less(),
        PercentileFact::new("quantile", Share, "0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999 or 1", |row| {
            row.share.into()
        }),
        PercentileFact::new(
            "us",
            Microseconds,
            "time; empty where there are fewer transactions than 1 / (1 - quantile), and of 1 the longest",
            |row| row.us.into(),
        )
        .less(),
    ];

    fn rows(report: &Report) -> impl Iterator<Item = (usize, Percentile<'_>)> {
        let rows = each(report).flat_map(|load| load.latencies.iter().map(move |row| (load, row)));
        rows.flat_map(|(load, row)| {
            let times =
                SHARES.iter().zip(row.us).map(|((_, share), us)| (*share, us)).chain([(1.0, row.max_us)]);
            times.map(move |(share, us)| (load.run, Percentile { load, row, share, us }))
        })
    }
}

/// Intervals of bulk flows.
#[derive(Debug)]
pub struct Intervals;

type IntervalFact = Fact<Intervals>;

impl Kind for Intervals {
    const NAME: &'static str = "interval";
    const LEVELS: &'static [Level] = &[Level::Interval];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_loads;
    type Row<'r> = Interval<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        IntervalFact::new("load", Word, LOAD, |row| plain(&row.flow.load.what).into()),
        IntervalFact::new("direction", Word, WAY, |row| row.flow.flow.direction.to_string().into()),
        IntervalFact::new("flow", Count, "number of the flow, from 1", |row| row.flow.flow.flow.into()),
        IntervalFact::new("peer", Count, "number of the peer, from 1", |row| row.flow.flow.peer.into()),
        IntervalFact::new("until_s", Seconds, "end of the interval, since the load began", |row| {
            row.interval.until_s.into()
        }),
        IntervalFact::new("bytes", Bytes, "payload in the interval", |row| row.interval.bytes.into()),
        IntervalFact::new("mbps", Mbps, "rate in the interval", |row| row.interval.mbps.into()).more(),
        IntervalFact::new(
            "rtt_us",
            Microseconds,
            "smoothed round trip, as the sender's TCP said nearest to then",
            |row| row.tcp.map(|sample| sample.rtt_us).into(),
        )
        .less(),
        IntervalFact::new(
            "cwnd_segments",
            Count,
            "congestion window, as the sender's TCP said nearest to then",
            |row| row.tcp.map(|sample| sample.cwnd).into(),
        ),
        IntervalFact::new("retransmits", Count, "segments retransmitted until then", |row| {
            row.tcp.map(|sample| sample.retransmits).into()
        })
        .less(),
        IntervalFact::new(
            "marked",
            Count,
            "segments of which the peer said until then that a queue marked them",
            |row| row.tcp.map(|sample| sample.marked).into(),
        )
        .less(),
    ];

    fn rows(report: &Report) -> impl Iterator<Item = (usize, Interval<'_>)> {
        let flows = each(report).flat_map(|load| load.flows.iter().map(move |flow| (load, flow)));
        flows.flat_map(|(load, flow)| {
            let of = move |interval| {
                (
                    load.run,
                    Interval { flow: Flow { load, flow }, interval, tcp: flow.tcp_at(interval.until_s) },
                )
            };
            flow.intervals.iter().map(of)
        })
    }
}

fn subject(load: &LoadResult) -> String {
    if load.what.is_empty() { "stream" } else { &load.what }.to_owned()
}

fn each(report: &Report) -> impl Iterator<Item = &LoadResult> {
    report.loads.iter()
}
