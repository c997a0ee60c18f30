//! What one direction of a link does to its frames: which are lost and when the others leave it. It is told the time
//! and draws from a seed, so the same frames at the same times always fare alike.
//!
//! A frame is duplicated first, then queued for the rate, then lost, corrupted and delayed: what a path loses has taken
//! its time on the slow link, and a copy takes as much time as its original.

mod losing;
mod shaping;

use rand::RngExt as _;
use rand_pcg::Pcg64;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Direction;
use crate::units::{Span, Time};
use losing::Losing;
pub(super) use losing::burst_begins;
use shaping::Shaping;

/// One direction of a link.
#[derive(Debug)]
pub struct Emulator {
    direction: Direction,
    shaping: Option<Shaping>,
    losing: Losing,
    streams: Streams,
    /// When the last frame that kept its order leaves.
    last: Time,
    counts: Counts,
}

/// What became of the frames of one direction.
///
/// `arrived + duplicated` is `passed + dropped_by_rule + dropped_by_queue`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Frames that came.
    pub arrived: u64,
    /// Frames that leave, or will.
    pub passed: u64,
    /// Frames that `loss` took.
    pub dropped_by_rule: u64,
    /// Frames that found no room in the queue.
    pub dropped_by_queue: u64,
    /// Copies that were made.
    pub duplicated: u64,
    /// Of those that pass, frames with a wrong bit.
    pub corrupted: u64,
    /// Of those that pass, frames that those behind them may overtake.
    pub reordered: u64,
    /// How much later jitter made those that pass, all together.
    #[serde(rename = "jitter_ps", default)]
    pub jitter: Span,
}

/// That a frame leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// When.
    pub at: Time,
    /// The bit that is turned round, counted from the begin of the frame.
    pub wrong_bit: Option<u32>,
    /// What its ECN field becomes, if it has one.
    pub ecn: Option<EcnRule>,
}

/// What happens to the ECN field of an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnRule {
    /// ECT becomes CE.
    Mark,
    /// It becomes Not-ECT.
    Bleach,
}

/// What becomes of a frame: when it leaves, if it does, and when its copy does, if there is one.
pub type Fate = [Option<Departure>; 2];

/// A stream of random numbers for each rule: one more rule changes nothing for the others.
#[derive(Debug)]
struct Streams {
    jitter: Pcg64,
    reorder: Pcg64,
    duplicate: Pcg64,
    corrupt: Pcg64,
    ecn_mark: Pcg64,
    ecn_bleach: Pcg64,
}

/// The stream of `direction`, counted over all links, for a rule.
fn stream(seed: u32, direction: u32, rule: u32) -> Pcg64 {
    Pcg64::new(u128::from(seed), u128::from(direction) << 8 | u128::from(rule))
}

/// Whether what happens to this share of frames happens now. Nothing is drawn where it never does.
fn happens(share: f64, random: &mut Pcg64) -> bool {
    share > 0.0 && random.random::<f64>() < share
}

impl Emulator {
    /// One that has seen no frame. `number` tells the directions of a laboratory from each other.
    #[must_use]
    pub fn new(direction: Direction, seed: u32, number: u32) -> Self {
        let stream = |rule| stream(seed, number, rule);
        let streams = Streams {
            jitter: stream(1),
            reorder: stream(2),
            duplicate: stream(3),
            corrupt: stream(4),
            ecn_mark: stream(5),
            ecn_bleach: stream(6),
        };
        Self {
            direction,
            shaping: direction.bucket.map(Shaping::new),
            losing: Losing::new(&direction.impairment, stream(0)),
            streams,
            last: Time::ZERO,
            counts: Counts::default(),
        }
    }

    /// A frame of `bytes` with its Ethernet header arrives. Times must not go back.
    pub fn arrive(&mut self, at: Time, bytes: u32) -> Fate {
        self.counts.arrived += 1;
        let first = self.pass(at, bytes);
        if !happens(self.direction.impairment.duplicate, &mut self.streams.duplicate) {
            return [first, None];
        }
        self.counts.duplicated += 1;
        [first, self.pass(at, bytes)]
    }

    /// What became of the frames until now.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    fn pass(&mut self, at: Time, bytes: u32) -> Option<Departure> {
        let sent = match &mut self.shaping {
            None => at,
            Some(shaping) => {
                let Some(sent) = shaping.send(at, bytes) else {
                    self.counts.dropped_by_queue += 1;
                    return None;
                };
                sent
            }
        };
        if self.losing.loses() {
            self.counts.dropped_by_rule += 1;
            return None;
        }
        self.counts.passed += 1;
        let rules = &self.direction.impairment;
        let wrong = bytes > 0 && happens(rules.corrupt, &mut self.streams.corrupt);
        self.counts.corrupted += u64::from(wrong);
        let wrong_bit = wrong.then(|| self.streams.corrupt.random_range(payload_bits(bytes)));
        let bleached = happens(rules.ecn_bleach, &mut self.streams.ecn_bleach);
        let marked = happens(rules.ecn_mark, &mut self.streams.ecn_mark);
        let ecn = if bleached { Some(EcnRule::Bleach) } else { marked.then_some(EcnRule::Mark) };
        Some(Departure { at: self.leave(sent), wrong_bit, ecn })
    }

    /// When a frame that was sent at `sent` comes out.
    fn leave(&mut self, sent: Time) -> Time {
        let rules = &self.direction.impairment;
        let mut at = sent + rules.delay;
        if rules.jitter > Span::ZERO {
            let later = Span::from_ps(self.streams.jitter.random_range(0..=rules.jitter.as_ps()));
            self.counts.jitter += later;
            at = at + later;
        }
        if happens(rules.reorder, &mut self.streams.reorder) {
            self.counts.reordered += 1;
            return at + rules.reorder_by;
        }
        self.last = self.last.max(at);
        self.last
    }
}

/// The bits behind the Ethernet header: with a wrong address a frame would not come at all.
fn payload_bits(bytes: u32) -> std::ops::Range<u32> {
    let header = if bytes > super::HEADER_BYTES { super::HEADER_BYTES } else { 0 };
    header * 8..bytes * 8
}

#[cfg(test)]
mod tests;
