//! What a curve says: latency, peak, half-performance length, saturation point and dips.

mod bootstrap;
mod dip;
mod half;
mod saturation;

use serde::Serialize;

use linerate_core::pattern::Pattern;
use linerate_core::series::{Point, Series};
use linerate_core::stats::{Estimate, over_passes};
use linerate_core::units::Rate;

pub use dip::{Boundaries, Boundary, BoundaryKind, Dip, dips};
pub use saturation::{Saturation, saturation};

/// The largest message whose time is still called a latency. Unit: bytes.
/// Source: NetPIPE 3.x documentation: half the round trip of messages below 64 B.
const LATENCY_BELOW: u64 = 64;

/// What a curve says in a few numbers. Each is absent where the curve does not show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Derived {
    /// One-way time of the smallest message below 64 B. Unit: picoseconds.
    pub latency: Option<Latency>,
    /// The peak, and what is measured by it. Absent where the peak is unknown.
    #[serde(flatten)]
    pub bandwidth: Option<Bandwidth>,
    /// Where time begins to grow with size.
    pub saturation: Option<Saturation>,
    /// Sizes that do worse than those around them.
    pub dips: Vec<Dip>,
}

/// The peak, and all that means nothing without one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bandwidth {
    /// What the path sustains one way, where that was looked at; otherwise the highest throughput of any size.
    pub peak: Peak,
    /// Highest throughput of any size, where that is above the peak.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<Peak>,
    /// Half-performance length N1/2: the size from which throughput is half the peak. Unit: bytes.
    pub half_performance_bytes: Option<f64>,
    /// Its 95 % interval over resampled rounds. Unit: bytes.
    pub half_performance_interval_bytes: Option<[f64; 2]>,
}

/// The time of a message that is too small for its bytes to count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// Message size. Unit: bytes.
    pub size: u64,
    /// One-way time. Unit: picoseconds.
    pub time: Estimate,
}

/// The highest throughput.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// Who sent when: `one-way` for what the path sustains after a curve of another pattern.
    pub pattern: Pattern,
    /// The size that reaches it. Unit: bytes.
    pub size: u64,
    /// Payload throughput, each direction by itself.
    pub throughput: Rate,
    /// Its 95 % interval, where there are rounds enough.
    pub interval: Option<[Rate; 2]>,
}

/// Derives these numbers from `series` and what the path was found to sustain one way after it, which is empty where that
/// could not be seen, and names the `boundaries` at which dips lie.
#[must_use]
pub fn derive(series: &Series, sustained: Option<&Series>, boundaries: &Boundaries) -> Derived {
    let of_pass = |pass| (series.of_pass(pass), sustained.map(|series| series.of_pass(pass)));
    let passes: Vec<(Series, Option<Series>)> = series.numbers().into_iter().map(of_pass).collect();
    let several = passes.len() > 1;
    let knee = saturation(series);
    let knee = if several { knee.map(|knee| knee.over(&passes)) } else { knee };
    Derived {
        latency: latency(series),
        bandwidth: bandwidth(series, sustained, &passes),
        saturation: knee,
        dips: dips(series, boundaries),
    }
}

/// What all `passes` agree on of something that `find` finds in each: absent if one does not show it.
fn agreed(
    passes: &[(Series, Option<Series>)],
    find: impl Fn(&Series, Option<&Series>) -> Option<Estimate>,
) -> Option<Estimate> {
    let found: Option<Vec<Estimate>> =
        passes.iter().map(|(series, sustained)| find(series, sustained.as_ref())).collect();
    over_passes(&found?)
}

fn by_size(series: &Series) -> Vec<&Point> {
    let mut points: Vec<&Point> = series.timed().collect();
    points.sort_by_key(|point| point.size);
    points
}

/// The latency. One-way messages have no latency, because they overlap.
pub(crate) fn latency(series: &Series) -> Option<Latency> {
    if series.pattern.overlaps() {
        return None;
    }
    let point = by_size(series).into_iter().find(|point| point.size < LATENCY_BELOW)?;
    Some(Latency { size: point.size, time: point.time()? })
}

/// The peak and what it is the measure of. A highest rate above that which the path sustains is a burst: round trips behind
/// a shaper show twice its rate and more.
fn bandwidth(
    series: &Series,
    sustained: Option<&Series>,
    passes: &[(Series, Option<Series>)],
) -> Option<Bandwidth> {
    let peak = peak(series, sustained)?;
    let half = half::half_performance(series, peak);
    let half = if passes.len() > 1 { half.map(|half| half.over(passes)) } else { half };
    let above = |burst: &Peak| burst.throughput.share_of(peak.throughput) > 1.0;
    Some(Bandwidth {
        peak,
        burst: sustained.and_then(|_| highest(series)).filter(above),
        half_performance_bytes: half.map(|half| half.bytes),
        half_performance_interval_bytes: half.and_then(|half| half.interval),
    })
}

/// The rate that the path sustains, where that was looked at.
pub(crate) fn peak(series: &Series, sustained: Option<&Series>) -> Option<Peak> {
    highest(sustained.unwrap_or(series))
}

fn highest(series: &Series) -> Option<Peak> {
    let peak = |point: &Point| {
        let rate = |ps: f64| Rate::from_bits_per_second(point.size as f64 * 8e12 / ps);
        let ends = point.time()?.interval.filter(|[short, _]| *short > 0.0);
        let interval = ends.map(|[short, long]| [rate(long), rate(short)]);
        Some(Peak { pattern: series.pattern, size: point.size, throughput: point.throughput()?, interval })
    };
    let peaks = series.timed().filter_map(peak);
    peaks.max_by(|one, other| one.throughput.bits_per_second().total_cmp(&other.throughput.bits_per_second()))
}

#[cfg(test)]
pub(crate) mod tests;
