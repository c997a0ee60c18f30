//! Axes: from a value to its place, and which places are labelled.

use std::ops::Range;

use linerate_core::report::Report;
use linerate_core::units::{Size, Span};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// A ceiling this many times the highest curve would press the curves against the floor: it is
/// named at the top instead of drawn in its place.
const REACH: f64 = 3.0;

/// An axis of a graph.
#[derive(Clone)]
pub(crate) struct Axis {
    /// What it shows and in which unit.
    pub(crate) title: String,
    /// Where it is labelled.
    pub(crate) ticks: Vec<Tick>,
    /// Both ends on the scale.
    ends: [f64; 2],
    scale: Scale,
}

/// A labelled value.
#[derive(Clone)]
pub(crate) struct Tick {
    /// Which.
    pub(crate) value: f64,
    /// What it says.
    pub(crate) label: String,
}

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Evenly.
    Linear,
    /// Powers of two, as sizes come.
    Binary,
    /// Powers of ten.
    Decimal,
}

impl Axis {
    /// Where `value` lies between the ends, 0 to 1; outside that it lies beyond them.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let [low, high] = self.ends;
        (self.scale.place(value) - low) / (high - low)
    }

    /// Message sizes, with at most `most` labels.
    pub(crate) fn size(report: &Report, most: usize) -> Self {
        let sizes = report.curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.size as f64));
        let [low, high] = range(sizes, [1.0, 1_048_576.0]);
        let (first, last) = (low.log2().ceil() as u32, high.log2().floor() as u32);
        let steps = [1, 2, 4, 5, 10, 20].into_iter();
        let powers = |step: u32| (first.next_multiple_of(step)..=last).step_by(step as usize);
        let step = steps.clone().find(|step| powers(*step).count() <= most).unwrap_or(20);
        let label = |bytes: f64| Size(bytes as u64).to_string();
        let mut ticks: Vec<f64> = powers(step).map(|power| f64::from(power).exp2()).collect();
        if ticks.len() < 2 {
            ticks = vec![low, high];
        }
        Self::new("Message size".to_owned(), Scale::Binary, [low, high], &ticks, label)
    }

    /// One-way times in us.
    pub(crate) fn time(report: &Report) -> Self {
        let times = timed(report).flat_map(|timed| {
            let [low, high] = timed.interval_us.unwrap_or([timed.median_us; 2]);
            [low, high]
        });
        let [low, high] = range(times, [1.0, 1e6]);
        let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let within = |tick: &f64| (low..=high).contains(tick);
        let series = |factors: &'static [f64]| {
            let values = decades
                .clone()
                .flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
            values.filter(within).collect::<Vec<f64>>()
        };
        let choices: [&[f64]; 2] = [&[1.0], &[1.0, 2.0, 5.0]];
        let ticks = choices.into_iter().map(series).find(|ticks| ticks.len() >= 3);
        let ticks = ticks.unwrap_or_else(|| vec![low, high]);
        Self::new("One-way time of a message".to_owned(), Scale::Decimal, [low, high], &ticks, time_label)
    }

    /// Throughput from zero, with about `most` labels.
    pub(crate) fn rate(report: &Report, most: usize) -> Self {
        let highest = timed(report).map(|timed| timed.mbps_interval.map_or(timed.mbps, |ends| ends[1]));
        let highest = highest.fold(0.0, f64::max);
        let ceilings = report.ceilings.iter().map(|ceiling| ceiling.mbps);
        let reached = ceilings.filter(|mbps| *mbps <= highest * REACH).fold(highest, f64::max);
        let high = if reached > 0.0 { reached * 1.08 } else { 1.0 };
        let (unit, mbps) = match high {
            high if high >= 10_000.0 => ("Gb/s", 1_000.0),
            high if high >= 1.0 => ("Mb/s", 1.0),
            _ => ("kb/s", 0.001),
        };
        let step = step(high / mbps / most.max(1) as f64) * mbps;
        let ticks: Vec<f64> =
            (0..).map(|nth| f64::from(nth) * step).take_while(|tick| *tick <= high).collect();
        let decimals = (-(step / mbps).log10().floor()).max(0.0) as usize;
        let label = |value: f64| format!("{:.decimals$}", value / mbps);
        Self::new(format!("Throughput ({unit})"), Scale::Linear, [0.0, high], &ticks, label)
    }

    /// An axis between two values, labelled at `ticks`.
    pub(crate) fn new(
        title: String,
        scale: Scale,
        ends: [f64; 2],
        ticks: &[f64],
        label: impl Fn(f64) -> String,
    ) -> Self {
        let ticks = ticks.iter().map(|tick| Tick { value: *tick, label: label(*tick) }).collect();
        let ends = ends.map(|end| scale.place(end));
        // Points on the frame would be cut in half; zero, though, is the floor.
        let air = if matches!(scale, Scale::Linear) { 0.0 } else { (ends[1] - ends[0]) * 0.02 };
        Self { title, ticks, ends: [ends[0] - air, ends[1] + air], scale }
    }
}

/// So that plotters takes values and this axis places and labels them.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        from + (self.share(*value) * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let light = hint.weight().allow_light_points();
        self.ticks.iter().filter(|_| !light).map(|tick| tick.value).collect()
    }

    fn range(&self) -> Range<f64> {
        let [low, high] = self.ends.map(|end| self.scale.value(end));
        low..high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.ticks
            .iter()
            .find(|tick| tick.value == *value)
            .map_or_else(String::new, |tick| tick.label.clone())
    }
}

impl Scale {
    fn place(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Binary => value.log2(),
            Self::Decimal => value.log10(),
        }
    }

    fn value(self, place: f64) -> f64 {
        match self {
            Self::Linear => place,
            Self::Binary => place.exp2(),
            Self::Decimal => 10_f64.powf(place),
        }
    }
}

fn timed(report: &Report) -> impl Iterator<Item = linerate_core::report::Timed> {
    report.curves.iter().flat_map(|curve| curve.timed().map(|(_, timed)| timed))
}

/// The least and the greatest positive value, apart from each other; `otherwise` without any.
fn range(values: impl Iterator<Item = f64>, otherwise: [f64; 2]) -> [f64; 2] {
    let positive = values.filter(|value| *value > 0.0 && value.is_finite());
    let wide = [f64::INFINITY, 0.0];
    let [low, high] = positive.fold(wide, |[low, high], value| [low.min(value), high.max(value)]);
    match high {
        0.0 => otherwise,
        high if high <= low * 1.01 => [low / 2.0, high * 2.0],
        high => [low, high],
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `least`.
pub(crate) fn step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= least)
        .unwrap_or(power)
}

/// `10 us`, `1 ms`; ends that are no round numbers get their digits.
pub(crate) fn time_label(us: f64) -> String {
    let span = Span::from_seconds(us / 1e6).to_string();
    let Some((number, unit)) = span.split_once(' ') else { return span };
    let short =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    format!("{short} {unit}")
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::*;

    fn labels(axis: &Axis) -> String {
        axis.ticks.iter().map(|tick| tick.label.as_str()).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn labels_are_round() {
        let report = fixture::one();
        assert_eq!(labels(&Axis::size(&report, 7)), "1 B, 16 B, 256 B, 4 KiB, 64 KiB, 1 MiB");
        assert_eq!(labels(&Axis::size(&report, 4)), "1 B, 1 KiB, 1 MiB");
        assert_eq!(labels(&Axis::time(&report)), "100 us, 1 ms, 10 ms");
        assert_eq!(labels(&Axis::rate(&report, 6)), "0, 200, 400, 600, 800, 1000");
    }

    #[test]
    fn an_axis_without_values_or_with_one_has_a_length() {
        for kept in [0, 1] {
            let mut report = fixture::one();
            report.ceilings.clear();
            report.curves[0].points.truncate(kept);
            for axis in [Axis::size(&report, 7), Axis::time(&report), Axis::rate(&report, 6)] {
                assert!(
                    axis.ends[0] < axis.ends[1] && axis.ticks.len() >= 2,
                    "{}: {:?}",
                    axis.title,
                    axis.ends
                );
            }
        }
    }
}
