//! A receive buffer that follows what the application takes: dynamic right-sizing (Fisk and Feng 2001).
//!
//! In each round trip, as the receiver sees it, twice of what the application took in the one before must
//! fit the window, because a sender in slow start doubles what it sends.

use linerate_core::units::{Span, Time};

/// Measures what the application takes in a round trip.
#[derive(Debug)]
pub(in crate::tcp) struct Sizing {
    /// As the receiver sees it: smoothed where timestamps say it, else the least.
    round_trip: Option<Span>,
    /// The round trip under way: when it began, and how much had been taken.
    began: Time,
    taken: u64,
    /// The most that was taken in one. Unit: bytes.
    most: u64,
    /// Where the window ended at some time: all before that arrives in a round trip.
    edge: Option<(u64, Time)>,
}

/// The window leaves room for this many segments besides. Source: from memory, of Linux.
const SPARE_SEGMENTS: u64 = 16;

/// What is taken in a round trip counts from this many segments on. Source: from memory, of Linux: the
/// first window.
const FIRST_SEGMENTS: u64 = 10;

impl Sizing {
    pub(in crate::tcp) const fn new() -> Self {
        Self { round_trip: None, began: Time::ZERO, taken: 0, most: 0, edge: None }
    }

    /// The handshake took `round_trip`, if it was measured.
    pub(in crate::tcp) const fn begin(&mut self, round_trip: Option<Span>, mss: u32, now: Time) {
        self.round_trip = round_trip;
        self.began = now;
        self.most = FIRST_SEGMENTS * mss as u64;
    }

    /// Data came with the echo of a timestamp that was sent so long ago.
    pub(in crate::tcp) fn echoed(&mut self, round_trip: Span) {
        self.round_trip =
            Some(self.round_trip.map_or(round_trip, |smoothed| (smoothed * 7 + round_trip) / 8));
    }

    /// Without timestamps: all before `expected` has come, and the window ends at `edge`.
    pub(in crate::tcp) fn passed(&mut self, expected: u64, edge: u64, now: Time) {
        match self.edge {
            Some((end, _)) if expected < end => {}
            Some((_, since)) => {
                let took = now.since(since);
                self.round_trip = Some(self.round_trip.map_or(took, |least| least.min(took)));
                self.edge = Some((edge, now));
            }
            None => self.edge = Some((edge, now)),
        }
    }

    /// The application has taken `taken` bytes in all; gives the window that this wants, if it wants
    /// more. Unit: bytes.
    pub(in crate::tcp) fn wanted(&mut self, taken: u64, mss: u64, now: Time) -> Option<u64> {
        let round_trip = self.round_trip?;
        if now.since(self.began) < round_trip {
            return None;
        }
        let copied = taken - self.taken;
        (self.began, self.taken) = (now, taken);
        if copied <= self.most {
            return None;
        }
        let window = 2 * copied + SPARE_SEGMENTS * mss;
        // The round trip that was measured is over: by now twice as much as in it may be under way, and
        // it grows on. As much again as it has grown by, twice.
        let grown = u128::from(window) * u128::from(copied - self.most) / u128::from(self.most.max(1));
        self.most = copied;
        Some(window.saturating_add(u64::try_from(2 * grown).unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// Fisk and Feng 2001: what is taken in a round trip, doubled.
    #[test]
    fn the_window_is_twice_what_was_taken_in_a_round_trip_and_more_while_it_grows() {
        let mut sizing = Sizing::new();
        sizing.begin(Some(Span::from_ms(10)), 1000, at(0));
        assert_eq!(sizing.wanted(50_000, 1000, at(9)), None, "the round trip is not over");
        // 40,000 B more than the first ten segments: four times as much again, twice.
        assert_eq!(sizing.wanted(50_000, 1000, at(10)), Some(116_000 * (1 + 2 * 4)));
        assert_eq!(sizing.wanted(100_000, 1000, at(20)), None, "no more than before");
        assert_eq!(sizing.wanted(151_000, 1000, at(30)), Some(118_000 + 2 * (118_000 / 50)));
    }

    #[test]
    fn without_timestamps_a_window_takes_a_round_trip() {
        let mut sizing = Sizing::new();
        sizing.begin(None, 1000, at(0));
        assert_eq!(sizing.wanted(50_000, 1000, at(500)), None, "nothing is known yet");
        sizing.passed(1, 30_001, at(1));
        sizing.passed(20_001, 50_001, at(20));
        assert_eq!(sizing.round_trip, None);
        sizing.passed(30_001, 60_001, at(31));
        assert_eq!(sizing.round_trip, Some(Span::from_ms(30)));
        sizing.passed(60_001, 90_001, at(81));
        assert_eq!(sizing.round_trip, Some(Span::from_ms(30)), "the least holds");
    }

    #[test]
    fn with_timestamps_it_is_smoothed() {
        let mut sizing = Sizing::new();
        sizing.begin(Some(Span::from_ms(8)), 1000, at(0));
        sizing.echoed(Span::from_ms(16));
        assert_eq!(sizing.round_trip, Some(Span::from_ms(9)));
    }
}
