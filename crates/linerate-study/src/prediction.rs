//! Predictions from a calibrated host: measured and predicted times of a run, and the effect of a
//! change.

use linerate_core::units::Span;
use linerate_sim::calibrate::{Band, Conditions, Identity};

/// How many of the held-out points should lie in their bands.
pub const GOAL: f64 = 0.9;

/// A band that is more times as wide excludes too little: that a time lies in it is no success.
pub const WIDEST: f64 = 2.0;

/// Up to this size a message's bytes take no noticeable time. Unit: bytes.
const SMALL: u64 = 1024;

/// A run beside what was predicted of it.
#[derive(Debug)]
pub struct Prediction {
    /// The run's name.
    pub run: String,
    /// The host that was calibrated, and when.
    pub host: Identity,
    /// When it was calibrated.
    pub made: String,
    /// Standard deviation of the model itself, of a time's logarithm.
    pub discrepancy: f64,
    /// That of the host from one connection to a later one.
    pub drift: f64,
    /// Every size that was timed, in the order of the run.
    pub points: Vec<Compared>,
    /// What changes would do, each by itself.
    pub what_if: Vec<WhatIf>,
    /// What is doubtful: what was seen, and what to do.
    pub cautions: Vec<[String; 2]>,
}

/// A size of a run.
#[derive(Debug)]
pub struct Compared {
    /// What its time depends on, besides the hosts.
    pub conditions: Conditions,
    /// Median one-way time.
    pub measured: Span,
    /// Its 95 % interval, if it has one.
    pub interval: Option<[Span; 2]>,
    /// The predicted one-way time and its 95 % band.
    pub band: Band,
    /// Whether the calibration used a time under the same conditions, so that it is not held out.
    pub used: bool,
}

/// A change of conditions, and its predicted effect.
#[derive(Debug)]
pub struct WhatIf {
    /// The change, as requested.
    pub change: String,
    /// For each of the prediction's points.
    pub bands: Vec<Band>,
    /// Commands that test it, one after the other.
    pub test: Vec<String>,
}

impl Compared {
    /// Whether the measured time lies in its band.
    pub fn inside(&self) -> bool {
        self.band.holds(self.measured)
    }

    /// Predicted less measured, as a share of measured.
    pub fn error(&self) -> f64 {
        self.band.centre.as_seconds() / self.measured.as_seconds().max(1e-12) - 1.0
    }
}

impl Prediction {
    /// The points that took no part in the calibration.
    pub fn held_out(&self) -> impl Iterator<Item = &Compared> {
        self.points.iter().filter(|point| !point.used)
    }

    /// How many of the held-out points lie in their bands.
    pub fn inside(&self) -> usize {
        self.held_out().filter(|point| point.inside()).count()
    }

    /// That, as a share. Absent if nothing is held out.
    pub fn coverage(&self) -> Option<f64> {
        let all = self.held_out().count();
        (all > 0).then(|| self.inside() as f64 / all as f64)
    }

    /// How many times its lower end the upper end of a band is: the median of the held-out points, of all if none is
    /// held out. Absent without points.
    pub fn width(&self) -> Option<f64> {
        let any = self.held_out().next().is_some();
        let points = self.points.iter().filter(|point| !(any && point.used));
        linerate_core::stats::median(points.map(|point| point.band.width()))
    }

    /// Median ratio of measured to predicted times of small messages, which are mostly wake-ups.
    /// Absent without small messages.
    pub fn wake_up_ratio(&self) -> Option<f64> {
        let small = self.points.iter().filter(|point| point.conditions.size <= SMALL);
        linerate_core::stats::median(small.map(|point| 1.0 / (1.0 + point.error())))
    }

    /// The median of the held-out points' absolute errors. Absent if nothing is held out.
    pub fn median_error(&self) -> Option<f64> {
        linerate_core::stats::median(self.held_out().map(|point| point.error().abs()))
    }
}

/// Payload rate of a message of `size` bytes in `time`. Unit: Mb/s (10^6 bit/s).
pub fn mbps(size: u64, time: Span) -> f64 {
    size as f64 * 8.0 / time.as_us().max(1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten sizes from 64 B on: the first was used, eight are measured a tenth above what is predicted,
    /// the last at twice that, outside its band.
    fn prediction() -> Prediction {
        let us = |value: f64| Span::from_seconds(value / 1e6);
        let point = |nth: i32| {
            let centre = 10.0 * 1.5_f64.powi(nth);
            Compared {
                conditions: Conditions::usual(1500, 64 << nth),
                measured: us(if nth == 9 { centre * 2.0 } else { centre * 1.1 }),
                interval: None,
                band: Band { centre: us(centre), low: us(centre * 0.8), high: us(centre * 1.25) },
                used: nth == 0,
            }
        };
        let host = Identity { hostname: String::new(), kernel: String::new(), processor: String::new() };
        Prediction {
            run: String::new(),
            host,
            made: String::new(),
            discrepancy: 0.05,
            drift: 0.02,
            points: (0..10).map(point).collect(),
            what_if: Vec::new(),
            cautions: Vec::new(),
        }
    }

    #[test]
    fn only_what_is_held_out_counts() {
        let mut prediction = prediction();
        assert_eq!((prediction.held_out().count(), prediction.inside()), (9, 8));
        assert!((prediction.coverage().expect("some") - 8.0 / 9.0).abs() < 1e-12);
        // Eight are predicted at 1/1.1 of what was measured, one at half.
        let error = prediction.median_error().expect("some");
        assert!((error - (1.0 - 1.0 / 1.1)).abs() < 1e-6, "{error}");
        assert!((prediction.wake_up_ratio().expect("five are small") - 1.1).abs() < 1e-6);
        prediction.points.iter_mut().for_each(|point| point.used = true);
        assert_eq!((prediction.coverage(), prediction.median_error()), (None, None));
        assert!(prediction.width().is_some(), "bands have a width all the same");
    }

    #[test]
    fn a_band_is_as_wide_as_the_median_of_those_held_out() {
        let mut prediction = prediction();
        for (nth, point) in prediction.points.iter_mut().enumerate() {
            point.band.low = Span::from_us(10);
            point.band.high = Span::from_us(if point.used { 900 } else { 20 + nth as u64 });
        }
        let mut held_out: Vec<f64> = prediction.held_out().map(|point| point.band.width()).collect();
        held_out.sort_by(f64::total_cmp);
        assert_eq!(prediction.width(), Some(held_out[held_out.len() / 2]));
        prediction.points.clear();
        assert_eq!(prediction.width(), None);
    }

    #[test]
    fn an_error_is_positive_where_too_much_was_predicted() {
        let [us, ns] = [Span::from_us, Span::from_ns];
        let mut point = prediction().points.swap_remove(1);
        let mut error = |predicted, measured| {
            (point.band.centre, point.measured) = (predicted, measured);
            point.error()
        };
        assert!((error(us(12), us(10)) - 0.2).abs() < 1e-9);
        assert!((error(us(8), us(10)) + 0.2).abs() < 1e-9);
        assert!(error(ns(5), Span::ZERO).is_finite(), "an imported run may have a time of zero");
    }

    #[test]
    fn a_band_holds_its_ends() {
        let mut point = prediction().points.swap_remove(1);
        let Band { low, high, .. } = point.band;
        let mut inside = |measured| {
            point.measured = measured;
            point.inside()
        };
        let step = Span::from_ps(1);
        assert_eq!([low, high, low - step, high + step].map(&mut inside), [true, true, false, false]);
    }

    #[test]
    fn wake_ups_are_judged_by_messages_of_up_to_a_kibibyte() {
        let mut prediction = prediction();
        // 64 B, 128 B and so on: 1 KiB is the fifth.
        let sizes: Vec<u64> = prediction.points.iter().map(|point| point.conditions.size).collect();
        assert_eq!(sizes[4], 1024);
        for (nth, point) in prediction.points.iter_mut().enumerate() {
            let slower = if nth <= 4 { 3 } else { 2 };
            point.measured = point.band.centre * slower;
        }
        assert!((prediction.wake_up_ratio().expect("five are small") - 3.0).abs() < 1e-6);
        // With the fifth alone among the small ones.
        prediction.points.drain(..4);
        assert!((prediction.wake_up_ratio().expect("one is small") - 3.0).abs() < 1e-6);
        prediction.points.remove(0);
        assert_eq!(prediction.wake_up_ratio(), None);
    }

    #[test]
    fn a_rate_is_of_payload_bits() {
        // 1250 B are 10,000 bits.
        assert!((mbps(1250, Span::from_us(10)) - 1_000.0).abs() < 1e-9);
        assert!(mbps(1, Span::ZERO).is_finite());
    }
}
