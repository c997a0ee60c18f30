//! A path in virtual time: what a line does to the segments it is given. Everything is seeded.

use std::collections::VecDeque;

use linerate_core::units::{Span, Time};
use linerate_sim::ip::Codepoint;
use linerate_sim::pace::{Pace, Serial};
use linerate_sim::tcp::Segment;
use rand::Rng as _;
use rand_pcg::Pcg64;

/// Preamble, header, FCS and gap of Ethernet around an IP packet. Unit: bytes. Source: IEEE 802.3.
pub(crate) const FRAMING: u64 = 38;
/// The least that a frame takes of the wire, with preamble and gap. Unit: bytes.
const LEAST: u64 = 84;

/// One direction of a path.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// Unit: bit/s of the wire.
    pub(crate) rate: u64,
    /// Propagation, one way.
    pub(crate) delay: Span,
    /// How many segments wait or are being sent before the next is dropped at the tail.
    pub(crate) queue: usize,
    /// Where more than this many wait or are being sent, the next is marked if it can be.
    pub(crate) mark_above: Option<usize>,
    /// Which segments with payload are lost, the first is 1; repeated ones count again.
    pub(crate) drop: Vec<u64>,
    /// Which segments without payload are lost, the first is 1.
    pub(crate) drop_bare: Vec<u64>,
    /// Every this many segments with payload one is lost.
    pub(crate) drop_every: Option<u64>,
    pub(crate) chance: Chance,
}

/// What may happen to any segment, from 0 (never) to 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chance {
    pub(crate) lost: f64,
    pub(crate) duplicated: f64,
    /// Held back by up to [`Self::hold`], so that others overtake it.
    pub(crate) held: f64,
    pub(crate) hold: Span,
    /// Every segment takes up to this much longer, in order.
    pub(crate) jitter: Span,
    pub(crate) seed: u64,
}

impl Way {
    pub(crate) fn new(rate: u64, delay: Span) -> Self {
        Self {
            rate,
            delay,
            queue: usize::MAX,
            mark_above: None,
            drop: Vec::new(),
            drop_bare: Vec::new(),
            drop_every: None,
            chance: Chance::default(),
        }
    }

    pub(crate) fn queue(mut self, segments: usize) -> Self {
        self.queue = segments;
        self
    }

    pub(crate) fn mark_above(mut self, segments: usize) -> Self {
        self.mark_above = Some(segments);
        self
    }

    pub(crate) fn drop(mut self, which: &[u64]) -> Self {
        self.drop = which.to_vec();
        self
    }

    pub(crate) fn drop_bare(mut self, which: &[u64]) -> Self {
        self.drop_bare = which.to_vec();
        self
    }

    pub(crate) fn drop_every(mut self, period: u64) -> Self {
        self.drop_every = Some(period);
        self
    }

    pub(crate) fn chance(mut self, chance: Chance) -> Self {
        self.chance = chance;
        self
    }

    /// With other random numbers.
    pub(crate) fn salted(mut self, salt: u64) -> Self {
        self.chance.seed = self.chance.seed.wrapping_add(salt);
        self
    }
}

fn bits(segment: &Segment) -> u64 {
    8 * (u64::from(segment.header_bytes() + segment.length) + FRAMING).max(LEAST)
}

/// What a line does with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Arrives(Time),
    Twice(Time, Time),
    Lost,
    /// Lost because the queue was full.
    Overflow,
}

impl Fate {
    pub(crate) fn arrivals(self) -> impl Iterator<Item = Time> {
        let [first, second] = match self {
            Self::Arrives(at) => [Some(at), None],
            Self::Twice(first, second) => [Some(first), Some(second)],
            Self::Lost | Self::Overflow => [None, None],
        };
        first.into_iter().chain(second)
    }
}

/// A way in use.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) way: Way,
    wire: Serial,
    /// When those that wait or are being sent have left.
    leaving: VecDeque<Time>,
    data: u64,
    bare: u64,
    /// How many waited or were being sent when each came, and when that was, if it is kept.
    pub(crate) levels: Option<Vec<(Time, usize)>>,
    /// Nothing that is not held back arrives before this.
    latest: Time,
    random: Pcg64,
}

impl Line {
    pub(crate) fn new(way: Way) -> Self {
        let wire = Serial::new(Pace::of_bits_per_second(way.rate));
        let random = Pcg64::new(u128::from(way.chance.seed), 0x5e9);
        Self {
            way,
            wire,
            leaving: VecDeque::new(),
            data: 0,
            bare: 0,
            levels: None,
            latest: Time::ZERO,
            random,
        }
    }

    /// Takes a segment at `now`. What is lost is lost after the wire, so it takes its time there.
    pub(crate) fn take(&mut self, segment: &mut Segment, now: Time) -> Fate {
        while self.leaving.front().is_some_and(|left| *left <= now) {
            self.leaving.pop_front();
        }
        if let Some(levels) = &mut self.levels {
            levels.push((now, self.leaving.len()));
        }
        if self.way.mark_above.is_some_and(|most| self.leaving.len() > most)
            && segment.ecn == Codepoint::Capable
        {
            segment.ecn = Codepoint::Experienced;
        }
        if self.leaving.len() >= self.way.queue {
            return Fate::Overflow;
        }
        let [_, left] = self.wire.occupy(now, bits(segment));
        self.leaving.push_back(left);
        if self.is_dropped(segment) || self.happens(self.way.chance.lost) {
            return Fate::Lost;
        }
        let first = self.arrival(left);
        if self.happens(self.way.chance.duplicated) {
            let second = self.arrival(left);
            return Fate::Twice(first, second);
        }
        Fate::Arrives(first)
    }

    fn is_dropped(&mut self, segment: &Segment) -> bool {
        if segment.length == 0 {
            self.bare += u64::from(segment.is_bare());
            return segment.is_bare() && self.way.drop_bare.contains(&self.bare);
        }
        self.data += 1;
        let by_turn = self.way.drop_every.is_some_and(|period| self.data.is_multiple_of(period));
        by_turn || self.way.drop.contains(&self.data)
    }

    fn arrival(&mut self, left: Time) -> Time {
        let at = left + self.way.delay;
        let chance = self.way.chance;
        if self.happens(chance.held) {
            return at + self.up_to(chance.hold);
        }
        self.latest = self.latest.max(at + self.up_to(chance.jitter));
        self.latest
    }

    fn happens(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.uniform() < probability
    }

    fn up_to(&mut self, span: Span) -> Span {
        if span == Span::ZERO {
            return span;
        }
        Span::from_ps((self.uniform() * span.as_ps() as f64) as u64)
    }

    fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use linerate_sim::tcp::{Flags, SackBlocks};

    use super::*;

    fn segment(length: u32) -> Segment {
        Segment {
            sequence: 1,
            length,
            flags: Flags::default(),
            acknowledgement: 0,
            window: 0,
            mss: None,
            window_scale: None,
            sack_permitted: false,
            timestamps: None,
            sack: SackBlocks::default(),
            ecn: Codepoint::NotCapable,
            parts: 1,
        }
    }

    fn at_us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    /// A full frame takes 1538 bytes, the least frame 84.
    #[test]
    fn segments_take_their_time_one_after_the_other() {
        let mut line = Line::new(Way::new(8_000_000, Span::from_us(100)));
        assert_eq!(line.take(&mut segment(1460), Time::ZERO), Fate::Arrives(at_us(1638)));
        assert_eq!(line.take(&mut segment(0), Time::ZERO), Fate::Arrives(at_us(1722)));
    }

    #[test]
    fn a_full_queue_drops_and_an_emptier_one_takes() {
        let mut line = Line::new(Way::new(8_000_000, Span::ZERO).queue(2));
        for _ in 0..2 {
            assert_ne!(line.take(&mut segment(1460), Time::ZERO), Fate::Overflow);
        }
        assert_eq!(line.take(&mut segment(1460), at_us(1537)), Fate::Overflow);
        assert_eq!(line.take(&mut segment(1460), at_us(1538)), Fate::Arrives(at_us(3 * 1538)));
    }

    #[test]
    fn listed_segments_are_lost_and_others_are_not() {
        let way = Way::new(8_000_000, Span::ZERO).drop(&[2]).drop_bare(&[1]);
        let mut line = Line::new(way);
        let lengths = [1460, 0, 1460, 1460, 0];
        let lost = lengths.map(|length| line.take(&mut segment(length), Time::ZERO) == Fate::Lost);
        assert_eq!(lost, [false, true, true, false, false]);
    }

    #[test]
    fn chances_are_met_as_often_as_they_say() {
        let chance =
            Chance { lost: 0.2, duplicated: 0.1, held: 0.3, hold: Span::from_ms(1), ..Chance::default() };
        let mut line = Line::new(Way::new(8_000_000_000, Span::ZERO).chance(chance));
        let fates: Vec<Fate> = (0..10_000).map(|turn| line.take(&mut segment(100), at_us(turn))).collect();
        let share = |which: fn(&Fate) -> bool| fates.iter().filter(|fate| which(fate)).count() as f64 / 1e4;
        assert!((share(|fate| *fate == Fate::Lost) - 0.2).abs() < 0.02);
        assert!((share(|fate| matches!(fate, Fate::Twice(..))) - 0.08).abs() < 0.01);
        let arrivals: Vec<Time> = fates.iter().flat_map(|fate| fate.arrivals()).collect();
        assert!(arrivals.windows(2).any(|pair| pair[1] < pair[0]), "some are overtaken");
    }
}
