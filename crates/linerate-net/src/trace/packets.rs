//! The packets of the first messages, as one end saw them.

use linerate_core::trace::{PacketSeen, Point};

use super::assign::Seen;
use super::layout::{Event, Kind};
use super::tracer::Role;

/// Most packets of a block that are kept.
const MOST: usize = 128;

impl Seen<'_> {
    /// The first packets from message number `after` on, the first [`MOST`] of them. Their times are those of the
    /// end's clock since `begun`, and their numbers are counted from that message.
    pub(super) fn packets(&self, after: usize, begun: u64) -> Vec<PacketSeen> {
        let [sent_from, came_from] = self.bases();
        let mut packets = Vec::new();
        let sent = [(Kind::At(Point::Queued), Kind::At(Point::Driven))].as_slice();
        let came = [
            (Kind::At(Point::Handed), Kind::At(Point::Segment)),
            (Kind::At(Point::Arrived), Kind::At(Point::Segment)),
        ]
        .as_slice();
        for (is_sent, base, kinds) in [(true, sent_from, sent), (false, came_from, came)] {
            let Some(base) = base else { continue };
            let seen = |(first, _): &&(Kind, Kind)| self.events.iter().any(|event| event.kind == *first);
            let Some((first, then)) = kinds.iter().find(seen) else { continue };
            let skipped = (after as u64) * self.size;
            for event in self.events.iter().filter(|event| event.kind == *first) {
                let offset = u64::from(event.sequence.wrapping_sub(base));
                // Before the first message, or before those that are kept.
                if offset > u64::from(u32::MAX / 2) || offset < skipped || self.size == 0 {
                    continue;
                }
                let left = |other: &&Event| {
                    other.kind == *then && other.sequence == event.sequence && other.ns >= event.ns
                };
                let since = |ns: u64| ns.wrapping_sub(begun).cast_signed();
                packets.push(PacketSeen {
                    by_initiator: self.role == Role::Initiator,
                    sent: is_sent,
                    message: u32::try_from((offset - skipped) / self.size).unwrap_or(u32::MAX),
                    offset_bytes: offset - skipped,
                    length_bytes: event.length,
                    seen_ns: since(event.ns),
                    left_ns: self.events.iter().find(left).map(|other| since(other.ns)),
                });
            }
        }
        packets.sort_by_key(|packet| packet.seen_ns);
        packets.truncate(MOST);
        packets
    }
}
