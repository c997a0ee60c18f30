//! The most that a link can carry: its rate less the framing overhead.

use crate::units::Rate;

/// Preamble and start delimiter, header, frame check sequence and gap around every Ethernet
/// frame's payload. Unit: bytes. Source: IEEE 802.3, clauses 3.1 and 4.4.2: 8 + 14 + 4 + 12.
const ETHERNET_OVERHEAD: f64 = 38.0;
/// Smallest Ethernet payload. Unit: bytes. Source: IEEE 802.3, clause 4.2.3.3: 64 - 18.
const ETHERNET_SHORTEST: f64 = 46.0;
/// IPv4 header without options (RFC 791) and IPv6 header (RFC 8200). Unit: bytes.
const IPV4_HEADER: u64 = 20;
const IPV6_HEADER: u64 = 40;
/// TCP header without options (RFC 9293) and its timestamps option, padded (RFC 7323). Unit: bytes.
const TCP_HEADER: u64 = 20;
const TCP_TIMESTAMPS: u64 = 12;

/// How TCP payload is framed on Ethernet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Largest IP packet. Unit: bytes.
    pub mtu: u64,
    /// IPv6 rather than IPv4.
    pub ipv6: bool,
    /// TCP timestamps negotiated.
    pub timestamps: bool,
}

impl Framing {
    /// What the shortest frame takes of an Ethernet. Unit: bytes.
    pub const SHORTEST_FRAME: f64 = ETHERNET_SHORTEST + ETHERNET_OVERHEAD;

    /// Payload of a full TCP segment. Unit: bytes.
    #[must_use]
    pub const fn segment(self) -> u64 {
        let ip = if self.ipv6 { IPV6_HEADER } else { IPV4_HEADER };
        let options = if self.timestamps { TCP_TIMESTAMPS } else { 0 };
        self.mtu.saturating_sub(ip + TCP_HEADER + options)
    }

    /// What a segment with this `payload` takes of an Ethernet, with all that goes with it. Unit: bytes.
    #[must_use]
    pub fn on_the_wire(self, payload: f64) -> f64 {
        let headers = self.mtu as f64 - self.segment() as f64;
        (payload + headers).max(ETHERNET_SHORTEST) + ETHERNET_OVERHEAD
    }

    /// The share of the bit rate that is TCP payload when every segment is full.
    #[must_use]
    pub fn share(self) -> f64 {
        let full = self.segment() as f64;
        full / self.on_the_wire(full)
    }

    /// The highest TCP payload rate over Ethernet of `link` rate, one direction, both directions free.
    #[must_use]
    pub fn ceiling(self, link: Rate) -> Rate {
        Rate::from_bits_per_second(link.bits_per_second() * self.share())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_those_of_the_closed_form() {
        // Fraction of line rate, IPv4: MTU, without and with timestamps.
        let table = [(512, 0.858_182, 0.836_364), (1500, 0.949_285, 0.941_482), (9000, 0.991_370, 0.990_042)];
        for (mtu, plain, stamped) in table {
            let framing = Framing { mtu, ipv6: false, timestamps: false };
            assert!((framing.share() - plain).abs() < 1e-6, "{mtu}");
            let framing = Framing { timestamps: true, ..framing };
            assert!((framing.share() - stamped).abs() < 1e-6, "{mtu}");
        }
    }
}
