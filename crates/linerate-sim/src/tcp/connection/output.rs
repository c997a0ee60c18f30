//! What is sent next: RFC 9293, 3.8.6.2.1; RFC 896; RFC 6675, 5.

use linerate_core::units::Time;

use super::{Connection, Stage};
use crate::ip::Codepoint;
use crate::tcp::delivery::Before;
use crate::tcp::ecn::Earlier;
use crate::tcp::retransmission::Sent;
use crate::tcp::{Flags, Nagle, SackBlocks, Segment};

/// What kind of segment is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It has payload. Unit: bytes.
    Data(u32),
    /// It has no payload.
    Bare,
}

/// What is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// The SYN.
    Open,
    /// An acknowledgement that says that something arrived out of order, or one that is due.
    Acknowledge,
    /// What was lost.
    Again,
    /// What was not sent yet. Unit: bytes.
    New(u64),
    /// FIN alone.
    Finish,
    /// A zero-window probe.
    Probe,
}

impl Connection {
    /// What there is to send now, and whether it has payload, on which its cost depends. Absent if
    /// there is nothing.
    #[must_use]
    pub fn next_kind(&self) -> Option<Kind> {
        Some(match self.plan()? {
            Plan::New(length) => Kind::Data(length as u32),
            Plan::Again => match self.board.next_lost().map_or(0, payload) {
                0 => Kind::Bare,
                length => Kind::Data(length),
            },
            Plan::Open | Plan::Acknowledge | Plan::Finish | Plan::Probe => Kind::Bare,
        })
    }

    pub(super) fn plan(&self) -> Option<Plan> {
        if self.failure.is_some() {
            return None;
        }
        match self.stage {
            Stage::Listen | Stage::Never => return None,
            Stage::SynSent | Stage::SynReceived => {
                return if self.board.next() == 0 {
                    Some(Plan::Open)
                } else if self.board.next_lost().is_some() {
                    Some(Plan::Again)
                } else {
                    (self.stage == Stage::SynReceived && self.owed.is_due()).then_some(Plan::Acknowledge)
                };
            }
            Stage::Open => {}
        }
        if self.owed.has_duplicate() || self.ecn.has_earlier() {
            return Some(Plan::Acknowledge);
        }
        if self.pacer.is_shut() {
            // Only what carries no data leaves.
        } else if let Some(lost) = self.board.next_lost() {
            if self.forced || self.congestion.window.admits(self.board.pipe(), lost.to - lost.from) {
                return Some(Plan::Again);
            }
        } else if let Some(plan) = self.plan_new() {
            return Some(plan);
        }
        if self.persist.due {
            return Some(Plan::Probe);
        }
        self.owed.is_due().then_some(Plan::Acknowledge)
    }

    /// What was not sent yet and may be.
    fn plan_new(&self) -> Option<Plan> {
        let next = self.board.next();
        let unsent = self.writer.end.saturating_sub(next);
        if unsent == 0 {
            return (self.writer.closed && next == self.writer.end).then_some(Plan::Finish);
        }
        let length = self.worth_sending(unsent, self.peer.usable(next))?;
        let admitted = self.probe.is_due || self.congestion.window.admits(self.board.pipe(), length);
        admitted.then_some(Plan::New(length))
    }

    /// How much of `unsent` bytes makes a segment worth sending into a window of `usable` bytes
    /// (RFC 9293, 3.8.6.2.1).
    fn worth_sending(&self, unsent: u64, usable: u64) -> Option<u64> {
        let mss = u64::from(self.agreed.mss);
        let length = unsent.min(usable).min(mss);
        if length == mss {
            return Some(length);
        }
        if length == 0 {
            return None;
        }
        let all = length == unsent;
        if all && self.writer.closed {
            return Some(length);
        }
        let patient = !self.settings.nodelay && self.waits_for_acknowledgement();
        // A writer that sleeps cannot add to it: with nothing on its way, nothing would wake it.
        let rest = !self.writer.more || self.writer.asleep && self.board.outstanding() == 0;
        let enough = if all { rest } else { 2 * usable >= self.peer.largest() };
        let overridden = self.persist.due;
        (overridden || enough && !patient).then_some(length)
    }

    /// Whether a small segment waits for what was sent before (RFC 896).
    fn waits_for_acknowledgement(&self) -> bool {
        match self.rules().sending.nagle {
            Nagle::Rfc896 => self.board.outstanding() > 0,
            Nagle::Minshall => self.writer.small > self.board.first(),
        }
    }

    /// The next segment to send, with everything as it is now.
    pub fn next_segment(&mut self, now: Time) -> Option<Segment> {
        let plan = self.plan()?;
        let next = self.board.next();
        let segment = match plan {
            Plan::Open => {
                self.push(0, 1, false, now);
                self.syn()
            }
            Plan::Acknowledge => match self.ecn.take_earlier() {
                Some(earlier) => return Some(self.acknowledge_earlier(earlier, now)),
                None => self.segment(next, 0, now),
            },
            Plan::Probe => {
                self.persist.due = false;
                self.counters.probes += 1;
                self.watch_window(now);
                self.segment(self.board.first().saturating_sub(1), 0, now)
            }
            Plan::New(length) => self.new_data(length, now),
            Plan::Finish => {
                self.push(next, next + 1, true, now);
                let mut segment = self.segment(next, 0, now);
                segment.flags.fin = true;
                segment
            }
            Plan::Again => self.again(now)?,
        };
        Some(self.sent(segment, now))
    }

    fn new_data(&mut self, length: u64, now: Time) -> Segment {
        self.persist.due = false;
        let next = self.board.next();
        let end = next + length;
        let fin = self.writer.closed && end == self.writer.end;
        if length < u64::from(self.agreed.mss) {
            self.writer.small = end;
        }
        let is_probe = self.probe.is_due;
        self.push(next, end + u64::from(fin), fin, now);
        if is_probe {
            self.probe.sent(self.board.next(), false);
            self.retransmission.restart(now, &self.settings.rules.timers);
        }
        let mut segment = self.segment(next, length as u32, now);
        segment.flags.fin = fin;
        if self.ecn.is_on() {
            // RFC 3168, 6.1.2 and 6.1.5: on new data, and not on what is sent again.
            segment.ecn = Codepoint::Capable;
            segment.flags.cwr = self.congestion.window.take_reduced();
        }
        segment
    }

    /// What arrived before the marks changed is acknowledged as it came (RFC 8257, 3.2).
    fn acknowledge_earlier(&mut self, earlier: Earlier, now: Time) -> Segment {
        let mut segment = self.segment(self.board.next(), 0, now);
        segment.acknowledgement = earlier.position;
        segment.flags.ece = earlier.marked;
        self.counters.bare_segments_sent += 1;
        segment
    }

    /// A segment leaves for the first time.
    fn push(&mut self, from: u64, to: u64, fin: bool, now: Time) {
        let before = self.leaves(to - from, to, now);
        self.board.push(Sent::new(from, to, fin, now).after(before));
        self.start_timer(now);
        self.start_probe_timer(now);
        if to >= self.writer.end
            && self.congestion.window.admits(self.board.pipe(), u64::from(self.agreed.mss))
        {
            self.delivery.run_dry(self.board.pipe());
        }
    }

    /// What all that leaves does to the parts that count it; `bytes` up to position `to`.
    fn leaves(&mut self, bytes: u64, to: u64, now: Time) -> Before {
        let pipe = self.board.pipe();
        if let Some(pacing) = self.congestion.pacing().filter(|_| self.stage == Stage::Open) {
            let room = self.congestion.window.bytes.saturating_sub(pipe).max(bytes);
            self.pacer.sent(bytes, room, pacing, now);
        }
        self.congestion.window.sent(bytes);
        if let Some(rack) = &mut self.rack {
            rack.sent(to, now);
        }
        self.delivery.sent(self.board.outstanding(), now)
    }

    fn start_timer(&mut self, now: Time) {
        if self.retransmission.deadline.is_none() {
            self.retransmission.restart(now, &self.settings.rules.timers);
        }
    }

    fn again(&mut self, now: Time) -> Option<Segment> {
        let lost = *self.board.next_lost()?;
        let before = self.leaves(lost.to - lost.from, lost.to, now);
        self.board.sent_again(now, before);
        self.forced = false;
        self.counters.retransmitted += 1;
        self.start_timer(now);
        if self.probe.is_due {
            self.probe.sent(self.board.next(), true);
            self.retransmission.restart(now, &self.settings.rules.timers);
        }
        if lost.from == 0 {
            return Some(self.syn());
        }
        let mut segment = self.segment(lost.from, payload(&lost), now);
        segment.flags.fin = lost.fin;
        Some(segment)
    }

    /// Accounts for a segment that leaves, and what it acknowledges.
    fn sent(&mut self, mut segment: Segment, now: Time) -> Segment {
        if segment.flags.syn {
            segment.timestamps = self.agreed.timestamps.then(|| [self.timestamp(now), self.echo]);
        }
        if segment.length > 0 {
            self.counters.data_segments_sent += 1;
            self.owed.sent_data(now);
            self.last_data = now;
        } else {
            self.counters.bare_segments_sent += 1;
        }
        if segment.flags.ack {
            self.owed.sent(segment.acknowledgement);
        }
        self.watch_waits(now);
        segment
    }

    fn syn(&mut self) -> Segment {
        let answers = self.stage == Stage::SynReceived;
        let expected = self.queue.expected();
        let rules = &self.settings.rules;
        let scale = self.agreed.scaling.then(|| self.offer.wanted_scale(&rules.window));
        Segment {
            sequence: 0,
            length: 0,
            flags: Flags {
                syn: true,
                ack: answers,
                // RFC 3168, 6.1.1.
                ece: self.agreed.ecn,
                cwr: self.agreed.ecn && !answers,
                ..Flags::default()
            },
            acknowledgement: expected,
            window: self.offer.tell_syn(&rules.window, expected.max(1)),
            mss: u16::try_from(self.settings.announced_mss()).ok(),
            window_scale: scale,
            sack_permitted: self.agreed.sack,
            timestamps: None,
            sack: SackBlocks::NONE,
            ecn: Codepoint::NotCapable,
            parts: 1,
        }
    }

    /// A segment of an open connection, with everything but FIN.
    fn segment(&mut self, sequence: u64, length: u32, now: Time) -> Segment {
        let expected = self.queue.expected();
        let end = sequence + u64::from(length);
        let push = length > 0 && sequence < self.writer.push && self.writer.push <= end;
        Segment {
            sequence,
            length,
            flags: Flags { ack: true, push, ece: self.ecn.echoes(), ..Flags::default() },
            acknowledgement: expected,
            window: self.offer.tell(&self.settings.rules.window, expected, length),
            mss: None,
            window_scale: None,
            sack_permitted: false,
            timestamps: self.agreed.timestamps.then(|| [self.timestamp(now), self.echo]),
            sack: self.blocks(length),
            ecn: Codepoint::NotCapable,
            parts: 1,
        }
    }

    /// The blocks for which a segment of `length` bytes has room: in the 40 bytes of options, and
    /// within a full segment.
    fn blocks(&self, length: u32) -> SackBlocks {
        if !self.agreed.sack || !self.queue.has_gap() {
            return SackBlocks::NONE;
        }
        let options = if self.agreed.timestamps { 3 } else { 4 };
        let room = (self.agreed.mss.saturating_sub(length)).saturating_sub(4) / 8;
        self.queue.blocks(options.min(room as usize))
    }

    /// What the clock of timestamps shows.
    pub(super) fn timestamp(&self, now: Time) -> u32 {
        let ticks = now.as_ps() / self.rules().timers.timestamp_tick.as_ps();
        // It begins at 1, because an echo of 0 means that there is no timestamp.
        (ticks as u32).wrapping_add(1)
    }
}

fn payload(segment: &Sent) -> u32 {
    let syn = u64::from(segment.from == 0);
    (segment.to - segment.from - u64::from(segment.fin) - syn) as u32
}
