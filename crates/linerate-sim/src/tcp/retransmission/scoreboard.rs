//! Segments that are sent and not acknowledged, and the state of each.

use std::collections::VecDeque;

use linerate_core::units::Time;

use crate::tcp::SackBlocks;
use crate::tcp::delivery::Before;

/// A segment on its way.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Sent {
    /// Position of its first byte.
    pub(in crate::tcp) from: u64,
    /// The position after all that it takes of the stream.
    pub(in crate::tcp) to: u64,
    /// When it was sent last.
    pub(in crate::tcp) at: Time,
    /// Its last position is FIN.
    pub(in crate::tcp) fin: bool,
    /// It was sent more than once: its acknowledgement gives no round-trip time.
    repeated: bool,
    /// The peer has it, but not everything before it (SACK).
    selected: bool,
    /// It is taken as lost.
    lost: bool,
    /// It was lost and is retransmitted.
    again: bool,
    /// What had been delivered when it was sent last.
    pub(in crate::tcp) before: Before,
}

impl Sent {
    /// A segment sent for the first time.
    pub(in crate::tcp) const fn new(from: u64, to: u64, fin: bool, at: Time) -> Self {
        let before = Before { delivered: 0, delivered_at: at, first_sent_at: at, limited: false };
        Self { from, to, at, fin, repeated: false, selected: false, lost: false, again: false, before }
    }

    /// With what had been delivered when it was sent.
    pub(in crate::tcp) const fn after(mut self, before: Before) -> Self {
        self.before = before;
        self
    }

    /// Whether it was sent after `other` (RFC 8985, 6.2, step 2): in the order of the stream if both
    /// left at one instant.
    fn is_later_than(&self, other: &Self) -> bool {
        (self.at, self.to) > (other.at, other.to)
    }

    const fn len(&self) -> u64 {
        self.to - self.from
    }
}

/// What was delivered since it was taken last: acknowledged, or selected for the first time.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Delivered {
    /// Positions.
    pub(in crate::tcp) bytes: u64,
    /// The segment of it that was sent last.
    pub(in crate::tcp) latest: Option<Sent>,
    /// Something that was sent once arrived after what was sent later (RFC 8985, 6.2, step 3).
    pub(in crate::tcp) reordered: bool,
}

/// What an acknowledgement took off the scoreboard.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Acknowledged {
    /// When the oldest of it was sent. Absent if any of it was sent twice.
    pub(in crate::tcp) sent: Option<Time>,
    /// Positions.
    pub(in crate::tcp) bytes: u64,
}

/// What was sent and is not acknowledged. Positions, SYN and FIN included, count as bytes.
#[derive(Debug)]
pub(in crate::tcp) struct Scoreboard {
    segments: VecDeque<Sent>,
    /// All before is acknowledged.
    first: u64,
    /// The next position that was never sent.
    next: u64,
    selected: u64,
    lost: u64,
    again: u64,
    /// Start of the first segment that is lost and not retransmitted; the largest number if there
    /// is no such segment.
    first_lost: u64,
    /// All before was looked at by [`Self::find_lost`].
    looked_to: u64,
    /// The end of the highest selected segment.
    highest_selected: u64,
    /// The blocks that came last: what they held is marked.
    blocks: SackBlocks,
    /// What was taken as lost so far, and again when its repeat was lost. Positions.
    losses: u64,
    delivered: Delivered,
    /// The end of what was delivered furthest: RACK.fack (RFC 8985, 5.2).
    reached: u64,
    /// A repeat that left after this cannot have been acknowledged yet: its original was.
    believed: Time,
}

const NONE: u64 = u64::MAX;

impl Scoreboard {
    pub(in crate::tcp) const fn new() -> Self {
        Self {
            segments: VecDeque::new(),
            first: 0,
            next: 0,
            selected: 0,
            lost: 0,
            again: 0,
            first_lost: NONE,
            looked_to: 0,
            highest_selected: 0,
            blocks: SackBlocks::NONE,
            losses: 0,
            delivered: Delivered { bytes: 0, latest: None, reordered: false },
            reached: 0,
            believed: Time::ZERO,
        }
    }

    /// SND.UNA.
    pub(in crate::tcp) const fn first(&self) -> u64 {
        self.first
    }

    /// SND.NXT.
    pub(in crate::tcp) const fn next(&self) -> u64 {
        self.next
    }

    /// How much is sent and not acknowledged: `FlightSize`.
    pub(in crate::tcp) const fn outstanding(&self) -> u64 {
        self.next - self.first
    }

    /// How much is believed to be in the network: `pipe` of RFC 6675, section 4.
    pub(in crate::tcp) const fn pipe(&self) -> u64 {
        self.outstanding() - self.selected - self.lost + self.again
    }

    /// What the peer has beyond a gap.
    pub(in crate::tcp) const fn selected(&self) -> u64 {
        self.selected
    }

    /// What was taken as lost since the connection began, repeats that were lost too included.
    pub(in crate::tcp) const fn losses(&self) -> u64 {
        self.losses
    }

    /// An acknowledgement arrives, and no repeat that left after `believed` can be what it is about
    /// (RFC 8985, 6.2, step 2).
    pub(in crate::tcp) const fn believe(&mut self, believed: Time) {
        self.believed = believed;
    }

    /// What was delivered since the last call.
    pub(in crate::tcp) fn take_delivered(&mut self) -> Delivered {
        std::mem::take(&mut self.delivered)
    }

    fn deliver(&mut self, segment: &Sent) {
        let delivered = &mut self.delivered;
        delivered.reordered |= !segment.repeated && segment.to < self.reached;
        self.reached = self.reached.max(segment.to);
        if segment.repeated && segment.at > self.believed {
            return;
        }
        if delivered.latest.is_none_or(|latest| segment.is_later_than(&latest)) {
            delivered.latest = Some(*segment);
        }
    }

    /// A segment is sent for the first time.
    pub(in crate::tcp) fn push(&mut self, segment: Sent) {
        debug_assert_eq!(segment.from, self.next, "segments are sent in order");
        self.next = segment.to;
        self.segments.push_back(segment);
    }

    /// All before `position`, which was sent, is acknowledged.
    pub(in crate::tcp) fn acknowledge(&mut self, position: u64) -> Acknowledged {
        let bytes = position.saturating_sub(self.first);
        let mut oldest = None;
        let mut repeated = false;
        while let Some(segment) = self.segments.front_mut() {
            if segment.from >= position {
                break;
            }
            let taken = segment.to.min(position) - segment.from;
            self.selected -= if segment.selected { taken } else { 0 };
            self.lost -= if segment.lost { taken } else { 0 };
            self.again -= if segment.again { taken } else { 0 };
            repeated |= segment.repeated;
            oldest = oldest.or(Some(segment.at));
            let copy = *segment;
            segment.from = segment.to.min(position);
            if !copy.selected {
                self.delivered.bytes += taken;
                self.deliver(&copy);
            }
            if copy.to > position {
                break;
            }
            self.segments.pop_front();
        }
        self.first = self.first.max(position);
        if self.first_lost < self.first {
            self.first_lost = NONE;
            self.seek_lost(0);
        }
        Acknowledged { sent: oldest.filter(|_| !repeated), bytes }
    }

    /// The peer has what is in `blocks`; returns whether that is new.
    pub(in crate::tcp) fn select(&mut self, blocks: &SackBlocks) -> bool {
        if blocks.is_empty() {
            self.blocks.clear();
            return false;
        }
        let before = self.selected;
        let mut valid = SackBlocks::NONE;
        for &block in blocks.as_slice() {
            let [from, to] = block;
            // What is acknowledged ends before a gap, so that no block begins there.
            if from <= self.first || from >= to || to > self.next {
                continue;
            }
            // What a block held the last time is marked already.
            let known = self.blocks.as_slice().iter().find(|known| from <= known[0] && known[1] <= to);
            match known.copied() {
                Some([start, end]) => {
                    self.select_part(block, [from, start]);
                    self.select_part(block, [end, to]);
                }
                None => self.select_part(block, block),
            }
            self.highest_selected = self.highest_selected.max(to);
            valid.push(block);
        }
        self.blocks = valid;
        self.selected > before
    }

    /// Marks the segments that lie in `block` and touch `part` of it.
    fn select_part(&mut self, block: [u64; 2], part: [u64; 2]) {
        if part[0] >= part[1] {
            return;
        }
        let start = self.segments.partition_point(|segment| segment.to <= part[0]);
        for index in start..self.segments.len() {
            let segment = &mut self.segments[index];
            if segment.from >= part[1] || segment.to > block[1] {
                break;
            }
            if segment.selected || segment.from < block[0] {
                continue;
            }
            let len = segment.len();
            segment.selected = true;
            self.selected += len;
            self.lost -= if segment.lost { len } else { 0 };
            self.again -= if segment.again { len } else { 0 };
            (segment.lost, segment.again) = (false, false);
            let copy = *segment;
            self.delivered.bytes += len;
            self.deliver(&copy);
        }
        if (block[0]..block[1]).contains(&self.first_lost) {
            let start = self.index_of(self.first_lost);
            self.first_lost = NONE;
            self.seek_lost(start);
        }
    }

    /// Takes as lost what lies below `duplicates` selected segments: `IsLost` of RFC 6675, section
    /// 4, counted in segments.
    pub(in crate::tcp) fn find_lost(&mut self, duplicates: u32) {
        let mut index = self.segments.partition_point(|segment| segment.from < self.highest_selected);
        let mut above = 0;
        while above < duplicates {
            let Some(previous) = index.checked_sub(1) else { return };
            index = previous;
            above += u32::from(self.segments[index].selected);
        }
        let start = self.index_of(self.looked_to);
        for at in start..index {
            self.lose(at);
        }
        if let Some(segment) = self.segments.get(index) {
            self.looked_to = self.looked_to.max(segment.from);
        }
    }

    /// Takes the first segment as lost, even if it is on its way again.
    pub(in crate::tcp) fn lose_first(&mut self) {
        let Some(segment) = self.segments.front_mut() else { return };
        if segment.again {
            segment.again = false;
            self.again -= segment.len();
            self.first_lost = segment.from;
        }
        self.lose(0);
    }

    /// Takes the segment as lost that ends at `to` and left last at `at`, if it is still on its way:
    /// its repeat too. Returns whether it was.
    pub(in crate::tcp) fn lose_sent(&mut self, to: u64, at: Time) -> bool {
        let index = self.segments.partition_point(|segment| segment.to < to);
        if !self.is_on_its_way(index, to, at) {
            return false;
        }
        let segment = &mut self.segments[index];
        if segment.again {
            let (from, len) = (segment.from, segment.len());
            segment.again = false;
            self.again -= len;
            self.losses += len;
            self.first_lost = self.first_lost.min(from);
        }
        self.lose(index);
        true
    }

    /// Whether the segment that ends at `to` and left last at `at` is on its way.
    pub(in crate::tcp) fn is_sent(&self, to: u64, at: Time) -> bool {
        to > self.first
            && self.is_on_its_way(self.segments.partition_point(|segment| segment.to < to), to, at)
    }

    fn is_on_its_way(&self, index: usize, to: u64, at: Time) -> bool {
        self.segments.get(index).is_some_and(|segment| {
            segment.to == to && segment.at == at && !segment.selected && (!segment.lost || segment.again)
        })
    }

    /// Takes the last segment as lost, so that it is sent again: a probe (RFC 8985, 7.3). Returns
    /// where it ends, if it was on its way.
    pub(in crate::tcp) fn repeat_last(&mut self) -> Option<u64> {
        let last = *self.segments.back()?;
        if last.to <= self.first || !self.lose_sent(last.to, last.at) {
            return None;
        }
        // A probe says nothing about a loss.
        self.losses -= last.len();
        Some(last.to)
    }

    /// Takes everything as lost that the peer has not selected: the timer ran out.
    pub(in crate::tcp) fn lose_all(&mut self) {
        self.lose_older(Time::from_ps(u64::MAX));
        self.looked_to = self.next;
    }

    /// Takes the first segment as lost, and of the others those that left last at `at` or before.
    pub(in crate::tcp) fn lose_older(&mut self, at: Time) {
        self.first_lost = NONE;
        for index in 0..self.segments.len() {
            let segment = &mut self.segments[index];
            if segment.again && (index == 0 || segment.at <= at) {
                segment.again = false;
                let len = segment.len();
                self.again -= len;
                self.losses += len;
            }
            if segment.lost && !segment.again {
                self.first_lost = self.first_lost.min(segment.from);
            }
            if index == 0 || segment.at <= at {
                self.lose(index);
            }
        }
    }

    fn lose(&mut self, index: usize) {
        let segment = &mut self.segments[index];
        if segment.selected || segment.lost {
            return;
        }
        segment.lost = true;
        let len = segment.len();
        self.lost += len;
        self.losses += len;
        self.first_lost = self.first_lost.min(segment.from);
    }

    /// The first segment that is to be sent again.
    pub(in crate::tcp) fn next_lost(&self) -> Option<&Sent> {
        if self.first_lost == NONE { None } else { self.segments.get(self.index_of(self.first_lost)) }
    }

    /// The segment of [`Self::next_lost`] is sent again.
    pub(in crate::tcp) fn sent_again(&mut self, now: Time, before: Before) {
        if self.first_lost == NONE {
            return;
        }
        let index = self.index_of(self.first_lost);
        let Some(segment) = self.segments.get_mut(index) else { return };
        segment.again = true;
        segment.repeated = true;
        segment.at = now;
        segment.before = before;
        self.again += segment.len();
        self.first_lost = NONE;
        self.seek_lost(index + 1);
    }

    /// The place of the first segment that begins at `position` or later.
    fn index_of(&self, position: u64) -> usize {
        self.segments.partition_point(|segment| segment.from < position)
    }

    /// Finds the first segment from `index` on that is lost and not on its way again.
    fn seek_lost(&mut self, index: usize) {
        if self.lost == self.again {
            return;
        }
        let found = self.segments.range(index..).find(|segment| segment.lost && !segment.again);
        self.first_lost = found.map_or(NONE, |segment| segment.from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten segments of 100 bytes from position 1.
    fn ten() -> Scoreboard {
        let mut board = Scoreboard::new();
        board.push(Sent::new(0, 1, false, Time::ZERO));
        board.acknowledge(1);
        for number in 0..10 {
            board.push(Sent::new(1 + number * 100, 101 + number * 100, false, Time::from_ps(number)));
        }
        board
    }

    fn blocks(ranges: &[[u64; 2]]) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        for &range in ranges {
            blocks.push(range);
        }
        blocks
    }

    #[test]
    fn what_lies_below_three_selected_segments_is_lost_rfc_6675_4() {
        let mut board = ten();
        assert!(board.select(&blocks(&[[301, 501]])));
        board.find_lost(3);
        assert!(board.next_lost().is_none());
        assert_eq!(board.pipe(), 800);
        assert!(board.select(&blocks(&[[301, 601], [101, 201]])));
        board.find_lost(3);
        // Segments 0 and 2 lie below 301..601; segment 1 was selected.
        assert_eq!(board.pipe(), 1000 - 400 - 200);
        assert_eq!(board.next_lost().map(|segment| segment.from), Some(1));
        board.sent_again(Time::from_ps(77), Before::default());
        assert_eq!(board.next_lost().map(|segment| segment.from), Some(201));
        board.sent_again(Time::from_ps(78), Before::default());
        assert!(board.next_lost().is_none());
        assert_eq!(board.pipe(), 600);
    }

    #[test]
    fn the_same_blocks_again_are_no_news() {
        let mut board = ten();
        assert!(board.select(&blocks(&[[301, 501]])));
        assert!(!board.select(&blocks(&[[301, 501]])));
        assert!(board.select(&blocks(&[[301, 601]])));
        assert_eq!(board.pipe(), 700);
    }

    #[test]
    fn nonsense_blocks_are_passed_over() {
        let mut board = ten();
        assert!(!board.select(&blocks(&[[900, 2000], [500, 400], [0, 1], [1, 101]])));
        assert!(!board.select(&blocks(&[[u64::MAX, u64::MAX]])));
        assert_eq!(board.pipe(), 1000);
    }

    #[test]
    fn a_timeout_takes_all_but_the_selected_as_lost() {
        let mut board = ten();
        board.select(&blocks(&[[301, 501]]));
        board.lose_all();
        assert_eq!(board.pipe(), 0);
        let mut sent = Vec::new();
        while let Some(segment) = board.next_lost() {
            sent.push(segment.from);
            board.sent_again(Time::ZERO, Before::default());
        }
        assert_eq!(sent, [1, 101, 201, 501, 601, 701, 801, 901]);
        // And again, from the first.
        board.lose_all();
        assert_eq!(board.next_lost().map(|segment| segment.from), Some(1));
        assert_eq!(board.pipe(), 0);
    }

    #[test]
    fn an_acknowledgement_gives_a_sample_only_of_what_was_sent_once() {
        let mut board = ten();
        board.lose_first();
        board.sent_again(Time::from_ps(50), Before::default());
        assert_eq!(board.acknowledge(201).sent, None);
        let acknowledged = board.acknowledge(351);
        assert_eq!((acknowledged.sent, acknowledged.bytes), (Some(Time::from_ps(2)), 150));
        assert_eq!(board.outstanding(), 650);
        assert_eq!(board.pipe(), 650);
    }
}
