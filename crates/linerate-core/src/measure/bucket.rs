//! The path as a token bucket: while it is idle it may save tokens, which it spends on bytes that it
//! then passes faster than it carries them for long. How many it can save is not known.

use super::cost::Slope;
use crate::units::Span;

/// No path is expected to save more tokens. Unit: bytes.
const MOST: f64 = (16 << 20) as f64;
/// What leads a trial is as much as there may be tokens, and this much more: headers count too.
const MARGIN: f64 = 1.25;
/// What leads a trial takes at most this part of it.
const LEAD_PART: u64 = 2;
/// Messages that take this many times as long as the path needs for their bytes never empty it.
const SLOW: f64 = 4.0;

/// The tokens that a path may have saved: what it could have carried and did not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TokenBucket {
    /// The highest rate seen. Unit: bytes a picosecond.
    rate: f64,
    /// Unit: bytes.
    tokens: f64,
}

impl TokenBucket {
    /// Begins with the rate of the largest messages, after `idle`.
    pub(super) fn begin(&mut self, slope: &Slope, idle: Span) {
        let bytes = 1 << 20;
        let took = slope.message(bytes).as_ps();
        if took > 0 {
            self.rate = bytes as f64 / took as f64;
        }
        self.pass(0, idle);
    }

    /// A message of `size` took this long, when no tokens were left.
    pub(super) fn learn(&mut self, size: u64, message: Span) {
        let rate = size as f64 / message.as_ps().max(1) as f64;
        self.rate = self.rate.max(rate);
    }

    /// `bytes` passed in `time`.
    pub(super) fn pass(&mut self, bytes: u64, time: Span) {
        let unused = self.rate * time.as_ps() as f64 - bytes as f64;
        self.tokens = (self.tokens + unused).clamp(0.0, MOST);
    }

    /// How many messages of `size`, which take `message` each, lead a trial of `each`, which has at
    /// most `most` messages.
    pub(super) fn lead(&self, size: u64, message: Span, each: Span, most: u64) -> u64 {
        if message.as_ps() as f64 * self.rate > SLOW * size as f64 {
            return 0;
        }
        let wanted = (self.tokens * MARGIN / size as f64).ceil() as u64;
        let affordable = each.as_ps() / LEAD_PART / message.as_ps().max(1);
        wanted.min(affordable).min(most / LEAD_PART)
    }
}
