//! Data rates.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Span, digits};

/// A data rate.
///
/// Unit: bits per second (10^6 bit/s is 1 Mb/s). Each use says whether it means payload or wire.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_bits_over_time() {
        let rate = Rate::of(125_000_000, Span::from_seconds(1.0)).expect("time passed");
        assert!((rate.as_mbps() - 1000.0).abs() < 1e-9);
        assert_eq!(rate.to_string(), "1.00 Gb/s");
        assert_eq!(Rate::of(1, Span::ZERO), None);
        assert_eq!(Rate::from_mbps(941.482).to_string(), "941 Mb/s");
    }
}
