//! When paced messages depart, and when a slow reader reads again.

use super::StreamPlan;
use crate::stats::Histogram;
use crate::units::{Rate, Span, Time};

/// A shorter pause is not worth a sleep: the next read has it too.
const LEAST_PAUSE: Span = Span::from_ms(1);
/// A reader that is later than this, because nothing arrived, does not make up for it.
const CATCH_UP: Span = Span::from_ms(20);

/// A reader that takes its time: after a read it pauses for as long as the bytes take at its rate.
#[derive(Debug)]
pub struct ReaderPace {
    bits_per_second: f64,
    /// When it may read again.
    due: Option<Time>,
}

impl ReaderPace {
    /// The reader of one flow of `stream`, if it is to take its time.
    #[must_use]
    pub fn of(stream: &StreamPlan) -> Option<Self> {
        let bits_per_second = stream.read_rate?.bits_per_second() / f64::from(stream.flows.max(1));
        Some(Self { bits_per_second, due: None })
    }

    /// Notes that `bytes` were read at `now`; returns how long to pause before the next read.
    pub fn read(&mut self, bytes: u64, now: Time) -> Span {
        let due = self.due.filter(|due| now.since(*due) <= CATCH_UP).unwrap_or(now);
        let due = due + Span::from_seconds(bytes as f64 * 8.0 / self.bits_per_second);
        self.due = Some(due);
        let pause = due.since(now);
        if pause < LEAST_PAUSE { Span::ZERO } else { pause }
    }
}

/// Departures at equal intervals, and the intervals that were achieved. A late departure does not
/// delay the ones after it.
#[derive(Debug)]
pub struct Pace {
    step: Span,
    next: Option<Time>,
    last: Option<Time>,
    departures: Histogram,
}

impl Pace {
    /// Messages of `size` bytes at `rate` of payload.
    #[must_use]
    pub fn new(size: u64, rate: Rate) -> Self {
        let seconds = size as f64 * 8.0 / rate.bits_per_second();
        Self { step: Span::from_seconds(seconds), next: None, last: None, departures: Histogram::default() }
    }

    /// The pace of one flow of `stream`, whose messages have so many bytes, if it has one.
    #[must_use]
    pub fn of(stream: &StreamPlan, message: u64) -> Option<Self> {
        Some(Self::new(message, stream.rate_each()?))
    }

    /// When the next message is due; at once for the first.
    #[inline]
    #[must_use]
    pub const fn due(&self) -> Option<Time> {
        self.next
    }

    /// How many messages are due at `now`, at most `most`.
    #[inline]
    #[must_use]
    pub fn due_by(&self, now: Time, most: usize) -> usize {
        let Some(due) = self.next else { return most.min(1) };
        if now < due {
            return 0;
        }
        let step = self.step.as_ps().max(1);
        usize::try_from(now.since(due).as_ps() / step + 1).unwrap_or(most).min(most)
    }

    /// Notes that `messages` departed at `now`.
    #[inline]
    pub fn departed(&mut self, now: Time, messages: u64) {
        if let Some(last) = self.last {
            let apart = now.since(last);
            for _ in 0..messages.min(1) {
                self.departures.record(apart);
            }
            for _ in 1..messages {
                self.departures.record(Span::ZERO);
            }
        }
        self.last = Some(now);
        self.next = Some(self.next.unwrap_or(now) + self.step * messages);
    }

    /// The intervals between departures.
    #[must_use]
    pub fn into_departures(self) -> Histogram {
        self.departures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    fn reader() -> ReaderPace {
        let read_rate = Some(Rate::from_mbps(16.0));
        ReaderPace::of(&StreamPlan { read_rate, flows: 2, ..StreamPlan::default() })
            .expect("a rate was given")
    }

    #[test]
    fn a_reader_pauses_for_as_long_as_its_bytes_take() {
        let mut reader = reader();
        // 8 Mb/s of each of two flows: 1000 bytes a millisecond.
        assert_eq!(reader.read(4_000, at(100)), Span::from_us(4_000));
        assert_eq!(reader.read(4_000, at(4_300)), Span::from_us(3_800), "it woke late, which is made up for");
        assert_eq!(reader.read(500, at(8_100)), Span::ZERO, "too short for a sleep");
        assert_eq!(reader.read(1_000, at(8_100)), Span::from_us(1_500), "but not forgotten");
        assert!(ReaderPace::of(&StreamPlan::default()).is_none());
    }

    #[test]
    fn a_reader_that_had_nothing_to_read_does_not_hurry() {
        let mut reader = reader();
        assert_eq!(reader.read(2_000, at(0)), Span::from_us(2_000));
        assert_eq!(reader.read(2_000, at(22_001)), Span::from_us(2_000));
    }
}
