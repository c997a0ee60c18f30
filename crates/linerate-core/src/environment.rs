//! What a host reports about itself: kernel, processor, clock, interface and settings.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact that was read, or the reason why it is unknown.
///
/// In JSON a known fact is its bare value and an unknown one `{"unknown": "why"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Fact_of_{T}")]
pub enum Fact<T> {
    /// It could not be read.
    Unknown {
        /// Why, in a few words.
        unknown: String,
    },
    /// It was read.
    Known(T),
}

/// Why a fact is unknown that nobody tried to read.
const NOT_LOOKED_FOR: &str = "not looked for";

impl<T> Fact<T> {
    /// An unknown fact and the reason.
    pub fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown { unknown: why.into() }
    }

    /// Whether nobody looked for it: the default.
    #[must_use]
    pub fn is_not_looked_for(&self) -> bool {
        matches!(self, Self::Unknown { unknown } if unknown == NOT_LOOKED_FOR)
    }

    /// The value, if it is known.
    pub const fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown { .. } => None,
        }
    }
}

impl<T> Default for Fact<T> {
    fn default() -> Self {
        Self::unknown(NOT_LOOKED_FOR)
    }
}

impl<T, E: fmt::Display> From<Result<T, E>> for Fact<T> {
    fn from(read: Result<T, E>) -> Self {
        match read {
            Ok(value) => Self::Known(value),
            Err(error) => Self::unknown(error.to_string()),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Fact<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(value) => value.fmt(out),
            Self::Unknown { unknown } => write!(out, "unknown ({unknown})"),
        }
    }
}

/// Drivers of interfaces without a wire that state a speed all the same. Nothing enforces it.
///
/// Source: Linux, `veth_get_link_ksettings` (drivers/net/veth.c: 10 Gb/s),
/// `tun_default_link_ksettings` (drivers/net/tun.c: 10 Mb/s, or 10 Gb/s in later versions) and
/// `br_get_link_ksettings` (net/bridge/br_device.c: that of the fastest port).
const STATES_ANY_SPEED: [&str; 3] = ["veth", "tun", "bridge"];

/// One host, at the time of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Environment {
    /// Version of linerate on this host.
    pub linerate: String,
    /// Host name.
    pub hostname: Fact<String>,
    /// Operating system and kernel release, such as `Linux 6.18.44`.
    pub kernel: Fact<String>,
    /// Machine architecture, such as `x86_64`.
    pub architecture: String,
    /// Identity of the installation of this host, the same after every boot: 32 hexadecimal digits
    /// made of the identifier in `/etc/machine-id`, which itself stays on the host.
    #[serde(skip_serializing_if = "Fact::is_not_looked_for")]
    pub machine: Fact<String>,
    /// Identity of this boot of this host: equal at both ends means one host.
    pub boot_id: Fact<String>,
    /// Identity of the network namespace. If both ends are on one host and in one namespace, there
    /// is no wire between them.
    pub network_namespace: Fact<String>,
    /// Processor model.
    pub cpu_model: Fact<String>,
    /// Processors this process may use.
    pub cpus: Fact<Vec<u32>>,
    /// Whether simultaneous multithreading is active.
    pub smt: Fact<bool>,
    /// Hypervisor the host runs under, or `none`.
    pub hypervisor: Fact<String>,
    /// Frequency governor of the first usable processor.
    pub governor: Fact<String>,
    /// Clock source of the kernel.
    pub clocksource: Fact<String>,
    /// Memory page. Unit: bytes.
    pub page_bytes: Fact<u64>,
    /// Memory of the host. Unit: bytes.
    pub memory_bytes: Fact<u64>,
    /// The interface that the connection runs over.
    pub interface: Fact<Interface>,
    /// Kernel settings that affect network performance, by sysctl name.
    pub sysctls: BTreeMap<String, Fact<String>>,
}

/// A network interface and its settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Interface {
    /// Name, such as `eth0`.
    pub name: String,
    /// Whether it is the loopback.
    pub loopback: bool,
    /// Driver.
    pub driver: Fact<String>,
    /// Driver version.
    pub driver_version: Fact<String>,
    /// Firmware version.
    pub firmware: Fact<String>,
    /// Bus address.
    pub bus: Fact<String>,
    /// Link speed. Unit: Mb/s (10^6 bit/s), on the wire after line coding.
    pub speed_mbps: Fact<u64>,
    /// `full` or `half`.
    pub duplex: Fact<String>,
    /// Largest IP packet. Unit: bytes (not the Ethernet frame).
    pub mtu: Fact<u64>,
    /// Offloads by their ethtool name, on or off.
    pub offloads: Fact<BTreeMap<String, bool>>,
    /// Interrupt coalescing settings by their ethtool name.
    pub coalescing: Fact<BTreeMap<String, u32>>,
    /// Descriptor rings by their ethtool name.
    pub rings: Fact<BTreeMap<String, u32>>,
}

impl Interface {
    /// The driver and the speed that it states, if nothing enforces that speed. Unit: Mb/s.
    #[must_use]
    pub fn made_up_speed(&self) -> Option<(&str, u64)> {
        let driver = self.driver.known().filter(|driver| STATES_ANY_SPEED.contains(&driver.as_str()))?;
        Some((driver, *self.speed_mbps.known()?))
    }
}

impl Environment {
    /// The interface's link rate, if it is known. A speed that the driver made up is not one.
    #[must_use]
    pub fn speed_mbps(&self) -> Option<u64> {
        let interface = self.interface.known().filter(|interface| interface.made_up_speed().is_none())?;
        interface.speed_mbps.known().copied()
    }

    /// Whether both ends are the same boot of the same host. Absent if either does not say.
    #[must_use]
    pub fn same_host(&self, other: &Self) -> Option<bool> {
        Some(self.boot_id.known()? == other.boot_id.known()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_that_a_driver_makes_up_is_no_link_rate() {
        let with = |driver: &str| {
            let driver = Fact::Known(driver.to_owned());
            let interface = Interface { driver, speed_mbps: Fact::Known(10_000), ..Interface::default() };
            Environment { interface: Fact::Known(interface), ..Environment::default() }
        };
        for driver in STATES_ANY_SPEED {
            assert_eq!(with(driver).speed_mbps(), None, "{driver}");
        }
        for driver in ["mlx5_core", "virtio_net"] {
            assert_eq!(with(driver).speed_mbps(), Some(10_000), "{driver}");
        }
        let unknown = Interface { speed_mbps: Fact::Known(10_000), ..Interface::default() };
        assert_eq!(unknown.made_up_speed(), None, "the driver does not say what it is");
    }

    #[test]
    fn a_fact_survives_json_known_or_not() {
        for (fact, json) in [
            (Fact::Known("tsc".to_owned()), r#""tsc""#),
            (Fact::unknown("no such file"), r#"{"unknown":"no such file"}"#),
        ] {
            assert_eq!(serde_json::to_string(&fact).expect("a fact is JSON"), json);
            assert_eq!(serde_json::from_str::<Fact<String>>(json).expect("JSON is a fact"), fact);
        }
    }
}
