//! What facts are counted in.

use serde::{Deserialize, Serialize};

/// What values are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A word, or yes and no.
    Word,
    /// How many, or the number of something.
    Count,
    /// Microseconds.
    Microseconds,
    /// 10^6 bit/s of payload.
    Mbps,
    /// Bytes.
    Bytes,
    /// The bytes of a message, which people write in KiB and MiB where that is exact.
    Size,
    /// A share, 0 to 1.
    Share,
    /// For each second.
    PerSecond,
    /// Segments for each 10^9 bytes.
    PerGigabyte,
    /// Seconds for each 10^9 bytes.
    SecondsPerGigabyte,
    /// Seconds.
    Seconds,
    /// What an application counts its figure of merit in.
    Merit,
}

impl Unit {
    /// As tables and other programs read it; empty if there is none.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Word | Self::Count | Self::Merit => "",
            Self::Microseconds => "us",
            Self::Mbps => "Mb/s",
            Self::Bytes | Self::Size => "B",
            Self::Share => "share",
            Self::PerSecond => "/s",
            Self::PerGigabyte => "/GB",
            Self::SecondsPerGigabyte => "s/GB",
            Self::Seconds => "s",
        }
    }

    /// In base units, as metrics have it: how the name ends, and how many of the base unit it is.
    #[must_use]
    pub const fn base(self) -> (&'static str, f64) {
        match self {
            Self::Word | Self::Count | Self::Merit => ("", 1.0),
            Self::Microseconds => ("seconds", 1e-6),
            Self::Mbps => ("bytes_per_second", 1e6 / 8.0),
            Self::Bytes | Self::Size => ("bytes", 1.0),
            Self::Share => ("ratio", 1.0),
            Self::PerSecond => ("per_second", 1.0),
            Self::PerGigabyte => ("segments_per_byte", 1e-9),
            Self::SecondsPerGigabyte => ("seconds_per_byte", 1e-9),
            Self::Seconds => ("seconds", 1.0),
        }
    }
}
