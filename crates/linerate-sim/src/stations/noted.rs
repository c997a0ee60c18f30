//! The points that bytes pass at stations, noted for a trace of messages.

use linerate_core::trace::Point;
use linerate_core::units::Time;

use super::Stations;
use crate::fabric::Seen;
use crate::frame::{Content, Frame};
use crate::points::Passed;

impl Stations {
    /// Notes what a frame at a port says of the messages in it. A plain flow has no host, so what arrives can be read.
    pub(super) fn note_passage(&mut self, frame: &Frame, seen: Seen, now: Time) {
        let is_plain = matches!(frame.content, Content::Packet(_));
        match (seen, is_plain) {
            (Seen::Sent, _) => {
                if !is_plain {
                    self.note(frame, Point::Queued, frame.offered);
                }
                self.note(frame, Point::Driven, now);
            }
            (Seen::Received, true) => self.note(frame, Point::Ready, now),
            (Seen::Received, false) => {}
        }
    }

    /// Notes that the payload of `frame` passes `point`, if messages are traced.
    pub(super) fn note(&mut self, frame: &Frame, point: Point, time: Time) {
        if let Some(points) = &mut self.points {
            points.extend(Passed::of(frame, &self.segments, point, time));
        }
    }
}
