//! The cost of a message of a size, as it becomes known, and how many messages fit a span.

use crate::pattern::Pattern;
use crate::payload::Check;
use crate::trial::{MAX_SAMPLES, Sample, Trial};
use crate::units::Span;

/// A sample lasts at least this many times as long as reading the clock.
const CLOCK_SHARE: u64 = 100;
/// Overlapping messages are timed in this many parts of each trial.
const PARTS: u64 = 10;
/// A trial of overlapping messages has at least this many samples, so that its warm-up can be told
/// from the rest.
const FEWEST_PARTS: u64 = 4;
/// This many messages, and this much time, are enough for one trial; one-way messages have a time
/// of their own.
const ENOUGH_MESSAGES: u64 = 32;
const ENOUGH_TIME: Span = Span::from_ms(2);
const ENOUGH_ONE_WAY: Span = Span::from_ms(1_000);
/// After a trial too short for the clock, the next has at most this many times as many messages.
const LARGEST_GROWTH: u64 = 64;
/// What a path may deliver at once: the largest packet that a kernel hands to its adaptor, to be cut there,
/// which a token bucket that is large enough lets pass whole. Unit: bytes. Source: Linux, `GSO_LEGACY_MAX_SIZE`
/// of linux/netdevice.h.
pub(super) const LUMP: u64 = 65_536;
/// A difference of times that is no host's noise.
const CLEAR: Span = Span::from_ms(20);

/// What one message of a size takes, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// One timed message, there and back for a ping-pong.
    pub(super) message: Span,
    /// What a trial takes besides its messages.
    pub(super) overhead: Span,
    /// How many messages this estimate rests on.
    messages: u64,
    /// The most messages that the next trial may have.
    most: u64,
}

impl Cost {
    /// Learns from a trial of the size.
    ///
    /// The mean is over all trials, so that one slow sample does not decide how long the next trial
    /// may last; the first, cold message is left out.
    pub(super) fn learn(&mut self, trial: &Trial, sample: &Sample, clock_cost: Span) {
        let timed: Span =
            sample.times.iter().map(|time| *time * trial.pattern.legs() * u64::from(trial.batch)).sum();
        let timed_messages = (sample.times.len() as u64 * u64::from(trial.batch)).max(1);
        let fresh = trial.check == Check::Full || self.messages <= 1;
        let known = if fresh { Self::default() } else { *self };
        let messages = known.messages + timed_messages;
        let readable = timed > clock_cost * CLOCK_SHARE;
        *self = Self {
            message: (known.message * known.messages + timed) / messages,
            overhead: sample.spent - timed / timed_messages * trial.messages(),
            messages,
            most: if readable { u64::MAX } else { timed_messages.saturating_mul(LARGEST_GROWTH) },
        };
    }

    /// Takes a message to cost at least this much, until a trial of its size has shown more than the
    /// verification did.
    pub(super) fn is_at_least(&mut self, message: Span) {
        self.message = self.message.max(message);
    }

    /// How many samples of how many messages fill `span`: at least one of each, and otherwise at most
    /// `most` messages.
    pub(super) fn fill(&self, span: Span, most: u64, pattern: Pattern, clock_cost: Span) -> (u32, u32) {
        let message = self.message.as_ps().max(1);
        let most = self.most.min(most).max(1);
        let budget = span.saturating_sub(self.overhead).as_ps();
        let messages = (budget / message).clamp(1, most);
        // Bounded like the messages: a peer may report absurd times or an absurd clock.
        let for_clock = (clock_cost * CLOCK_SHARE).as_ps().div_ceil(message).min(most);
        let (samples, batch) = if pattern.overlaps() {
            let batch = (messages / PARTS).max(for_clock).max(1);
            ((messages / batch).max(FEWEST_PARTS), batch)
        } else {
            let batch = for_clock.max(messages.div_ceil(u64::from(MAX_SAMPLES))).max(1);
            ((messages / batch).max(1), batch)
        };
        let samples = samples.min(u64::from(MAX_SAMPLES));
        (u32::try_from(samples).unwrap_or(MAX_SAMPLES), u32::try_from(batch).unwrap_or(u32::MAX))
    }
}

impl Cost {
    /// How long a trial is worth being. A longer one would not average out what differs from trial
    /// to trial, such as where the scheduler put the ends and how deep a processor slept.
    pub(super) fn enough(&self, pattern: Pattern) -> Span {
        if pattern.overlaps() {
            // They flow steadily only once the buffers on their way are full.
            return ENOUGH_ONE_WAY;
        }
        self.overhead + (self.message * ENOUGH_MESSAGES).max(ENOUGH_TIME)
    }
}

/// How the time of a message grows with its size, by what the largest so far took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slope {
    /// Size and time of the largest, and of one of at most half of its size.
    last: (u64, Span),
    half: (u64, Span),
    /// Those since `half`.
    next: Option<(u64, Span)>,
}

impl Slope {
    /// A message of `size`, no smaller than those before it, took this long.
    pub(super) fn learn(&mut self, size: u64, message: Span) {
        match self.next {
            Some(next) if next.0.saturating_mul(2) <= size => {
                self.half = next;
                self.next = Some((size, message));
            }
            Some(_) => {}
            None => self.next = Some((size, message)),
        }
        self.last = (size, message);
    }

    /// Whether the growth is more than a host's noise.
    pub(super) fn is_clear(&self) -> bool {
        self.half.0 > 0 && self.last.1.saturating_sub(self.half.1) > CLEAR
    }

    /// What a message of `size` takes by it.
    pub(super) fn message(&self, size: u64) -> Span {
        let (bytes, time) = (self.last.0 - self.half.0, self.last.1.saturating_sub(self.half.1));
        if self.half.0 == 0 || bytes == 0 {
            return Span::ZERO;
        }
        Span::from_ps(
            u64::try_from(u128::from(time.as_ps()) * u128::from(size) / u128::from(bytes))
                .unwrap_or(u64::MAX),
        )
    }
}

/// The fewest messages that a trial of `pattern` has.
pub(super) const fn least_messages(pattern: Pattern) -> u64 {
    pattern.opening_messages() + if pattern.overlaps() { FEWEST_PARTS } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::Tally;

    const CLOCK: Span = Span::from_ps(1_000);

    fn trial(pattern: Pattern, samples: u32, batch: u32, check: Check) -> Trial {
        Trial { pattern, size: 64, samples, batch, lead: 0, seed: 1, check }
    }

    /// What a trial of equal times gives.
    fn sample(times: usize, us: u64, spent_us: u64) -> Sample {
        let times = vec![Span::from_us(us); times];
        Sample { times, tally: Tally::default(), kept_up: true, spent: Span::from_us(spent_us), effort: None }
    }

    fn learnt(pattern: Pattern, message_us: u64, overhead_us: u64) -> Cost {
        Cost {
            message: Span::from_us(message_us),
            overhead: Span::from_us(overhead_us),
            messages: if pattern.overlaps() { 40 } else { 20 },
            most: u64::MAX,
        }
    }

    #[test]
    fn a_round_trip_costs_both_ways_and_the_rest_is_overhead() {
        let mut cost = Cost::default();
        // Ten samples of two round trips of 2 x 5 us each: 200 us of 260.
        let trial = trial(Pattern::PingPong, 10, 2, Check::Marks);
        cost.learn(&trial, &sample(10, 5, 260), CLOCK);
        assert_eq!(cost.message, Span::from_us(10));
        assert_eq!(cost.overhead, Span::from_us(60));
        // Twenty more of twice the time: the mean is over all.
        cost.learn(&trial, &sample(10, 10, 420), CLOCK);
        assert_eq!(cost.message, Span::from_us(15));
        assert_eq!(cost.overhead, Span::from_us(20));
    }

    #[test]
    fn the_verification_and_a_single_cold_message_are_forgotten() {
        for first in
            [trial(Pattern::Exchange, 5, 1, Check::Full), trial(Pattern::Exchange, 1, 1, Check::Marks)]
        {
            let mut cost = Cost::default();
            cost.learn(&first, &sample(first.samples as usize, 900, 5_000), CLOCK);
            let second =
                Trial { check: if first.samples == 1 { Check::Marks } else { Check::Full }, ..first };
            cost.learn(&second, &sample(second.samples as usize, 10, 100), CLOCK);
            assert_eq!(cost.message, Span::from_us(10), "{first:?}");
        }
        let mut two = Cost::default();
        let pair = trial(Pattern::Exchange, 2, 1, Check::Marks);
        two.learn(&pair, &sample(2, 30, 100), CLOCK);
        two.learn(&pair, &sample(2, 10, 100), CLOCK);
        assert_eq!(two.message, Span::from_us(20), "two messages are kept");
    }

    #[test]
    fn a_trial_too_short_for_the_clock_bounds_the_next() {
        let short = trial(Pattern::Exchange, 1, 1, Check::Marks);
        let fill = |clock: Span| {
            let mut cost = Cost::default();
            cost.learn(&short, &sample(1, 100, 100), clock);
            cost.fill(Span::from_ms(100), u64::MAX, Pattern::Exchange, Span::ZERO)
        };
        // 100 readings of the clock in 100 us is just not readable.
        assert_eq!(fill(Span::from_us(1)), (64, 1));
        assert_eq!(fill(Span::from_ps(999_999)), (1_000, 1));
    }

    #[test]
    fn messages_fill_what_the_overhead_leaves() {
        let cost = learnt(Pattern::PingPong, 10, 60);
        assert_eq!(cost.fill(Span::from_us(160), u64::MAX, Pattern::PingPong, Span::ZERO), (10, 1));
        assert_eq!(cost.fill(Span::from_us(169), u64::MAX, Pattern::PingPong, Span::ZERO), (10, 1));
        assert_eq!(cost.fill(Span::from_us(1), u64::MAX, Pattern::PingPong, Span::ZERO), (1, 1));
        // A sample lasts a hundred readings: 0.35 us x 100 is four messages of 10 us.
        assert_eq!(
            cost.fill(Span::from_us(260), u64::MAX, Pattern::PingPong, Span::from_ps(350_000)),
            (5, 4)
        );
        let most = u64::from(MAX_SAMPLES);
        let (samples, batch) =
            cost.fill(Span::from_us(60 + 10 * (most + 1)), u64::MAX, Pattern::PingPong, Span::ZERO);
        assert_eq!((u64::from(samples), batch), (most.div_ceil(2), 2));
    }

    #[test]
    fn a_stream_is_timed_in_ten_parts_and_in_four_at_least() {
        let cost = learnt(Pattern::OneWay, 10, 0);
        assert_eq!(cost.fill(Span::from_us(1_000), u64::MAX, Pattern::OneWay, Span::ZERO), (10, 10));
        assert_eq!(cost.fill(Span::from_us(20), u64::MAX, Pattern::OneWay, Span::ZERO), (4, 1));
        assert_eq!(cost.fill(Span::from_us(1_000), u64::MAX, Pattern::OneWay, Span::from_us(2)), (5, 20));
    }

    #[test]
    fn a_trial_says_enough_after_32_messages_and_2_ms_and_a_stream_after_a_second() {
        assert_eq!(learnt(Pattern::OneWay, 10, 60).enough(Pattern::OneWay), Span::from_ms(1_000));
        assert_eq!(learnt(Pattern::PingPong, 10, 60).enough(Pattern::PingPong), Span::from_us(2_060));
        assert_eq!(learnt(Pattern::PingPong, 100, 60).enough(Pattern::PingPong), Span::from_us(3_260));
        assert_eq!(Pattern::ALL.map(least_messages), [1, 5, 1]);
    }
}
