//! What became of the numbered messages of a flow: one account for datagrams and for frames.
//!
//! Numbers are what the peer writes, or who has seen its token. Whatever they are, the memory is
//! bounded (2 MiB a flow), nothing panics, and one that was never sent is *foreign* and neither
//! received nor lost.

mod jitter;
mod numbers;

use linerate_core::traffic::Datagrams;

use jitter::Jitter;
use numbers::Numbers;

/// A number that is farther ahead than this moves the mark for reordering only if another follows
/// near it, as RFC 3550 does in appendix A.1: one lie must not make everything after it late.
const LEAP: u64 = 1 << 20;

/// What became of the messages of a flow so far.
#[derive(Debug, Default)]
pub struct Account {
    numbers: Numbers,
    duplicated: u64,
    reordered: u64,
    foreign: u64,
    /// One more than the largest number that is believed (RFC 4737, `NextExp`).
    next: u64,
    /// A number far ahead that nothing has followed yet.
    leap: Option<u64>,
    jitter: Jitter,
    /// Since the warm-up, how many came with each code point of explicit congestion notification.
    code_points: [u64; 4],
    /// What had become of them when the warm-up ended; it counts for nothing.
    warm_up: Datagrams,
}

impl Account {
    /// Notes a message of the flow; whether it is not a repetition.
    ///
    /// Unit: nanoseconds; `sent_ns` on the sender's clock, if the message says it, `now_ns` on the
    /// receiver's, which need not agree.
    #[inline]
    pub fn arrived(&mut self, number: u64, sent_ns: Option<u64>, now_ns: u64) -> bool {
        if !self.numbers.insert(number, self.next.saturating_add(LEAP)) {
            self.duplicated += 1;
            return false;
        }
        self.order(number);
        if let Some(sent_ns) = sent_ns {
            self.jitter.arrived(sent_ns, now_ns);
        }
        true
    }

    /// Notes the octet of differentiated services of a message that was no repetition.
    #[inline]
    pub fn came_as(&mut self, class: u8) {
        self.code_points[usize::from(class & 0b11)] += 1;
    }

    /// How many came with each code point of explicit congestion notification after the warm-up.
    #[must_use]
    pub const fn code_points(&self) -> [u64; 4] {
        self.code_points
    }

    /// Notes a message that does not belong to the flow.
    pub fn strange(&mut self) {
        self.foreign += 1;
    }

    /// Notes that the warm-up is over: only what is sent from now on counts. `dropped` as in [`finish`](Self::finish).
    pub fn end_warm_up(&mut self, dropped: u64) {
        self.warm_up = self.told(self.next, self.received(), dropped);
        self.code_points = [0; 4];
    }

    /// Different messages that came, those that were never sent among them. Unit: messages.
    #[must_use]
    pub const fn received(&self) -> u64 {
        self.numbers.count()
    }

    /// The account after the warm-up, where the sender says that it sent `sent`; if it said nothing, as many as the
    /// largest number that is believed shows. What has a larger number was never sent. `dropped` is
    /// what the receiving host says that it had no room for; no more of it than is missing counts.
    #[must_use]
    pub fn finish(mut self, sent: Option<u64>, dropped: u64) -> Datagrams {
        let sent = sent.unwrap_or(self.next);
        let beyond = self.numbers.from(sent);
        let foreign = self.foreign + beyond + self.numbers.struck();
        let received = self.received() - beyond;
        let Datagrams { duplicated, reordered, .. } = self.warm_up;
        let sent_before = self.warm_up.sent.min(sent);
        // One of the warm-up that was late replaces none that was sent since.
        let sent = sent - sent_before;
        let received = received.saturating_sub(self.warm_up.received).min(sent);
        let dropped = dropped.saturating_sub(self.warm_up.dropped_by_socket);
        Datagrams {
            duplicated: self.duplicated - duplicated,
            reordered: self.reordered - reordered,
            foreign,
            ..self.told(sent, received, dropped)
        }
    }

    fn told(&self, sent: u64, received: u64, dropped: u64) -> Datagrams {
        let missing = sent.saturating_sub(received);
        let dropped_by_socket = dropped.min(missing);
        Datagrams {
            sent,
            received,
            duplicated: self.duplicated,
            reordered: self.reordered,
            dropped_by_socket,
            host_buffer_errors: None,
            lost: missing - dropped_by_socket,
            foreign: self.foreign,
            jitter: self.jitter.estimate(),
            ecn: None,
        }
    }

    fn order(&mut self, number: u64) {
        if number < self.next {
            self.reordered += 1;
        } else if number - self.next <= LEAP {
            self.next = number.saturating_add(1);
        } else if let Some(leap) = self.leap.filter(|leap| number.abs_diff(*leap) <= LEAP) {
            (self.next, self.leap) = (number.max(leap).saturating_add(1), None);
        } else {
            self.leap = Some(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::numbers::{BLOCK, BLOCKS};
    use super::*;

    fn of(numbers: impl IntoIterator<Item = u64>) -> Account {
        let mut account = Account::default();
        for number in numbers {
            let sent_ns = number.wrapping_mul(1000);
            account.arrived(number, Some(sent_ns), sent_ns.wrapping_add(5_000_000));
        }
        account
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_set_of_all_numbers(
            numbers in prop::collection::vec(prop_oneof![0_u64..300, BLOCK - 9..BLOCK + 9], 0..400),
            sent in prop_oneof![0_u64..300, BLOCK - 9..BLOCK + 9],
        ) {
            let (mut account, mut set) = (Account::default(), BTreeSet::new());
            let (mut duplicated, mut reordered) = (0, 0);
            for number in numbers {
                let late = set.last().is_some_and(|highest| number < *highest);
                let new = set.insert(number);
                duplicated += u64::from(!new);
                reordered += u64::from(new && late);
                prop_assert_eq!(account.arrived(number, None, 0), new);
            }
            let datagrams = account.finish(Some(sent), 7);
            prop_assert_eq!(datagrams.received, set.range(..sent).count() as u64);
            prop_assert_eq!(datagrams.foreign, set.range(sent..).count() as u64);
            prop_assert_eq!((datagrams.duplicated, datagrams.reordered), (duplicated, reordered));
            prop_assert_eq!(datagrams.received + datagrams.dropped_by_socket + datagrams.lost, sent);
        }

        #[test]
        fn no_number_panics_and_every_message_is_counted_once(
            numbers in prop::collection::vec(prop_oneof![any::<u64>(), 0..9_u64, u64::MAX - 9..=u64::MAX], 0..900),
            sent: Option<u64>, dropped: u64,
        ) {
            let arrived = numbers.len() as u64;
            let datagrams = of(numbers).finish(sent, dropped);
            prop_assert_eq!(datagrams.received + datagrams.duplicated + datagrams.foreign, arrived);
            prop_assert_eq!(datagrams.received + datagrams.dropped_by_socket + datagrams.lost, datagrams.sent);
        }
    }

    proptest! {
        #[test]
        fn only_what_was_sent_after_the_warm_up_counts(
            arrives in prop::collection::vec(any::<bool>(), 0..400), warm in 0..400_usize,
            late in 0..4_u64, dropped in [0..300_u64, 0..300],
        ) {
            let mut account = Account::default();
            let (mut since, sent) = (0, arrives.len());
            for (number, _) in arrives.iter().enumerate().filter(|(_, arrives)| **arrives) {
                if number >= warm && since == 0 {
                    account.end_warm_up(dropped[0]);
                    since = account.next as usize;
                    // What is late now was sent before.
                    (0..late.min(account.next)).for_each(|number| { account.arrived(number, None, 0); });
                }
                account.arrived(number as u64, None, 0);
            }
            let datagrams = account.finish(Some(sent as u64), dropped[0] + dropped[1]);
            let counted = &arrives[since..];
            let missing = counted.iter().filter(|arrives| !**arrives).count() as u64;
            prop_assert_eq!(datagrams.sent, counted.len() as u64);
            prop_assert!(datagrams.lost + datagrams.dropped_by_socket <= missing);
            prop_assert!(datagrams.lost + datagrams.dropped_by_socket + late >= missing);
            prop_assert_eq!(datagrams.received + datagrams.dropped_by_socket + datagrams.lost, datagrams.sent);
        }
    }

    #[test]
    fn a_flow_without_an_event_has_nothing_to_tell() {
        let datagrams = of(0..200_000).finish(Some(200_000), 0);
        assert_eq!(datagrams, Datagrams { sent: 200_000, received: 200_000, ..Datagrams::default() });
    }

    #[test]
    fn loss_repetition_and_lateness_are_told_apart() {
        // 2 is lost, 1 comes twice, 3 comes after 4 and 5.
        let datagrams = of([0, 1, 1, 4, 5, 3, 6]).finish(Some(8), 0);
        let expected = Datagrams {
            sent: 8,
            received: 6,
            duplicated: 1,
            reordered: 1,
            lost: 2,
            jitter: datagrams.jitter,
            ..Datagrams::default()
        };
        assert_eq!(datagrams, expected);
    }

    #[test]
    fn a_number_that_was_never_sent_is_foreign_and_changes_nothing_else() {
        let lies = [1 << 40, u64::MAX, 1000, 70_000];
        let numbers = (0..500).chain(lies).chain(500..1000);
        let datagrams = of(numbers).finish(Some(1000), 0);
        assert_eq!((datagrams.received, datagrams.lost, datagrams.foreign), (1000, 0, 4));
        let near = of((0..500).chain([1 << 40]).chain(500..1000)).finish(Some(1000), 0);
        assert_eq!((near.reordered, near.foreign), (0, 1), "one lie far ahead makes nothing late");
        let unsaid = of([0, 1, u64::MAX, 2, 1 << 40, 3]).finish(None, 0);
        assert_eq!((unsaid.received, unsaid.lost, unsaid.foreign), (4, 0, 2), "nobody said how many");
    }

    #[test]
    fn however_many_lies_come_they_displace_nothing_that_was_sent() {
        let lies = (1..=4 * BLOCKS as u64).map(|lie| lie << 30);
        let pairs = (0_u64..).zip(lies).flat_map(|(number, lie)| [lie, number]);
        let datagrams = of(pairs).finish(Some(4 * BLOCKS as u64), 0);
        let expected = Datagrams {
            sent: 4 * BLOCKS as u64,
            received: 4 * BLOCKS as u64,
            foreign: 4 * BLOCKS as u64,
            jitter: datagrams.jitter,
            ..Datagrams::default()
        };
        assert_eq!(datagrams, expected);
    }

    #[test]
    fn a_real_gap_of_any_length_is_loss_and_not_lateness() {
        let far = 1 << 30;
        let datagrams = of((0..10).chain(far..far + 10)).finish(Some(far + 10), 0);
        assert_eq!((datagrams.received, datagrams.reordered, datagrams.lost), (20, 0, far - 10));
    }

    #[test]
    fn what_is_too_old_to_be_told_counts_as_repeated() {
        // Steps of a block are no leaps, and no block is ever complete.
        let places = 3 * BLOCKS as u64;
        let mut account = of((0..places).map(|place| place * BLOCK));
        assert!(!account.arrived(1, None, 0), "its block is given up");
        let datagrams = account.finish(Some(places * BLOCK), 0);
        assert_eq!((datagrams.received, datagrams.duplicated), (places, 1));
        assert_eq!(datagrams.lost, places * BLOCK - places);
    }

    #[test]
    fn drops_of_the_host_are_no_loss_and_never_more_than_what_is_missing() {
        let datagrams = of(0..10).finish(Some(15), 3);
        assert_eq!((datagrams.dropped_by_socket, datagrams.lost), (3, 2));
        let datagrams = of(0..10).finish(Some(8), 5);
        let counts = (datagrams.received, datagrams.foreign, datagrams.dropped_by_socket, datagrams.lost);
        assert_eq!(counts, (8, 2, 0, 0));
    }

    #[test]
    fn a_message_without_a_time_leaves_the_jitter_alone() {
        let mut account = Account::default();
        for (number, sent_ns) in [(0, Some(1_000)), (1, None), (2, Some(3_000))] {
            account.arrived(number, sent_ns, number * 1_000);
        }
        assert_eq!(account.finish(None, 0).jitter, linerate_core::units::Span::ZERO);
    }
}
