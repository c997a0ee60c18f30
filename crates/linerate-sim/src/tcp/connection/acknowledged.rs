//! An acknowledgement of what this end sent: RFC 5681, RFC 6675, RFC 8985.

use linerate_core::units::{Span, Time};

use super::{Connection, Segment};
use crate::tcp::congestion::{Marks, Progress, RoundTrip};

impl Connection {
    /// A segment's acknowledgement of data that this end sent.
    pub(super) fn take_acknowledgement(&mut self, position: u64, segment: &Segment, now: Time) {
        let first = self.board.first();
        if position < first {
            return;
        }
        let before = [self.board.pipe(), self.board.selected(), self.board.losses()];
        let least = self.retransmission.least().unwrap_or(Span::ZERO);
        self.board.believe(Time::from_ps(now.as_ps().saturating_sub(least.as_ps())));
        let scale = if segment.flags.syn { 0 } else { self.agreed.peer_scale };
        let changed = self.peer.told(segment.sequence, position, u64::from(segment.window) << scale);
        let selected = self.agreed.sack && self.board.select(&segment.sack);
        let advanced = position > first;
        let mut sample = None;
        if advanced {
            sample = self.advance(position, before[0], segment, now);
        } else if self.board.outstanding() > 0 && self.is_duplicate(segment, changed, selected) {
            self.count_duplicate();
        }
        if self.probe.acknowledged(position, segment, advanced) {
            self.congestion.lost_tail(self.board.outstanding());
        }
        self.learn((before, advanced, selected), sample, now);
    }

    /// RFC 5681, 2: a duplicate acknowledgement. With SACK, one that selects something new
    /// (RFC 6675, 2).
    fn is_duplicate(&self, segment: &Segment, changed: bool, selected: bool) -> bool {
        if self.agreed.sack { selected } else { segment.is_bare() && !changed }
    }

    fn count_duplicate(&mut self) {
        self.duplicates += 1;
        self.counters.duplicate_acknowledgements += 1;
        self.congestion.window.inflate();
    }

    /// New data is acknowledged, with `pipe` bytes in the network before; gives the round trip.
    fn advance(&mut self, position: u64, pipe: u64, segment: &Segment, now: Time) -> Option<Span> {
        let acknowledged = self.board.acknowledge(position);
        self.duplicates = 0;
        let timers = &self.settings.rules.timers;
        let exact = acknowledged.sent.map(|sent| now.since(sent));
        if let Some(rtt) = exact {
            self.retransmission.measured(rtt);
        }
        if let Some(rtt) = exact.or_else(|| self.echoed(segment, now)) {
            self.retransmission.sample(rtt, timers);
        }
        self.retransmission.retries = 0;
        // A probe of new data that the window now holds back is needless.
        self.probe.is_due &= self.board.next_lost().is_some();
        let outstanding = self.board.outstanding();
        let rtt = RoundTrip {
            sample: exact,
            smoothed: self.retransmission.smoothed().unwrap_or(Span::ZERO),
            least: self.retransmission.least().unwrap_or(Span::ZERO),
        };
        let next = self.board.next();
        let progress = Progress { bytes: acknowledged.bytes, pipe, outstanding, position, next, now, rtt };
        if self.ecn.is_on() {
            self.hear_of_marks(&progress, segment.flags.ece && !segment.flags.syn);
        }
        if self.congestion.acknowledged(&progress) {
            self.board.lose_first();
            self.forced = true;
        }
        // RFC 6298, 5.2 and 5.3.
        if outstanding == 0 {
            self.retransmission.deadline = None;
        } else {
            self.retransmission.restart(now, &self.settings.rules.timers);
        }
        self.grow_send_buffer();
        self.wake_writer();
        exact
    }

    /// An acknowledgement of new data says whether it was `marked` (RFC 3168, 6.1.2).
    fn hear_of_marks(&mut self, progress: &Progress, marked: bool) {
        if marked {
            self.counters.marked_bytes += progress.bytes;
        }
        let marks = Marks { marked, selected: self.board.selected() };
        let reduced = self.congestion.marked(progress, marks);
        self.counters.marked_reductions += u64::from(reduced);
    }

    /// The round trip by the echo of a timestamp, which says which copy it was that arrived
    /// (RFC 7323, 4.1). As coarse as the clock of timestamps.
    pub(super) fn echoed(&self, segment: &Segment, now: Time) -> Option<Span> {
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
}
