//! Sizes in bytes, as people write them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::written::{self, Number, Quantity};

/// A number of bytes.
///
/// In a plan a size is a whole number of bytes or text such as `"64KiB"`; it is written as a
/// number.
///
/// ```
/// use linerate_core::units::Size;
///
/// let size: Size = "64KiB".parse()?;
/// assert_eq!(size.bytes(), 65_536);
/// assert_eq!(Size(1_500).to_string(), "1500 B");
/// # Ok::<(), linerate_core::units::ParseSizeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(pub u64);

impl Size {
    /// The number of bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Reads a size, or `auto`: whoever else decides, such as the kernel.
    ///
    /// # Errors
    ///
    /// When `text` is neither.
    pub fn or_auto(text: &str) -> Result<Option<Self>, ParseSizeError> {
        if text == "auto" { Ok(None) } else { text.parse().map(Some) }
    }
}

const UNITS: [(&str, u64); 8] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
];

impl fmt::Display for Size {
    /// `1 B`, `1500 B`, `64 KiB`: a binary unit only where it is exact.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = UNITS[..4].iter().find(|(_, unit)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        match exact {
            Some((name, unit)) => write!(out, "{} {name}", self.0 / unit),
            None => write!(out, "{} B", self.0),
        }
    }
}

/// Text that is not a size.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{text}` is not a size; write whole bytes, or a number with KiB, MiB, GiB, TiB, kB, MB, GB or TB, such as 64KiB"
)]
pub struct ParseSizeError {
    text: String,
}

impl FromStr for Size {
    type Err = ParseSizeError;

    /// Reads `1500`, `64KiB`, `10 MB`; `64K` and `64k` are 64 KiB, as in the classic tools.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || ParseSizeError { text: text.to_owned() };
        let trimmed = text.trim();
        let digits = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(digits);
        let unit = unit.trim();
        let factor = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" => 1 << 10,
            "m" => 1 << 20,
            "g" => 1 << 30,
            "t" => 1 << 40,
            lower => {
                let named = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(lower));
                named.ok_or_else(bad)?.1
            }
        };
        let value: u64 = number.parse().map_err(|_| bad())?;
        value.checked_mul(factor).map(Self).ok_or_else(bad)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        // TOML's largest integer.
        match i64::try_from(self.0) {
            Ok(_) => out.serialize_u64(self.0),
            Err(_) => out.serialize_str(&self.0.to_string()),
        }
    }
}

impl Quantity for Size {
    const WRITTEN: &'static str = "a number of bytes or text such as \"64KiB\"";

    fn from_number(number: Number) -> Result<Self, String> {
        match number {
            Number::Whole(bytes) if bytes < 0 => Err(format!("{bytes} is negative; a size is at least 0")),
            Number::Whole(bytes) => u64::try_from(bytes).map(Self).map_err(|error| error.to_string()),
            Number::Real(bytes) => Err(format!("{bytes} is no whole number of bytes")),
        }
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        written::read(input)
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A size in bytes: a whole number, or text with a unit such as 64KiB or 10 MB.",
            "anyOf": [
                {"type": "integer", "minimum": 0},
                {"type": "string", "pattern": "^\\s*[0-9]+\\s*([kKmMgGtT]([iI]?[bB])?|[bB])?\\s*$"},
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_beyond_what_toml_counts_is_read_back() {
        #[derive(PartialEq, Debug, Serialize, Deserialize)]
        struct Plan {
            to: Size,
        }
        for bytes in [0, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
            let plan = Plan { to: Size(bytes) };
            let text = toml::to_string(&plan).expect("a size has a TOML form");
            assert_eq!(toml::from_str::<Plan>(&text).expect("it was written so"), plan, "{text}");
        }
    }

    #[test]
    fn sizes_are_read_in_every_way_people_write_them() {
        for (text, bytes) in [
            ("1", 1),
            ("1500", 1500),
            ("64KiB", 65536),
            ("64k", 65536),
            ("10 MB", 10_000_000),
            ("1g", 1 << 30),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in ["", "KiB", "-1", "1.5k", "99999999999999999999", "1 furlong", "18446744073709551615k"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_size_is_shown_in_a_unit_only_where_that_is_exact() {
        assert_eq!(Size(65536).to_string(), "64 KiB");
        assert_eq!(Size(65539).to_string(), "65539 B");
        assert_eq!(Size(0).to_string(), "0 B");
    }
}
