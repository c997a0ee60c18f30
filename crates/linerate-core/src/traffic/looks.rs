//! How often a load is looked at, and what is kept of the looks in bounded room.
//!
//! A look reads what has passed. Looks come at whole multiples of a period, and the period divides
//! the interval whose results are printed, so that an interval ends with a look. A load has some 64
//! to 128 looks whatever its interval and its length, or one for each interval if these are more.

mod record;

use super::{Bound, Interval, StreamPlan};
use crate::kernel::{HostSample, TcpSample};
use crate::units::{Span, Time};

pub use record::{FlowLooks, FlowRecord};

/// A load that lasts long enough has at least so many looks.
const LEAST_LOOKS: u64 = 64;
/// With so many looks the period doubles, and those before are joined in pairs.
const MOST_LOOKS: usize = 128;

/// When a load is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cadence {
    period: Span,
    interval: Span,
}

impl Cadence {
    /// Looks of a load whose results come every `interval`, no closer together than `least`. Of a
    /// load that lasts for `time` there are at least 64 if they fit; if that is not known, they
    /// begin as close together as allowed, and [`coarsen`](Self::coarsen) does the rest.
    #[must_use]
    pub fn new(interval: Span, least: Span, time: Option<Span>) -> Self {
        let enough = time.map_or(least, |time| (time / LEAST_LOOKS).max(least));
        let mut period = interval;
        // Halves, so that every second look is one of the period before.
        while period > enough && period / 2 >= least && period.as_ps().is_multiple_of(2) {
            period = period / 2;
        }
        Self { period, interval }
    }

    /// Looks of `stream` in a load of `time`, no closer together than `least`.
    #[must_use]
    pub fn of(stream: &StreamPlan, time: Span, least: Span) -> Self {
        let time = match stream.bound(time) {
            Bound::Time(time) => Some(time),
            Bound::Bytes(_) | Bound::Count(_) => None,
        };
        Self::new(stream.interval, least, time)
    }

    /// One look for each `interval`.
    #[must_use]
    pub const fn every(interval: Span) -> Self {
        Self { period: interval, interval }
    }

    /// Time from one look to the next.
    #[must_use]
    pub const fn period(&self) -> Span {
        self.period
    }

    /// Whether there are looks between the ends of two intervals.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.period < self.interval
    }

    /// The first look that is still to come at `now`, of a load that began at `origin`. A late look
    /// does not shift the others, and a missed one is left out.
    #[must_use]
    pub fn next(&self, origin: Time, now: Time) -> Time {
        let passed = now.since(origin).as_ps() / self.period.as_ps().max(1);
        origin + self.period * (passed + 1)
    }

    /// Whether an interval has ended between the looks at `before` and `until`, since the load began.
    #[must_use]
    pub fn ends_interval(&self, before: Span, until: Span) -> bool {
        let nth = |span: Span| span.as_ps() / self.interval.as_ps().max(1);
        nth(until) > nth(before)
    }

    /// Doubles the period once there are `looks` enough, until it is the interval. After that, join
    /// what was kept in [pairs](Kept::pair).
    pub fn coarsen(&mut self, looks: usize) -> bool {
        let coarser = looks >= MOST_LOOKS && self.is_fine();
        if coarser {
            self.period = self.period * 2;
        }
        coarser
    }
}

/// What two neighbouring looks are as one.
pub trait Join: Clone {
    /// Adds the look that follows this one.
    fn join(&mut self, next: &Self);
}

impl Join for Interval {
    fn join(&mut self, next: &Self) {
        *self = Self { until: next.until, bytes: self.bytes + next.bytes };
    }
}

impl Join for TcpSample {
    fn join(&mut self, next: &Self) {
        // Its counts are since the connection began, so the later one says it all.
        *self = next.clone();
    }
}

impl Join for HostSample {
    fn join(&mut self, next: &Self) {
        self.absorb(next);
    }
}

/// What was seen, in bounded room: when it is full, neighbours are joined in pairs, and from then on
/// each entry covers twice as many looks.
#[derive(Clone, Debug)]
pub struct Kept<T> {
    entries: Vec<T>,
    most: usize,
    /// How many looks are taken together, and how many of them the newest entry has.
    together: u64,
    filled: u64,
}

impl<T: Join> Kept<T> {
    /// Nothing yet, of at most so many entries: an even number, so that pairs come out.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { entries: Vec::new(), most, together: 1, filled: 0 }
    }

    /// Keeps one look.
    pub fn push(&mut self, next: &T) {
        if self.filled == 0 && self.entries.len() >= self.most {
            self.pair();
            self.together *= 2;
        }
        match self.entries.last_mut() {
            Some(last) if self.filled > 0 => last.join(next),
            _ => self.entries.push(next.clone()),
        }
        self.filled = (self.filled + 1) % self.together;
    }

    /// Joins each two entries that follow one another; an odd one at the end stays.
    pub fn pair(&mut self) {
        let mut joined: Vec<T> = Vec::with_capacity(self.entries.len().div_ceil(2));
        for (place, entry) in self.entries.drain(..).enumerate() {
            match joined.last_mut() {
                Some(last) if place % 2 == 1 => last.join(&entry),
                _ => joined.push(entry),
            }
        }
        self.entries = joined;
    }

    /// How many entries there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was kept.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Everything that was kept.
    #[must_use]
    pub fn into_entries(self) -> Vec<T> {
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Span = Span::from_ms(1_000);
    const LEAST: Span = Span::from_ms(10);

    /// Looks at a load of `time`, of which a byte passes every microsecond, as the samplers do.
    fn looked_at(mut cadence: Cadence, time: Span) -> (Cadence, FlowLooks) {
        let (origin, mut now) = (Time::ZERO, Time::ZERO);
        let mut record = FlowRecord::new(0, 1);
        let end = origin + time;
        while now < end {
            let next = cadence.next(origin, now).min(end);
            let until = next.since(origin);
            let passed = |span: Span| span.as_ps() / 1_000_000;
            let bytes = passed(until) - passed(now.since(origin));
            let ends = next == end || cadence.ends_interval(now.since(origin), until);
            record.look(Interval { until, bytes }, None, ends);
            if cadence.coarsen(record.looks()) {
                record.pair();
            }
            now = next;
        }
        let fine = cadence.is_fine();
        (cadence, record.into_looks(fine))
    }

    #[test]
    fn the_default_interval_of_a_second_still_gives_many_looks() {
        for known in [true, false] {
            for ms in [700, 1_000, 3_000, 10_000, 59_000, 63_900] {
                let time = Span::from_ms(ms);
                let cadence = Cadence::new(SECOND, LEAST, known.then_some(time));
                let (_, seen) = looked_at(cadence, time);
                let count = seen.looks.len().max(seen.intervals.len());
                assert!((44..=128).contains(&count), "{ms} ms: {count}");
                assert!(count >= 50 || ms < 1_000, "{ms} ms: {count}");
                assert_eq!(seen.intervals.len() as u64, ms.div_ceil(1_000), "{ms} ms");
            }
        }
    }

    #[test]
    fn of_a_long_load_the_intervals_are_the_looks() {
        let (cadence, seen) = looked_at(Cadence::new(SECOND, LEAST, None), Span::from_ms(200_000));
        assert_eq!((cadence.period(), seen.intervals.len()), (SECOND, 200));
        assert_eq!(seen.looks, []);
        let short = Cadence::new(Span::from_ms(12), LEAST, None);
        assert_eq!(short, Cadence::every(Span::from_ms(12)), "nothing closer is allowed");
    }

    #[test]
    fn looks_are_at_whole_periods_whatever_was_missed() {
        let at = |ms: u64| Time::ZERO + Span::from_ms(ms);
        let next = |now| Cadence::every(LEAST).next(at(5), at(now));
        assert_eq!([5, 6, 14].map(next), [at(15); 3]);
        assert_eq!(next(15), at(25));
        assert_eq!(next(49), at(55), "three were missed");
        assert_eq!(next(0), at(15), "the load has not begun");
    }

    #[test]
    fn two_become_one_and_the_newest_waits_for_its_second() {
        let ends = |looks: u64| -> Vec<(u64, u64)> {
            let mut kept = Kept::new(4);
            (1..=looks).for_each(|ms| kept.push(&Interval { until: Span::from_ms(ms), bytes: 10 }));
            let ms = |entry: &Interval| (entry.until.as_ps() / 1_000_000_000, entry.bytes);
            kept.into_entries().iter().map(ms).collect()
        };
        assert_eq!(ends(4), [(1, 10), (2, 10), (3, 10), (4, 10)]);
        assert_eq!(ends(5), [(2, 20), (4, 20), (5, 10)]);
        assert_eq!(ends(8), [(2, 20), (4, 20), (6, 20), (8, 20)]);
        assert_eq!(ends(9), [(4, 40), (8, 40), (9, 10)]);
    }

    proptest! {
        #[test]
        fn no_byte_is_lost_and_every_interval_ends_with_a_look(
            interval in 10_u64..5_000, time in 1_u64..100_000, known: bool,
        ) {
            let time = Span::from_ms(time);
            let cadence = Cadence::new(Span::from_ms(interval), LEAST, known.then_some(time));
            prop_assert!(cadence.period() >= LEAST || cadence.period() == Span::from_ms(interval));
            let (_, seen) = looked_at(cadence, time);
            let whole = time.as_ps() / 1_000_000;
            let sum = |list: &[Interval]| list.iter().map(|it| it.bytes).sum::<u64>();
            prop_assert_eq!(sum(&seen.intervals), whole);
            let looks = if seen.looks.is_empty() { &seen.intervals } else { &seen.looks };
            prop_assert_eq!(sum(looks), whole);
            prop_assert!(looks.len() <= 128 || looks.len() == seen.intervals.len());
            for end in &seen.intervals {
                prop_assert!(looks.iter().any(|look| look.until == end.until), "{:?} in {:?}", end, looks);
            }
        }
    }
}
