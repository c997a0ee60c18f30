//! What arrived: in order and not yet taken, or beyond a gap.

use std::collections::VecDeque;

use super::SackBlocks;

/// A segment that takes room in the receive buffer.
#[derive(Clone, Copy, Debug)]
struct Held {
    from: u64,
    to: u64,
    charge: u64,
}

/// A range that arrived beyond a gap.
#[derive(Clone, Copy, Debug)]
struct Range {
    from: u64,
    to: u64,
    /// Of two ranges, the one that grew later has the larger number.
    recent: u64,
}

/// What became of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// All of it was there before.
    pub(super) old: bool,
    /// It lies beyond a gap.
    pub(super) beyond: bool,
    /// It filled a gap, or part of one.
    pub(super) filled: bool,
    /// Bytes that were there before.
    pub(super) again: u64,
    /// What it freed of the buffer at once: nothing is charged for bytes held twice.
    pub(super) freed: u64,
}

/// What arrived of a stream.
#[derive(Debug, Default)]
pub(super) struct ReceiveQueue {
    /// RCV.NXT.
    expected: u64,
    /// All before was taken by the application.
    read: u64,
    in_order: VecDeque<Held>,
    /// By position; they may overlap.
    beyond: VecDeque<Held>,
    /// By position; they neither overlap nor touch.
    ranges: Vec<Range>,
    count: u64,
    /// The position of FIN.
    fin: Option<u64>,
}

impl ReceiveQueue {
    /// RCV.NXT.
    pub(super) const fn expected(&self) -> u64 {
        self.expected
    }

    /// The peer's SYN takes position 0.
    pub(super) fn open(&mut self) {
        self.expected = 1;
        self.read = 1;
    }

    /// Whether everything of the peer arrived, FIN included.
    pub(super) fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.expected > fin)
    }

    /// Bytes that the application has taken.
    pub(super) const fn taken(&self) -> u64 {
        self.read.saturating_sub(1)
    }

    /// Bytes in order that were not taken.
    pub(super) fn readable(&self) -> u64 {
        self.expected - self.read - u64::from(self.is_finished())
    }

    /// Whether anything lies beyond a gap.
    pub(super) fn has_gap(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// The application reads `bytes`; returns how much of the buffer becomes free.
    pub(super) fn read(&mut self, bytes: u64) -> u64 {
        self.read += bytes.min(self.readable());
        let mut freed = 0;
        while let Some(held) = self.in_order.front().filter(|held| held.to <= self.read) {
            freed += held.charge;
            self.in_order.pop_front();
        }
        freed
    }

    /// FIN is at `position`. A second one elsewhere is ignored.
    pub(super) fn finish(&mut self, position: u64) {
        let highest = self.ranges.last().map_or(self.expected, |range| range.to);
        if self.fin.is_none() && position >= highest {
            self.fin = Some(position);
        }
        self.reach_fin();
    }

    fn reach_fin(&mut self) {
        if self.fin == Some(self.expected) {
            self.expected += 1;
        }
    }

    /// A segment brings `[from, to)`, which is not empty and lies within the window, and takes
    /// `charge` of the buffer.
    pub(super) fn insert(&mut self, from: u64, to: u64, charge: u64) -> Taken {
        let to = self.fin.map_or(to, |fin| to.min(fin));
        if to <= self.expected || from >= to || self.is_held(from, to) {
            return Taken { old: true, again: to.saturating_sub(from), freed: charge, ..Taken::default() };
        }
        if from > self.expected {
            let again = self.join(from, to);
            let at = self.beyond.partition_point(|held| held.from <= from);
            self.beyond.insert(at, Held { from, to, charge });
            return Taken { beyond: true, again, ..Taken::default() };
        }
        let again = self.expected - from;
        self.in_order.push_back(Held { from, to, charge });
        self.expected = to;
        if self.ranges.is_empty() {
            self.reach_fin();
            return Taken { again, ..Taken::default() };
        }
        let (more, freed) = self.catch_up();
        self.reach_fin();
        Taken { filled: true, again: again + more, freed, ..Taken::default() }
    }

    fn is_held(&self, from: u64, to: u64) -> bool {
        let after = self.ranges.partition_point(|range| range.from <= from);
        after.checked_sub(1).is_some_and(|index| to <= self.ranges[index].to)
    }

    /// Takes a range in among those beyond a gap; gives how much of it was there before.
    fn join(&mut self, from: u64, to: u64) -> u64 {
        let start = self.ranges.partition_point(|range| range.to < from);
        let end = self.ranges.partition_point(|range| range.from <= to);
        let touched = &self.ranges[start..end];
        let again = touched.iter().map(|range| range.to.min(to).saturating_sub(range.from.max(from))).sum();
        let from = touched.first().map_or(from, |range| range.from.min(from));
        let to = touched.last().map_or(to, |range| range.to.max(to));
        self.count += 1;
        self.ranges.splice(start..end, [Range { from, to, recent: self.count }]);
        again
    }

    /// What lies beyond the gap is in order as far as it reaches; gives the bytes that were there
    /// twice and what that freed.
    fn catch_up(&mut self) -> (u64, u64) {
        let (mut again, mut freed) = (0, 0);
        let reached = self.ranges.partition_point(|range| range.from <= self.expected);
        for range in self.ranges.drain(..reached) {
            again += self.expected.min(range.to) - range.from;
            self.expected = self.expected.max(range.to);
        }
        while let Some(held) = self.beyond.front().copied().filter(|held| held.from < self.expected) {
            self.beyond.pop_front();
            let last = self.in_order.back().map_or(0, |last| last.to);
            if held.to > last {
                self.in_order.push_back(held);
            } else {
                freed += held.charge;
            }
        }
        (again, freed)
    }

    /// At most `most` ranges beyond the gap, the most recent first (RFC 2018, 4).
    pub(super) fn blocks(&self, most: usize) -> SackBlocks {
        let mut blocks = SackBlocks::NONE;
        let mut before = u64::MAX;
        while blocks.as_slice().len() < most.min(self.ranges.len()) {
            let next =
                self.ranges.iter().filter(|range| range.recent < before).max_by_key(|range| range.recent);
            let Some(range) = next else { break };
            blocks.push([range.from, range.to]);
            before = range.recent;
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn open() -> ReceiveQueue {
        let mut queue = ReceiveQueue::default();
        queue.open();
        queue
    }

    #[test]
    fn the_most_recent_block_comes_first_rfc_2018_4() {
        let mut queue = open();
        queue.insert(101, 201, 0);
        queue.insert(501, 601, 0);
        queue.insert(301, 401, 0);
        queue.insert(601, 701, 0);
        assert_eq!(queue.blocks(4).as_slice(), [[501, 701], [301, 401], [101, 201]]);
        assert_eq!(queue.blocks(2).as_slice(), [[501, 701], [301, 401]]);
        assert!(queue.insert(1, 101, 0).filled);
        assert_eq!(queue.readable(), 200);
        assert_eq!(queue.blocks(4).as_slice(), [[501, 701], [301, 401]]);
    }

    #[test]
    fn a_segment_is_charged_until_all_of_it_is_taken() {
        let mut queue = open();
        queue.insert(1, 101, 500);
        queue.insert(101, 201, 600);
        assert_eq!(queue.read(150), 500);
        assert_eq!(queue.read(49), 0);
        assert_eq!(queue.read(1), 600);
        assert_eq!(queue.readable(), 0);
    }

    #[test]
    fn fin_counts_once_all_before_it_is_there() {
        let mut queue = open();
        queue.insert(101, 201, 0);
        queue.finish(201);
        assert!(!queue.is_finished());
        queue.insert(1, 101, 0);
        assert!(queue.is_finished());
        assert_eq!((queue.expected(), queue.readable()), (202, 200));
        queue.finish(150);
        assert!(queue.insert(201, 300, 0).old);
        assert_eq!((queue.expected(), queue.readable()), (202, 200));
    }

    proptest! {
        /// Against a set of bytes: what is in order, what is twice, what is charged.
        #[test]
        fn it_holds_what_a_set_of_bytes_holds(
            segments in proptest::collection::vec((1_u64..300, 1_u64..60, 0_u64..40), 1..80),
        ) {
            let mut queue = open();
            let mut bytes = vec![false; 400];
            let (mut charged, mut taken) = (0, 1);
            for (from, len, read) in segments {
                let to = from + len;
                let again = (from..to).filter(|&at| at < taken || bytes[at as usize]).count() as u64;
                (from..to).for_each(|at| bytes[at as usize] = true);
                charged += 10;
                let outcome = queue.insert(from, to, 10);
                charged -= outcome.freed;
                prop_assert_eq!(outcome.again, again);
                prop_assert_eq!(outcome.old, again == len);
                let expected = (1..).find(|&at| !bytes[at as usize]).expect("some byte is missing");
                prop_assert_eq!(queue.expected(), expected);
                let read = read.min(queue.readable());
                charged -= queue.read(read);
                taken += read;
                prop_assert_eq!(queue.readable(), expected - taken);
                let held = queue.in_order.iter().chain(&queue.beyond).map(|held| held.charge).sum::<u64>();
                prop_assert_eq!(held, charged);
                for [from, to] in queue.blocks(4).as_slice() {
                    prop_assert!((*from..*to).all(|at| bytes[at as usize]));
                    prop_assert!(!bytes[*from as usize - 1] && !bytes[*to as usize]);
                }
            }
        }
    }
}
