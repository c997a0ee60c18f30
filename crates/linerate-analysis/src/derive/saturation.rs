//! The saturation point: the knee of time against size.

use rand::RngExt;
use rand_pcg::Pcg64;
use serde::Serialize;

use super::agreed;
use super::bootstrap::{RESAMPLES, inner_95, redrawn_median};
use linerate_core::series::Series;
use linerate_core::stats::{Affine, Estimate, fit_affine};

/// The fewest points that show a knee.
const FEWEST: usize = 6;

/// The size at which the bytes of a message take as long as its fixed part: below it time hardly
/// grows with size, above it linearly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Saturation {
    /// The knee. Unit: bytes.
    pub size: f64,
    /// Its 95 % interval over resampled points and rounds. Unit: bytes.
    pub interval: [f64; 2],
    /// Fixed part of the fitted time. Unit: picoseconds.
    pub fixed_ps: f64,
    /// Fitted time of one more byte. Unit: picoseconds.
    pub per_byte_ps: f64,
}

/// Finds the knee of `series`. Absent if there are too few points, or if the knee lies outside the
/// measured sizes, where only one of its sides was seen.
///
/// The line `time = fixed + size x per_byte` is fitted many times, with every octave counting
/// alike: each time to resampled points, and for each point to the median of its resampled rounds.
/// The median of the knees is the saturation point and the inner 95 % are its interval, so a curve
/// that is not a line gets a wide one.
#[must_use]
pub fn saturation(series: &Series) -> Option<Saturation> {
    let rounds: Vec<(f64, Vec<f64>)> =
        series.timed().map(|point| (point.size as f64, point.medians())).collect();
    if rounds.len() < FEWEST {
        return None;
    }
    let lines = resampled_lines(&rounds);
    let [low, high] = inner_95(lines.len())?.map(|place| lines[place]);
    let line = lines[lines.len() / 2];
    let smallest = rounds.iter().map(|(size, _)| *size).fold(f64::INFINITY, f64::min);
    let largest = rounds.iter().map(|(size, _)| *size).fold(0.0, f64::max);
    let seen = smallest < line.knee() && line.knee() < largest;
    seen.then_some(Saturation {
        size: line.knee(),
        interval: [low.knee(), high.knee()],
        fixed_ps: line.a,
        per_byte_ps: line.b,
    })
}

impl Saturation {
    /// That of whole passes, with an interval from pass to pass. Where a pass
    /// does not show it, the wider interval over points and rounds stays.
    pub(super) fn over(self, passes: &[(Series, Option<Series>)]) -> Self {
        let of_each = agreed(passes, |pass, _| {
            saturation(pass).map(|knee| Estimate { median: knee.size, interval: Some(knee.interval) })
        });
        let Some(Estimate { median, interval: Some(interval) }) = of_each else { return self };
        Self { size: median, interval, ..self }
    }
}

/// Lines through resampled points, by their knees.
fn resampled_lines(rounds: &[(f64, Vec<f64>)]) -> Vec<Affine> {
    let mut random = Pcg64::new(1, 2);
    let mut resample = || -> Vec<(f64, f64)> {
        let point = |_| {
            let (size, medians) = &rounds[random.random_range(0..rounds.len())];
            (*size, redrawn_median(medians, &mut random))
        };
        (0..rounds.len()).map(point).collect()
    };
    let mut lines: Vec<Affine> = (0..RESAMPLES).filter_map(|_| fit_affine(&resample())).collect();
    lines.sort_by(|one, other| one.knee().total_cmp(&other.knee()));
    lines
}
