//! The axes of an application's charts.

use linerate_core::app::Axis as Of;

use super::words::name;
use crate::figure::axis::{self, Unit, apart};
use crate::plot::{Axis, Scale, decimal, evenly};

/// Most labels of an axis.
const LABELS: usize = 7;
/// Air beside the least and the greatest value, as a share of what lies between.
const AIR: f64 = 0.04;

/// Numbers of ranks.
pub(super) fn ranks(ranks: &[f64]) -> Axis {
    axis::swept("Ranks", Unit::Number, ranks)
}

/// Speed-ups of so many ranks: spread as they are, so that the ideal is a straight line.
pub(super) fn speed_ups(x: &Axis, values: impl Iterator<Item = f64>) -> Axis {
    let [low, high] = apart(values);
    let title = "Speed-up over one rank";
    if !x.is_logarithmic() {
        return axis::from_zero(title, high);
    }
    let (first, last) = (low.log2().ceil() as i32, high.log2().floor() as i32);
    let every = (last - first).max(0) / LABELS as i32 + 1;
    let mut ticks: Vec<f64> = (first..=last)
        // Then what is as fast as one rank is labelled.
        .filter(|power| power.rem_euclid(every) == 0)
        .map(|power| f64::from(power).exp2())
        .collect();
    if ticks.len() < 2 {
        ticks = vec![low, high];
    }
    Axis::new(title.to_owned(), Scale::Binary, [low, high], &ticks, label)
}

/// Merits in their unit, from zero, or by powers of ten where the ranks are spread by powers too.
pub(super) fn merits(x: &Axis, unit: &str, values: impl Iterator<Item = f64>) -> Axis {
    let [low, high] = apart(values);
    let power = power(high);
    let (title, scale) = (in_units("Figure of merit", unit, power), 10_f64.powi(power));
    if !x.is_logarithmic() {
        return Axis::in_units(&title, high * (1.0 + AIR), scale, LABELS);
    }
    let ends = [low, high];
    Axis::new(title, Scale::Decimal, ends, &decimal(ends), |value| label(value / scale))
}

/// Shares of time from zero: to one, unless all are small.
pub(super) fn time_shares(highest: f64) -> Axis {
    let title = "Communication, share of the ranks' time";
    if highest > 0.4 { axis::shares(title, highest) } else { axis::parts(title, highest) }
}

/// An axis of a course, for these values.
pub(super) fn course(of: &Of, values: impl Iterator<Item = f64>) -> Axis {
    let what = name(&of.what);
    if of.log {
        let ends = apart(values);
        let title = in_units(&what, &of.unit, 0);
        return Axis::new(title, Scale::Decimal, ends, &decimal(ends), label);
    }
    let [low, high] =
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| [low.min(it), high.max(it)]);
    let [low, high] = if low <= high { [low, high] } else { [0.0, 1.0] };
    // Closer ones differ by rounding only.
    let is_flat = high - low <= high.abs().max(low.abs()) * 1e-9;
    let air = match high.abs() {
        0.0 if is_flat => 1.0,
        size if is_flat => size * AIR,
        _ => (high - low) * AIR,
    };
    let power = power(low.abs().max(high.abs()));
    let scale = 10_f64.powi(power);
    let ends = [low - air, high + air];
    let ticks = evenly(ends.map(|end| end / scale), LABELS);
    let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min).min(1.0);
    let decimals = (-(step * (1.0 + 1e-9)).log10().floor()).clamp(0.0, 9.0) as usize;
    let ticks: Vec<f64> = ticks.into_iter().map(|tick| tick * scale).collect();
    Axis::new(in_units(&what, &of.unit, power), Scale::Linear, ends, &ticks, |value| {
        format!("{:.decimals$}", value / scale)
    })
}

/// The power of ten in which values up to this are labelled: a multiple of three.
fn power(highest: f64) -> i32 {
    let is_handy = (1e-2..1e5).contains(&highest) || highest <= 0.0 || !highest.is_finite();
    if is_handy { 0 } else { (highest.log10() / 3.0).floor() as i32 * 3 }
}

/// `energy (10^3 epsilon)`, `quality`.
fn in_units(what: &str, unit: &str, power: i32) -> String {
    let unit = match (name(unit), power) {
        (unit, 0) => unit,
        (unit, power) => format!("10^{power} {unit}").trim_end().to_owned(),
    };
    let what = crate::text::capital(what);
    if unit.is_empty() { what } else { format!("{what} ({unit})") }
}

/// A label of four digits at most, with a power of ten if it is very large or small.
fn label(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e5).contains(&value.abs()) {
        let text = format!("{value:.2e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'));
    }
    let text = crate::text::digits(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn a_label_has_no_more_digits_than_it_needs() {
        assert_eq!([0.0, 0.25, 1.0, 1000.0, 0.3].map(label), ["0", "0.25", "1", "1000", "0.3"]);
        assert_eq!([1e-6, 3e7, 1.5e5].map(label), ["1e-6", "3e7", "1.5e5"]);
    }

    #[test]
    fn the_ideal_is_a_straight_line() {
        for ranks in [vec![1.0, 2.0, 4.0], vec![1.0, 4.0, 64.0]] {
            let x = super::ranks(&ranks);
            let y = speed_ups(&x, ranks.iter().copied());
            let slope = |from: usize, to: usize| {
                (y.share(ranks[to]) - y.share(ranks[from])) / (x.share(ranks[to]) - x.share(ranks[from]))
            };
            assert!((slope(0, 1) - slope(1, 2)).abs() < 1e-9, "{ranks:?}");
        }
    }

    #[test]
    fn large_values_are_in_powers_of_ten_and_close_ones_have_decimals() {
        let x = super::ranks(&[1.0, 2.0]);
        let axis = merits(&x, "photons/s", [2e6, 3.9e6].into_iter());
        assert_eq!(axis.title, "Figure of merit (10^6 photons/s)");
        assert_eq!(labels(&axis), ["0", "1", "2", "3", "4"]);
        let of = Of::linear("energy per atom", "epsilon");
        let axis = course(&of, [-6.7, -6.6996].into_iter());
        assert_eq!(axis.title, "Energy per atom (epsilon)");
        assert_eq!(labels(&axis)[1], "-6.6999");
        assert_eq!(course(&of, std::iter::empty()).title, "Energy per atom (epsilon)");
    }
}
