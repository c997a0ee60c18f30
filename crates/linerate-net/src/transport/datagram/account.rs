//! What became of the datagrams of a flow, by their numbers.

use std::collections::BTreeMap;

use linerate_core::traffic::Datagrams;
use linerate_core::units::Span;

use super::header::Header;

/// Numbers of one block of the map: 8 KiB of bits.
const BLOCK: u64 = 1 << 16;
const WORDS: usize = (BLOCK / 64) as usize;
/// Blocks that are kept at most, 16 MiB: the oldest is given up for the next, and what still comes
/// of it counts as a repetition.
const BLOCKS: usize = 2048;
/// A number that is farther ahead than this moves the mark for reordering only if another follows
/// it: one lie must not make everything after it late.
const LEAP: u64 = 1 << 20;

/// What became of the datagrams of a flow so far. Its memory is bounded whatever the peer says.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Blocks that are neither untouched nor complete, by their place.
    blocks: BTreeMap<u64, Block>,
    /// The block that the last datagram was in: most follow each other.
    at: u64,
    open: Option<Block>,
    /// Every block below this place is complete or given up.
    settled: u64,
    received: u64,
    duplicated: u64,
    reordered: u64,
    foreign: u64,
    /// One more than the largest number that came (RFC 4737, `NextExp`).
    next: u64,
    /// A number far ahead that nothing has followed yet.
    leap: Option<u64>,
    jitter: Jitter,
    drops: Drops,
}

#[derive(Debug)]
struct Block {
    bits: Box<[u64; WORDS]>,
    count: u32,
}

impl Block {
    fn new() -> Self {
        Self { bits: Box::new([0; WORDS]), count: 0 }
    }

    /// Notes the number at `place` of the block; whether it is new.
    fn insert(&mut self, place: u64) -> bool {
        let (word, bit) = (&mut self.bits[(place / 64) as usize], 1 << (place % 64));
        let new = *word & bit == 0;
        *word |= bit;
        self.count += u32::from(new);
        new
    }

    /// How many of the numbers from `place` of the block on have come.
    fn from(&self, place: u64) -> u64 {
        let whole = (place / 64) as usize;
        let first = self.bits.get(whole).map_or(0, |word| (word >> (place % 64)).count_ones());
        let rest = self.bits.iter().skip(whole + 1).map(|word| word.count_ones()).sum::<u32>();
        u64::from(first + rest)
    }
}

impl Account {
    /// Notes a datagram of the flow that arrived at `now_ns` of the receiver's clock; whether it is
    /// not a repetition.
    #[inline]
    pub(super) fn arrived(&mut self, header: &Header, now_ns: u64) -> bool {
        if !self.insert(header.number) {
            self.duplicated += 1;
            return false;
        }
        self.received += 1;
        self.order(header.number);
        self.jitter.arrived(header.sent_ns, now_ns);
        true
    }

    /// Notes a datagram that is none of the flow.
    pub(super) fn strange(&mut self) {
        self.foreign += 1;
    }

    /// Notes what the socket says it had dropped, `total` modulo 2^32.
    #[inline]
    pub(super) fn dropped(&mut self, total: u32) {
        self.drops.note(total);
    }

    /// Notes that the kernel gave `datagrams` as one, if it joins them.
    #[inline]
    pub(super) fn joined(&mut self, datagrams: u64) {
        self.drops.bunch = self.drops.bunch.max(datagrams);
    }

    /// Whether everything is accounted for, if `sent` were sent.
    pub(super) const fn is_complete(&self, sent: u64) -> bool {
        self.received + self.drops.datagrams() >= sent
    }

    /// What the socket's count of drops was last, for the next flow of the socket.
    pub(super) const fn drops_seen(&self) -> u32 {
        self.drops.seen
    }

    /// Begins with what the socket had dropped before this flow.
    pub(super) fn start(drops_seen: u32) -> Self {
        Self { drops: Drops { seen: drops_seen, count: 0, bunch: 1 }, ..Self::default() }
    }

    /// The account, where the sender says that it sent `sent`; if it said nothing, as many as the
    /// largest number that came shows. What has a larger number was never sent.
    pub(super) fn finish(mut self, sent: Option<u64>) -> Datagrams {
        let sent = sent.unwrap_or(self.next);
        let beyond = self.beyond(sent);
        let received = self.received - beyond;
        let missing = sent.saturating_sub(received);
        let dropped_by_socket = self.drops.datagrams().min(missing);
        Datagrams {
            sent,
            received,
            duplicated: self.duplicated,
            reordered: self.reordered,
            dropped_by_socket,
            host_buffer_errors: None,
            lost: missing - dropped_by_socket,
            foreign: self.foreign + beyond,
            jitter: Span::from_ns(self.jitter.scaled_ns >> 4),
        }
    }

    fn insert(&mut self, number: u64) -> bool {
        let (place, within) = (number / BLOCK, number % BLOCK);
        if place < self.settled {
            return false;
        }
        if place != self.at || self.open.is_none() {
            self.turn_to(place);
        }
        let block = self.open.get_or_insert_with(Block::new);
        let new = block.insert(within);
        if u64::from(block.count) == BLOCK && place == self.settled {
            self.open = None;
            self.settled += 1;
            self.settle();
        }
        new
    }

    /// Puts the open block away and takes the one at `place`.
    fn turn_to(&mut self, place: u64) {
        if let Some(block) = self.open.take() {
            self.blocks.insert(self.at, block);
        }
        self.open = Some(self.blocks.remove(&place).unwrap_or_else(Block::new));
        self.at = place;
        while self.blocks.len() >= BLOCKS {
            let Some((oldest, _)) = self.blocks.pop_first() else { break };
            self.settled = self.settled.max(oldest + 1);
        }
    }

    /// Forgets complete blocks that follow on what is settled.
    fn settle(&mut self) {
        while self.blocks.get(&self.settled).is_some_and(|block| u64::from(block.count) == BLOCK) {
            self.blocks.remove(&self.settled);
            self.settled += 1;
        }
    }

    fn order(&mut self, number: u64) {
        if number < self.next {
            self.reordered += 1;
        } else if number - self.next <= LEAP {
            self.next = number + 1;
        } else if self.leap.is_some_and(|leap| number.abs_diff(leap) <= LEAP) {
            (self.next, self.leap) = (number + 1, None);
        } else {
            self.leap = Some(number);
        }
    }

    /// How many numbers from `sent` on have come.
    fn beyond(&mut self, sent: u64) -> u64 {
        if let Some(block) = self.open.take() {
            self.blocks.insert(self.at, block);
        }
        let settled = (self.settled * BLOCK).saturating_sub(sent);
        let count = |(place, block): (&u64, &Block)| {
            let start = place * BLOCK;
            if start + BLOCK <= sent { 0 } else { block.from(sent.saturating_sub(start)) }
        };
        (settled + self.blocks.iter().map(count).sum::<u64>()).min(self.received)
    }
}

/// Interarrival jitter.  Source: RFC 3550, section 6.4.1 and appendix A.8, whose integer form this is.
#[derive(Debug, Default)]
struct Jitter {
    /// Difference of the two clocks at the last datagram, which wraps. Unit: nanoseconds.
    transit_ns: Option<u64>,
    /// Sixteen times the estimate. Unit: nanoseconds.
    scaled_ns: u64,
}

impl Jitter {
    #[inline]
    fn arrived(&mut self, sent_ns: u64, now_ns: u64) {
        let transit_ns = now_ns.wrapping_sub(sent_ns);
        if let Some(last_ns) = self.transit_ns.replace(transit_ns) {
            let difference_ns = transit_ns.wrapping_sub(last_ns).cast_signed().unsigned_abs();
            let decay_ns = (self.scaled_ns + 8) >> 4;
            self.scaled_ns = (self.scaled_ns - decay_ns.min(self.scaled_ns)).saturating_add(difference_ns);
            // Times that no clock shows must not overflow the next step.
            self.scaled_ns = self.scaled_ns.min(u64::MAX >> 1);
        }
    }
}

/// What the socket dropped.
///
/// A bunch of joined datagrams (`UDP_GRO`) that is dropped counts as one. How many were in it nobody
/// knows; it is taken to be as large as the largest that came. That is right for a sender on this
/// host that has the kernel cut (`UDP_SEGMENT`), and otherwise takes some loss on the path for drops.
#[derive(Debug, Default)]
struct Drops {
    seen: u32,
    count: u64,
    bunch: u64,
}

impl Drops {
    #[inline]
    fn note(&mut self, total: u32) {
        self.count += u64::from(total.wrapping_sub(self.seen));
        self.seen = total;
    }

    const fn datagrams(&self) -> u64 {
        self.count.saturating_mul(self.bunch)
    }
}

#[cfg(test)]
mod tests {
    use super::super::header::Kind;
    use super::*;

    fn data(number: u64) -> Header {
        Header { kind: Kind::Data, number, sent_ns: number.wrapping_mul(1000) }
    }

    fn of(numbers: impl IntoIterator<Item = u64>) -> Account {
        let mut account = Account::start(0);
        for number in numbers {
            account.arrived(&data(number), number.wrapping_mul(1000).wrapping_add(5_000_000));
        }
        account
    }

    #[test]
    fn a_flow_without_an_event_has_nothing_to_tell() {
        let account = of(0..200_000);
        assert!(account.blocks.is_empty(), "complete blocks are forgotten");
        let datagrams = account.finish(Some(200_000));
        assert_eq!(datagrams, Datagrams { sent: 200_000, received: 200_000, ..Datagrams::default() });
    }

    #[test]
    fn loss_repetition_and_lateness_are_told_apart() {
        // 2 is lost, 1 comes twice, 3 comes after 4 and 5.
        let datagrams = of([0, 1, 1, 4, 5, 3, 6]).finish(Some(8));
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
        let lies = [1 << 40, (1 << 56) - 1, 1000, 70_000];
        let numbers = (0..500).chain(lies).chain(500..1000);
        let datagrams = of(numbers).finish(Some(1000));
        assert_eq!((datagrams.received, datagrams.lost, datagrams.foreign), (1000, 0, 4));
        let near = of((0..500).chain([1 << 40]).chain(500..1000)).finish(Some(1000));
        assert_eq!((near.reordered, near.foreign), (0, 1), "one lie far ahead makes nothing late");
    }

    #[test]
    fn a_real_gap_of_any_length_is_loss_and_not_lateness() {
        let far = 1 << 30;
        let datagrams = of((0..10).chain(far..far + 10)).finish(Some(far + 10));
        assert_eq!((datagrams.received, datagrams.reordered, datagrams.lost), (20, 0, far - 10));
    }

    #[test]
    fn memory_is_bounded_and_what_is_given_up_counts_as_repeated() {
        let places = 3 * BLOCKS as u64;
        let mut account = of((0..places).map(|place| place * BLOCK));
        assert!(account.blocks.len() < BLOCKS);
        assert!(!account.arrived(&data(1), 0), "its block is given up");
        let datagrams = account.finish(Some(places * BLOCK));
        assert_eq!((datagrams.received, datagrams.duplicated), (places, 1));
        assert_eq!(datagrams.lost, places * BLOCK - places);
    }

    #[test]
    fn the_sockets_drops_are_no_loss_and_its_count_wraps() {
        let mut account = Account::start(u32::MAX - 1);
        account.arrived(&data(0), 0);
        account.dropped(1);
        account.arrived(&data(4), 0);
        assert!(!account.is_complete(6) && account.is_complete(5));
        let datagrams = account.finish(Some(6));
        assert_eq!((datagrams.dropped_by_socket, datagrams.lost), (3, 1));
        // The ends that were dropped too are none of the flow.
        let mut account = of([0]);
        account.dropped(9);
        let datagrams = account.finish(Some(4));
        assert_eq!((datagrams.dropped_by_socket, datagrams.lost), (3, 0));
    }

    #[test]
    fn a_dropped_bunch_counts_as_many_as_the_largest_that_came() {
        let mut account = of(0..40);
        account.joined(40);
        account.joined(5);
        // Two bunches of 40 were dropped, and 5 datagrams are missing for another reason.
        account.dropped(2);
        account.arrived(&data(125), 0);
        let datagrams = account.finish(Some(126));
        assert_eq!((datagrams.dropped_by_socket, datagrams.lost), (80, 5));
    }

    #[test]
    fn jitter_is_that_of_the_standard() {
        // Transit times of 10, 26 and 10 us: |D| is 16 us twice.
        let mut account = Account::start(0);
        for (number, transit_ns) in [(0, 10_000), (1, 26_000), (2, 10_000)] {
            account.arrived(&data(number), number * 1000 + transit_ns);
        }
        // J1 = 16/16 = 1 us; J2 = 1 + (16 - 1)/16 = 1.9375 us.
        assert_eq!(account.finish(None).jitter, Span::from_ns(1937));
    }

    #[test]
    fn times_that_no_clock_shows_do_not_overflow() {
        let mut account = Account::start(0);
        for (number, sent_ns) in [(0, 0), (1, u64::MAX / 2), (2, 0), (3, u64::MAX), (4, 1 << 63)] {
            account.arrived(&Header { kind: Kind::Data, number, sent_ns }, 0);
        }
        assert!(account.finish(None).jitter > Span::ZERO);
    }
}
