//! The sizes of curves, and their rounds.

use linerate_analysis::report::{Curve, CurvePoint, Report, RoundResult, Timed};
use serde_json::Value;

use super::Rows;
use super::fact::{Fact, fact, less, more};
use crate::text::curve_name;

pub(super) const SIZE: &str = "size";
pub(super) const ROUND: &str = "round";

/// A size that was timed.
pub(super) struct Size<'r> {
    name: &'r str,
    curve: &'r Curve,
    size: u64,
    timed: Timed,
}

/// A round of a size.
pub(super) struct Round<'r> {
    name: &'r str,
    curve: &'r Curve,
    size: u64,
    round: &'r RoundResult,
}

fn end(ends: Option<[f64; 2]>, nth: usize) -> Value {
    ends.map(|ends| ends[nth]).into()
}

/// Times are of one message one way, rates of payload in one direction (10^6 bit/s).
pub(super) fn size_facts<'r>() -> [Fact<Size<'r>>; 19] {
    [
        fact("curve", "", "name of the curve, distinct among the runs", |row: &Size<'r>| row.name.into()),
        fact("pattern", "", "`ping-pong`, `one-way` or `exchange`", |row| {
            row.curve.pattern.to_string().into()
        }),
        fact("size_bytes", "bytes", "message size", |row| row.size.into()),
        less(
            "median_us",
            "us",
            "median of the rounds' medians; of several passes the geometric mean of these",
            |row| row.timed.median_us.into(),
        ),
        less(
            "median_low_us",
            "us",
            "lower end of its 95 % interval, with several passes from pass to pass; empty with one pass of fewer than six rounds",
            |row| end(row.timed.interval_us, 0),
        ),
        less("median_high_us", "us", "upper end of that interval", |row| end(row.timed.interval_us, 1)),
        less("min_us", "us", "shortest sample", |row| row.timed.min_us.into()),
        less("least_mean_us", "us", "least of the rounds' means (NetPIPE's statistic)", |row| {
            row.timed.least_mean_us.into()
        }),
        less("p99_us", "us", "99th percentile of all samples after warm-up", |row| row.timed.p99_us.into()),
        less("max_us", "us", "longest sample", |row| row.timed.max_us.into()),
        more("throughput_mbps", "Mb/s", "throughput at the median", |row| row.timed.mbps.into()),
        more("throughput_low_mbps", "Mb/s", "throughput at the upper end of the interval", |row| {
            end(row.timed.mbps_interval, 0)
        }),
        more("throughput_high_mbps", "Mb/s", "throughput at the lower end of the interval", |row| {
            end(row.timed.mbps_interval, 1)
        }),
        more(
            "link_share",
            "share",
            "throughput over the link's rate, 0 to 1; empty if that is unknown",
            |row| row.timed.link_share.into(),
        ),
        fact("samples", "", "samples after warm-up", |row| row.timed.samples.into()),
        fact("batch", "", "messages in a sample of the last round", |row| row.timed.batch.into()),
        fact("rounds", "", "rounds", |row| row.timed.rounds.into()),
        fact("warmup_samples", "", "samples taken for warm-up", |row| row.timed.warmup.into()),
        fact(
            "settled",
            "",
            "`false` if the measurement ended with an interval wider than the target",
            |row| row.timed.settled.into(),
        ),
    ]
}

pub(super) fn round_facts<'r>() -> [Fact<Round<'r>>; 13] {
    [
        fact("curve", "", "name of the curve, distinct among the runs", |row: &Round<'r>| row.name.into()),
        fact("pattern", "", "`ping-pong`, `one-way` or `exchange`", |row| {
            row.curve.pattern.to_string().into()
        }),
        fact("size_bytes", "bytes", "message size", |row| row.size.into()),
        fact("pass", "", "number of its pass, from 1", |row| row.round.pass.into()),
        fact("round", "", "its own number, from 1", |row| row.round.round.into()),
        less("median_us", "us", "median of its samples", |row| row.round.median_us.into()),
        less("mean_us", "us", "mean of its samples", |row| row.round.mean_us.into()),
        less("min_us", "us", "shortest sample", |row| row.round.min_us.into()),
        less("max_us", "us", "longest sample", |row| row.round.max_us.into()),
        more("throughput_mbps", "Mb/s", "throughput at the median", |row| row.round.mbps.into()),
        fact("samples", "", "samples", |row| row.round.samples.into()),
        fact("batch", "", "messages in a sample", |row| row.round.batch.into()),
        fact("warmup_samples", "", "samples taken for warm-up", |row| row.round.warmup.into()),
    ]
}

/// A row for each size that was timed.
pub(super) fn sizes(report: &Report) -> Rows {
    let names = names(report);
    let rows = names.iter().zip(&report.curves).flat_map(|(name, curve)| {
        let size = |point: &CurvePoint| Some(Size { name, curve, size: point.size, timed: point.timed? });
        curve.points.iter().filter_map(size).map(|size| (curve.run, size)).collect::<Vec<_>>()
    });
    Rows::of(SIZE, &size_facts(), rows)
}

/// A row for each round of each size.
pub(super) fn rounds(report: &Report) -> Rows {
    let names = names(report);
    let rows = names.iter().zip(&report.curves).flat_map(|(name, curve)| {
        let rounds =
            curve.points.iter().flat_map(|point| point.rounds.iter().map(|round| (point.size, round)));
        rounds.map(|(size, round)| (curve.run, Round { name, curve, size, round })).collect::<Vec<_>>()
    });
    Rows::of(ROUND, &round_facts(), rows)
}

fn names(report: &Report) -> Vec<String> {
    (0..report.curves.len()).map(|index| curve_name(report, index)).collect()
}
