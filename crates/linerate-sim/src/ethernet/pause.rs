//! PAUSE: how a MAC asks the one at the other end of its link to stop for a while, who of the two
//! may ask, and how much room that needs. Source: IEEE 802.3, clause 31 and annexes 28B and 31B.

mod gauge;
mod headroom;

pub use gauge::{Filled, Gauge, Resume, UnfitWatermarks, Watermarks};
pub use headroom::Headroom;

use linerate_core::units::Span;

use super::parameters::{HEADER_AND_FCS_BYTES, MIN_FRAME_BYTES, PREAMBLE_BITS, occupied_bits};
use crate::pace::Pace;

/// Unit of a PAUSE frame's time. Unit: bit times. Source: annex 31B.2.
pub const QUANTUM_BITS: u64 = 512;
/// The longest time that one PAUSE frame asks for. Unit: quanta. Source: annex 31B.2.
pub const MAX_QUANTA: u16 = u16::MAX;
/// Client data of a PAUSE frame, as a [`crate::frame::Frame`] counts it: with header and frame
/// check sequence it is the shortest frame, 64 bytes. Unit: bytes. Source: clause 31.4.1.
pub const DATA_BYTES: u32 = (MIN_FRAME_BYTES - HEADER_AND_FCS_BYTES) as u32;
/// A PAUSE frame with its preamble and without the gap after it. Unit: bits.
pub const FRAME_BITS: u64 = PREAMBLE_BITS + MIN_FRAME_BYTES * 8;

/// The time that a PAUSE frame of `quanta` asks for, counted from the end of its reception; rounded
/// up to a picosecond.
#[must_use]
pub const fn span(quanta: u16, pace: Pace) -> Span {
    pace.span(quanta as u64 * QUANTUM_BITS)
}

/// How long after the end of a PAUSE frame a transmitter may still begin a frame, at most.
///
/// Unit: quanta. Source: annex 31B.3.7, whose text could not be opened: 1 up to 100 Mb/s, 2 at 1
/// Gb/s, 60 at 10 Gb/s, 118 at 40 Gb/s, 394 at 100 Gb/s. A rate between two of them has the limit
/// of the next, which is the safe side for the size of a buffer.
#[must_use]
pub fn reaction_limit_quanta(pace: Pace) -> u64 {
    match pace.bits_per_second() {
        rate if rate <= 100e6 => 1,
        rate if rate <= 1e9 => 2,
        rate if rate <= 10e9 => 60,
        rate if rate <= 40e9 => 118,
        _ => 394,
    }
}

/// How often a PAUSE of `quanta` must be repeated so that the other end stays stopped: its time,
/// less the delay of the next PAUSE by a frame in progress of up to `max_frame_bytes`. The delay of
/// the cable and of the PAUSE frame is the same for both, and does not count.
///
/// Absent if the quanta are too few: then no refresh can be in time.
#[must_use]
pub fn refresh_interval(quanta: u16, max_frame_bytes: u64, pace: Pace) -> Option<Span> {
    let bits = (u64::from(quanta) * QUANTUM_BITS).checked_sub(occupied_bits(max_frame_bytes))?;
    (bits > 0).then(|| pace.span(bits))
}

/// What an end advertises about PAUSE in auto-negotiation: bits A5 and A6 of the base page of
/// clause 28, PS1 and PS2 of that of clause 37.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PauseAbility {
    /// PAUSE: it obeys, and sends too if the other end obeys.
    pub pause: bool,
    /// ASM_DIR: it supports PAUSE in one direction only.
    pub asm_dir: bool,
}

impl PauseAbility {
    /// No PAUSE at all: (0, 0).
    pub const NONE: Self = Self { pause: false, asm_dir: false };
    /// It wants to send and not to obey: (0, 1), such as a full-duplex repeater.
    pub const SEND_ONLY: Self = Self { pause: false, asm_dir: true };
    /// Both ways or not at all: (1, 0).
    pub const SYMMETRIC: Self = Self { pause: true, asm_dir: false };
    /// Both ways, or at least to obey: (1, 1).
    pub const SYMMETRIC_OR_OBEY: Self = Self { pause: true, asm_dir: true };

    /// The four of them.
    pub const ALL: [Self; 4] = [Self::NONE, Self::SEND_ONLY, Self::SYMMETRIC, Self::SYMMETRIC_OR_OBEY];
}

/// What an end of a full-duplex link does about PAUSE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlowControl {
    /// It may send PAUSE frames.
    pub sends: bool,
    /// It stops when it is asked to.
    pub obeys: bool,
}

impl FlowControl {
    /// Neither.
    pub const NONE: Self = Self { sends: false, obeys: false };
    /// It sends and does not obey.
    pub const SENDS: Self = Self { sends: true, obeys: false };
    /// It obeys and does not send.
    pub const OBEYS: Self = Self { sends: false, obeys: true };
    /// Both.
    pub const BOTH: Self = Self { sends: true, obeys: true };
}

/// What two full-duplex ends do about PAUSE after they have exchanged their abilities, in the order
/// of `ends`.
///
/// A trap of the table: (1, 0) with (0, 1) gives no flow control at all. Source: table 28B-3.
#[must_use]
pub const fn resolve(ends: [PauseAbility; 2]) -> [FlowControl; 2] {
    let [a, b] = ends;
    if a.pause && b.pause {
        [FlowControl::BOTH; 2]
    } else if !(a.asm_dir && b.asm_dir) {
        [FlowControl::NONE; 2]
    } else if a.pause {
        [FlowControl::OBEYS, FlowControl::SENDS]
    } else if b.pause {
        [FlowControl::SENDS, FlowControl::OBEYS]
    } else {
        [FlowControl::NONE; 2]
    }
}

#[cfg(test)]
mod tests;
