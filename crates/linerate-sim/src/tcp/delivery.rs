//! How fast data is delivered: draft-cheng-iccrg-delivery-rate-estimation-00.

use linerate_core::units::{Rate, Span, Time};

use super::retransmission::Sent;

/// What had been delivered when a segment was sent: 3.1.2 of the draft.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Before {
    /// Unit: bytes.
    pub(in crate::tcp) delivered: u64,
    pub(in crate::tcp) delivered_at: Time,
    /// When the first segment of this flight left.
    pub(in crate::tcp) first_sent_at: Time,
    /// The application had too little to send then.
    pub(in crate::tcp) limited: bool,
}

impl Default for Before {
    fn default() -> Self {
        Self { delivered: 0, delivered_at: Time::ZERO, first_sent_at: Time::ZERO, limited: false }
    }
}

/// A sample of the rate of delivery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// How fast data was delivered.
    pub rate: Rate,
    /// What had been delivered when the segment was sent that the sample is from. Unit: bytes.
    pub before: u64,
    /// The application had too little to send: the path may be faster.
    pub limited: bool,
}

/// The connection's state: 3.1.1 of the draft.
#[derive(Debug)]
pub(in crate::tcp) struct DeliveryRate {
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    /// Until this much is delivered the application is the limit.
    limited_until: u64,
}

impl DeliveryRate {
    pub(in crate::tcp) const fn new() -> Self {
        Self { delivered: 0, delivered_at: Time::ZERO, first_sent_at: Time::ZERO, limited_until: 0 }
    }

    /// Unit: bytes.
    pub(in crate::tcp) const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// What a segment notes that leaves at `now`, with `outstanding` bytes not acknowledged (3.2).
    pub(in crate::tcp) fn sent(&mut self, outstanding: u64, now: Time) -> Before {
        if outstanding == 0 {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        Before {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            limited: self.limited_until > 0,
        }
    }

    /// The application has no more to send, with `pipe` bytes in the network (3.4).
    pub(in crate::tcp) const fn run_dry(&mut self, pipe: u64) {
        let until = self.delivered + pipe;
        self.limited_until = if until > 0 { until } else { 1 };
    }

    /// `bytes` more were delivered, of which `latest` was sent last; gives a sample if the time is
    /// not shorter than `least`, the least round trip (3.3).
    pub(in crate::tcp) fn took(
        &mut self,
        (bytes, latest): (u64, Option<Sent>),
        least: Option<Span>,
        now: Time,
    ) -> Option<RateSample> {
        if bytes == 0 {
            return None;
        }
        self.delivered += bytes;
        self.delivered_at = now;
        if self.limited_until > 0 && self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let latest = latest?;
        self.first_sent_at = latest.at;
        let before = latest.before;
        let sending = latest.at.since(before.first_sent_at);
        let acknowledging = now.since(before.delivered_at);
        let interval = sending.max(acknowledging);
        if interval == Span::ZERO || least.is_some_and(|least| interval < least) {
            return None;
        }
        let rate = Rate::of(self.delivered - before.delivered, interval)?;
        Some(RateSample { rate, before: before.delivered, limited: before.limited })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// Ten segments of 1000 B leave together and are acknowledged a millisecond apart: the path delivers
    /// 1000 B a millisecond, 8 Mb/s, whatever the rate at which they left.
    #[test]
    fn the_slower_of_sending_and_acknowledging_counts_3_3() {
        let mut rate = DeliveryRate::new();
        let sent: Vec<Sent> = (0..10)
            .map(|number| {
                let before = rate.sent(number * 1000, at(100));
                Sent::new(number * 1000, (number + 1) * 1000, false, at(100)).after(before)
            })
            .collect();
        let samples: Vec<_> = (0..10)
            .filter_map(|number| {
                let now = at(110 + number as u64);
                rate.took((1000, Some(sent[number])), Some(Span::from_ms(10)), now)
            })
            .collect();
        assert_eq!(samples.len(), 10);
        let last = samples[9].rate.bits_per_second();
        assert!((last - 10_000.0 * 8.0 / 0.019).abs() < 1.0, "{last}");
        // A second flight, sent as the first was acknowledged.
        let before = rate.sent(9000, at(119));
        let sent = Sent::new(10_000, 11_000, false, at(119)).after(before);
        let sample = rate.took((1000, Some(sent)), Some(Span::from_ms(10)), at(129)).expect("a sample");
        assert!(!sample.limited);
        assert!(sample.rate.bits_per_second() <= 1000.0 * 8.0 / 0.010, "{:?}", sample.rate);
    }

    #[test]
    fn a_sample_shorter_than_a_round_trip_is_none() {
        let mut rate = DeliveryRate::new();
        let before = rate.sent(0, at(0));
        let sent = Sent::new(0, 1000, false, at(0)).after(before);
        assert_eq!(rate.took((1000, Some(sent)), Some(Span::from_ms(10)), at(9)), None);
    }

    #[test]
    fn what_is_sent_while_the_application_is_the_limit_says_so_3_4() {
        let mut rate = DeliveryRate::new();
        rate.run_dry(2000);
        assert!(rate.sent(2000, at(0)).limited);
        rate.took((2001, None), None, at(10));
        assert!(!rate.sent(2000, at(10)).limited);
    }
}
