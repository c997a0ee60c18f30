//! What each medium makes of an IP packet: the frame that loads count, and what the line is busy
//! for.
//!
//! One definition for all media, so that their throughputs compare: a frame counts from the first
//! byte of its header to the last of its check sequence, padding included. What only separates
//! frames or finds their way (preambles, delimiters, gaps, idle words, cell headers, route bytes)
//! does not count.

use std::fmt;

/// How a medium frames an IP packet.
pub trait Framing: fmt::Debug + Send + Sync {
    /// The length of what carries a packet of `packet_bytes`, as throughput counts it. Unit: bytes.
    fn frame_bytes(&self, packet_bytes: u32) -> u64;

    /// What the line of the sender is busy for, with all that separates frames. Unit: bytes.
    fn line_bytes(&self, packet_bytes: u32) -> u64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atm::Encapsulation;
    use crate::ethernet::parameters::EthernetFraming;
    use crate::fddi::FddiFraming;
    use crate::fibre_channel::FibreChannelFraming;
    use crate::myrinet::MyrinetFraming;

    /// By hand, for a packet of 1500 B: Ethernet 14 + 1500 + 4; AAL5 8 + 1500 + 8, padded to 32
    /// cells; FDDI 1 + 12 + 8 + 1500 + 4; Fibre Channel 24 + (16 + 8 + 1500) + 4 in one frame;
    /// Myrinet 2 + 1500 + 1. On the line: 8 + 12, 5 a cell, 11, 4 + 4 + 24, and a route byte more.
    #[test]
    fn a_frame_reaches_from_its_header_to_its_check_on_every_medium() {
        let long = FibreChannelFraming { payload_bytes: 2048 };
        let all: [(&dyn Framing, u64, u64); 5] = [
            (&EthernetFraming, 1518, 1538),
            (&Encapsulation::LlcSnap, 32 * 48, 32 * 53),
            (&FddiFraming, 1525, 1536),
            (&long, 1552, 1584),
            (&MyrinetFraming { hops: 1 }, 1503, 1504),
        ];
        for (framing, frame, line) in all {
            assert_eq!([framing.frame_bytes(1500), framing.line_bytes(1500)], [frame, line], "{framing:?}");
        }
        // 24 + 4000 B in frames of 2048 and 1976.
        assert_eq!([long.frame_bytes(4000), long.line_bytes(4000)], [4024 + 2 * 28, 4024 + 2 * 60]);
        assert_eq!([EthernetFraming.frame_bytes(1), EthernetFraming.line_bytes(1)], [64, 84]);
    }
}
