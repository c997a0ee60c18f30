//! Axes of values of figures.

use super::words;
use crate::figure::axis;
use crate::plot::{Axis, Labels, Scale, evenly};

/// Most labels of an axis.
const LABELS: usize = 6;
/// Values within this share of the greatest do not begin at zero.
const FAR_FROM_ZERO: f64 = 0.5;

/// Ratios by their logarithm, and 1 among them.
pub(super) fn ratios(title: &str, values: &[f64]) -> Axis {
    axis::ratios(title, values.iter().copied())
}

/// Differences, and 0 among them.
pub(super) fn differences(title: &str, unit: &str, values: &[f64]) -> Axis {
    let [low, high] = ends(values.iter().copied().chain([0.0]));
    between(title, unit, [low, high])
}

/// Values of a figure: from zero, unless all are far from it.
pub(super) fn around(title: &str, unit: &str, values: &[f64]) -> Axis {
    let [low, high] = ends(values.iter().copied());
    let air = (high - low) * 0.08;
    let low = if low > high * FAR_FROM_ZERO { low - air } else { low.min(0.0) };
    between(title, unit, [low, high + air])
}

/// Values from zero.
pub(super) fn from_zero(title: &str, values: &[f64]) -> Axis {
    let [_, high] = ends(values.iter().copied().chain([0.0]));
    between(title, "", [0.0, high * 1.05])
}

/// Both ends of the sound values, apart from each other.
fn ends(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let sound = values.filter(|value| value.is_finite());
    let [low, high] =
        sound.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| [low.min(it), high.max(it)]);
    if low > high {
        return [0.0, 1.0];
    }
    let least = high.abs().max(low.abs()).max(1e-9) * 1e-3;
    if high - low > least { [low, high] } else { [low - least, high + least] }
}

fn between(title: &str, unit: &str, ends: [f64; 2]) -> Axis {
    let ticks = evenly(ends, LABELS);
    let apart = ticks.windows(2).map(|pair| pair[1] - pair[0]).next();
    let label = |value: f64| match value {
        // As an interval: the digits that tell two labels apart.
        0.0 => "0".to_owned(),
        value => words::value(value, apart.map(|apart| [0.0, apart * 2.0]), unit),
    };
    let labels = if unit == "share" { Labels::Share } else { Labels::Number { unit: 1.0 } };
    Axis::new(words::titled(title, unit), Scale::Linear, ends, &ticks, label).labelled(labels)
}
