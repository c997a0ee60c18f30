//! The sizes of curves, and their rounds.

use linerate_analysis::report::{Curve, CurvePoint, Report, RoundResult};
use serde_json::Value;

use super::Rows;
use crate::text::curve_name;

/// Times are of one message one way, rates of payload in one direction (10^6 bit/s).
static SIZES: [&str; 19] = [
    "curve",
    "pattern",
    "size_bytes",
    "median_us",
    "median_low_us",
    "median_high_us",
    "min_us",
    "least_mean_us",
    "p99_us",
    "max_us",
    "throughput_mbps",
    "throughput_low_mbps",
    "throughput_high_mbps",
    "link_share",
    "samples",
    "batch",
    "rounds",
    "warmup_samples",
    "settled",
];

static ROUNDS: [&str; 13] = [
    "curve",
    "pattern",
    "size_bytes",
    "pass",
    "round",
    "median_us",
    "mean_us",
    "min_us",
    "max_us",
    "throughput_mbps",
    "samples",
    "batch",
    "warmup_samples",
];

/// A row for each size that was timed.
pub(super) fn sizes(report: &Report) -> Rows {
    let of = |(name, curve): (String, &Curve)| {
        let size = |point| Some((curve.run, size(&name, curve, point)?));
        curve.points.iter().filter_map(size).collect::<Vec<_>>()
    };
    Rows::new("size", &SIZES, named(report).flat_map(of))
}

/// A row for each round of each size.
pub(super) fn rounds(report: &Report) -> Rows {
    let of = |(name, curve): (String, &Curve)| {
        let rounds = curve
            .points
            .iter()
            .flat_map(|point| point.rounds.iter().map(|it| (curve.run, round(&name, curve, point.size, it))));
        rounds.collect::<Vec<_>>()
    };
    Rows::new("round", &ROUNDS, named(report).flat_map(of))
}

fn named(report: &Report) -> impl Iterator<Item = (String, &Curve)> {
    report.curves.iter().enumerate().map(|(index, curve)| (curve_name(report, index), curve))
}

fn size(name: &str, curve: &Curve, point: &CurvePoint) -> Option<[Value; SIZES.len()]> {
    let timed = point.timed?;
    let ends =
        |interval: Option<[f64; 2]>| interval.map_or([Value::Null, Value::Null], |it| it.map(Value::from));
    let [low_us, high_us] = ends(timed.interval_us);
    let [low_mbps, high_mbps] = ends(timed.mbps_interval);
    Some([
        name.into(),
        curve.pattern.to_string().into(),
        point.size.into(),
        timed.median_us.into(),
        low_us,
        high_us,
        timed.min_us.into(),
        timed.least_mean_us.into(),
        timed.p99_us.into(),
        timed.max_us.into(),
        timed.mbps.into(),
        low_mbps,
        high_mbps,
        timed.link_share.into(),
        timed.samples.into(),
        timed.batch.into(),
        timed.rounds.into(),
        timed.warmup.into(),
        timed.settled.into(),
    ])
}

fn round(name: &str, curve: &Curve, size: u64, round: &RoundResult) -> [Value; ROUNDS.len()] {
    [
        name.into(),
        curve.pattern.to_string().into(),
        size.into(),
        round.pass.into(),
        round.round.into(),
        round.median_us.into(),
        round.mean_us.into(),
        round.min_us.into(),
        round.max_us.into(),
        round.mbps.into(),
        round.samples.into(),
        round.batch.into(),
        round.warmup.into(),
    ]
}
