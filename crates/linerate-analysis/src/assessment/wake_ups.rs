//! Whether the time to wake a receiver drifted.

use linerate_core::options::Waiting;
use linerate_core::run::{Run, Source};
use linerate_core::series::{Point, Series};

/// Messages up to this size are small: their time is that of the wake-ups and the calls. Unit: bytes.
const SMALL: u64 = 256;
/// Fewer rounds than this have no deciles.
const FEWEST: usize = 20;
/// Slow rounds take this many times as long as fast ones when it is worth a word.
const DRIFTS: f64 = 1.5;

/// How many times longer than fast rounds slow rounds of small messages took, if that is a lot: the
/// ninth decile of the rounds over the first, each against the median of its size. Only where receivers
/// that block were measured, each message after the answer to the last.
pub(super) fn drift(run: &Run, series: &Series) -> Option<f64> {
    let measured = matches!(run.source, Source::Measured | Source::Loopback);
    if !measured || series.pattern.overlaps() || run.plan.common.socket.wait == Waiting::Spin {
        return None;
    }
    let small = series.timed().filter(|point| point.size <= SMALL);
    let mut relative: Vec<f64> = small.flat_map(relative_rounds).collect();
    if relative.len() < FEWEST {
        return None;
    }
    relative.sort_by(f64::total_cmp);
    let tenth = relative.len() / 10;
    let ratio = relative[relative.len() - 1 - tenth] / relative[tenth];
    (ratio.is_finite() && ratio >= DRIFTS).then_some(ratio)
}

/// The rounds of a size over its median.
fn relative_rounds(point: &Point) -> Vec<f64> {
    let medians = point.medians();
    let middle = linerate_core::stats::median_interval(&medians).map_or(f64::NAN, |it| it.median);
    medians.into_iter().map(|median| median / middle).filter(|ratio| ratio.is_finite()).collect()
}
