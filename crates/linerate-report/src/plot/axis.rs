//! Axes: from a value to its place.

use linerate_analysis::report::Report;
use linerate_core::units::Size;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use super::mark::short;
use super::ticks::{FEWEST_LABELS, decimal, evenly, range, time_label};
use super::words::Words;

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
    labels: Labels,
}

/// What the labels of an axis say, so that others can be put between them.
#[derive(Clone)]
pub(crate) enum Labels {
    /// Sizes in bytes.
    Bytes,
    /// Times in us.
    Time,
    /// Shares of 1.
    Share,
    /// Numbers in this unit.
    Number { unit: f64 },
    /// Words, or places that are not between others.
    Fixed,
    /// Words that rows or cells stand for.
    Words(Box<Words>),
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
    /// Shares below 1 by powers of ten of what is missing to 1, as the tails of distributions are
    /// shown: 0, 0.9, 0.99 and so on lie evenly.
    Tail,
}

impl Axis {
    /// Where `value` lies between the ends, 0 to 1; outside that it lies beyond them.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let [low, high] = self.ends;
        (self.scale.place(value) - low) / (high - low)
    }

    /// Whether it has no place for zero and below.
    pub(crate) const fn is_logarithmic(&self) -> bool {
        !matches!(self.scale, Scale::Linear)
    }

    /// The value at its lower end.
    pub(crate) fn lowest(&self) -> f64 {
        self.scale.value(self.ends[0])
    }

    /// Message sizes from the smallest to the largest that was timed, with at most `most` labels.
    pub(crate) fn size(report: &Report, most: usize) -> Self {
        let sizes = report.curves.iter().flat_map(|curve| curve.timed().map(|(size, _)| size as f64));
        let [low, high] = range(sizes, [1.0, 1_048_576.0]);
        let (first, last) = (low.log2().ceil() as u32, high.log2().floor() as u32);
        let steps = [1, 2, 4, 5, 10, 20].into_iter();
        let powers = |step: u32| (first.next_multiple_of(step)..=last).step_by(step as usize);
        let step = steps.clone().find(|step| powers(*step).count() <= most).unwrap_or(20);
        let label = |bytes: f64| Size(bytes as u64).to_string();
        let mut ticks: Vec<f64> = powers(step).map(|power| f64::from(power).exp2()).collect();
        if step == 1 && ticks.len() < FEWEST_LABELS.min(most) {
            // A few doublings: the middles between them too, and if that is not enough, round numbers.
            let halves = (first.saturating_sub(1)..=last).map(|power| f64::from(power).exp2() * 1.5);
            ticks.extend(halves.filter(|bytes| bytes.fract() == 0.0 && (low..=high).contains(bytes)));
            ticks.sort_by(f64::total_cmp);
        }
        if high < low * 8.0 && ticks.len() < FEWEST_LABELS {
            ticks = evenly([low, high], most);
            ticks.retain(|bytes| bytes.fract() == 0.0);
        }
        if ticks.len() < 2 {
            ticks = vec![low, high];
        }
        Self::new("Message size".to_owned(), Scale::Binary, [low, high], &ticks, label)
            .labelled(Labels::Bytes)
    }

    /// One-way times in us.
    pub(crate) fn time(report: &Report) -> Self {
        let times = timed(report).flat_map(|timed| {
            let [low, high] = timed.interval_us.unwrap_or([timed.median_us; 2]);
            [low, high]
        });
        let ends = range(times, [1.0, 1e6]);
        Self::new("One-way time of a message".to_owned(), Scale::Decimal, ends, &decimal(ends), time_label)
            .labelled(Labels::Time)
    }

    /// Throughput from zero, with about `most` labels.
    pub(crate) fn rate(report: &Report, most: usize) -> Self {
        let highest = timed(report).map(|timed| timed.mbps_interval.map_or(timed.mbps, |ends| ends[1]));
        let highest = highest.fold(0.0, f64::max);
        let ceilings = report.ceilings.iter().map(|ceiling| ceiling.mbps);
        let reached = ceilings.filter(|mbps| *mbps <= highest * REACH).fold(highest, f64::max);
        let high = if reached > 0.0 { reached * 1.08 } else { 1.0 };
        Self::rates("Throughput", high, most)
    }

    /// Rates from zero to so many Mb/s, in the unit that fits, with about `most` labels.
    pub(crate) fn rates(title: &str, high: f64, most: usize) -> Self {
        let (unit, mbps) = match high {
            high if high >= 10_000.0 => ("Gb/s", 1_000.0),
            high if high >= 1.0 => ("Mb/s", 1.0),
            _ => ("kb/s", 0.001),
        };
        Self::in_units(&format!("{title} ({unit})"), high, mbps, most)
    }

    /// Values from zero to `high`, labelled in units of this many of them, with about `most` labels.
    pub(crate) fn in_units(title: &str, high: f64, unit: f64, most: usize) -> Self {
        let ticks = evenly([0.0, high / unit], most);
        let step = ticks.get(1).copied().unwrap_or(1.0);
        let whole = |decimals: &i32| {
            let scaled = step * 10_f64.powi(*decimals);
            (scaled - scaled.round()).abs() < scaled * 1e-6
        };
        let decimals = (0..9).find(whole).unwrap_or(9) as usize;
        let ticks: Vec<f64> = ticks.into_iter().map(|tick| tick * unit).collect();
        let label = |value: f64| format!("{:.decimals$}", value / unit);
        Self::new(title.to_owned(), Scale::Linear, [0.0, high], &ticks, label)
            .labelled(Labels::Number { unit })
    }

    /// The same with labels of which there can be others.
    pub(crate) fn labelled(self, labels: Labels) -> Self {
        Self { labels, ..self }
    }

    /// What it has besides its words, if it is one of words.
    pub(crate) const fn words(&self) -> Option<&Words> {
        match &self.labels {
            Labels::Words(words) => Some(words),
            _ => None,
        }
    }

    /// Both ends. Unit: that of its values.
    pub(crate) fn range(&self) -> [f64; 2] {
        self.ends.map(|end| self.scale.value(end))
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
        Self { title, ticks, ends: [ends[0] - air, ends[1] + air], scale, labels: Labels::Fixed }
    }
}

/// What a page needs to draw it anew between other ends.
impl Serialize for Axis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (label, per) = match &self.labels {
            Labels::Bytes => ("bytes", 1.0),
            Labels::Time => ("time", 1.0),
            Labels::Share => ("share", 1.0),
            Labels::Number { unit } => ("number", *unit),
            Labels::Fixed => ("fixed", 1.0),
            Labels::Words(_) => ("words", 1.0),
        };
        let ticks: Vec<(f64, &str)> =
            self.ticks.iter().map(|tick| (tick.value, tick.label.as_str())).collect();
        let mut axis = serializer.serialize_struct("Axis", 9)?;
        axis.serialize_field("title", &self.title)?;
        axis.serialize_field("scale", self.scale.name())?;
        axis.serialize_field("ends", &self.ends.map(|end| short(self.scale.value(end))))?;
        axis.serialize_field("ticks", &ticks)?;
        axis.serialize_field("label", label)?;
        axis.serialize_field("per", &per)?;
        if let Some(words) = self.words() {
            axis.serialize_field("beside", &words.beside)?;
            axis.serialize_field("over", words.over)?;
            axis.serialize_field("room", &words.room)?;
        }
        axis.end()
    }
}

impl Scale {
    const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Binary => "binary",
            Self::Decimal => "decimal",
            Self::Tail => "tail",
        }
    }

    fn place(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Binary => value.log2(),
            Self::Decimal => value.log10(),
            Self::Tail => -(1.0 - value).log10(),
        }
    }

    fn value(self, place: f64) -> f64 {
        match self {
            Self::Linear => place,
            Self::Binary => place.exp2(),
            Self::Decimal => 10_f64.powf(place),
            Self::Tail => 1.0 - 10_f64.powf(-place),
        }
    }
}

fn timed(report: &Report) -> impl Iterator<Item = linerate_analysis::report::Timed> {
    report.curves.iter().flat_map(|curve| curve.timed().map(|(_, timed)| timed))
}

#[cfg(test)]
mod tests;
