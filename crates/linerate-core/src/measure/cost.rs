//! What a message of a size takes, as it is learned, and how many fit a span.

use crate::pattern::Pattern;
use crate::payload::Check;
use crate::trial::{MAX_SAMPLES, Sample, Trial};
use crate::units::Span;

/// A sample lasts at least so many times as long as reading the clock.
const CLOCK_SHARE: u64 = 100;
/// Overlapping messages are timed in so many parts of each trial.
const PARTS: u64 = 10;
/// A trial of overlapping messages has at least so many samples, so that its warm-up can be told
/// from the rest.
const FEWEST_PARTS: u64 = 4;
/// So many messages, and so long, are enough for one trial; for a stream so long.
const ENOUGH_MESSAGES: u64 = 32;
const ENOUGH_TIME: Span = Span::from_ms(2);
const ENOUGH_STREAM: Span = Span::from_ms(1_000);
/// A trial too short for the clock says nothing of the next, which has at most so many times as
/// many messages.
const LARGEST_GROWTH: u64 = 64;

/// What one message of a size takes, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// One timed message, there and back for a ping-pong.
    pub(super) message: Span,
    /// What a trial takes besides its messages.
    pub(super) overhead: Span,
    /// How many messages that is known from.
    messages: u64,
    /// The most messages that the next trial may have.
    most: u64,
}

impl Cost {
    /// Learns from a trial of the size.
    ///
    /// The mean is over all trials, so that one slow sample does not decide how long the next
    /// trial may last; what the first, cold message took is forgotten.
    pub(super) fn learn(&mut self, trial: &Trial, sample: &Sample, clock_cost: Span) {
        let timed: Span =
            sample.times.iter().map(|time| *time * trial.pattern.legs() * u64::from(trial.batch)).sum();
        let timed_messages = (u64::from(trial.samples) * u64::from(trial.batch)).max(1);
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

    /// How many samples of how many messages fill `span`: at least one of each.
    pub(super) fn fill(&self, span: Span, pattern: Pattern, clock_cost: Span) -> (u32, u32) {
        let message = self.message.as_ps().max(1);
        let budget = span.saturating_sub(self.overhead).as_ps();
        let messages = (budget / message).clamp(1, self.most.max(1));
        // Bounded like the messages: what a peer says of its clock or its times may be absurd.
        let for_clock = (clock_cost * CLOCK_SHARE).as_ps().div_ceil(message).min(self.most.max(1));
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
    /// How long a trial must be to say what one trial can: what differs from trial to trial (where
    /// the scheduler put the ends, how deep a processor slept) no longer trial averages out.
    pub(super) fn enough(&self, pattern: Pattern) -> Span {
        if pattern.overlaps() {
            // A stream is steady only once the buffers on its way are full.
            return ENOUGH_STREAM;
        }
        self.overhead + (self.message * ENOUGH_MESSAGES).max(ENOUGH_TIME)
    }
}

/// The fewest messages that a trial of `pattern` has.
pub(super) const fn least_messages(pattern: Pattern) -> u64 {
    pattern.opening_messages() + if pattern.overlaps() { FEWEST_PARTS } else { 1 }
}
