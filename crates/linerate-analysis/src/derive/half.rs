//! The half-performance length N1/2.

use rand_pcg::Pcg64;

use super::bootstrap::{RESAMPLES, inner_95, redrawn_median};
use super::{Peak, agreed, by_size, peak};
use linerate_core::series::Series;
use linerate_core::stats::{Estimate, median_interval};

/// The size from which throughput is half the peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Half {
    /// Unit: bytes.
    pub(super) bytes: f64,
    /// Its 95 % interval over resampled rounds, where there are rounds enough. Unit: bytes.
    pub(super) interval: Option<[f64; 2]>,
}

/// Finds N1/2 in `series`: of its highest throughput, or of the `peak` that the path sustains if that is less. Absent if the
/// smallest size already reaches half of it: it then lies below what was measured.
///
/// The interval is that of a percentile bootstrap: the rounds of each size are drawn anew, and the
/// peak and N1/2 of the curve of their medians are taken.
pub(super) fn half_performance(series: &Series, peak: Peak) -> Option<Half> {
    // Unit: bytes a picosecond. The highest of its own is drawn anew, like the others.
    let beside = peak.pattern != series.pattern;
    let ceiling = if beside { peak.throughput.bits_per_second() / 8e12 } else { f64::INFINITY };
    // A file may say 0 B, which has no logarithm.
    let points = by_size(series).into_iter().filter(|point| point.size > 0);
    let points: Vec<(f64, Vec<f64>)> = points.map(|point| (point.size as f64, point.medians())).collect();
    let time = |medians: &[f64]| median_interval(medians).map_or(f64::INFINITY, |it| it.median);
    let bytes = crossing(&points, ceiling, time)?;
    let enough =
        points.iter().all(|(_, medians)| median_interval(medians).is_some_and(|it| it.interval.is_some()));
    Some(Half { bytes, interval: enough.then(|| resampled(&points, ceiling)).flatten() })
}

impl Half {
    /// That of whole passes, with an interval from pass to pass if every pass shows it.
    pub(super) fn over(self, passes: &[(Series, Option<Series>)]) -> Self {
        let of_each = agreed(passes, |pass, sustained| {
            let half = half_performance(pass, peak(pass, sustained)?)?;
            Some(Estimate { median: half.bytes, interval: half.interval })
        });
        of_each.map_or(Self { interval: None, ..self }, |it| Self { bytes: it.median, interval: it.interval })
    }
}

fn resampled(points: &[(f64, Vec<f64>)], ceiling: f64) -> Option<[f64; 2]> {
    let mut random = Pcg64::new(1, 3);
    let mut again = |medians: &[f64]| redrawn_median(medians, &mut random);
    let mut found: Vec<f64> = (0..RESAMPLES).filter_map(|_| crossing(points, ceiling, &mut again)).collect();
    found.sort_by(f64::total_cmp);
    Some(inner_95(found.len())?.map(|place| found[place]))
}

/// The smallest size, interpolated in the logarithm of size, at which half of the highest throughput, or of the `ceiling` if
/// that is less, is reached, where `time` gives the time of a size from its rounds. A time of 0, which a coarse clock
/// gives, has no rate.
fn crossing(points: &[(f64, Vec<f64>)], ceiling: f64, mut time: impl FnMut(&[f64]) -> f64) -> Option<f64> {
    let rates = points.iter().map(|(size, medians)| (*size, size / time(medians)));
    let rates: Vec<(f64, f64)> = rates.filter(|(_, rate)| rate.is_finite()).collect();
    let half = rates.iter().map(|(_, rate)| *rate).fold(0.0, f64::max).min(ceiling) / 2.0;
    let reached = rates.iter().position(|(_, rate)| *rate >= half)?;
    let (size, rate) = rates[reached];
    let (size_before, rate_before) = rates[reached.checked_sub(1)?];
    let share = (half - rate_before) / (rate - rate_before);
    Some((size_before.ln() + share * (size.ln() - size_before.ln())).exp())
}
