//! What travels: a frame as every medium sees it.

use linerate_core::units::Time;

use crate::ip::Codepoint;

/// Where a fabric is attached to: a station's interface, or the port of a relay. Counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(pub u32);

impl Port {
    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A station by its number in the network, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Station(pub u32);

impl Station {
    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The destination of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// One station.
    Station(Station),
    /// Every station but the sender.
    Everyone,
    /// The MAC at the other end of the link: never forwarded (IEEE 802.3, annex 31B).
    Link,
}

/// What a station hands to its medium. Each medium adds its own header, padding, trailer, preamble
/// and gap to `data_bytes`; these are not counted here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Who sent it.
    pub source: Station,
    /// Its destination.
    pub destination: Destination,
    /// What the medium carries for its client: the IP packet, and on Ethernet the MAC client data
    /// before padding. Unit: bytes.
    pub data_bytes: u32,
    /// Its content, for the client.
    pub content: Content,
    /// When the client offered it, not when it went on the wire.
    pub offered: Time,
}

impl Frame {
    /// The ECN field of the packet in it.
    #[must_use]
    pub const fn ecn(&self) -> Codepoint {
        match self.content {
            Content::Segment { ecn, .. } => ecn,
            Content::Load(_) | Content::Packet(_) | Content::Pause { .. } => Codepoint::NotCapable,
        }
    }

    /// Marks the packet in it, whose sender understands that.
    pub const fn mark(&mut self) {
        if let Content::Segment { ecn, .. } = &mut self.content {
            *ecn = Codepoint::Experienced;
        }
    }
}

/// What a frame contains, for its sender. The media look only at [`Content::Pause`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Offered load: a number, counted by its source from 0.
    Load(u64),
    /// Part of a message or an acknowledgement of a flow.
    Packet(Packet),
    /// A TCP segment.
    Segment {
        /// Which flow.
        flow: u32,
        /// From the flow's first end to its second, or back.
        forward: bool,
        /// Where the stations keep it: it is larger than a frame.
        number: SegmentNumber,
        /// The ECN field of its IP header, which a queue may change.
        ecn: Codepoint,
    },
    /// A MAC control frame that asks the other end to stop for this many quanta of 512 bit times
    /// (annex 31B).
    Pause {
        /// Unit: quanta of 512 bit times; 0 lets the receiver go on.
        quanta: u16,
    },
}

/// A TCP segment in flight, by the place where the stations keep it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentNumber(pub(crate) u32);

/// A packet of a flow between two stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Which flow.
    pub flow: u32,
    /// From the flow's first end to its second, or back.
    pub forward: bool,
    /// Where its payload begins in the stream of its direction. Unit: bytes.
    pub offset: u64,
    /// Payload. Unit: bytes.
    pub length: u32,
    /// Everything before this has arrived in the other direction. Unit: bytes.
    pub acknowledged: u64,
    /// Everything before this may be sent in the other direction: the window's right edge. Unit:
    /// bytes.
    pub edge: u64,
}
