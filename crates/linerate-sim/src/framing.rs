//! What each medium makes of an IP packet: the frame that loads count, and what the line is busy
//! for.
//!
//! One definition for all media, so that their throughputs compare: a frame counts from the first
//! byte of its header to the last of its check sequence, padding included. What only separates
//! frames or finds their way (preambles, delimiters, gaps, idle words, cell headers, route bytes)
//! does not count.

use std::fmt;
use std::sync::Arc;

/// A length in bytes, by that of a packet in bytes.
type Length = Arc<dyn Fn(u32) -> u64 + Send + Sync>;

/// How a medium frames an IP packet.
#[derive(Clone)]
pub struct Framing {
    frame: Length,
    line: Length,
}

impl Framing {
    /// From the two lengths, each by that of a packet. Unit of all: bytes.
    pub fn new(
        frame: impl Fn(u32) -> u64 + Send + Sync + 'static,
        line: impl Fn(u32) -> u64 + Send + Sync + 'static,
    ) -> Self {
        Self { frame: Arc::new(frame), line: Arc::new(line) }
    }

    /// The length of what carries a packet of `packet_bytes`, as throughput counts it. Unit: bytes.
    #[must_use]
    pub fn frame_bytes(&self, packet_bytes: u32) -> u64 {
        (self.frame)(packet_bytes)
    }

    /// What the line of the sender is busy for, with all that separates frames. Unit: bytes.
    #[must_use]
    pub fn line_bytes(&self, packet_bytes: u32) -> u64 {
        (self.line)(packet_bytes)
    }
}

impl fmt::Debug for Framing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Framing")
    }
}

#[cfg(test)]
mod tests {
    use super::Framing;
    use crate::model::build;
    use crate::plan::ModelPlan;

    fn of(network: &str) -> Framing {
        let plan = ModelPlan::from_toml(&format!("[network]\nmedium = {network}")).expect("a plan");
        build(&plan).expect("it can be built").framing
    }

    /// By hand, for a packet of 1500 B: Ethernet 14 + 1500 + 4; AAL5 8 + 1500 + 8, padded to 32
    /// cells; FDDI 1 + 12 + 8 + 1500 + 4; Fibre Channel 24 + (16 + 8 + 1500) + 4 in one frame;
    /// Myrinet 2 + 1500 + 1. On the line: 8 + 12, 5 a cell, 11, 4 + 4 + 24, and a route byte more.
    #[test]
    fn a_frame_reaches_from_its_header_to_its_check_on_every_medium() {
        let all = [
            ("'ethernet'", 1518, 1538),
            ("'atm'", 32 * 48, 32 * 53),
            ("'fddi'", 1525, 1536),
            ("'fibre-channel'", 1552, 1584),
            ("'myrinet'", 1503, 1504),
        ];
        for (network, frame, line) in all {
            let framing = of(network);
            assert_eq!([framing.frame_bytes(1500), framing.line_bytes(1500)], [frame, line], "{network}");
        }
        let long = of("'fibre-channel'\npayload = 2048");
        // 24 + 4000 B in frames of 2048 and 1976.
        assert_eq!([long.frame_bytes(4000), long.line_bytes(4000)], [4024 + 2 * 28, 4024 + 2 * 60]);
        let short = of("'ethernet'");
        assert_eq!([short.frame_bytes(1), short.line_bytes(1)], [64, 84]);
    }
}
