//! Axes of the charts of a page.

use linerate_core::units::Size;

use crate::plot::{Axis, Labels, Scale, columns_of, decimal, evenly, step, time_label};
use crate::text::percent;

/// Values this far apart (largest to smallest) are spread by powers of two.
const WIDE: f64 = 8.0;
/// Least distance of two labels, as a share of the axis.
const LABEL_PITCH: f64 = 0.045;
/// Most labels of an axis of rates, shares or numbers.
const LABELS: usize = 7;

/// What a swept key's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Numbers as they stand in the plan.
    Number,
    /// Bytes.
    Bytes,
    /// Times. Unit: us.
    Time,
}

/// The values of a swept key, labelled where they are and there is room.
pub(crate) fn swept(title: &str, unit: Unit, values: &[f64]) -> Axis {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let [low, high] = [sorted.first(), sorted.last()].map(|end| end.copied().unwrap_or(0.0));
    let scale = if low > 0.0 && high >= low * WIDE { Scale::Binary } else { Scale::Linear };
    let air = if scale == Scale::Linear { ((high - low) * 0.02).max(high.abs() * 1e-6) } else { 0.0 };
    let ends = [low - air, high + air.max(f64::MIN_POSITIVE)];
    let place = Axis::new(String::new(), scale, ends, &[], |_| String::new());
    let mut ticks: Vec<f64> = Vec::new();
    for value in sorted.into_iter().filter(|value| *value == high || high - low > 0.0) {
        let room = |tick: &f64| place.share(value) - place.share(*tick) >= LABEL_PITCH;
        if ticks.last().is_none_or(room) {
            ticks.push(value);
        }
    }
    Axis::new(title.to_owned(), scale, ends, &ticks, |value| value_label(unit, value)).labelled(match unit {
        Unit::Number => Labels::Number { unit: 1.0 },
        Unit::Bytes => Labels::Bytes,
        Unit::Time => Labels::Time,
    })
}

fn value_label(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Number => format!("{value}"),
        Unit::Bytes => Size(value as u64).to_string(),
        Unit::Time => time_label(value),
    }
}

/// Shares from 0; up to 1 unless a value is above, so that the missing part shows.
pub(crate) fn shares(title: &str, highest: f64) -> Axis {
    let high = if highest <= 1.0 { 1.0 } else { highest * 1.08 };
    let ticks = evenly([0.0, high], LABELS);
    Axis::new(title.to_owned(), Scale::Linear, [0.0, high], &ticks, |share| {
        percent(share).replace(".0 %", " %")
    })
    .labelled(Labels::Share)
}

/// Values from 0 with a title that names the unit.
pub(crate) fn from_zero(title: &str, highest: f64) -> Axis {
    Axis::in_units(title, above(highest), 1.0, LABELS)
}

/// Rates from 0 in the unit that fits. Unit of `highest`: Mb/s.
pub(crate) fn rates(title: &str, highest: f64) -> Axis {
    Axis::rates(title, above(highest), LABELS)
}

/// Times from 0 in the unit that fits. Unit of `highest`: us.
pub(crate) fn times_from_zero(title: &str, highest: f64) -> Axis {
    let (name, unit) = match highest {
        us if us < 1.0 => ("ns", 1e-3),
        us if us < 1e3 => ("us", 1.0),
        us if us < 1e6 => ("ms", 1e3),
        _ => ("s", 1e6),
    };
    Axis::in_units(&format!("{title} ({name})"), above(highest), unit, LABELS)
}

/// A little above the highest value, so that it is not on the frame.
fn above(highest: f64) -> f64 {
    if highest > 0.0 { highest * 1.08 } else { 1.0 }
}

/// Shares from 0 to the largest.
pub(crate) fn parts(title: &str, highest: f64) -> Axis {
    let ends = [0.0, above(highest)];
    let ticks = evenly(ends, LABELS);
    let apart = ticks.get(1).copied().unwrap_or(1.0) * 100.0;
    let decimals = (-(apart * (1.0 + 1e-9)).log10().floor()).max(0.0) as usize;
    Axis::new(title.to_owned(), Scale::Linear, ends, &ticks, |share| {
        format!("{:.decimals$} %", share * 100.0)
    })
    .labelled(Labels::Share)
}

/// Message sizes by powers of two, of which the last six or so are labelled.
pub(crate) fn sizes(sizes: impl Iterator<Item = f64>) -> Axis {
    let [low, high] = apart(sizes);
    let (first, last) = (low.log2().ceil() as u32, high.log2().floor() as u32);
    let every = (last.saturating_sub(first) / 6 + 1) as usize;
    let mut ticks: Vec<f64> = (first..=last).step_by(every).map(|power| f64::from(power).exp2()).collect();
    if ticks.len() < 2 {
        ticks = vec![low, high];
    }
    Axis::new("Message size".to_owned(), Scale::Binary, [low, high], &ticks, |bytes| {
        Size(bytes as u64).to_string()
    })
    .labelled(Labels::Bytes)
}

/// The least and the greatest positive of these, apart from each other.
pub(crate) fn apart(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let sound = values.filter(|value| value.is_finite() && *value > 0.0);
    let [low, high] = sound.fold([f64::INFINITY, 0.0], |[low, high], it| [low.min(it), high.max(it)]);
    if high > low * 1.01 { [low, high] } else { [high.max(1e-3) / 2.0, high.max(1e-3) * 2.0] }
}

/// Ratios by their logarithm, and 1 among them.
pub(crate) fn ratios(title: &str, values: impl Iterator<Item = f64>) -> Axis {
    let [low, high] = apart(values.chain([0.98, 1.02]));
    let mut ticks = if high < low * 4.0 { evenly([low, high], LABELS) } else { decimal([low, high]) };
    ticks.retain(|tick| *tick > 0.0);
    let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(1.0, f64::min);
    let decimals = (-(step * (1.0 + 1e-9)).log10().floor()).clamp(1.0, 6.0) as usize;
    Axis::new(title.to_owned(), Scale::Decimal, [low, high], &ticks, |ratio| format!("{ratio:.decimals$}"))
        .labelled(Labels::Number { unit: 1.0 })
}

/// Rates by powers of ten, with a title that names the unit.
pub(crate) fn rates_by_decades(title: &str, low: f64, high: f64) -> Axis {
    decades(title, low, high, |value| format!("{value}")).labelled(Labels::Number { unit: 1.0 })
}

/// Words side by side, each numbered from 0.
pub(crate) fn words(title: &str, words: &[String]) -> Axis {
    columns_of(title, words, [0, u32::MAX])
}

/// Times by powers of ten. Unit: us.
pub(crate) fn times(title: &str, low: f64, high: f64) -> Axis {
    decades(title, low, high, time_label).labelled(Labels::Time)
}

fn decades(title: &str, low: f64, high: f64, label: impl Fn(f64) -> String) -> Axis {
    let low = if low > 0.0 { low } else { 1e-6 };
    let ends = if high > low * 1.01 { [low, high] } else { [low / 2.0, low * 2.0] };
    Axis::new(title.to_owned(), Scale::Decimal, ends, &decimal(ends), label)
}

/// Shares of a distribution by what is missing to all, so that its tail is wide: 90 %, 99 % and
/// 99.9 % lie evenly, as in the plots of `HdrHistogram`. `last` is the share that the axis ends at.
pub(crate) fn tail(title: &str, last: f64) -> Axis {
    let last = last.clamp(0.5, 1.0 - 1e-12);
    let nines = std::iter::successors(Some(0.1), |left| Some(left / 10.0)).map(|left| 1.0 - left);
    let within = |share: &f64| *share <= last;
    let mut ticks: Vec<f64> = [0.0, 0.5].into_iter().chain(nines.take_while(within)).collect();
    if ticks.len() < 4 {
        ticks = [0.0, 0.25, 0.5, 0.75, 0.9, 0.95].into_iter().filter(within).collect();
    }
    Axis::new(title.to_owned(), Scale::Tail, [0.0, last], &ticks, |share| {
        let text = format!("{:.10}", share * 100.0);
        format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
    })
}

/// Bars by their number, from `first`.
pub(crate) fn numbers(title: &str, first: u32, count: usize) -> Axis {
    let [low, high] = [f64::from(first) - 0.5, f64::from(first) + count as f64 - 0.5];
    let step = step(count as f64 / 24.0).max(1.0) as usize;
    let ticks: Vec<f64> = (0..count).step_by(step).map(|nth| f64::from(first) + nth as f64).collect();
    Axis::new(title.to_owned(), Scale::Linear, [low, high], &ticks, |value| format!("{value}"))
}

#[cfg(test)]
mod tests;
