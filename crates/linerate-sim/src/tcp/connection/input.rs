//! A segment arrives: RFC 9293, 3.10.7.

use linerate_core::units::Time;

use super::{Connection, Failure, Segment, Stage};
use crate::ip::Codepoint;
use crate::tcp::acknowledgement::InOrder;
use crate::tcp::window::Offer;

impl Connection {
    /// A segment arrives at an end that knows its peer.
    pub(super) fn arrived_open(&mut self, segment: &Segment, charge: u32, now: Time) {
        if !self.is_acceptable(segment) {
            return;
        }
        if segment.flags.reset {
            self.fail(Failure::Reset);
            return;
        }
        if !segment.flags.ack {
            return;
        }
        self.note_timestamp(segment);
        if self.stage == Stage::SynReceived {
            if segment.acknowledgement < 1 || segment.acknowledgement > self.board.next() {
                return;
            }
            self.opened(segment, now);
        }
        if segment.acknowledgement > self.board.next() {
            // RFC 9293, 3.10.7.4: it acknowledges what was never sent.
            self.owed.now();
            return;
        }
        self.take_acknowledgement(segment.acknowledgement, segment, now);
        self.take_data(segment, charge, now);
    }

    /// Whether a segment touches the window (RFC 9293, 3.10.7.4, first); an unacceptable one is
    /// answered unless it resets. A segment that was acknowledged completely is no longer
    /// acceptable, but its acknowledgement may still be new.
    fn is_acceptable(&mut self, segment: &Segment) -> bool {
        let [from, end] = [segment.sequence, segment.end()];
        let expected = self.queue.expected();
        if segment.flags.reset {
            return from >= expected && from <= self.offer.edge();
        }
        if from > self.offer.edge() {
            self.owed.duplicate();
            return false;
        }
        if segment.flags.syn {
            // The answer to it, or the end of the handshake, was lost.
            if self.stage == Stage::SynReceived && !segment.flags.ack && self.board.next() > 0 {
                self.board.lose_first();
                self.forced = true;
            } else {
                self.owed.now();
            }
            return false;
        }
        if segment.is_bare() && end < self.owed.told() {
            // Older than what was acknowledged: a window probe asks so.
            self.owed.now();
        }
        true
    }

    /// RFC 7323, 4.3: the timestamp of the segment that moved the window last is echoed.
    fn note_timestamp(&mut self, segment: &Segment) {
        let Some([sent, _]) = segment.timestamps.filter(|_| self.agreed.timestamps) else { return };
        if segment.sequence <= self.owed.told() && (sent.wrapping_sub(self.echo) as i32) >= 0 {
            self.echo = sent;
        }
    }

    /// The data and the FIN of a segment.
    fn take_data(&mut self, segment: &Segment, charge: u32, now: Time) {
        if segment.length == 0 && !segment.flags.fin {
            return;
        }
        if self.ecn.is_on() && segment.length > 0 {
            self.take_mark(segment);
        }
        let from = segment.sequence;
        let end = from + u64::from(segment.length);
        let was_finished = self.queue.is_finished();
        let edge = self.offer.edge();
        if segment.flags.fin && end <= edge {
            self.queue.finish(end);
        }
        let before = self.queue.expected();
        if segment.length == 0 && !self.queue.is_finished() {
            // A FIN beyond a gap.
            self.owed.duplicate();
        } else if segment.length > 0 {
            self.insert([from, end.min(edge)], charge, segment, now);
        }
        if self.queue.is_finished() && !was_finished || self.queue.expected() == before && end <= before {
            self.owed.now();
        }
    }

    /// Whether a queue marked a segment with payload (RFC 3168, 6.1.3). Where the acknowledgements of
    /// DCTCP begin to say the opposite, what came before is acknowledged as it was (RFC 8257, 3.2).
    fn take_mark(&mut self, segment: &Segment) {
        if segment.ecn == Codepoint::Experienced {
            self.counters.marked_segments += u64::from(segment.parts);
        }
        let expected = self.queue.expected();
        let owes = self.owed.told() < expected;
        if self.ecn.arrived(segment, owes.then_some(expected)) {
            self.owed.told_to(expected);
            self.owed.now();
        }
    }

    fn insert(&mut self, [from, to]: [u64; 2], charge: u32, segment: &Segment, now: Time) {
        let expected = self.queue.expected();
        if to <= from || from > expected && self.offer.is_full() {
            // The window is full, or there is no room for data beyond a gap.
            self.owed.duplicate();
            return;
        }
        let price = Offer::price(&self.settings.rules.window, to - from, charge);
        self.offer.charge(price);
        let taken = self.queue.insert(from, to, price);
        self.offer.release(taken.freed);
        self.counters.duplicate_bytes += taken.again;
        if taken.beyond || taken.old {
            self.owed.duplicate();
        } else if taken.filled {
            // RFC 5681, 4.2: at once where a gap is filled, or part of one.
            self.owed.now();
        } else {
            let expected = self.queue.expected();
            // What was merged counts by the segments that it came in.
            let length =
                if segment.parts > 1 { (to - from).min(u64::from(self.agreed.mss)) } else { to - from };
            let window_moves = self.offer.can_grow(&self.settings.rules.window, expected);
            let arrived = InOrder { length, push: segment.flags.push, expected, window_moves };
            self.watch_receive_buffer(segment, now);
            self.owed.arrived(arrived, now, &self.settings.rules);
        }
    }
}
