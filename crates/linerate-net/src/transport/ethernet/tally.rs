//! What became of the messages of a flow, by their sequence numbers.

use linerate_core::traffic::Datagrams;
use linerate_core::units::Span;

/// How far back a number is known to have come or not. Unit: messages.
const WINDOW: u64 = 1 << 16;
/// A number farther ahead than this is nobody's: more than a second of the smallest frames at
/// 10 Gb/s. Two in a row are believed after all, as RFC 3550 does in appendix A.1.
const FARTHEST: u64 = 1 << 24;
/// The smoothing of jitter.  Source: RFC 3550, section 6.4.1.
const SMOOTHING: f64 = 16.0;

/// The account of a flow so far, in bounded memory.
#[derive(Debug)]
pub(super) struct Tally {
    /// One bit a number of the window.
    seen: Box<[u64]>,
    /// One above the highest number that was believed.
    next: u64,
    /// The number after one that was too far ahead.
    leap: Option<u64>,
    counts: Datagrams,
    /// Arrival less departure of the last message, on two clocks. Unit: nanoseconds.
    transit_ns: Option<i64>,
    jitter_ns: f64,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            seen: vec![0; (WINDOW / 64) as usize].into(),
            next: 0,
            leap: None,
            counts: Datagrams::default(),
            transit_ns: None,
            jitter_ns: 0.0,
        }
    }

    /// Different messages that came.
    pub(super) const fn received(&self) -> u64 {
        self.counts.received
    }

    /// Notes a message with this number; whether it is the first with it. `sent_ns` is on the
    /// sender's clock or 0, `arrived_ns` on another.
    #[inline]
    pub(super) fn take(&mut self, sequence: u64, sent_ns: u64, arrived_ns: u64) -> bool {
        if sequence == self.next {
            self.next = self.next.saturating_add(1);
            self.mark(sequence, true);
        } else if sequence > self.next {
            if sequence - self.next > FARTHEST && self.leap != Some(sequence) {
                self.leap = sequence.checked_add(1);
                self.counts.foreign += 1;
                return false;
            }
            self.leap_to(sequence);
        } else if self.next - sequence > WINDOW {
            // It cannot be told any more whether it came before.
            self.counts.foreign += 1;
            return false;
        } else if self.is_marked(sequence) {
            self.counts.duplicated += 1;
            return false;
        } else {
            self.mark(sequence, true);
            self.counts.reordered += 1;
        }
        self.counts.received += 1;
        if sent_ns != 0 {
            self.smooth(arrived_ns.cast_signed().wrapping_sub(sent_ns.cast_signed()));
        }
        true
    }

    /// The whole account. `sent` is what the sender says it sent, if it said so; `dropped` the
    /// socket's own count.
    pub(super) fn close(mut self, sent: Option<u64>, dropped: u64) -> Datagrams {
        let counts = &mut self.counts;
        counts.sent = sent.unwrap_or(self.next);
        // Numbers that were never sent, once it is known how many were.
        let beyond = counts.received.saturating_sub(counts.sent);
        counts.received -= beyond;
        counts.foreign += beyond;
        let missing = counts.sent - counts.received;
        counts.dropped_by_socket = dropped.min(missing);
        counts.lost = missing - counts.dropped_by_socket;
        counts.jitter = Span::from_seconds(self.jitter_ns / 1e9);
        self.counts
    }

    #[cold]
    fn leap_to(&mut self, sequence: u64) {
        if sequence - self.next >= WINDOW {
            self.seen.fill(0);
        } else {
            for missing in self.next..sequence {
                self.mark(missing, false);
            }
        }
        self.mark(sequence, true);
        self.next = sequence.saturating_add(1);
        self.leap = None;
    }

    #[inline]
    fn mark(&mut self, sequence: u64, here: bool) {
        let (word, bit) = place(sequence);
        if here {
            self.seen[word] |= bit;
        } else {
            self.seen[word] &= !bit;
        }
    }

    fn is_marked(&self, sequence: u64) -> bool {
        let (word, bit) = place(sequence);
        self.seen[word] & bit != 0
    }

    #[inline]
    fn smooth(&mut self, transit_ns: i64) {
        if let Some(before) = self.transit_ns {
            let apart = transit_ns.abs_diff(before) as f64;
            self.jitter_ns += (apart - self.jitter_ns) / SMOOTHING;
        }
        self.transit_ns = Some(transit_ns);
    }
}

const fn place(sequence: u64) -> (usize, u64) {
    let within = sequence % WINDOW;
    ((within / 64) as usize, 1 << (within % 64))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn take(tally: &mut Tally, numbers: impl IntoIterator<Item = u64>) {
        for number in numbers {
            tally.take(number, 0, 0);
        }
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_set_of_all_numbers(numbers in proptest::collection::vec(0_u64..300, 0..400)) {
            let (mut tally, mut set) = (Tally::new(), BTreeSet::new());
            let (mut duplicated, mut reordered) = (0, 0);
            for number in numbers {
                let late = set.last().is_some_and(|highest| number < *highest);
                let new = set.insert(number);
                duplicated += u64::from(!new);
                reordered += u64::from(new && late);
                prop_assert_eq!(tally.take(number, 0, 0), new);
            }
            let account = tally.close(Some(300), 7);
            prop_assert_eq!(account.received, set.len() as u64);
            prop_assert_eq!((account.duplicated, account.reordered), (duplicated, reordered));
            prop_assert_eq!(account.received + account.dropped_by_socket + account.lost, 300);
        }
    }

    #[test]
    fn a_forged_number_far_ahead_changes_nothing_else() {
        let mut tally = Tally::new();
        take(&mut tally, [0, 1, u64::MAX, 2, 1 << 40, 3]);
        let account = tally.close(Some(4), 0);
        assert_eq!((account.received, account.lost, account.foreign), (4, 0, 2));
    }

    #[test]
    fn two_in_a_row_far_ahead_are_believed_and_the_next_as_well() {
        let far = FARTHEST * 3;
        let mut tally = Tally::new();
        take(&mut tally, [0, far, far + 1, far + 2]);
        let account = tally.close(Some(far + 3), 0);
        assert_eq!((account.received, account.foreign), (3, 1));
    }

    #[test]
    fn numbers_that_were_never_sent_are_foreign_and_drops_are_never_more_than_what_is_missing() {
        let mut tally = Tally::new();
        take(&mut tally, 0..10);
        let account = tally.close(Some(8), 5);
        assert_eq!(
            (account.received, account.foreign, account.dropped_by_socket, account.lost),
            (8, 2, 0, 0)
        );
    }

    #[test]
    fn numbers_behind_the_window_cannot_be_told_and_are_foreign() {
        let mut tally = Tally::new();
        take(&mut tally, (0..=WINDOW).chain([0]));
        let account = tally.close(None, 0);
        assert_eq!((account.received, account.foreign, account.lost), (WINDOW + 1, 1, 0));
    }

    #[test]
    fn jitter_is_a_sixteenth_of_the_first_difference_and_clocks_need_not_agree() {
        let mut tally = Tally::new();
        tally.take(0, 1_000, 500);
        tally.take(1, 2_000, 1_500);
        tally.take(2, 3_000, 2_660);
        assert_eq!(tally.close(Some(3), 0).jitter, Span::from_ns(10));
    }
}
