//! A segment: what passes between two ends.

use crate::ip::Codepoint;

/// A TCP segment, its payload counted and not carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Position of its first byte; of a SYN 0.
    pub sequence: u64,
    /// Payload. Unit: bytes.
    pub length: u32,
    /// SYN, ACK, FIN, PSH, RST, ECE, CWR.
    pub flags: Flags,
    /// The next position that its sender expects; valid only with ACK.
    pub acknowledgement: u64,
    /// The window field as it is on the wire: not yet scaled. Unit: bytes, or those shifted right
    /// by the scale that the sender's SYN told.
    pub window: u16,
    /// Option of a SYN: the most payload that its sender takes. Unit: bytes.
    pub mss: Option<u16>,
    /// Option of a SYN: by how many bits the window fields of its sender are shifted (RFC 7323).
    pub window_scale: Option<u8>,
    /// Option of a SYN: its sender understands selective acknowledgements (RFC 2018).
    pub sack_permitted: bool,
    /// TSval and TSecr (RFC 7323).
    pub timestamps: Option<[u32; 2]>,
    /// What arrived beyond a gap (RFC 2018).
    pub sack: SackBlocks,
    /// The ECN field of its IP header (RFC 3168): as it was sent, or as it arrived.
    pub ecn: Codepoint,
    /// As how many it came: more than 1 if the receiving host has merged them (GRO).
    pub parts: u32,
}

/// The flags of a segment but URG, which nothing here sets. Source: RFC 9293, 3.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "bits of a header")]
pub struct Flags {
    /// Synchronize sequence numbers.
    pub syn: bool,
    /// The acknowledgement field is valid.
    pub ack: bool,
    /// No more data from the sender.
    pub fin: bool,
    /// Push: pass the data so far to the application.
    pub push: bool,
    /// Reset the connection.
    pub reset: bool,
    /// Congestion was experienced: ECN-Echo (RFC 3168, 6.1).
    pub ece: bool,
    /// The sender has reduced its congestion window: CWR (RFC 3168, 6.1).
    pub cwr: bool,
}

/// Up to four ranges `[from, to)` of positions, the most recent first (RFC 2018, section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [[u64; 2]; 4],
    count: u8,
}

impl SackBlocks {
    /// No ranges.
    pub const NONE: Self = Self { blocks: [[0; 2]; 4], count: 0 };

    /// Whether it is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes all out.
    pub(crate) const fn clear(&mut self) {
        self.count = 0;
    }

    /// Without those beyond the first `count`.
    #[must_use]
    pub fn first(mut self, count: usize) -> Self {
        let count = u8::try_from(count).unwrap_or(u8::MAX);
        self.count = self.count.min(count);
        self
    }

    /// Adds a range, if there is room.
    pub fn push(&mut self, range: [u64; 2]) {
        if let Some(place) = self.blocks.get_mut(usize::from(self.count)) {
            *place = range;
            self.count += 1;
        }
    }

    /// The ranges, the most recent first.
    #[must_use]
    pub fn as_slice(&self) -> &[[u64; 2]] {
        &self.blocks[..usize::from(self.count)]
    }
}

impl Segment {
    /// IPv4 and TCP header with options, as it is on the wire. Unit: bytes. Source: RFC 791,
    /// RFC 9293, RFC 7323 (timestamps padded to 12), RFC 2018 (blocks padded to 4).
    #[must_use]
    pub fn header_bytes(&self) -> u32 {
        let mut options = 0;
        if self.mss.is_some() {
            options += 4;
        }
        if self.window_scale.is_some() {
            options += 4;
        }
        if self.timestamps.is_some() {
            options += 12;
            // With timestamps a SYN packs SACK-permitted into their padding.
        } else if self.sack_permitted {
            options += 4;
        }
        let blocks = self.sack.as_slice().len() as u32;
        if blocks > 0 {
            options += 4 + 8 * blocks;
        }
        40 + options
    }

    /// The position after all that it takes of the stream: payload, SYN and FIN.
    #[must_use]
    pub const fn end(&self) -> u64 {
        let taken = self.length as u64 + self.flags.syn as u64 + self.flags.fin as u64;
        self.sequence.saturating_add(taken)
    }

    /// Whether it carries nothing but an acknowledgement.
    #[must_use]
    pub const fn is_bare(&self) -> bool {
        self.length == 0 && !self.flags.syn && !self.flags.fin
    }
}
