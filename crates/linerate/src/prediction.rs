//! A calibrated host over a run: what was measured, what should have been, and what a change would do.

use linerate_core::units::Span;
use linerate_sim::calibrate::{Band, Conditions, Identity};

/// How many of the held-out points should lie in their bands.
pub(crate) const GOAL: f64 = 0.9;

/// Up to this a message takes no longer for its bytes. Unit: bytes.
const SMALL: u64 = 1024;

/// A run beside what was predicted of it.
#[derive(Debug)]
pub(crate) struct Prediction {
    /// The run's name.
    pub(crate) run: String,
    /// The host that was calibrated, and when.
    pub(crate) host: Identity,
    pub(crate) made: String,
    /// Standard deviation of the model itself, of a time's logarithm.
    pub(crate) discrepancy: f64,
    /// That of the host from one connection to a later one.
    pub(crate) drift: f64,
    /// Every size that was timed, in the order of the run.
    pub(crate) points: Vec<Compared>,
    /// What a change would do.
    pub(crate) what_if: Option<WhatIf>,
    /// What is doubtful: what was seen, and what to do.
    pub(crate) cautions: Vec<[String; 2]>,
}

/// A size of a run.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) conditions: Conditions,
    /// Median one-way time.
    pub(crate) measured: Span,
    /// Its 95 % interval, if it has one.
    pub(crate) interval: Option<[Span; 2]>,
    pub(crate) band: Band,
    /// Whether the calibration used a time under the same conditions, so that it is not held out.
    pub(crate) used: bool,
}

/// A change of conditions, and what would come of it.
#[derive(Debug)]
pub(crate) struct WhatIf {
    /// The change, as it was asked for.
    pub(crate) change: String,
    /// For each of the prediction's points.
    pub(crate) bands: Vec<Band>,
    /// How to find out: commands, one after the other.
    pub(crate) test: Vec<String>,
}

impl Compared {
    /// Whether the measured time lies in its band.
    pub(crate) fn inside(&self) -> bool {
        self.band.holds(self.measured)
    }

    /// Predicted less measured, as a share of measured.
    pub(crate) fn error(&self) -> f64 {
        self.band.centre.as_seconds() / self.measured.as_seconds().max(1e-12) - 1.0
    }
}

impl Prediction {
    /// The points that took no part in the calibration.
    pub(crate) fn held_out(&self) -> impl Iterator<Item = &Compared> {
        self.points.iter().filter(|point| !point.used)
    }

    /// How many of the held-out points lie in their bands.
    pub(crate) fn inside(&self) -> usize {
        self.held_out().filter(|point| point.inside()).count()
    }

    /// That, as a share; none if nothing is held out.
    pub(crate) fn coverage(&self) -> Option<f64> {
        let all = self.held_out().count();
        (all > 0).then(|| self.inside() as f64 / all as f64)
    }

    /// How many times what was predicted small messages took, in the median; none without any. What
    /// they take is mostly wake-ups.
    pub(crate) fn wake_up_ratio(&self) -> Option<f64> {
        let small = self.points.iter().filter(|point| point.conditions.size <= SMALL);
        let mut ratios: Vec<f64> = small.map(|point| 1.0 / (1.0 + point.error())).collect();
        ratios.sort_by(f64::total_cmp);
        linerate_core::stats::median(&ratios)
    }

    /// The median of the held-out points' errors without their signs; none if nothing is held out.
    pub(crate) fn median_error(&self) -> Option<f64> {
        let mut errors: Vec<f64> = self.held_out().map(|point| point.error().abs()).collect();
        errors.sort_by(f64::total_cmp);
        linerate_core::stats::median(&errors)
    }
}

/// Payload rate of a message of `size` bytes in `time`. Unit: Mb/s (10^6 bit/s).
pub(crate) fn mbps(size: u64, time: Span) -> f64 {
    size as f64 * 8.0 / time.as_us().max(1e-6)
}

#[cfg(test)]
pub(crate) mod fixture {
    use linerate_core::units::Span;
    use linerate_sim::calibrate::{Band, Conditions, Identity};

    use super::{Compared, Prediction, WhatIf};

    /// Ten sizes: the first was used, the last lies outside its band, and a change halves all times.
    pub(crate) fn prediction() -> Prediction {
        let us = |value: f64| Span::from_seconds(value / 1e6);
        let points: Vec<Compared> = (0..10)
            .map(|nth| {
                let centre = 10.0 * 1.5_f64.powi(nth);
                Compared {
                    conditions: Conditions::usual(1500, 64 << nth),
                    measured: us(if nth == 9 { centre * 2.0 } else { centre * 1.1 }),
                    interval: (nth > 0).then(|| [us(centre * 1.05), us(centre * 2.1)]),
                    band: Band { centre: us(centre), low: us(centre * 0.8), high: us(centre * 1.25) },
                    used: nth == 0,
                }
            })
            .collect();
        let half = |band: &Band| Band { centre: band.centre / 2, low: band.low / 2, high: band.high / 2 };
        Prediction {
            run: "x".to_owned(),
            host: Identity {
                hostname: "node".to_owned(),
                kernel: "Linux 6".to_owned(),
                processor: "cpu".to_owned(),
            },
            made: "2026-11-22T00:00:00+00:00".to_owned(),
            discrepancy: 0.05,
            drift: 0.02,
            what_if: Some(WhatIf {
                change: "mtu=9000".to_owned(),
                bands: points.iter().map(|point| half(&point.band)).collect(),
                test: vec!["linerate measure node --out after.run.json".to_owned()],
            }),
            points,
            cautions: vec![["a finding".to_owned(), "an advice".to_owned()]],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_held_out_counts() {
        let mut prediction = fixture::prediction();
        assert_eq!((prediction.held_out().count(), prediction.inside()), (9, 8));
        assert!((prediction.coverage().expect("some") - 8.0 / 9.0).abs() < 1e-12);
        // Eight are predicted at 1/1.1 of what was measured, one at half.
        let error = prediction.median_error().expect("some");
        assert!((error - (1.0 - 1.0 / 1.1)).abs() < 1e-6, "{error}");
        assert!((prediction.wake_up_ratio().expect("five are small") - 1.1).abs() < 1e-6);
        prediction.points.iter_mut().for_each(|point| point.used = true);
        assert_eq!((prediction.coverage(), prediction.median_error()), (None, None));
    }
}
