//! The saturation point: the knee of time against size.

use rand::RngExt;
use rand_pcg::Pcg64;
use serde::Serialize;

use crate::series::Series;
use crate::stats::fit_affine;

/// Resamplings for the interval of the knee.
const RESAMPLES: usize = 400;
/// Fewer points than this show no knee.
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

/// Finds the knee of `series`: none if there are too few points, or if it lies outside the
/// measured sizes, where nothing was seen of one of its two sides.
///
/// The line `time = fixed + size x per_byte` is fitted with every octave counting alike; the
/// interval is a percentile bootstrap over points and, within each, over its rounds.
#[must_use]
pub fn saturation(series: &Series) -> Option<Saturation> {
    let rounds: Vec<(f64, Vec<f64>)> = series
        .timed()
        .map(|point| {
            let medians = point.rounds.iter().map(|round| round.median.as_ps() as f64);
            (point.size as f64, medians.collect())
        })
        .collect();
    let points: Vec<(f64, f64)> =
        series.timed().filter_map(|point| Some((point.size as f64, point.time()?.median))).collect();
    if points.len() < FEWEST {
        return None;
    }
    let line = fit_affine(&points)?;
    let smallest = points.iter().map(|(size, _)| *size).fold(f64::INFINITY, f64::min);
    let largest = points.iter().map(|(size, _)| *size).fold(0.0, f64::max);
    let knee = line.knee();
    let interval = interval(&rounds)?;
    let seen = smallest < knee && knee < largest;
    seen.then_some(Saturation { size: knee, interval, fixed_ps: line.a, per_byte_ps: line.b })
}

fn interval(rounds: &[(f64, Vec<f64>)]) -> Option<[f64; 2]> {
    let mut random = Pcg64::new(1, 2);
    let mut pick = |len: usize| random.random_range(0..len);
    let mut knees: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let resampled: Vec<(f64, f64)> = (0..rounds.len())
                .map(|_| {
                    let (size, medians) = &rounds[pick(rounds.len())];
                    (*size, medians[pick(medians.len())])
                })
                .collect();
            Some(fit_affine(&resampled)?.knee())
        })
        .collect();
    knees.sort_by(f64::total_cmp);
    let tail = knees.len() / 40;
    let (low, high) = (knees.get(tail)?, knees.get(knees.len() - 1 - tail)?);
    Some([*low, *high])
}
