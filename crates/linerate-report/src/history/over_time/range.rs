//! From where to where the axis of a figure goes.

use linerate_analysis::changes::FigureHistory;
use linerate_analysis::figures::Unit;

use super::super::super::numbers::Shown;
use super::super::super::plot::{Axis, Labels, Scale, decimal, evenly, short};
use super::super::words;
use super::Course;

/// Values this far apart (largest to smallest) are spread by powers of ten.
const WIDE: f64 = 8.0;
/// Air above and below, as a share of the values' range.
const AIR: f64 = 0.06;
/// The axis covers at least this share of its middle, so that noise does not fill a chart.
const LEAST: f64 = 0.02;
/// An outlier, and the end of an interval, may widen the range by this share of it on each side.
const STRETCH: f64 = 0.6;
/// Most labels.
const LABELS: usize = 6;
/// The height of a line of text, as a share of the axis.
pub(super) const LINE: f64 = 0.045;

/// The axis of a figure, with room for so many lines of text at its top.
pub(super) fn axis(course: &Course, history: &FigureHistory, lines: usize) -> Axis {
    let [low, high] = ends(course, history);
    let key = &course.key;
    // Text never takes more than half of the chart.
    let room = (LINE * lines as f64).min(0.5);
    let unit = match key.figure.unit() {
        Unit::Bytes => Unit::Size,
        unit => unit,
    };
    let Shown { name: unit, one, .. } = Shown::scale(unit, [low, high]);
    let name = words::name(key);
    let title = if unit.is_empty() { name } else { format!("{name} ({unit})") };
    let labels = Labels::Number { unit: one };
    if low > 0.0 && high > low * WIDE {
        let high = high * (high / low).powf(room / (1.0 - room));
        let ticks = decimal([low / one, high / one]).into_iter().map(|tick| tick * one).collect::<Vec<f64>>();
        let label = |value: f64| short(value / one).to_string();
        return Axis::new(title, Scale::Decimal, [low, high], &ticks, label).labelled(labels);
    }
    let high = high + (high - low) * room / (1.0 - room);
    let ticks = evenly([low / one, high / one], LABELS);
    let apart = ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let whole = |decimals: &i32| {
        let scaled = apart * 10_f64.powi(*decimals);
        (scaled - scaled.round()).abs() < scaled * 1e-6
    };
    let decimals = (0..9).find(whole).unwrap_or(9) as usize;
    let ticks: Vec<f64> = ticks.into_iter().map(|tick| tick * one).collect();
    Axis::new(title, Scale::Linear, [low, high], &ticks, |value| format!("{:.decimals$}", value / one))
        .labelled(labels)
}

/// The lowest and the highest value that the chart shows.
fn ends(course: &Course, history: &FigureHistory) -> [f64; 2] {
    let is_off = |run: usize| history.outliers.iter().any(|it| (it.first..=it.last).contains(&run));
    let usual = course.values.iter().enumerate().filter(|(run, _)| !is_off(*run));
    let levels = history.stretches.iter().flat_map(|stretch| [stretch.level, stretch.level_at_end]);
    let [low, high] = range(usual.filter_map(|(_, value)| *value).chain(levels));
    let far = (high - low) * STRETCH;
    let others = course.values.iter().flatten().chain(course.intervals.iter().flatten().flatten());
    let others = others.map(|value| value.clamp(low - far, high + far));
    let [low, high] = range(others.filter(|value| value.is_finite()).chain([low, high]));
    let middle = f64::midpoint(low, high);
    let least = if middle == 0.0 { 1e-9 } else { middle.abs() * LEAST };
    let half = (high - low).max(least) / 2.0 * (1.0 + 2.0 * AIR);
    // Nothing is less than nothing.
    if low >= 0.0 { [(middle - half).max(0.0), middle + half] } else { [middle - half, middle + half] }
}

/// The least and the greatest of what is finite; 0 to 1 without any.
fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let sound = values.filter(|value| value.is_finite());
    let ends = sound.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| [low.min(it), high.max(it)]);
    if ends[0] <= ends[1] { ends } else { [0.0, 1.0] }
}
