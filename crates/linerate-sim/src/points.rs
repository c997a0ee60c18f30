//! Where the bytes of flows were, and when: the points that a trace of messages has of a model.

use linerate_core::trace::Point;
use linerate_core::units::Time;

use crate::frame::{Content, Frame};
use crate::slab::Slab;
use crate::tcp::Segment;

/// Bytes of a flow that passed a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// When.
    pub time: Time,
    /// Which point.
    pub point: Point,
    /// Which flow.
    pub flow: u32,
    /// From its first end to its second.
    pub forward: bool,
    /// The first of the bytes, as the flow counts them.
    pub first: u64,
    /// How many.
    pub length: u64,
}

impl Passed {
    /// The payload in `frame`, which passes `point` at `time`. Absent if it has none.
    pub(crate) fn of(frame: &Frame, segments: &Slab<Segment>, point: Point, time: Time) -> Option<Self> {
        let (flow, forward, first, length) = match frame.content {
            Content::Packet(packet) => (packet.flow, packet.forward, packet.offset, packet.length),
            Content::Segment { flow, forward, number, .. } => {
                let segment = &segments[number.0];
                (flow, forward, segment.sequence, segment.length)
            }
            Content::Load(_) | Content::Pause { .. } => return None,
        };
        (length > 0).then(|| Self { time, point, flow, forward, first, length: length.into() })
    }

    /// Whether this byte is among them.
    #[must_use]
    pub const fn has(&self, byte: u64) -> bool {
        self.first <= byte && byte - self.first < self.length
    }
}
