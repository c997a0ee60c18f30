//! How numbers are written: with three significant digits, and in one unit where they stand together.

use linerate_analysis::facts::Unit;
use linerate_core::units::{Size, digits};

/// A unit in which values are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shown {
    /// Such as `ms`; empty if the values have none.
    pub(crate) name: &'static str,
    /// How many of the unit of the fact are one of it.
    pub(crate) one: f64,
    /// Whether whole numbers have no decimals.
    whole: bool,
    /// Whether each is a size, with a unit of its own where it is exact.
    sizes: bool,
}

/// The names of a unit, and how many of the fact's unit each is, from small to large.
const fn names(unit: Unit) -> &'static [(&'static str, f64)] {
    match unit {
        Unit::Microseconds => &[("ns", 1e-3), ("us", 1.0), ("ms", 1e3), ("s", 1e6)],
        Unit::Seconds => &[("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)],
        Unit::Mbps => &[("kb/s", 1e-3), ("Mb/s", 1.0), ("Gb/s", 1e3)],
        Unit::Bytes => &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)],
        Unit::Size => &[("B", 1.0), ("KiB", 1024.0), ("MiB", 1_048_576.0), ("GiB", 1_073_741_824.0)],
        Unit::Share => &[("%", 0.01)],
        Unit::PerSecond => &[("/s", 1.0)],
        Unit::PerGigabyte => &[("/GB", 1.0)],
        Unit::SecondsPerGigabyte => &[("s/GB", 1.0)],
        Unit::Word | Unit::Count | Unit::Merit => &[("", 1.0)],
    }
}

impl Shown {
    /// What fits `values` of `unit`: of the one in their geometric middle there is at least one, where that is possible.
    pub(crate) fn of(unit: Unit, values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        if unit == Unit::Size && values.iter().all(|value| value.fract() == 0.0) {
            return Self { name: "", one: 1.0, whole: true, sizes: true };
        }
        Self::scale(unit, values)
    }

    /// The same of an axis: in one unit, whatever the values are.
    pub(crate) fn scale(unit: Unit, values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        let middle = middle(&values).unwrap_or(1.0);
        let names = names(unit);
        let (name, one) = names.iter().rev().find(|(_, one)| *one <= middle).unwrap_or(&names[0]);
        Self { name, one: *one, whole: *name == "B" || unit == Unit::Count, sizes: false }
    }

    /// Whether `values` can be read in this unit: their middle is no tiny part of it, and no thousands.
    pub(crate) fn suits(&self, values: impl IntoIterator<Item = f64>) -> bool {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        middle(&values).is_none_or(|middle| (0.1..1e4).contains(&(middle / self.one)))
    }

    /// A value of the fact's unit, without this unit.
    pub(crate) fn number(&self, value: f64) -> String {
        if self.sizes {
            return Size(value as u64).to_string();
        }
        let value = value / self.one;
        if self.whole && value.fract() == 0.0 { format!("{value:.0}") } else { digits(value) }
    }
}

/// The geometric middle of what is above 0.
fn middle(values: &[f64]) -> Option<f64> {
    let logarithms = values.iter().filter(|value| **value > 0.0).map(|value| value.ln());
    let (sum, count) = logarithms.fold((0.0, 0.0), |(sum, count), it| (sum + it, count + 1.0));
    // The product of many factors is a little off.
    (count > 0.0).then(|| (sum / count).exp() * (1.0 + 1e-9))
}

/// A value with its unit.
pub(crate) fn quantity(unit: Unit, value: f64) -> String {
    let shown = Shown::of(unit, [value]);
    format!("{} {}", shown.number(value), shown.name).trim_end().to_owned()
}

/// `25.0 us (24.4 to 25.7)`: a value with its interval, if it has one.
pub(crate) fn estimate(unit: Unit, value: f64, interval: Option<[f64; 2]>) -> String {
    let shown = Shown::of(unit, [value]);
    let ends = interval.map(|ends| ends.map(|end| shown.number(end)));
    let ends = ends.map_or_else(String::new, |[low, high]| format!(" ({low} to {high})"));
    quantity(unit, value) + &ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_stand_together_have_the_unit_of_their_middle() {
        for (unit, values, expected) in [
            (Unit::Microseconds, vec![12.0, 3_000.0], "us"),
            (Unit::Microseconds, vec![900.0, 3_000.0], "ms"),
            (Unit::Microseconds, vec![0.0, f64::NAN], "us"),
            (Unit::Mbps, vec![1_000.0, 1_000.0, 1_000.0], "Gb/s"),
            (Unit::Bytes, vec![1_500.0], "kB"),
            (Unit::Count, vec![3.0], ""),
            (Unit::Size, vec![1_830.4], "KiB"),
            (Unit::Size, vec![65_536.0, 65_533.0], ""),
        ] {
            assert_eq!(Shown::of(unit, values.clone()).name, expected, "{values:?}");
        }
    }

    #[test]
    fn an_interval_has_no_unit_of_its_own() {
        assert_eq!(estimate(Unit::Microseconds, 999.9, Some([980.0, 1_020.0])), "1000 us (980 to 1020)");
        assert_eq!(estimate(Unit::Mbps, 941.48, None), "941 Mb/s");
        assert_eq!(quantity(Unit::Share, 0.25), "25.0 %");
        assert_eq!(quantity(Unit::Bytes, 512.0), "512 B");
        assert_eq!(quantity(Unit::Count, 12_345.0), "12345");
        assert_eq!(quantity(Unit::Size, 65_536.0), "64 KiB");
    }
}
