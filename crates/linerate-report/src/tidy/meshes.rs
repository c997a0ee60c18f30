//! The pairs of meshes, what all ranks did at once, and their collectives.

use linerate_analysis::report::{CollectiveRow, MeshResult, MeshUnit, MeshView, PairValue, Report, Together};
use serde_json::Value;

use super::Rows;
use crate::text::plain;

/// Latencies are one way, rates of payload in one direction (10^6 bit/s).
static PAIRS: [&str; 8] =
    ["schedule", "probe", "pattern", "size_bytes", "from", "to", "latency_us", "throughput_mbps"];

static TOGETHER: [&str; 8] = [
    "schedule",
    "size_bytes",
    "rounds",
    "throughput_mbps",
    "throughput_low_mbps",
    "throughput_high_mbps",
    "worst_round_mbps",
    "slowest_mbps",
];

static COLLECTIVES: [&str; 13] = [
    "collective",
    "algorithm",
    "size_bytes",
    "ranks",
    "calls",
    "mean_us",
    "min_us",
    "max_us",
    "slowest_mean_us",
    "slowest_p99_us",
    "bus_mbps",
    "sent_messages",
    "sent_bytes",
];

/// A row for each ordered pair of each view that was measured.
pub(super) fn pairs(report: &Report) -> Rows {
    let of = |mesh: &MeshResult| {
        let names: Vec<Value> = mesh.ranks.iter().map(|name| plain(name).into()).collect();
        let views = mesh.views.iter();
        views.flat_map(|view| of_view(mesh.run, view, &names)).collect::<Vec<_>>()
    };
    Rows::new("pair", &PAIRS, report.meshes.iter().flat_map(of))
}

fn of_view(run: usize, view: &MeshView, names: &[Value]) -> Vec<(usize, [Value; PAIRS.len()])> {
    let pairs = view.values.iter().map(|(from, to, value)| PairValue { from, to, value });
    pairs.map(|it| (run, pair(view, names, it))).collect()
}

fn pair(view: &MeshView, names: &[Value], pair: PairValue) -> [Value; PAIRS.len()] {
    let [latency, throughput] = [MeshUnit::Microseconds, MeshUnit::Mbps]
        .map(|unit| if view.unit == unit { Value::from(pair.value) } else { Value::Null });
    [
        view.schedule.name().into(),
        view.title.clone().into(),
        view.probe.pattern.to_string().into(),
        view.probe.size.into(),
        names[pair.from].clone(),
        names[pair.to].clone(),
        latency,
        throughput,
    ]
}

/// A row for each schedule in which all ranks did something at once.
pub(super) fn together(report: &Report) -> Rows {
    let of = |mesh: &MeshResult| {
        let all = mesh.together.iter().map(|it| (mesh.run, at_once(it)));
        all.collect::<Vec<_>>()
    };
    Rows::new("together", &TOGETHER, report.meshes.iter().flat_map(of))
}

fn at_once(it: &Together) -> [Value; TOGETHER.len()] {
    let [low, high] = it.interval_mbps.map_or([Value::Null, Value::Null], |ends| ends.map(Value::from));
    [
        it.schedule.name().into(),
        it.size.into(),
        it.rounds.into(),
        it.mean_mbps.into(),
        low,
        high,
        it.worst_round_mbps.into(),
        it.slowest_mbps.into(),
    ]
}

/// A row for each collective by each algorithm at each size.
pub(super) fn collectives(report: &Report) -> Rows {
    let of = |mesh: &MeshResult| {
        let all = mesh.collectives.iter().map(|it| (mesh.run, collective(it)));
        all.collect::<Vec<_>>()
    };
    Rows::new("collective", &COLLECTIVES, report.meshes.iter().flat_map(of))
}

fn collective(it: &CollectiveRow) -> [Value; COLLECTIVES.len()] {
    [
        plain(&it.collective).into(),
        plain(&it.algorithm).into(),
        it.bytes.into(),
        it.ranks.into(),
        it.calls.into(),
        it.mean_us.into(),
        it.min_us.into(),
        it.max_us.into(),
        it.slowest_mean_us.into(),
        it.slowest_p99_us.into(),
        it.bus_mbps.into(),
        it.sent_messages.into(),
        it.sent_bytes.into(),
    ]
}
