//! The flows of loads, what they did together, their intervals, and the percentiles of requests. Rates are of payload,
//! as the receiver counted (10^6 bit/s).

use linerate_analysis::report::{
    DirectionSum, FlowClass, FlowResult, IntervalRate, LatencyRow, LoadResult, Report, SHARES, TcpPoint,
};

use super::Rows;
use super::fact::{Fact, fact, less, more};
use crate::text::plain;
use crate::traffic::own_name;

pub(super) const FLOW: &str = "flow";
pub(super) const DIRECTION: &str = "direction";
pub(super) const PERCENTILE: &str = "percentile";
pub(super) const INTERVAL: &str = "interval";

const LOAD: &str = "what the load is called among those of its run; empty if bulk is the only one";
const WAY: &str = "`send` or `receive`";

pub(super) struct Flow<'r>(&'r LoadResult, &'r FlowResult);
pub(super) struct Direction<'r>(&'r LoadResult, &'r DirectionSum);
/// A share of the transactions, and the time that they did not exceed.
pub(super) struct Percentile<'r>(&'r LoadResult, &'r LatencyRow, f64, Option<f64>);
/// With what the sender's TCP said nearest to its end.
pub(super) struct Interval<'r>(&'r LoadResult, &'r FlowResult, &'r IntervalRate, Option<&'r TcpPoint>);

const fn class(class: FlowClass) -> &'static str {
    match class {
        FlowClass::Complete => "complete",
        FlowClass::Stalled => "stalled",
        FlowClass::Failed => "failed",
    }
}

pub(super) fn flow_facts<'r>() -> [Fact<Flow<'r>>; 17] {
    [
        fact("load", "", LOAD, |row: &Flow<'r>| own_name(row.0).into()),
        fact("direction", "", WAY, |row| row.1.direction.to_string().into()),
        fact("flow", "", "number of the flow, from 1", |row| row.1.flow.into()),
        fact("peer", "", "number of the peer, from 1", |row| row.1.peer.into()),
        fact("class", "", "`complete`, `stalled` or `failed`", |row| class(row.1.class).into()),
        fact("reason", "", "for how long it stalled, or why it failed", |row| {
            row.1.reason.as_deref().map(plain).into()
        }),
        fact("bytes", "bytes", "payload", |row| row.1.bytes.into()),
        more("mbps", "Mb/s", "rate of payload", |row| row.1.mbps.into()),
        fact("share", "share", "part of its direction's sum, 0 to 1", |row| row.1.share.into()),
        fact("message_bytes", "bytes", "payload of a message", |row| row.1.message_bytes.into()),
        fact("sent_in_us", "us", "time from the first byte sent to the last", |row| row.1.sent_in_us.into()),
        fact("received_in_us", "us", "time from the first byte received to the last", |row| {
            row.1.received_in_us.into()
        }),
        less("retransmits", "", "segments sent again", |row| {
            row.1.tcp.last().map(|last| last.retransmits).into()
        }),
        less(
            "marked",
            "",
            "segments of which the peer said that a queue marked them (CE, RFC 3168)",
            |row| row.1.tcp.last().map(|last| last.marked).into(),
        ),
        fact("datagrams_sent", "", "datagrams sent", |row| row.1.datagrams.as_ref().map(|it| it.sent).into()),
        less("datagrams_lost", "", "datagrams lost on the path", |row| {
            row.1.datagrams.as_ref().map(|it| it.lost).into()
        }),
        less("datagrams_dropped", "", "datagrams dropped by the receiver's socket", |row| {
            row.1.datagrams.as_ref().map(|it| it.dropped_by_socket).into()
        }),
    ]
}

pub(super) fn direction_facts<'r>() -> [Fact<Direction<'r>>; 14] {
    [
        fact("load", "", LOAD, |row: &Direction<'r>| own_name(row.0).into()),
        fact("direction", "", WAY, |row| row.1.direction.to_string().into()),
        fact("bytes", "bytes", "payload of all flows", |row| row.1.bytes.into()),
        more("mbps", "Mb/s", "rate of all flows", |row| row.1.mbps.into()),
        fact("complete_flows", "", "flows that ended as planned", |row| row.1.complete.into()),
        less("stalled_flows", "", "flows in which no byte moved for too long", |row| row.1.stalled.into()),
        less("failed_flows", "", "flows that failed", |row| row.1.failed.into()),
        more("fairness", "", "Jain's index of the flows", |row| row.1.fairness.into()),
        less("fair_after_s", "s", "when the flows began to share fairly and did so to the end", |row| {
            row.1.fair_after_s.into()
        }),
        less(
            "sender_cpu_s_per_gb",
            "s/GB",
            "processor time of the sending threads for each 10^9 bytes",
            |row| row.1.cpu_s_per_gb[0].into(),
        ),
        less(
            "receiver_cpu_s_per_gb",
            "s/GB",
            "processor time of the receiving threads for each 10^9 bytes",
            |row| row.1.cpu_s_per_gb[1].into(),
        ),
        fact("datagrams_sent", "", "datagrams sent", |row| row.1.datagrams.map(|it| it.sent).into()),
        less("datagrams_lost", "", "datagrams lost on the path", |row| {
            row.1.datagrams.map(|it| it.lost).into()
        }),
        less("datagrams_dropped", "", "datagrams dropped by the receivers' sockets", |row| {
            row.1.datagrams.map(|it| it.dropped).into()
        }),
    ]
}

pub(super) fn percentile_facts<'r>() -> [Fact<Percentile<'r>>; 8] {
    [
        fact("load", "", LOAD, |row: &Percentile<'r>| own_name(row.0).into()),
        fact(
            "timed",
            "",
            "what the time is of: `request to response`, `from when it was due` or `to connect`",
            |row| if row.1.kind.is_empty() { "request to response" } else { row.1.kind }.into(),
        ),
        fact("flow", "", "number of the flow, from 1; empty if there is one", |row| row.1.flow.into()),
        fact("transactions", "", "times in the histogram", |row| row.1.transactions.into()),
        more("transactions_per_s", "/s", "transactions a second", |row| row.1.per_second.into()),
        less("lost", "", "requests without a response", |row| row.1.lost.into()),
        fact("quantile", "share", "0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999 or 1", |row| row.2.into()),
        less(
            "us",
            "us",
            "time; empty where there are fewer transactions than 1 / (1 - quantile), and of 1 the longest",
            |row| row.3.into(),
        ),
    ]
}

pub(super) fn interval_facts<'r>() -> [Fact<Interval<'r>>; 11] {
    [
        fact("load", "", LOAD, |row: &Interval<'r>| own_name(row.0).into()),
        fact("direction", "", WAY, |row| row.1.direction.to_string().into()),
        fact("flow", "", "number of the flow, from 1", |row| row.1.flow.into()),
        fact("peer", "", "number of the peer, from 1", |row| row.1.peer.into()),
        fact("until_s", "s", "end of the interval, since the load began", |row| row.2.until_s.into()),
        fact("bytes", "bytes", "payload in the interval", |row| row.2.bytes.into()),
        more("mbps", "Mb/s", "rate in the interval", |row| row.2.mbps.into()),
        less("rtt_us", "us", "smoothed round trip, as the sender's TCP said nearest to then", |row| {
            row.3.map(|sample| sample.rtt_us).into()
        }),
        fact(
            "cwnd_segments",
            "segments",
            "congestion window, as the sender's TCP said nearest to then",
            |row| row.3.map(|sample| sample.cwnd).into(),
        ),
        less("retransmits", "", "segments sent again until then", |row| {
            row.3.map(|sample| sample.retransmits).into()
        }),
        less("marked", "", "segments of which the peer said until then that a queue marked them", |row| {
            row.3.map(|sample| sample.marked).into()
        }),
    ]
}

/// A row for each bulk flow.
pub(super) fn flows(report: &Report) -> Rows {
    let flows = each(report).flat_map(|load| load.flows.iter().map(move |flow| (load.run, Flow(load, flow))));
    Rows::of(FLOW, &flow_facts(), flows)
}

/// A row for all flows of a direction.
pub(super) fn directions(report: &Report) -> Rows {
    let sums =
        each(report).flat_map(|load| load.sums.iter().map(move |sum| (load.run, Direction(load, sum))));
    Rows::of(DIRECTION, &direction_facts(), sums)
}

/// A row for each percentile of each histogram of requests, the longest time last.
pub(super) fn percentiles(report: &Report) -> Rows {
    let rows = each(report).flat_map(|load| load.latencies.iter().map(move |row| (load, row)));
    let rows = rows.flat_map(|(load, row)| {
        let times = SHARES.iter().zip(row.us).map(|((_, share), us)| (*share, us)).chain([(1.0, row.max_us)]);
        times.map(move |(share, us)| (load.run, Percentile(load, row, share, us)))
    });
    Rows::of(PERCENTILE, &percentile_facts(), rows)
}

/// A row for each interval of each bulk flow, as the receiver counted it, beside what the sender's TCP said then.
pub(super) fn intervals(report: &Report) -> Rows {
    let rows = each(report).flat_map(|load| load.flows.iter().map(move |flow| (load, flow)));
    let rows = rows.flat_map(|(load, flow)| {
        let of = move |interval| (load.run, Interval(load, flow, interval, flow.tcp_at(interval.until_s)));
        flow.intervals.iter().map(of)
    });
    Rows::of(INTERVAL, &interval_facts(), rows)
}

fn each(report: &Report) -> impl Iterator<Item = &LoadResult> {
    report.loads.iter()
}
