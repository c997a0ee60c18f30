//! How numbers are written.

/// `value` with three significant digits and no exponent: `25.0`, `0.00123`, `104729`.
///
/// ```
/// use linerate_core::units::digits;
///
/// assert_eq!([941.48, 9.996, 0.012_34].map(digits), ["941", "10.0", "0.0123"]);
/// ```
#[must_use]
pub fn digits(value: f64) -> String {
    // Rounded first: what rounds up to the next power of ten has one decimal less.
    let rounded = format!("{value:.2e}");
    let exponent = rounded.rsplit_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    let decimals = exponent.map_or(0, |exponent| (2 - exponent).clamp(0, 9)) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn three_digits_are_left_of_small_numbers_and_no_decimals_of_large_ones() {
        for (value, text) in [
            (0.0, "0.00"),
            (1.0, "1.00"),
            (-25.01, "-25.0"),
            (99.96, "100"),
            (0.000_123_4, "0.000123"),
            (104_729.4, "104729"),
            (1e-12, "0.000000000"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(digits(value), text, "{value}");
        }
    }
}
