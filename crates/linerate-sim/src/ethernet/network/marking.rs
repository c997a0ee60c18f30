//! Which packets an output queue marks: RFC 3168, section 5.

use linerate_core::units::{Span, Time};
use rand::Rng as _;
use rand_pcg::Pcg64;

use crate::ethernet::parameters::MIN_FRAME_BYTES;
use crate::ethernet::topology::{EarlyDetection, Marking};
use crate::ip::Codepoint;
use crate::pace::Pace;
use crate::random::{self, Purpose};

/// What is to become of a packet that comes to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    Mark,
    Lose,
}

/// A queue that marks.
#[derive(Debug)]
pub(super) struct Marker {
    law: Law,
    /// Packets that it marked.
    pub(super) marked: u64,
    /// Packets that it lost, as their senders do not understand marks.
    pub(super) lost: u64,
}

#[derive(Debug)]
enum Law {
    AboveBytes(u64),
    AboveFrames(u64),
    Early(Box<Early>),
}

/// What waits when a packet comes, itself not counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// Unit: bytes of MAC frames.
    pub(super) bytes: u64,
    pub(super) frames: u64,
    /// Since when nothing waits, if nothing does.
    pub(super) empty_since: Time,
}

impl Marker {
    /// Of port `number` of all in the network, whose line has that `pace`.
    pub(super) fn new(marking: Marking, pace: Pace, (seed, number): (u64, u32)) -> Self {
        let law = match marking {
            Marking::AboveBytes(bytes) => Law::AboveBytes(bytes),
            Marking::AboveFrames(frames) => Law::AboveFrames(frames),
            Marking::Early(rules) => {
                let random = random::stream(seed, number, Purpose::Mark);
                let frame = pace.span(8 * MIN_FRAME_BYTES);
                Law::Early(Box::new(Early { rules, frame, mean: 0.0, since: None, random }))
            }
        };
        Self { law, marked: 0, lost: 0 }
    }

    /// A packet comes.
    pub(super) fn look(&mut self, ecn: Codepoint, waiting: Waiting, now: Time) -> Verdict {
        let (congested, loses) = match &mut self.law {
            Law::AboveBytes(most) => (waiting.bytes > *most, false),
            Law::AboveFrames(most) => (waiting.frames > *most, false),
            Law::Early(early) => (early.is_chosen(waiting, now), true),
        };
        match (congested, ecn) {
            (true, Codepoint::Capable) => {
                self.marked += 1;
                Verdict::Mark
            }
            (true, Codepoint::NotCapable) if loses => {
                self.lost += 1;
                Verdict::Lose
            }
            _ => Verdict::Pass,
        }
    }
}

/// Random early detection: Floyd and Jacobson 1993, figure 2.
#[derive(Debug)]
struct Early {
    rules: EarlyDetection,
    /// What a small packet takes: how many could have come while nothing waited.
    frame: Span,
    /// Unit: bytes.
    mean: f64,
    /// Packets since the last that was chosen, while the mean is between the two thresholds.
    since: Option<u64>,
    random: Pcg64,
}

impl Early {
    fn is_chosen(&mut self, waiting: Waiting, now: Time) -> bool {
        let EarlyDetection { least, most, probability, weight } = self.rules;
        if waiting.frames > 0 {
            self.mean += weight * (waiting.bytes as f64 - self.mean);
        } else {
            let idle = now.since(waiting.empty_since).as_seconds() / self.frame.as_seconds();
            self.mean *= libm::pow(1.0 - weight, idle);
        }
        if self.mean < least as f64 {
            self.since = None;
            return false;
        }
        if self.mean >= most as f64 {
            self.since = Some(0);
            return true;
        }
        let since = self.since.map_or(0, |since| since + 1);
        let share = probability * (self.mean - least as f64) / (most - least) as f64;
        // Section 7, method 2: the gaps between chosen packets are uniform.
        let passed = since as f64 * share;
        let chance = if passed < 1.0 { share / (1.0 - passed) } else { 1.0 };
        let drawn = (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let chosen = drawn < chance;
        self.since = Some(if chosen { 0 } else { since });
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(bytes: u64) -> Waiting {
        Waiting { bytes, frames: bytes.div_ceil(1000), empty_since: Time::ZERO }
    }

    fn marker(marking: Marking) -> Marker {
        Marker::new(marking, Pace::of_bits_per_second(1_000_000_000), (1, 0))
    }

    /// RFC 8257, 3.1: where the queue is greater than the threshold. Without ECT there is no mark
    /// (RFC 3168, section 5).
    #[test]
    fn a_step_marks_above_its_threshold_what_can_be_marked() {
        let mut bytes = marker(Marking::AboveBytes(3000));
        let mut frames = marker(Marking::AboveFrames(3));
        for marker in [&mut bytes, &mut frames] {
            let seen =
                [0, 3000, 3001].map(|level| marker.look(Codepoint::Capable, waiting(level), Time::ZERO));
            assert_eq!(seen, [Verdict::Pass, Verdict::Pass, Verdict::Mark]);
            assert_eq!(marker.look(Codepoint::NotCapable, waiting(9000), Time::ZERO), Verdict::Pass);
            assert_eq!(marker.look(Codepoint::Experienced, waiting(9000), Time::ZERO), Verdict::Pass);
            assert_eq!((marker.marked, marker.lost), (1, 0));
        }
    }

    const RED: EarlyDetection =
        EarlyDetection { least: 10_000, most: 30_000, probability: 0.1, weight: 0.01 };

    /// Floyd and Jacobson 1993, sections 4 and 7, with a queue that stays: the mean is the queue in the end,
    /// p rises in a line between the thresholds, and gaps that are uniform from 1 to 1/p - 1 have a mean of
    /// 1/2p, so that a share of 2p is chosen.
    #[test]
    fn early_detection_marks_a_share_by_the_mean_of_the_queue() {
        for (level, expected) in [(9_999, 0.0), (15_000, 0.05), (20_000, 0.1), (25_000, 0.15), (30_001, 1.0)]
        {
            let mut marker = marker(Marking::Early(RED));
            for _ in 0..10_000 {
                marker.look(Codepoint::Capable, waiting(level), Time::ZERO);
            }
            let before = marker.marked;
            for _ in 0..20_000 {
                marker.look(Codepoint::Capable, waiting(level), Time::ZERO);
            }
            let share = (marker.marked - before) as f64 / 20_000.0;
            assert!((share - expected).abs() <= 0.06 * expected, "{level}: {share}, not {expected}");
        }
    }

    #[test]
    fn a_burst_hardly_moves_the_mean_and_a_pause_takes_it_down() {
        let mut marker = marker(Marking::Early(RED));
        for _ in 0..10 {
            assert_eq!(marker.look(Codepoint::Capable, waiting(60_000), Time::ZERO), Verdict::Pass);
        }
        for _ in 0..1000 {
            marker.look(Codepoint::Capable, waiting(60_000), Time::ZERO);
        }
        assert_eq!(marker.look(Codepoint::NotCapable, waiting(60_000), Time::ZERO), Verdict::Lose);
        // 512 ns a packet: 1000 of them leave 0.99^1000 of the mean.
        let later = Time::ZERO + Span::from_us(512);
        assert_eq!(marker.look(Codepoint::Capable, waiting(0), later), Verdict::Pass);
        assert_eq!(marker.look(Codepoint::Capable, waiting(60_000), later), Verdict::Pass);
    }
}
