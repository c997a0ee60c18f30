//! A number as C's `printf` left it: rounded to the decimals that are there.

/// More than any rounding of intermediate results in the writer.
const SLACK: f64 = 0.01;
/// The largest whole number below which `f64` has every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A printed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Field {
    /// What is printed.
    pub(super) value: f64,
    /// How far the number may be from what is printed: half of its last decimal.
    rounding: f64,
}

impl Field {
    /// Reads `-12.345`. Absent for anything that C's `%d` and `%f` do not print for a finite
    /// number.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let plain = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'));
        let value = text.parse().ok().filter(|value: &f64| plain && value.is_finite())?;
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let decimals = i32::try_from(decimals).unwrap_or(i32::MAX);
        let rounding = if decimals == 0 { 0.0 } else { 0.5 * 10.0_f64.powi(-decimals) };
        Some(Self { value, rounding })
    }

    /// The number in another unit.
    pub(super) fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, rounding: self.rounding * factor }
    }

    /// The number as a count of at least one.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
    pub(super) fn count(self) -> Option<u64> {
        let whole = self.value >= 1.0 && self.value < EXACT && self.value.fract() == 0.0;
        whole.then_some(self.value as u64)
    }

    /// Whether this rate and `time` can be the printed forms of `amount` over one and the same time.
    pub(super) fn is_quotient(self, amount: f64, time: Self) -> bool {
        let (shortest, longest) = (time.value - time.rounding, time.value + time.rounding);
        let ends = [
            amount / longest,
            if shortest > 0.0 { amount / shortest } else { f64::INFINITY.copysign(amount) },
        ];
        let (least, most) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let (low, high) = (self.value - self.rounding, self.value + self.rounding);
        time.value >= 0.0
            && longest > 0.0
            && low <= most + most.abs() * SLACK
            && high >= least - least.abs() * SLACK
    }

    /// What rounding may have changed, as a share of the number.
    pub(super) fn doubt(self) -> f64 {
        if self.value > 0.0 { self.rounding / self.value } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(text: &str) -> Field {
        Field::parse(text).expect(text)
    }

    #[test]
    fn only_what_printf_prints_of_a_finite_number_is_one() {
        assert_eq!(field("-12.5"), Field { value: -12.5, rounding: 0.05 });
        assert_eq!(field("64"), Field { value: 64.0, rounding: 0.0 });
        let huge = "9".repeat(400);
        for text in ["", "-", ".", "inf", "-nan", "1e5", "0x10", "1,5", "1.2.3", "--1", &huge] {
            assert_eq!(Field::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_count_is_whole_and_at_least_one() {
        assert_eq!(field("64.000000").count(), Some(64));
        for text in ["0", "-1", "1.5", "9007199254740993", "99999999999999999999"] {
            assert_eq!(field(text).count(), None, "{text}");
        }
    }

    #[test]
    fn a_quotient_is_known_through_its_rounding() {
        // 8 bits in 20 us are 0.0004 Gb/s, printed as 0.000.
        assert!(field("0.000").is_quotient(8e-9, field("0.000020")));
        assert!(!field("0.001").is_quotient(8e-9, field("0.000020")));
        // A time that was rounded to nothing still has a longest value.
        assert!(field("16.0").is_quotient(8e-6, field("0.000000")));
        assert!(!field("15.0").is_quotient(8e-6, field("0.000000")));
        assert!(!field("1.0").is_quotient(8.0, field("0")));
        assert!(!field("-1.0").is_quotient(8.0, field("8.0")));
    }
}
