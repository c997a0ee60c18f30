//! What BBR believes of the path: the highest rate and the least round trip of late.

use std::collections::VecDeque;

use linerate_core::units::{Span, Time};

/// `BtlBwFilterLen` (4.1.1.2). Unit: rounds.
const ROUNDS: u64 = 10;
/// `RTpropFilterLen` (4.1.2.3).
const RTT_LASTS: Span = Span::from_ms(10_000);

/// The highest rate of the last rounds: `BBR.BtlBw`.
#[derive(Debug, Default)]
pub(super) struct Highest {
    /// Rounds and rates, the highest first, each later than the one before.
    rates: VecDeque<(u64, f64)>,
}

impl Highest {
    /// Unit: bit/s.
    pub(super) fn add(&mut self, rate: f64, round: u64) {
        while self.rates.back().is_some_and(|(_, known)| *known <= rate) {
            self.rates.pop_back();
        }
        self.rates.push_back((round, rate));
        while self.rates.front().is_some_and(|(known, _)| known + ROUNDS <= round) {
            self.rates.pop_front();
        }
    }

    /// Unit: bit/s. Zero without a sample.
    pub(super) fn get(&self) -> f64 {
        self.rates.front().map_or(0.0, |(_, rate)| *rate)
    }
}

/// The least round trip of late: `BBR.RTprop`.
#[derive(Debug)]
pub(super) struct Least {
    rtt: Option<Span>,
    /// When it was seen last.
    seen: Time,
}

impl Least {
    pub(super) const fn new(rtt: Option<Span>, now: Time) -> Self {
        Self { rtt, seen: now }
    }

    pub(super) const fn get(&self) -> Option<Span> {
        self.rtt
    }

    /// Returns whether it was old, so that it is to be probed (4.1.2.3).
    pub(super) fn add(&mut self, rtt: Option<Span>, now: Time) -> bool {
        let expired = now.since(self.seen) > RTT_LASTS;
        if let Some(rtt) = rtt
            && (expired || self.rtt.is_none_or(|least| rtt <= least))
        {
            (self.rtt, self.seen) = (Some(rtt), now);
        }
        expired
    }

    /// It was probed.
    pub(super) const fn renew(&mut self, now: Time) {
        self.seen = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_counts_for_ten_rounds_4_1_1_2() {
        let mut highest = Highest::default();
        highest.add(5.0, 1);
        highest.add(3.0, 4);
        highest.add(4.0, 5);
        assert_eq!(highest.get(), 5.0);
        highest.add(1.0, 10);
        assert_eq!(highest.get(), 5.0);
        highest.add(1.0, 11);
        assert_eq!(highest.get(), 4.0);
        highest.add(1.0, 15);
        assert_eq!(highest.get(), 1.0);
    }

    #[test]
    fn a_round_trip_counts_for_ten_seconds_4_1_2_3() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut least = Least::new(Some(Span::from_ms(10)), at(0));
        assert!(!least.add(Some(Span::from_ms(20)), at(10_000)));
        assert_eq!(least.get(), Some(Span::from_ms(10)));
        assert!(least.add(Some(Span::from_ms(20)), at(10_001)));
        assert_eq!(least.get(), Some(Span::from_ms(20)));
    }
}
