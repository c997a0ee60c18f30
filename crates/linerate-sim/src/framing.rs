//! What each medium makes of an IP packet: the frame that loads count, and what the line is busy
//! for.
//!
//! One definition for all media, so that their throughputs compare: a frame counts from the first
//! byte of its header to the last of its check sequence, padding included. What only separates
//! frames or finds their way (preambles, delimiters, gaps, idle words, cell headers, route bytes)
//! does not count.

use crate::ethernet::parameters::{frame_bytes as ethernet_frame, occupied_bytes};
use crate::{atm, fddi, fibre_channel, myrinet};

/// How a medium frames an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The MAC frame, destination address to check sequence, at least 64 B.
    Ethernet,
    /// The AAL5 PDU: LLC/SNAP, packet, padding and trailer, which is 48 B of each cell.
    Atm(atm::Encapsulation),
    /// Frame control to check sequence, LLC/SNAP included.
    Fddi,
    /// Header to check of each frame of the sequence, its data filled to whole words.
    FibreChannel {
        /// Most payload of a frame. Unit: bytes.
        payload_bytes: u32,
    },
    /// Type to check, without the route bytes, which switches strip.
    Myrinet {
        /// Switches on the way. Unit: route bytes.
        hops: u32,
    },
}

/// What FDDI has around a frame: preamble (8), starting delimiter (1), ending delimiter and frame
/// status (2). Unit: bytes. Source: ANSI X3.139.
const FDDI_DELIMITERS_BYTES: u64 = 11;
/// What Fibre Channel has around a frame: start and end of frame, a word each. Unit: bytes. Source:
/// FC-PH, 17.
const FIBRE_CHANNEL_DELIMITERS_BYTES: u64 = 8;

impl Framing {
    /// The length of what carries a packet of `packet_bytes`, as throughput counts it. Unit: bytes.
    #[must_use]
    pub fn frame_bytes(self, packet_bytes: u32) -> u64 {
        match self {
            Self::Ethernet => ethernet_frame(packet_bytes),
            Self::Atm(encapsulation) => {
                u64::from(encapsulation.cells(packet_bytes)) * u64::from(atm::CELL_PAYLOAD_BYTES)
            }
            Self::Fddi => u64::from(packet_bytes) + fddi::parameters::OVERHEAD_BYTES - FDDI_DELIMITERS_BYTES,
            Self::FibreChannel { payload_bytes } => sequence(packet_bytes, payload_bytes, |payload| {
                fibre_channel::frame_bytes(payload) - FIBRE_CHANNEL_DELIMITERS_BYTES
            }),
            Self::Myrinet { .. } => myrinet::parameters::packet_bytes(packet_bytes, 0),
        }
    }

    /// What the line of the sender is busy for, with all that separates frames. Unit: bytes.
    #[must_use]
    pub fn line_bytes(self, packet_bytes: u32) -> u64 {
        match self {
            Self::Ethernet => occupied_bytes(packet_bytes),
            Self::Atm(encapsulation) => {
                u64::from(encapsulation.cells(packet_bytes)) * u64::from(atm::CELL_BYTES)
            }
            Self::Fddi => u64::from(packet_bytes) + fddi::parameters::OVERHEAD_BYTES,
            Self::FibreChannel { payload_bytes } => sequence(packet_bytes, payload_bytes, |payload| {
                fibre_channel::frame_bytes(payload) + u64::from(fibre_channel::GAP_BYTES)
            }),
            Self::Myrinet { hops } => myrinet::parameters::packet_bytes(packet_bytes, hops),
        }
    }
}

/// The sum of `bytes` over the frames of a sequence that carries an IP packet.
fn sequence(packet_bytes: u32, payload_bytes: u32, bytes: impl Fn(u32) -> u64) -> u64 {
    let data = packet_bytes + fibre_channel::Encapsulation::Ip.header_bytes();
    let last = data % payload_bytes;
    u64::from(data / payload_bytes) * bytes(payload_bytes) + if last > 0 { bytes(last) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, for a packet of 1500 B: Ethernet 14 + 1500 + 4; AAL5 8 + 1500 + 8, padded to 32
    /// cells; FDDI 1 + 12 + 8 + 1500 + 4; Fibre Channel 24 + (16 + 8 + 1500) + 4 in one frame;
    /// Myrinet 2 + 1500 + 1. On the line: 8 + 12, 5 a cell, 11, 4 + 4 + 24, and a route byte more.
    #[test]
    fn a_frame_reaches_from_its_header_to_its_check_on_every_medium() {
        let all = [
            (Framing::Ethernet, 1518, 1538),
            (Framing::Atm(atm::Encapsulation::LlcSnap), 32 * 48, 32 * 53),
            (Framing::Fddi, 1525, 1536),
            (Framing::FibreChannel { payload_bytes: 2048 }, 1552, 1584),
            (Framing::Myrinet { hops: 1 }, 1503, 1504),
        ];
        for (framing, frame, line) in all {
            assert_eq!([framing.frame_bytes(1500), framing.line_bytes(1500)], [frame, line], "{framing:?}");
        }
        let long = Framing::FibreChannel { payload_bytes: 2048 };
        // 24 + 4000 B in frames of 2048 and 1976.
        assert_eq!([long.frame_bytes(4000), long.line_bytes(4000)], [4024 + 2 * 28, 4024 + 2 * 60]);
        assert_eq!([Framing::Ethernet.frame_bytes(1), Framing::Ethernet.line_bytes(1)], [64, 84]);
    }
}
