//! Numbers with the digits that mean something.

use linerate_analysis::experiment::FigureName;

use crate::text::digits;

/// Beyond these a number has an exponent.
const PLAIN: std::ops::Range<f64> = 1e-4..1e7;

/// A number that has no unit, or whose unit stands elsewhere.
pub(in super::super) fn number(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => "-".to_owned(),
        0.0 => "0".to_owned(),
        size if !PLAIN.contains(&size) => format!("{value:.2e}"),
        size if size.fract() == 0.0 => format!("{value:.0}"),
        _ => digits(value),
    }
}

/// A value of a figure in this unit, with the digits that its interval leaves it; a share in percent.
pub(in super::super) fn value(value: f64, ends: Option<[f64; 2]>, unit: &str) -> String {
    let width = ends.map(|ends| ends[1] - ends[0]);
    if unit != "share" {
        return rounded(value, width);
    }
    match width.filter(|width| *width > 0.0) {
        Some(width) => format!("{} %", rounded(value * 100.0, Some(width * 100.0))),
        None => format!("{} %", trimmed(value * 100.0)),
    }
}

/// A number with three digits, without zeros that say nothing.
fn trimmed(value: f64) -> String {
    let text = number(value);
    if !text.contains('.') || text.contains('e') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Both ends of an interval, with the digits of [`value`].
pub(in super::super) fn range(ends: [f64; 2], unit: &str) -> String {
    ends.map(|end| value(end, Some(ends), unit)).join(" to ")
}

/// A value with its unit and its interval: `941 Mb/s (938 to 944)`.
pub(in super::super) fn estimate(middle: f64, ends: Option<[f64; 2]>, unit: &str) -> String {
    let name = if unit == "share" || unit.is_empty() { String::new() } else { format!(" {unit}") };
    let ends_text = ends.map_or_else(String::new, |ends| format!(" ({})", range(ends, unit)));
    format!("{}{name}{ends_text}", value(middle, ends, unit))
}

/// With as many decimals as an interval of this width leaves a meaning.
fn rounded(value: f64, width: Option<f64>) -> String {
    let Some(width) = width.filter(|width| width.is_finite() && *width > 0.0) else { return number(value) };
    if !value.is_finite() || value.abs() >= PLAIN.end {
        return number(value);
    }
    // The half of the interval has one digit, or two if it begins with a 1.
    let decimals = -(width / 4.0).log10().floor();
    if decimals > 6.0 {
        return number(value);
    }
    format!("{value:.*}", decimals.max(0.0) as usize)
}

/// What an effect changes a figure by: `x1.42`, or `+12.0`.
pub(in super::super) fn change(change: f64, figure: &FigureName) -> String {
    if figure.is_ratio { factor(change) } else { signed(change, None, &figure.unit) }
}

/// Both ends of its interval.
pub(in super::super) fn interval(change: f64, ends: [f64; 2], figure: &FigureName) -> String {
    if !figure.is_ratio {
        // One digit more than of a value: near zero they are all that there is.
        let fine = [0.0, (ends[1] - ends[0]) / 10.0];
        return ends.map(|end| signed(end, Some(fine), &figure.unit)).join(" to ");
    }
    let decimals = decimals(change);
    ends.map(|end| if end < 1e4 { format!("{end:.decimals$}") } else { number(end) }).join(" to ")
}

/// A ratio: `x1.42`.
pub(in super::super) fn factor(ratio: f64) -> String {
    if !ratio.is_finite() {
        return "-".to_owned();
    }
    if ratio >= 1e4 || (ratio > 0.0 && ratio < 1e-3) {
        return format!("x{}", number(ratio));
    }
    format!("x{ratio:.*}", decimals(ratio))
}

/// Decimals of a ratio: more near 1, where the last ones are what it says.
fn decimals(ratio: f64) -> usize {
    match ratio {
        ratio if ratio < 0.1 => 4,
        ratio if ratio < 1.1 => 3,
        ratio if ratio < 10.0 => 2,
        ratio if ratio < 100.0 => 1,
        _ => 0,
    }
}

fn signed(difference: f64, ends: Option<[f64; 2]>, unit: &str) -> String {
    let sign = if difference < 0.0 { "-" } else { "+" };
    format!("{sign}{}", value(difference.abs(), ends, unit))
}

/// A probability in a table: `.012`.
pub(in super::super) fn p(p: Option<f64>) -> String {
    match p {
        None => "-".to_owned(),
        Some(p) if p < 0.001 => "<.001".to_owned(),
        Some(p) if p >= 0.9995 => "1".to_owned(),
        Some(p) => format!("{p:.3}").trim_start_matches('0').to_owned(),
    }
}

/// A probability in a sentence: `p = .012`.
pub(in super::super) fn p_is(probability: f64) -> String {
    match p(Some(probability)) {
        small if small.starts_with('<') => format!("p {small}"),
        other => format!("p = {other}"),
    }
}

/// An amount: whole from a thousand on, else with two decimals unless it is whole.
pub(in super::super) fn money(amount: f64) -> String {
    match amount.abs() {
        size if !size.is_finite() || size >= 1e12 => number(amount),
        size if size >= 1e3 || size.fract() == 0.0 => format!("{amount:.0}"),
        _ => format!("{amount:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use linerate_analysis::figures::Better;

    use super::*;

    #[test]
    fn a_value_has_the_digits_that_its_interval_leaves() {
        for (middle, ends, unit, expected) in [
            (941.37, Some([938.2, 944.1]), "Mb/s", "941 Mb/s (938 to 944)"),
            (25.3123, Some([25.21, 25.42]), "us", "25.31 us (25.21 to 25.42)"),
            (123_456.0, Some([100_000.0, 150_000.0]), "/s", "123456 /s (100000 to 150000)"),
            (0.01234, Some([0.012, 0.0127]), "share", "1.23 % (1.20 % to 1.27 %)"),
            (941.37, None, "Mb/s", "941 Mb/s"),
            (3.0e9, None, "B", "3.00e9 B"),
            (0.0, Some([0.0, 0.0]), "us", "0 us (0 to 0)"),
            (0.004, None, "share", "0.4 %"),
            (0.001_234_5, None, "share", "0.123 %"),
            (0.25, None, "share", "25 %"),
            (f64::NAN, None, "", "-"),
        ] {
            assert_eq!(estimate(middle, ends, unit), expected);
        }
    }

    #[test]
    fn a_change_near_one_has_more_digits() {
        let mut figure = FigureName {
            key: String::new(),
            title: String::new(),
            unit: "us".to_owned(),
            better: Better::Less,
            is_ratio: true,
        };
        for (ratio, expected) in [
            (1.4212, "x1.42"),
            (1.0023, "x1.002"),
            (0.25, "x0.250"),
            (12.34, "x12.3"),
            (0.97, "x0.970"),
            (1e6, "x1000000"),
        ] {
            assert_eq!(change(ratio, &figure), expected);
        }
        assert_eq!(interval(1.42, [1.401, 1.439], &figure), "1.40 to 1.44");
        figure.is_ratio = false;
        assert_eq!(change(-12.5, &figure), "-12.5");
        assert_eq!(interval(-12.5, [-14.0, 3.0], &figure), "-14.0 to +3.0");
    }

    #[test]
    fn small_probabilities_are_below_a_thousandth() {
        let shown = [0.000_9, 0.001, 0.0124, 0.5, 0.9999].map(|it| p(Some(it)));
        assert_eq!(shown, ["<.001", ".001", ".012", ".500", "1"]);
        assert_eq!([p_is(1e-9), p_is(0.03)], ["p <.001", "p = .030"]);
    }
}
