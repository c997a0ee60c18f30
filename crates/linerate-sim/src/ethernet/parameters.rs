//! The numbers of the Ethernet MAC. Source: IEEE 802.3, clause 4.4.2 (table 4-2), except where
//! another is named.

/// Preamble and start-of-frame delimiter. Unit: bits.
pub const PREAMBLE_BITS: u64 = 64;
/// Gap between frames. Unit: bit times.
pub const GAP_BITS: u64 = 96;
/// First part of the gap, in which carrier restarts it: up to two thirds. Unit: bit times.
pub const GAP_PART_1_BITS: u64 = 64;
/// Slot time up to 100 Mb/s. Unit: bit times.  Source: IEEE 802.3, table 4-2.
pub const SLOT_BITS: u64 = 512;
/// Slot time at 1 Gb/s. Unit: bit times.  Source: IEEE 802.3, table 4-2 (from memory; some
/// manuals print 512, which contradicts their own carrier extension).
pub const GIGABIT_SLOT_BITS: u64 = 4_096;
/// Jam: what a transmission continues with after a collision. Unit: bits.
pub const JAM_BITS: u64 = 32;
/// Transmissions of a frame before it is given up.
pub const ATTEMPT_LIMIT: u32 = 16;
/// Collisions after which the range of the backoff grows no more.
pub const BACKOFF_LIMIT: u32 = 10;
/// Shortest frame, from destination address to frame check sequence. Unit: bytes.
pub const MIN_FRAME_BYTES: u64 = 64;
/// Addresses, type and frame check sequence. Unit: bytes.
pub const HEADER_AND_FCS_BYTES: u64 = 18;
/// Within a burst a frame may begin until this much of the burst has passed, at 1 Gb/s. Unit: bit
/// times.
pub const BURST_LIMIT_BITS: u64 = 65_536;

/// A MAC frame's length for this much client data: header, padding and frame check sequence
/// included, preamble not. Unit: bytes.
#[must_use]
pub const fn frame_bytes(data_bytes: u32) -> u64 {
    let frame = data_bytes as u64 + HEADER_AND_FCS_BYTES;
    if frame < MIN_FRAME_BYTES { MIN_FRAME_BYTES } else { frame }
}

/// The time of a MAC frame of this many bytes on a line: preamble, frame and gap. Unit: bit times.
#[must_use]
pub const fn occupied_bits(frame_bytes: u64) -> u64 {
    PREAMBLE_BITS + frame_bytes * 8 + GAP_BITS
}

/// The bytes of a frame with this much client data on a line: preamble, frame and gap. Unit: bytes.
#[must_use]
pub const fn occupied_bytes(data_bytes: u32) -> u64 {
    occupied_bits(frame_bytes(data_bytes)) / 8
}
