//! The end of slow start before a loss: HyStart, Ha and Rhee, "Taming the elephants: New TCP slow
//! start", Computer Networks 55 (2011), with the thresholds of RFC 9406, 4.3.

use linerate_core::units::{Span, Time};

/// It watches from this window on. Unit: segments. Source: Ha and Rhee, 4.
const LEAST_WINDOW: u64 = 16;
/// Acknowledgements that are no further apart belong to one train. Source: Ha and Rhee, 4.1.
const TRAIN: Span = Span::from_ms(2);
/// The round trips of a round that are looked at. Source: RFC 9406, 4.3, `N_RTT_SAMPLE`.
const SAMPLES: u32 = 8;
/// Source: RFC 9406, 4.3, `MIN_RTT_THRESH` and `MAX_RTT_THRESH`.
const RISE: [Span; 2] = [Span::from_ms(4), Span::from_ms(16)];

/// A round of slow start.
#[derive(Debug)]
pub(super) struct HyStart {
    /// The round ends when all before this is acknowledged.
    end: u64,
    begin: Time,
    /// The last acknowledgement of the train that began with the round.
    train: Time,
    /// The least round trip of this round, and how many were looked at.
    least: Option<Span>,
    samples: u32,
}

/// An acknowledgement in slow start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// All before is acknowledged, and the next position to send.
    pub(super) position: u64,
    pub(super) next: u64,
    /// Its round trip, if it gives one, and the least of the connection.
    pub(super) rtt: Option<Span>,
    pub(super) least_rtt: Span,
    /// Unit: segments.
    pub(super) window: u64,
}

impl HyStart {
    pub(super) const fn new() -> Self {
        Self { end: 0, begin: Time::ZERO, train: Time::ZERO, least: None, samples: 0 }
    }

    /// Whether slow start ends here.
    pub(super) fn ends(&mut self, step: Step, now: Time) -> bool {
        if step.position > self.end {
            *self = Self { end: step.next, begin: now, train: now, ..Self::new() };
        }
        if self.samples < SAMPLES
            && let Some(rtt) = step.rtt
        {
            self.samples += 1;
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        }
        if step.window < LEAST_WINDOW {
            return false;
        }
        self.is_long_train(step, now) || self.is_slower(step)
    }

    /// The acknowledgements of a round come close together for as long as a one-way delay: the
    /// flight fills the path (Ha and Rhee, 4.1).
    fn is_long_train(&mut self, step: Step, now: Time) -> bool {
        if now.since(self.train) > TRAIN {
            return false;
        }
        self.train = now;
        now.since(self.begin) > step.least_rtt / 2
    }

    /// The round trip has grown: a queue fills (Ha and Rhee, 4.2; RFC 9406, 4.2).
    fn is_slower(&self, step: Step) -> bool {
        let threshold = (step.least_rtt / 8).max(RISE[0]).min(RISE[1]);
        self.samples >= SAMPLES && self.least.is_some_and(|least| least > step.least_rtt + threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Step =
        Step { position: 1, next: 100_001, rtt: None, least_rtt: Span::from_ms(40), window: 16 };

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    /// Round trips of 40 ms: 20 ms of acknowledgements without a pause of 2 ms.
    #[test]
    fn a_train_of_acknowledgements_as_long_as_the_way_there_ends_slow_start() {
        let train = |gap_us: u64, window| {
            let mut hystart = HyStart::new();
            (1..1000).map(|ack| at(gap_us * ack)).find(|now| hystart.ends(Step { window, ..STEP }, *now))
        };
        assert_eq!(train(1000, 16), Some(at(1000 + 20_000 + 1000)));
        assert_eq!(train(2100, 16), None, "with pauses it is no train");
        assert_eq!(train(1000, 15), None, "a small window is left alone");
    }

    /// RFC 9406, 4.2: eight round trips of a round, all of them 5 ms (an eighth of 40 ms) above the least.
    #[test]
    fn longer_round_trips_end_slow_start_rfc_9406_4_2() {
        let rounds = |rtt_us: [u64; 9]| {
            let mut hystart = HyStart::new();
            let mut now = Time::ZERO;
            rtt_us.into_iter().position(|rtt| {
                now = now + Span::from_ms(3);
                hystart.ends(Step { rtt: Some(Span::from_us(rtt)), ..STEP }, now)
            })
        };
        assert_eq!(rounds([45_001; 9]), Some(7));
        assert_eq!(rounds([45_000; 9]), None);
        assert_eq!(rounds([45_001, 45_001, 44_000, 46_000, 46_000, 46_000, 46_000, 46_000, 46_000]), None);
    }
}
