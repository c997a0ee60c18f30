//! Frames that have come and not left yet, in the order in which they leave.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use linerate_core::lab::emulator::Departure;
use linerate_core::units::Time;

use super::ecn;

/// The most that is held. Unit: bytes.
const MOST_BYTES: usize = 1 << 30;

/// Where a frame has its type, and that of ARP, which alone has no checksum.  Source: RFC 826.
const ETHERTYPE: std::ops::Range<usize> = 12..14;
const ARP: [u8; 2] = [0x08, 0x06];

/// The frames of one direction.
#[derive(Debug, Default)]
pub(super) struct Underway {
    waiting: BinaryHeap<Reverse<Entry>>,
    /// Those whose time has come.
    due: VecDeque<Entry>,
    frames: Vec<Vec<u8>>,
    /// Places in `frames` that no frame needs.
    free: Vec<usize>,
    bytes: usize,
    /// How many came: of those that leave at once the first leaves first.
    came: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at: Time,
    came: u64,
    frame: usize,
}

impl Underway {
    /// Takes a frame in. Whether there was room.
    pub(super) fn push(&mut self, departure: Departure, bytes: &[u8]) -> bool {
        if self.bytes + bytes.len() > MOST_BYTES {
            return false;
        }
        let frame = self.free.pop().unwrap_or_else(|| {
            self.frames.push(Vec::new());
            self.frames.len() - 1
        });
        let copy = &mut self.frames[frame];
        copy.clear();
        copy.extend_from_slice(bytes);
        // A wrong answer of ARP would be believed, and cut the link for a minute: on a wire its frame is thrown away.
        let wrong_bit = departure.wrong_bit.filter(|_| bytes.get(ETHERTYPE) != Some(&ARP[..]));
        let wrong = wrong_bit.map(|bit| (bit as usize / 8, 1 << (bit % 8)));
        if let Some((byte, bit)) = wrong.and_then(|(at, bit)| Some((copy.get_mut(at)?, bit))) {
            *byte ^= bit;
        }
        if let Some(rule) = departure.ecn {
            ecn::apply(copy, rule);
        }
        self.bytes += bytes.len();
        self.waiting.push(Reverse(Entry { at: departure.at, came: self.came, frame }));
        self.came += 1;
        true
    }

    /// When the next frame leaves.
    pub(super) fn next(&self) -> Option<Time> {
        let waiting = self.waiting.peek().map(|Reverse(entry)| entry.at);
        self.due.front().map(|entry| entry.at).or(waiting)
    }

    /// The first frames that leave by `now`, `most` at most.
    pub(super) fn due(&mut self, now: Time, most: usize) -> impl ExactSizeIterator<Item = &[u8]> {
        while self.due.len() < most
            && let Some(Reverse(entry)) = self.waiting.pop_if_due(now)
        {
            self.due.push_back(entry);
        }
        let frames = &self.frames;
        self.due.iter().take(most).map(|entry| &*frames[entry.frame])
    }

    /// The first of the frames that are due has left. When it was to.
    pub(super) fn left(&mut self) -> Option<Time> {
        let entry = self.due.pop_front()?;
        self.bytes -= self.frames[entry.frame].len();
        self.free.push(entry.frame);
        Some(entry.at)
    }
}

/// What leaves by a time.
trait PopIfDue {
    fn pop_if_due(&mut self, now: Time) -> Option<Reverse<Entry>>;
}

impl PopIfDue for BinaryHeap<Reverse<Entry>> {
    fn pop_if_due(&mut self, now: Time) -> Option<Reverse<Entry>> {
        self.peek().is_some_and(|Reverse(entry)| entry.at <= now).then(|| self.pop()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Span;

    use super::*;

    fn departure(us: u64, wrong_bit: Option<u32>) -> Departure {
        Departure { at: Time::ZERO + Span::from_us(us), wrong_bit, ecn: None }
    }

    #[test]
    fn frames_leave_by_time_and_then_as_they_came() {
        let mut underway = Underway::default();
        for (us, byte) in [(20, 1), (10, 2), (20, 3), (30, 4)] {
            assert!(underway.push(departure(us, None), &[byte; 60]));
        }
        let due = |underway: &mut Underway, us, most| {
            underway.due(departure(us, None).at, most).map(|frame| frame[0]).collect::<Vec<_>>()
        };
        assert!(due(&mut underway, 9, 8).is_empty());
        assert_eq!(due(&mut underway, 20, 2), [2, 1]);
        assert_eq!(underway.left(), Some(departure(10, None).at));
        assert_eq!(due(&mut underway, 20, 8), [1, 3]);
        assert_eq!(underway.next(), Some(departure(20, None).at));
        assert_eq!(
            [underway.left(), underway.left(), underway.left()].map(|at| at.is_some()),
            [true, true, false]
        );
        assert_eq!(underway.next(), Some(departure(30, None).at));
        // A place is used again.
        assert!(underway.push(departure(40, None), &[5; 60]));
        assert_eq!((underway.frames.len(), underway.bytes), (4, 120));
    }

    #[test]
    fn a_wrong_bit_is_turned_round() {
        let mut underway = Underway::default();
        underway.push(departure(0, Some(8 * 59 + 7)), &[0; 60]);
        underway.push(departure(0, Some(8 * 60)), &[0; 60]);
        let frames: Vec<Vec<u8>> = underway.due(Time::ZERO, 8).map(<[u8]>::to_vec).collect();
        assert_eq!((frames[0][59], frames[0][..59].iter().all(|byte| *byte == 0)), (128, true));
        assert_eq!(frames[1], [0; 60], "there is no such bit");
        let mut arp = [0; 60];
        arp[ETHERTYPE].copy_from_slice(&ARP);
        let mut underway = Underway::default();
        underway.push(departure(0, Some(8 * 30)), &arp);
        assert_eq!(underway.due(Time::ZERO, 8).next(), Some(&arp[..]));
    }
}
