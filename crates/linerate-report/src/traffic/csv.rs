//! Loads as lines of a CSV: one for each interval of each flow, and one for each percentile of each
//! latency.

use linerate_core::report::{FlowResult, IntervalRate, LoadResult, SHARES};

use super::latency::{self, Row};
use super::words::own_name;

/// The columns of intervals.
pub(crate) static INTERVALS: [&str; 10] = [
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
];
/// The columns of latencies.
pub(crate) static LATENCIES: [&str; 4] = ["latency", "transactions", "quantile", "us"];

/// The lines of `loads`, which are those of a run: of latencies if it has any, and else of intervals
/// as the receiver counted them, beside what TCP of the sender said then.
pub(crate) enum Lines {
    Intervals(Vec<[String; INTERVALS.len()]>),
    Latencies(Vec<[String; LATENCIES.len()]>),
}

impl Lines {
    pub(crate) fn of<'a>(loads: impl Iterator<Item = &'a LoadResult> + Clone) -> Self {
        let rows = latency::rows(loads.clone());
        if rows.is_empty() {
            let flows = loads.flat_map(|load| load.flows.iter().map(move |flow| (load, flow)));
            return Self::Intervals(flows.flat_map(|(load, flow)| intervals(load, flow)).collect());
        }
        Self::Latencies(rows.iter().flat_map(percentiles).collect())
    }
}

fn percentiles(row: &Row<'_>) -> Vec<[String; LATENCIES.len()]> {
    let times = SHARES.iter().zip(row.row.us).map(|((_, share), us)| (*share, us));
    let line = |(share, us): (f64, Option<f64>)| {
        let us = us.map_or_else(String::new, |us| us.to_string());
        [row.own_name(), row.row.transactions.to_string(), share.to_string(), us]
    };
    times.chain([(1.0, row.row.max_us)]).map(line).collect()
}

fn intervals(load: &LoadResult, flow: &FlowResult) -> Vec<[String; INTERVALS.len()]> {
    let line = |(place, interval): (usize, &IntervalRate)| {
        let sample = flow.tcp.get(place);
        let of = |value: Option<String>| value.unwrap_or_default();
        [
            own_name(load),
            flow.direction.to_string(),
            flow.flow.to_string(),
            flow.peer.to_string(),
            interval.until_s.to_string(),
            interval.bytes.to_string(),
            of(interval.mbps.map(|mbps| mbps.to_string())),
            of(sample.map(|sample| sample.rtt_us.to_string())),
            of(sample.map(|sample| sample.cwnd.to_string())),
            of(sample.map(|sample| sample.retransmits.to_string())),
        ]
    };
    flow.intervals.iter().enumerate().map(line).collect()
}
