//! The flows of loads, what they did together, their intervals, and the percentiles of requests.

use linerate_analysis::report::{
    DirectionSum, FlowClass, FlowResult, IntervalRate, LatencyRow, LoadResult, Report, SHARES,
};
use serde_json::Value;

use super::Rows;
use crate::text::plain;
use crate::traffic::own_name;

/// Rates are of payload, as the receiver counted (10^6 bit/s).
static FLOWS: [&str; 17] = [
    "load",
    "direction",
    "flow",
    "peer",
    "class",
    "reason",
    "bytes",
    "mbps",
    "share",
    "message_bytes",
    "sent_in_us",
    "received_in_us",
    "retransmits",
    "marked",
    "datagrams_sent",
    "datagrams_lost",
    "datagrams_dropped",
];

static DIRECTIONS: [&str; 14] = [
    "load",
    "direction",
    "bytes",
    "mbps",
    "complete_flows",
    "stalled_flows",
    "failed_flows",
    "fairness",
    "fair_after_s",
    "sender_cpu_s_per_gb",
    "receiver_cpu_s_per_gb",
    "datagrams_sent",
    "datagrams_lost",
    "datagrams_dropped",
];

/// `timed` is what the time is of; `us` is null where there are too few transactions.
static PERCENTILES: [&str; 8] =
    ["load", "timed", "flow", "transactions", "transactions_per_s", "lost", "quantile", "us"];

static INTERVALS: [&str; 11] = [
    "load",
    "direction",
    "flow",
    "peer",
    "until_s",
    "bytes",
    "mbps",
    "rtt_us",
    "cwnd_segments",
    "retransmits",
    "marked",
];

/// A row for each bulk flow.
pub(super) fn flows(report: &Report) -> Rows {
    let of = |load: &LoadResult| all(load, &load.flows, flow);
    Rows::new("flow", &FLOWS, report.loads.iter().flat_map(of))
}

/// A row for all flows of a direction.
pub(super) fn directions(report: &Report) -> Rows {
    let of = |load: &LoadResult| all(load, &load.sums, direction);
    Rows::new("direction", &DIRECTIONS, report.loads.iter().flat_map(of))
}

/// A row for each percentile of each histogram of requests, the longest time last.
pub(super) fn percentiles(report: &Report) -> Rows {
    let of = |load: &LoadResult| all(load, &load.latencies, percentile).into_iter().flat_map(each);
    Rows::new("percentile", &PERCENTILES, report.loads.iter().flat_map(of))
}

/// A row for each interval of each bulk flow, as the receiver counted it, beside what the sender's TCP
/// said then.
pub(super) fn intervals(report: &Report) -> Rows {
    let of = |load: &LoadResult| all(load, &load.flows, interval).into_iter().flat_map(each);
    Rows::new("interval", &INTERVALS, report.loads.iter().flat_map(of))
}

fn all<T, V>(load: &LoadResult, of: &[T], row: impl Fn(&LoadResult, &T) -> V) -> Vec<(usize, V)> {
    of.iter().map(|one| (load.run, row(load, one))).collect()
}

fn each<V>((run, rows): (usize, Vec<V>)) -> impl Iterator<Item = (usize, V)> {
    rows.into_iter().map(move |row| (run, row))
}

fn flow(load: &LoadResult, flow: &FlowResult) -> [Value; FLOWS.len()] {
    let class = match flow.class {
        FlowClass::Complete => "complete",
        FlowClass::Stalled => "stalled",
        FlowClass::Failed => "failed",
    };
    let datagrams = flow.datagrams.as_ref();
    [
        own_name(load).into(),
        flow.direction.to_string().into(),
        flow.flow.into(),
        flow.peer.into(),
        class.into(),
        flow.reason.as_deref().map(plain).into(),
        flow.bytes.into(),
        flow.mbps.into(),
        flow.share.into(),
        flow.message_bytes.into(),
        flow.sent_in_us.into(),
        flow.received_in_us.into(),
        flow.tcp.last().map(|last| last.retransmits).into(),
        flow.tcp.last().map(|last| last.marked).into(),
        datagrams.map(|it| it.sent).into(),
        datagrams.map(|it| it.lost).into(),
        datagrams.map(|it| it.dropped_by_socket).into(),
    ]
}

fn direction(load: &LoadResult, sum: &DirectionSum) -> [Value; DIRECTIONS.len()] {
    let [sender_cpu, receiver_cpu] = sum.cpu_s_per_gb;
    [
        own_name(load).into(),
        sum.direction.to_string().into(),
        sum.bytes.into(),
        sum.mbps.into(),
        sum.complete.into(),
        sum.stalled.into(),
        sum.failed.into(),
        sum.fairness.into(),
        sum.fair_after_s.into(),
        sender_cpu.into(),
        receiver_cpu.into(),
        sum.datagrams.map(|it| it.sent).into(),
        sum.datagrams.map(|it| it.lost).into(),
        sum.datagrams.map(|it| it.dropped).into(),
    ]
}

fn percentile(load: &LoadResult, row: &LatencyRow) -> Vec<[Value; PERCENTILES.len()]> {
    let timed = if row.kind.is_empty() { "request to response" } else { row.kind };
    let times = SHARES.iter().zip(row.us).map(|((_, share), us)| (*share, us));
    let line = |(share, us): (f64, Option<f64>)| {
        [
            own_name(load).into(),
            timed.into(),
            row.flow.into(),
            row.transactions.into(),
            row.per_second.into(),
            row.lost.into(),
            share.into(),
            us.into(),
        ]
    };
    times.chain([(1.0, row.max_us)]).map(line).collect()
}

fn interval(load: &LoadResult, flow: &FlowResult) -> Vec<[Value; INTERVALS.len()]> {
    let line = |interval: &IntervalRate| {
        let sample = flow.tcp_at(interval.until_s);
        [
            own_name(load).into(),
            flow.direction.to_string().into(),
            flow.flow.into(),
            flow.peer.into(),
            interval.until_s.into(),
            interval.bytes.into(),
            interval.mbps.into(),
            sample.map(|sample| sample.rtt_us).into(),
            sample.map(|sample| sample.cwnd).into(),
            sample.map(|sample| sample.retransmits).into(),
            sample.map(|sample| sample.marked).into(),
        ]
    };
    flow.intervals.iter().map(line).collect()
}
