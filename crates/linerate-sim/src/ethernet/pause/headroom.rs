//! How much buffer a port needs above its high watermark, and how much below it.

use linerate_core::units::Span;

use super::{FRAME_BITS, QUANTUM_BITS, reaction_limit_quanta};
use crate::ethernet::parameters::{GAP_BITS, PREAMBLE_BITS, occupied_bits};
use crate::pace::Pace;

/// What decides how much still comes in after a port has chosen to stop the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// Longest frame of either end, from destination address to frame check sequence: 1518, not
    /// the MTU of 1500. Unit: bytes.
    pub max_frame_bytes: u64,
    /// Time of a bit.
    pub pace: Pace,
    /// From a bit's leaving to its arrival, one way.
    pub delay: Span,
    /// How long after a PAUSE frame the other end may still begin a frame. Unit: bit times.
    pub reaction_bits: u64,
}

impl Headroom {
    /// For a partner that reacts as late as the standard allows at this pace.
    #[must_use]
    pub fn at_reaction_limit(max_frame_bytes: u64, pace: Pace, delay: Span) -> Self {
        let reaction_bits = reaction_limit_quanta(pace) * QUANTUM_BITS;
        Self { max_frame_bytes, pace, delay, reaction_bits }
    }

    /// What can still come in after the high watermark was reached, gaps and preambles counted:
    ///
    /// (Lmax + 20) x 8, the own port has just begun a frame; + 672, the PAUSE frame and its gap;
    /// + 2 x delay / bit time; + the reaction; + (Lmax + 20) x 8, the other end has just begun.
    ///
    /// Unit: bits. Source: derived; a form of it is in every switch's manual.
    #[must_use]
    pub fn bits(&self) -> u64 {
        let frame = occupied_bits(self.max_frame_bytes);
        frame + FRAME_BITS + GAP_BITS + self.pace.bits(self.delay * 2) + self.reaction_bits + frame
    }

    /// [`Self::bits`] as room in a buffer that is looked at with every byte: the watermark is
    /// noticed when the byte that reaches it comes in. Rounded up. Unit: bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bits().div_ceil(8)
    }

    /// Room for a buffer that is looked at when a frame has come in whole, as [`super::Gauge`]
    /// is: the frame that reaches the watermark may go beyond it by all of its bytes but one.
    /// Unit: bytes.
    #[must_use]
    pub fn bytes_by_frame(&self) -> u64 {
        self.bytes() + self.max_frame_bytes - 1
    }

    /// From a port's asking the other end to go on until the first frame has come in whole, at
    /// the latest: a frame in progress, the PAUSE frame, the cable both ways, a frame. A low
    /// watermark of at least the drain rate times this leaves no gap in the drain.
    ///
    /// Unit: bit times.
    #[must_use]
    pub fn resume_bits(&self) -> u64 {
        let first = PREAMBLE_BITS + self.max_frame_bytes * 8;
        occupied_bits(self.max_frame_bytes) + FRAME_BITS + self.pace.bits(self.delay * 2) + first
    }
}
