//! Segments that leave no faster than a rate, some at once and then a pause.

use linerate_core::units::{Rate, Span, Time};

/// How fast, and how much at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pacing {
    /// How fast payload leaves.
    pub rate: Rate,
    /// How much leaves at once. Unit: bytes.
    pub quantum: u64,
}

/// Lets segments leave.
#[derive(Debug)]
pub(in crate::tcp) struct Pacer {
    /// When the next quantum may leave. Absent if it may now.
    pub(in crate::tcp) deadline: Option<Time>,
    /// What is left of the quantum that is leaving. Unit: bytes.
    left: u64,
    /// When all that has left would have left evenly.
    even: Time,
}

impl Pacer {
    pub(in crate::tcp) const fn new() -> Self {
        Self { deadline: None, left: 0, even: Time::ZERO }
    }

    /// Whether nothing may leave.
    pub(in crate::tcp) const fn is_shut(&self) -> bool {
        self.deadline.is_some() && self.left == 0
    }

    /// Time passes.
    pub(in crate::tcp) fn pass(&mut self, now: Time) {
        self.deadline = self.deadline.filter(|deadline| *deadline > now);
    }

    /// A segment of `bytes` leaves, and `room` bytes, these included, could now.
    pub(in crate::tcp) fn sent(&mut self, bytes: u64, room: u64, pacing: Pacing, now: Time) {
        if self.left == 0 {
            self.left = pacing.quantum.min(room);
        }
        self.left = self.left.saturating_sub(bytes);
        let takes = Span::from_seconds(bytes as f64 * 8.0 / pacing.rate.bits_per_second().max(1.0));
        self.even = self.even.max(now) + takes;
        self.deadline = Some(self.even).filter(|even| *even > now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACING: Pacing = Pacing { rate: Rate::from_bits_per_second(8e6), quantum: 2000 };

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    /// 1000 B take 1 ms at 8 Mb/s, and two leave at once.
    #[test]
    fn a_quantum_leaves_at_once_and_the_next_when_it_would_have_left_evenly() {
        let mut pacer = Pacer::new();
        pacer.sent(1000, 5000, PACING, at(0));
        assert!(!pacer.is_shut());
        pacer.sent(1000, 4000, PACING, at(0));
        assert_eq!((pacer.is_shut(), pacer.deadline), (true, Some(at(2000))));
        pacer.pass(at(1999));
        assert!(pacer.is_shut());
        pacer.pass(at(2000));
        assert!(!pacer.is_shut());
    }

    #[test]
    fn less_than_a_quantum_leaves_if_there_is_no_room_for_more() {
        let mut pacer = Pacer::new();
        pacer.sent(1000, 1000, PACING, at(0));
        assert_eq!((pacer.is_shut(), pacer.deadline), (true, Some(at(1000))));
    }

    #[test]
    fn a_pause_is_not_made_good() {
        let mut pacer = Pacer::new();
        pacer.sent(1000, 1000, PACING, at(0));
        pacer.pass(at(10_000));
        pacer.sent(1000, 1000, PACING, at(10_000));
        assert_eq!(pacer.deadline, Some(at(11_000)));
    }
}
