//! What the values of pairs are.

use serde::Serialize;

use linerate_core::pattern::Pattern;
use linerate_core::plan::Probe;
use linerate_core::units::Size;

/// What values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeshUnit {
    /// Microseconds one way; less is better.
    #[serde(rename = "us")]
    Microseconds,
    /// 10^6 bit/s of payload; more is better.
    Mbps,
}

impl MeshUnit {
    /// As it is shown.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Microseconds => "us",
            Self::Mbps => "Mb/s",
        }
    }

    /// Whether `one` is worse than `other`.
    #[must_use]
    pub fn is_worse(self, one: f64, other: f64) -> bool {
        match self {
            Self::Microseconds => one > other,
            Self::Mbps => one < other,
        }
    }
}

/// `latency of 1 B`, `throughput of 1 MiB`.
#[must_use]
pub fn probe_name(probe: &Probe) -> String {
    let what = if unit_of(probe) == MeshUnit::Mbps { "throughput" } else { "latency" };
    format!("{what} of {}", Size(probe.size))
}

pub(super) fn unit_of(probe: &Probe) -> MeshUnit {
    if probe.pattern == Pattern::OneWay { MeshUnit::Mbps } else { MeshUnit::Microseconds }
}

/// A time as the unit of its probe.
pub(super) fn in_unit(probe: &Probe, seconds: f64) -> f64 {
    match unit_of(probe) {
        MeshUnit::Microseconds => seconds * 1e6,
        MeshUnit::Mbps => probe.size as f64 * 8.0 / 1e6 / seconds,
    }
}
