//! When what arrived is acknowledged: RFC 9293, 3.8.6.3, and RFC 5681, 4.2.

use linerate_core::units::{Span, Time};

use super::retransmission::at_tick;
use super::{ReceiveMss, Rules, Threshold};

/// An acknowledgement that is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Nothing,
    At(Time),
    Now,
}

/// The least that counts as a full segment. Unit: bytes. Source: RFC 9293, 3.7.1, the default MSS.
const LEAST_SEGMENT: u64 = 536;

/// What an end owes in acknowledgements.
#[derive(Debug)]
pub(super) struct Acknowledgements {
    due: Due,
    /// Acknowledgements that go out one by one, without data: each says that something arrived out
    /// of order (RFC 5681, 3.2).
    duplicates: u32,
    /// All before was acknowledged.
    told: u64,
    /// The largest segment that arrived.
    segment: u64,
    /// What its own SYN announced.
    announced: u64,
    /// The delay, as it follows the spacing of what arrives.
    delay: Span,
    last_arrival: Option<Time>,
    /// Segments to acknowledge at once.
    quick: u32,
    /// A segment with PSH arrived that was not acknowledged.
    pushed: bool,
    /// Interactive (pingpong) mode: the application answers what arrives, and its answers carry
    /// acknowledgements.
    answers: bool,
}

/// A segment that arrived in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct InOrder {
    /// Payload. Unit: bytes.
    pub(super) length: u64,
    pub(super) push: bool,
    /// An acknowledgement now would offer a larger window than the last one did.
    pub(super) window_moves: bool,
    /// What is expected next.
    pub(super) expected: u64,
}

impl Acknowledgements {
    pub(super) fn new(rules: &Rules, announced: u32) -> Self {
        Self {
            due: Due::Nothing,
            duplicates: 0,
            told: 0,
            segment: LEAST_SEGMENT,
            announced: u64::from(announced),
            delay: rules.acknowledgement.delay_least,
            last_arrival: None,
            quick: rules.acknowledgement.quick,
            pushed: false,
            answers: false,
        }
    }

    /// A segment arrived in order: it is acknowledged now or later.
    pub(super) fn arrived(&mut self, segment: InOrder, now: Time, rules: &Rules) {
        let policy = &rules.acknowledgement;
        self.follow(segment, now, rules);
        self.segment = self.segment.max(segment.length);
        self.pushed |= segment.push;
        let full = self.full(rules);
        let owed = segment.expected.saturating_sub(self.told);
        let enough = match policy.threshold {
            Threshold::TwoSegments => owed >= 2 * full,
            Threshold::MoreThanOne => owed > full,
            Threshold::Every => true,
            Threshold::Never => false,
        };
        let enough = enough && (segment.window_moves || !policy.waits_for_read);
        if enough || self.quick > 0 && !self.answers {
            self.quick = self.quick.saturating_sub(1);
            self.now();
        } else {
            self.later(now, rules);
        }
    }

    /// Payload of what counts as a full segment.
    const fn full(&self, rules: &Rules) -> u64 {
        match rules.acknowledgement.receive_mss {
            ReceiveMss::Seen => self.segment,
            ReceiveMss::Announced => self.announced,
        }
    }

    /// Whether what is owed is due at the end of a read that left `nothing`, or something, where the rules
    /// let it wait for that.
    pub(super) fn is_due_at_read(&self, expected: u64, nothing: bool, rules: &Rules) -> bool {
        let more = expected.saturating_sub(self.told) > self.full(rules);
        rules.acknowledgement.waits_for_read
            && matches!(self.due, Due::At(_))
            && (more || nothing && self.pushed && !self.answers)
    }

    /// The delay follows the spacing: each segment halves the weight of the past, and a pause
    /// longer than the delay does not count.
    fn follow(&mut self, segment: InOrder, now: Time, rules: &Rules) {
        let policy = &rules.acknowledgement;
        let least = policy.delay_least;
        if let Some(last) = self.last_arrival.replace(now) {
            let gap = now.since(last);
            if gap <= self.delay {
                self.delay = (self.delay / 2 + gap.max(least / 2)).max(least).min(policy.delay_most);
            }
        }
        if policy.push_resets_delay && segment.push && segment.length < self.segment {
            self.delay = least;
        }
    }

    /// An acknowledgement is owed, and may wait for data to travel with.
    pub(super) fn later(&mut self, now: Time, rules: &Rules) {
        if self.due == Due::Nothing {
            self.due = Due::At(at_tick(now, self.delay, rules.timers.acknowledgement_tick));
        }
    }

    /// An acknowledgement is owed now.
    pub(super) fn now(&mut self) {
        self.due = Due::Now;
    }

    /// Something arrived that was not in order: one acknowledgement without data for each (RFC 5681,
    /// 4.2), because the peer counts them.
    pub(super) fn duplicate(&mut self) {
        self.duplicates = self.duplicates.saturating_add(1);
    }

    /// Whether a separate acknowledgement is to be sent before anything else.
    pub(super) const fn has_duplicate(&self) -> bool {
        self.duplicates > 0
    }

    /// Whether one is to be sent now.
    pub(super) fn is_due(&self) -> bool {
        self.due == Due::Now || self.duplicates > 0
    }

    /// When the timer runs out.
    pub(super) const fn deadline(&self) -> Option<Time> {
        match self.due {
            Due::At(when) => Some(when),
            Due::Nothing | Due::Now => None,
        }
    }

    /// All before this was acknowledged to the peer.
    pub(super) const fn told(&self) -> u64 {
        self.told
    }

    /// All before `expected` will have been acknowledged when what is owed is sent.
    pub(super) const fn told_to(&mut self, expected: u64) {
        self.told = expected;
    }

    /// A segment left that acknowledges all before `expected`.
    pub(super) fn sent(&mut self, expected: u64) {
        self.due = Due::Nothing;
        self.pushed = false;
        self.duplicates = self.duplicates.saturating_sub(1);
        self.told = expected;
    }

    /// Data left: an answer, if something arrived within the delay.
    pub(super) fn sent_data(&mut self, now: Time) {
        self.answers |= self.last_arrival.is_some_and(|last| now.since(last) < self.delay);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(name: &str) -> Rules {
        Rules::find(name).expect("it is shipped")
    }

    fn full(number: u64) -> InOrder {
        InOrder { length: 1448, push: false, expected: 1 + number * 1448, window_moves: true }
    }

    fn started(rules: &Rules) -> Acknowledgements {
        let mut owed = Acknowledgements::new(rules, 1460);
        owed.sent(1);
        owed.quick = 0;
        owed
    }

    #[test]
    fn every_second_full_segment_is_acknowledged_rfc_5681_4_2() {
        for name in ["linux-2.1.121", "linux-2.4", "linux-modern", "linux-2.2.5-ackfix"] {
            let rules = rules(name);
            let mut owed = started(&rules);
            owed.arrived(full(1), Time::ZERO, &rules);
            assert!(!owed.is_due(), "{name}");
            owed.arrived(full(2), Time::ZERO, &rules);
            assert!(owed.is_due(), "{name}");
        }
    }

    #[test]
    fn without_the_fix_two_segments_are_short_of_two_announced_ones() {
        let rules = rules("linux-2.2.5");
        let mut owed = started(&rules);
        for (number, due) in [(1, false), (2, false), (3, true)] {
            owed.arrived(full(number), Time::ZERO, &rules);
            assert_eq!(owed.is_due(), due, "{number}");
        }
    }

    #[test]
    fn the_old_kernel_acknowledges_by_its_tick_only() {
        let rules = rules("linux-2.0.35");
        let mut owed = started(&rules);
        let now = Time::ZERO + Span::from_ms(13);
        for number in 1..=20 {
            owed.arrived(full(number), now, &rules);
        }
        assert!(!owed.is_due());
        assert_eq!(owed.deadline(), Some(Time::ZERO + Span::from_ms(20)));
    }

    #[test]
    fn a_new_connection_is_acknowledged_quickly_until_it_answers() {
        let rules = rules("linux-modern");
        let mut owed = Acknowledgements::new(&rules, 1460);
        owed.sent(1);
        owed.arrived(InOrder { length: 1, push: true, expected: 2, window_moves: true }, Time::ZERO, &rules);
        assert!(owed.is_due());
        owed.sent(2);
        owed.sent_data(Time::ZERO);
        owed.arrived(InOrder { length: 1, push: true, expected: 3, window_moves: true }, Time::ZERO, &rules);
        assert!(!owed.is_due());
        assert_eq!(owed.deadline(), Some(Time::ZERO + Span::from_ms(40)));
    }

    #[test]
    fn where_they_wait_for_the_read_a_read_sends_them() {
        let mut rules = rules("linux-modern");
        rules.acknowledgement.waits_for_read = true;
        let mut owed = started(&rules);
        let still = |number| InOrder { window_moves: false, ..full(number) };
        for number in 1..=4 {
            owed.arrived(still(number), Time::ZERO, &rules);
            assert!(!owed.is_due(), "{number}");
        }
        assert!(owed.is_due_at_read(1 + 4 * 1448, false, &rules), "more than a segment");
        owed.sent(1 + 4 * 1448);
        assert!(!owed.is_due_at_read(1 + 4 * 1448, true, &rules), "nothing is owed");
        owed.arrived(still(5), Time::ZERO, &rules);
        assert!(!owed.is_due_at_read(1 + 5 * 1448, true, &rules), "one segment, and no end of a message");
        owed.arrived(InOrder { push: true, length: 10, ..still(6) }, Time::ZERO, &rules);
        assert!(owed.is_due_at_read(1 + 5 * 1448 + 10, true, &rules));
        owed.arrived(full(7), Time::ZERO, &rules);
        assert!(owed.is_due(), "the window can grow");
    }

    #[test]
    fn an_answer_takes_an_acknowledgement_with_it_and_the_read_sends_none() {
        let mut rules = rules("linux-modern");
        rules.acknowledgement.waits_for_read = true;
        let mut owed = started(&rules);
        let message = InOrder { length: 64, push: true, expected: 65, window_moves: false };
        owed.arrived(message, Time::ZERO, &rules);
        assert!(owed.is_due_at_read(65, true, &rules));
        owed.sent_data(Time::ZERO);
        assert!(!owed.is_due_at_read(65, true, &rules));
    }

    #[test]
    fn each_segment_out_of_order_owes_its_own_acknowledgement_rfc_5681_4_2() {
        let rules = rules("linux-modern");
        let mut owed = started(&rules);
        owed.duplicate();
        owed.duplicate();
        owed.sent(1);
        assert!(owed.is_due());
        owed.sent(1);
        assert!(!owed.is_due());
    }
}
