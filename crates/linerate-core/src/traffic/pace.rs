//! When paced messages depart.

use super::StreamPlan;
use crate::stats::Histogram;
use crate::units::{Rate, Span, Time};

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
        let each = stream.rate?.bits_per_second() / f64::from(stream.flows.max(1));
        Some(Self::new(message, Rate::from_bits_per_second(each)))
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
