//! Instants and spans in picoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digits;

/// An instant on one endpoint's clock.
///
/// Unit: picoseconds since an arbitrary zero. Instants of two endpoints are not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The arbitrary zero of a clock.
    pub const ZERO: Self = Self(0);

    /// An instant `ps` picoseconds after zero.
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Picoseconds since zero.
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// The span from `earlier` to this instant; zero if the clock went backwards.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

/// A length of time.
///
/// Unit: picoseconds; the longest is 213 days.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Span(u64);

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest span.
    pub const MAX: Self = Self(u64::MAX);

    /// A span of `ps` picoseconds.
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// A span of `ns` nanoseconds, saturating.
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns.saturating_mul(1_000))
    }

    /// A span of `us` microseconds, saturating.
    #[must_use]
    pub const fn from_us(us: u64) -> Self {
        Self(us.saturating_mul(1_000_000))
    }

    /// A span of `ms` milliseconds, saturating.
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms.saturating_mul(1_000_000_000))
    }

    /// A span of `seconds`, rounded to a picosecond; negative values and NaN give zero.
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Self {
        Self::from_ps_rounded(seconds * 1e12)
    }

    /// A span of so many picoseconds, halves rounded up; negative values and NaN give zero. The same
    /// as `round`, which is a call of the C library on processors without SSE 4.1.
    #[must_use]
    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    pub const fn from_ps_rounded(ps: f64) -> Self {
        let whole = ps as u64;
        // Exact: both have the same exponent or the next one.
        let rest = ps - whole as f64;
        Self(if rest >= 0.5 { whole.saturating_add(1) } else { whole })
    }

    /// Picoseconds.
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Seconds.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// Microseconds.
    #[must_use]
    pub fn as_us(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// This span less `other`, or zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// What share of `whole` it is; 0 of nothing.
    #[must_use]
    pub fn share_of(self, whole: Self) -> f64 {
        if whole == Self::ZERO { 0.0 } else { self.as_seconds() / whole.as_seconds() }
    }

    /// This span times `numerator` over `denominator`. A denominator of zero gives the span itself.
    #[must_use]
    pub fn scaled(self, numerator: u64, denominator: u64) -> Self {
        if denominator == 0 {
            return self;
        }
        let scaled = u128::from(self.0) * u128::from(numerator) / u128::from(denominator);
        Self(u64::try_from(scaled).unwrap_or(u64::MAX))
    }

    /// The same span for the standard library.
    #[must_use]
    pub const fn to_duration(self) -> std::time::Duration {
        std::time::Duration::from_nanos(self.0 / 1_000)
    }
}

impl From<std::time::Duration> for Span {
    fn from(duration: std::time::Duration) -> Self {
        Self(u64::try_from(duration.as_nanos().saturating_mul(1_000)).unwrap_or(u64::MAX))
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Span {
    type Output = Self;
    /// Division by zero gives the span itself.
    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor.max(1))
    }
}

impl std::iter::Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

impl Span {
    /// Every digit in the unit that fits, for what people gave: `20 s`, `3.999 ms`.
    #[must_use]
    pub fn exact(self) -> String {
        let (unit, name, decimals) = self.fitting();
        format!("{} {name}", self.in_units(unit, decimals))
    }

    /// Every digit in seconds, as `FromStr` reads it back: `20s`, `0.003999s`.
    pub(super) fn exact_seconds(self) -> String {
        format!("{}s", self.in_units(1_000_000_000_000, 12))
    }

    /// Units of so many picoseconds, with all of their decimals but zeros at the end.
    fn in_units(self, unit: u64, decimals: usize) -> String {
        let text = format!("{}.{:0decimals$}", self.0 / unit, self.0 % unit);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    /// The unit that fits: its picoseconds, its name, and the decimals that a picosecond needs.
    const fn fitting(self) -> (u64, &'static str, usize) {
        match self.0 {
            0..1_000 => (1, "ps", 1),
            1_000..1_000_000 => (1_000, "ns", 3),
            1_000_000..1_000_000_000 => (1_000_000, "us", 6),
            1_000_000_000..1_000_000_000_000 => (1_000_000_000, "ms", 9),
            _ => (1_000_000_000_000, "s", 12),
        }
    }
}

impl fmt::Display for Span {
    /// In the unit that fits: `18.4 us`, `1.20 s`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name, _) = self.fitting();
        if unit == 1 {
            return write!(out, "{} {name}", self.0);
        }
        write!(out, "{} {name}", digits(self.0 as f64 / unit as f64))
    }
}

/// Text that is not a span.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{text}` is not a time; write a number with ns, us, ms, s, min or h, such as 20s or 250ms")]
pub struct ParseSpanError {
    text: String,
}

impl FromStr for Span {
    type Err = ParseSpanError;

    /// Reads `20`, `20s`, `250ms`, `1.5min`; a bare number is seconds.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || ParseSpanError { text: text.to_owned() };
        let trimmed = text.trim();
        let digits = trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(digits);
        let unit = match unit.trim() {
            "" | "s" => Self::from_ms(1_000),
            "ns" => Self::from_ns(1),
            "us" => Self::from_us(1),
            "ms" => Self::from_ms(1),
            "min" | "m" => Self::from_ms(60_000),
            "h" => Self::from_ms(3_600_000),
            _ => return Err(bad()),
        };
        unit.times_decimal(number).ok_or_else(bad)
    }
}

impl Span {
    /// This span times a decimal number, rounded to a picosecond. In whole numbers: a float of seconds has no picoseconds
    /// beyond 2.5 hours, so a plan would come back from its file changed.
    fn times_decimal(self, number: &str) -> Option<Self> {
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && part.is_empty()) || part.contains('.') {
            return None;
        }
        let whole = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        // A picosecond is less than the 16th decimal of an hour, which is the longest unit.
        let part = &part[..part.len().min(18)];
        let decimals = if part.is_empty() { 0 } else { part.parse::<u128>().ok()? };
        let scale = 10_u128.pow(part.len() as u32);
        let of_part = (decimals * u128::from(self.0) * 2 + scale) / (2 * scale);
        let ps = u128::from(self.0).checked_mul(whole)?.checked_add(of_part)?;
        u64::try_from(ps).ok().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn spans_are_read_and_shown() {
        for (text, ps) in [("20", 20_000_000_000_000), ("250ms", 250_000_000_000), ("1.5us", 1_500_000)] {
            assert_eq!(text.parse::<Span>(), Ok(Span::from_ps(ps)), "{text}");
        }
        assert_eq!(Span::from_ns(18_420).to_string(), "18.4 us");
        assert_eq!(Span::from_ms(1_204).to_string(), "1.20 s");
        assert_eq!(Span::from_ps(999).to_string(), "999 ps");
        let exact = [0, 999, 1_000, 3_999_000_000, 20_000_000_000_000, 1_000_000_000_001]
            .map(|ps| Span::from_ps(ps).exact());
        assert_eq!(exact, ["0 ps", "999 ps", "1 ns", "3.999 ms", "20 s", "1.000000000001 s"]);
    }

    #[test]
    fn every_span_is_read_as_it_was_written() {
        let mut random = Pcg64::seed_from_u64(51);
        let drawn = (0..2_000).map(|_| random.random::<u64>() >> random.random_range(0..64_u32));
        for ps in drawn.chain([4_319_921_345_665_975, u64::MAX - 1, u64::MAX]) {
            let span = Span::from_ps(ps);
            assert_eq!(span.exact_seconds().parse(), Ok(span));
        }
        // 18 decimals at most count, and a picosecond that is half there does.
        for (text, ps) in [(".5ns", 500), ("0.0005ns", 1), ("0.00049999999999999999999ns", 0)] {
            assert_eq!(text.parse::<Span>(), Ok(Span::from_ps(ps)), "{text}");
        }
    }

    #[test]
    fn picoseconds_are_rounded_as_round_does() {
        let near =
            [0.0, 0.25, 0.499_999_999_999_999_94, 0.5, 0.75, 1.5, 2.5, 1e9 + 0.5, 4_503_599_627_370_495.5];
        let far = [9_007_199_254_740_992.0, 1e18, 1.8e19, 1e30, f64::INFINITY, -0.4, -0.5, -7.0, f64::NAN];
        for ps in near.into_iter().chain(far) {
            assert_eq!(Span::from_ps_rounded(ps).as_ps(), ps.round() as u64, "{ps}");
        }
    }

    #[test]
    fn text_that_is_no_span_is_refused_by_name() {
        for text in
            ["", "s", ".", ".s", "1.2.3s", "1 fortnight", "-1s", "1e300", "99999999999h", "18446744.1s"]
        {
            let error = text.parse::<Span>().expect_err(text);
            assert!(error.to_string().contains("is not a time"), "{error}");
        }
    }

    #[test]
    fn a_clock_that_steps_back_gives_zero_not_a_wrap() {
        assert_eq!(Time::from_ps(5).since(Time::from_ps(9)), Span::ZERO);
    }
}
