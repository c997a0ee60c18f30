//! Network adaptors and their PCI links.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::units::Rate;

/// A network adaptor that is a PCI device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Adaptor {
    /// Its interface, such as `eth0`.
    pub interface: String,
    /// Its address on PCI, such as `0000:03:00.0`.
    pub address: String,
    /// The link as it runs now.
    pub link: Fact<PciLink>,
    /// The best link that the device can have.
    pub best_link: Fact<PciLink>,
    /// The speed of its port. Unit: Mb/s.
    pub port_mbps: Fact<u64>,
}

impl Adaptor {
    /// The rate of its PCI link, one direction, as a multiple of its port's. Absent where either is unknown.
    #[must_use]
    pub fn headroom(&self) -> Option<f64> {
        let port = Rate::from_mbps(*self.port_mbps.known()? as f64);
        let link = self.link.known()?.data_rate();
        (port.bits_per_second() > 0.0).then(|| link.share_of(port))
    }
}

/// A link of PCI Express.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PciLink {
    /// Speed of a lane, one direction, before encoding. Unit: GT/s (10^9 transfers, of a bit each).
    pub speed_gt_per_second: f64,
    /// Lanes.
    pub lanes: u32,
}

/// Why a link is not known. The texts fit "unknown (...)".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PciLinkError {
    /// The text names no speed, as where nothing is plugged in.
    #[error("`{0}` is not a link speed")]
    Speed(String),
    /// The text names no number of lanes.
    #[error("`{0}` is not a link width")]
    Width(String),
}

impl PciLink {
    /// From the texts of `current_link_speed`, such as `8.0 GT/s PCIe`, and of `current_link_width`, such as `8`.
    ///
    /// Source: kernel documentation, ABI/testing/sysfs-bus-pci.
    ///
    /// # Errors
    ///
    /// When one of them is none. A width of 0 or 255 is what a device says that has no link.
    pub fn parse(speed: &str, width: &str) -> Result<Self, PciLinkError> {
        let (speed, width) = (speed.trim(), width.trim());
        let number = speed.split_once(" GT/s").and_then(|(number, _)| number.trim().parse::<f64>().ok());
        let speed_gt_per_second = number
            .filter(|number| number.is_finite() && *number > 0.0)
            .ok_or_else(|| PciLinkError::Speed(speed.to_owned()))?;
        let lanes = width.strip_prefix('x').unwrap_or(width).parse::<u32>().ok();
        // Source of the widest: PCI Express Base Specification 5.0, section 7.5.3.6 (Link Capabilities).
        let lanes = lanes.filter(|lanes| (1..=32).contains(lanes));
        Ok(Self { speed_gt_per_second, lanes: lanes.ok_or_else(|| PciLinkError::Width(width.to_owned()))? })
    }

    /// What encoding leaves of a transfer: 8b/10b up to 5 GT/s, 128b/130b from 8 GT/s, and 236 of the 256 bytes of a
    /// flit from 64 GT/s.
    ///
    /// Source: PCI Express Base Specification 6.0, sections 4.2.2 (8b/10b, 128b/130b) and 4.2.3 (flits).
    #[must_use]
    pub fn encoding_share(self) -> f64 {
        match self.speed_gt_per_second {
            slow if slow < 8.0 => 8.0 / 10.0,
            usual if usual < 64.0 => 128.0 / 130.0,
            _ => 236.0 / 256.0,
        }
    }

    /// What the link carries in one direction after encoding. Headers of packets, credits and replays still come
    /// off it.
    #[must_use]
    pub fn data_rate(self) -> Rate {
        let transfers = self.speed_gt_per_second * 1e9 * f64::from(self.lanes);
        Rate::from_bits_per_second(transfers * self.encoding_share())
    }
}

impl fmt::Display for PciLink {
    /// `8 GT/s x8`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} GT/s x{}", self.speed_gt_per_second, self.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// GB/s of the generations as they are published: lanes x GT/s x encoding / 8.
    #[test]
    fn a_link_carries_what_its_encoding_leaves() {
        for (speed, width, gigabytes) in [
            ("2.5 GT/s PCIe", "1", 0.250),
            ("5.0 GT/s PCIe", "4", 2.0),
            ("8.0 GT/s PCIe", "8", 7.877),
            ("16.0 GT/s PCIe", "16", 31.508),
            ("32.0 GT/s PCIe\n", "16\n", 63.015),
            ("64.0 GT/s PCIe", "16", 118.0),
            // Kernels before 5.8 write no "PCIe", and the oldest ones no decimals.
            ("2.5 GT/s", "x8", 2.0),
            ("8 GT/s", "4", 3.938),
        ] {
            let link = PciLink::parse(speed, width).expect(speed);
            let found = link.data_rate().bits_per_second() / 8e9;
            assert!((found - gigabytes).abs() < 0.001, "{speed} x{width}: {found}");
        }
    }

    #[test]
    fn what_is_no_link_says_so() {
        let why = |speed: &str, width: &str| PciLink::parse(speed, width).expect_err(speed).to_string();
        assert_eq!(why("Unknown", "0"), "`Unknown` is not a link speed");
        assert_eq!(why("Unknown speed", "255"), "`Unknown speed` is not a link speed");
        assert_eq!(why("8.0 GT/s PCIe", "0"), "`0` is not a link width");
        assert_eq!(why("8.0 GT/s PCIe", "255"), "`255` is not a link width");
        assert_eq!(why("-8.0 GT/s", "8"), "`-8.0 GT/s` is not a link speed");
        assert_eq!(why("NaN GT/s", "8"), "`NaN GT/s` is not a link speed");
        assert_eq!(why("8.0 GT/s PCIe", ""), "`` is not a link width");
    }

    /// A port of 100 Gb/s on 3.0 x8 gets 63 Gb/s.
    #[test]
    fn an_adaptor_is_held_against_its_port() {
        let link = PciLink::parse("8.0 GT/s PCIe", "8").map_err(|error| error.to_string());
        let adaptor = Adaptor { link: link.into(), port_mbps: Fact::Known(100_000), ..Adaptor::default() };
        let headroom = adaptor.headroom().expect("both are known");
        assert!((headroom - 0.630).abs() < 0.001, "{headroom}");
        assert_eq!(Adaptor::default().headroom(), None);
        let down = Adaptor { port_mbps: Fact::Known(0), ..adaptor };
        assert_eq!(down.headroom(), None);
    }
}
