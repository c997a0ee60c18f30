//! A segment arrives: RFC 9293, 3.10.7.

use linerate_core::units::{Span, Time};

use super::{Connection, Failure, Recovery, Segment, Stage};
use crate::tcp::acknowledgement::InOrder;
use crate::tcp::congestion::{Phase, Progress};
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

    /// A segment's acknowledgement of data that this end sent.
    pub(super) fn take_acknowledgement(&mut self, position: u64, segment: &Segment, now: Time) {
        let first = self.board.first();
        if position < first {
            return;
        }
        let scale = if segment.flags.syn { 0 } else { self.agreed.peer_scale };
        let changed = self.peer.told(segment.sequence, position, u64::from(segment.window) << scale);
        let selected = self.agreed.sack && self.board.select(&segment.sack);
        if position > first {
            self.advance(position, segment, now);
        } else if self.board.outstanding() > 0 && self.is_duplicate(segment, changed, selected) {
            self.count_duplicate();
        }
        if selected {
            let duplicates = self.rules().congestion.duplicates;
            self.board.find_lost(duplicates);
        }
        self.begin_recovery();
    }

    /// RFC 5681, 2: a duplicate acknowledgement. With SACK, one that selects something new
    /// (RFC 6675, 2).
    fn is_duplicate(&self, segment: &Segment, changed: bool, selected: bool) -> bool {
        if self.agreed.sack { selected } else { segment.is_bare() && !changed }
    }

    fn count_duplicate(&mut self) {
        self.duplicates += 1;
        self.counters.duplicate_acknowledgements += 1;
        if self.congestion.phase() == Phase::Recovery && self.recovery() != Recovery::Sack {
            self.congestion.inflate();
        }
    }

    /// New data is acknowledged.
    fn advance(&mut self, position: u64, segment: &Segment, now: Time) {
        let pipe = self.board.pipe();
        let acknowledged = self.board.acknowledge(position);
        self.duplicates = 0;
        let timers = &self.settings.rules.timers;
        if let Some(rtt) = acknowledged.sent.map(|sent| now.since(sent)).or_else(|| self.echoed(segment, now))
        {
            self.retransmission.sample(rtt, timers);
        }
        self.retransmission.retries = 0;
        let outstanding = self.board.outstanding();
        let progress = Progress { bytes: acknowledged.bytes, pipe, outstanding, position };
        let rtt = self.retransmission.smoothed().unwrap_or(Span::ZERO);
        let recovery = self.recovery();
        let rules = &self.settings.rules;
        if self.congestion.acknowledged(progress, recovery, (now, rtt), &rules.congestion) {
            self.board.lose_first();
            self.forced = true;
        }
        // RFC 6298, 5.2 and 5.3.
        if outstanding == 0 {
            self.retransmission.deadline = None;
        } else {
            self.retransmission.restart(now, &rules.timers);
        }
        self.wake_writer();
    }

    /// The round trip by the echo of a timestamp, which says which copy it was that arrived
    /// (RFC 7323, 4.1). As coarse as the clock of timestamps.
    fn echoed(&self, segment: &Segment, now: Time) -> Option<Span> {
        let [_, echo] = segment.timestamps.filter(|_| self.agreed.timestamps)?;
        let ticks = self.timestamp(now).wrapping_sub(echo);
        // A clock ahead of ours is a peer's mistake.
        (echo != 0 && ticks < 1 << 31).then(|| self.rules().timers.timestamp_tick * u64::from(ticks.max(1)))
    }

    fn wake_writer(&mut self) {
        let writer = &mut self.writer;
        if writer.asleep {
            let used = writer.used(self.board.first());
            let wake_at = self.settings.rules.send_buffer.wake_at(writer.capacity);
            writer.asleep = writer.capacity.saturating_sub(used) < wake_at;
        }
    }

    /// Fast retransmit, if there are duplicates enough or the scoreboard knows of a loss
    /// (RFC 5681, 3.2; RFC 6675, 5).
    fn begin_recovery(&mut self) {
        let recovery = self.recovery();
        let threshold = self.rules().congestion.duplicates;
        let lost = recovery == Recovery::Sack && self.board.next_lost().is_some();
        let first = self.board.first();
        if !(self.duplicates >= threshold || lost) || !self.congestion.may_recover(first, recovery) {
            return;
        }
        self.counters.fast_retransmits += 1;
        let (flight, next) = (self.board.outstanding(), self.board.next());
        self.congestion.recover(flight, next, recovery, threshold);
        if !lost {
            self.board.lose_first();
        }
        self.forced = true;
    }

    /// The data and the FIN of a segment.
    fn take_data(&mut self, segment: &Segment, charge: u32, now: Time) {
        if segment.length == 0 && !segment.flags.fin {
            return;
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
            let arrived = InOrder { length: to - from, push: segment.flags.push, expected };
            self.owed.arrived(arrived, now, &self.settings.rules);
        }
    }
}
