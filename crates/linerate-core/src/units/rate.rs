//! Data rates.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::written::{self, Number, Quantity};
use super::{Span, digits};

/// A data rate.
///
/// Unit: bits per second (10^6 bit/s is 1 Mb/s). Each use says whether it means payload or wire.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Rate(f64);

impl Rate {
    /// `bits` per second.
    #[must_use]
    pub const fn from_bits_per_second(bits: f64) -> Self {
        Self(bits)
    }

    /// `megabits` (10^6) per second.
    #[must_use]
    pub const fn from_mbps(megabits: f64) -> Self {
        Self(megabits * 1e6)
    }

    /// The rate at which `bytes` pass in `span`. Absent if no time passed.
    ///
    /// ```
    /// use linerate_core::units::{Rate, Span};
    ///
    /// let rate = Rate::of(125, Span::from_us(1)).expect("time passed");
    /// assert_eq!(rate.as_mbps(), 1_000.0);
    /// ```
    #[must_use]
    pub fn of(bytes: u64, span: Span) -> Option<Self> {
        (span > Span::ZERO).then(|| Self(bytes as f64 * 8.0 / span.as_seconds()))
    }

    /// Bits per second.
    #[must_use]
    pub const fn bits_per_second(self) -> f64 {
        self.0
    }

    /// Megabits (10^6) per second.
    #[must_use]
    pub const fn as_mbps(self) -> f64 {
        self.0 / 1e6
    }

    /// This rate as a share of `whole`.
    #[must_use]
    pub const fn share_of(self, whole: Self) -> f64 {
        self.0 / whole.0
    }
}

impl fmt::Display for Rate {
    /// `941 Mb/s`, `9.41 Gb/s`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            bits if bits >= 1e9 => (bits / 1e9, "Gb/s"),
            bits if bits >= 1e6 => (bits / 1e6, "Mb/s"),
            bits => (bits / 1e3, "kb/s"),
        };
        write!(out, "{} {unit}", digits(value))
    }
}

/// Why text is no rate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a rate; write 100M or 2.5G for 10^6 or 10^9 bit/s")]
pub struct ParseRateError {
    text: String,
}

/// What may stand behind the prefix of the unit.
const BITS: [&str; 4] = ["bit/s", "b/s", "bps", "bit"];

impl FromStr for Rate {
    type Err = ParseRateError;

    /// Reads `100M`, `2.5G`, `64k`, `1000000`, `10 Mbit/s`: bits a second, in powers of 1000.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || ParseRateError { text: text.to_owned() };
        let trimmed = text.trim();
        let trimmed = BITS.iter().find_map(|unit| trimmed.strip_suffix(unit)).unwrap_or(trimmed);
        let (number, unit) = match trimmed.char_indices().last() {
            Some((place, 'k' | 'K')) => (&trimmed[..place], 1e3),
            Some((place, 'M')) => (&trimmed[..place], 1e6),
            Some((place, 'G')) => (&trimmed[..place], 1e9),
            Some((place, 'T')) => (&trimmed[..place], 1e12),
            _ => (trimmed, 1.0),
        };
        let bits = number.trim().parse::<f64>().map_err(|_| bad())? * unit;
        if bits.is_finite() && bits > 0.0 { Ok(Self(bits)) } else { Err(bad()) }
    }
}

impl Quantity for Rate {
    const WRITTEN: &'static str = "a number of bit/s or text such as \"100M\"";

    fn from_number(number: Number) -> Result<Self, String> {
        Ok(Self(match number {
            Number::Whole(bits) => bits as f64,
            Number::Real(bits) => bits,
        }))
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        written::read(input)
    }
}

impl JsonSchema for Rate {
    fn schema_name() -> Cow<'static, str> {
        "Rate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A data rate in bit/s: a number, or text with a unit such as 100M or 2.5 Gbit/s.",
            "anyOf": [
                {"type": "number"},
                {"type": "string", "pattern": "^\\s*[0-9.eE+-]+\\s*[kKMGT]?(bit/s|b/s|bps|bit)?\\s*$"},
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_read_as_people_write_it() {
        for (text, mbps) in [
            ("2.5G", 2_500.0),
            ("64k", 0.064),
            ("100M", 100.0),
            ("1000000", 1.0),
            ("10 Mbit/s", 10.0),
            ("1Gbps", 1e3),
        ] {
            let rate: Rate = text.parse().expect(text);
            assert!((rate.as_mbps() - mbps).abs() < 1e-9, "{text}");
            let read: Rate = serde_json::from_value(serde_json::json!(text)).expect(text);
            assert_eq!(read, rate, "{text}");
        }
        for text in ["", "M", "-1M", "0", "1e999G", "10 MB/s", "fast"] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
        for number in ["2500000", "2.5e6"] {
            assert_eq!(serde_json::from_str::<Rate>(number).expect(number), Rate::from_mbps(2.5));
        }
    }

    #[test]
    fn a_rate_is_bits_over_time() {
        let rate = Rate::of(125_000_000, Span::from_seconds(1.0)).expect("time passed");
        assert!((rate.as_mbps() - 1000.0).abs() < 1e-9);
        assert_eq!(rate.to_string(), "1.00 Gb/s");
        assert_eq!(Rate::of(1, Span::ZERO), None);
        assert_eq!(Rate::from_mbps(941.482).to_string(), "941 Mb/s");
    }
}
