//! Congestion control: how much may be in flight. RFC 3168, 5681, 6582, 6675, 8257, 9438 and 9937;
//! BBR.
//!
//! An algorithm is a file of this folder: a type with [`CongestionControl`] and its row, which
//! [`Algorithm::ALL`] lists. Nothing else knows it.

mod algorithm;
mod bbr;
mod control;
mod cubic;
mod dctcp;
mod hystart;
mod proportion;
mod reno;
pub mod standard;
mod window;

pub use algorithm::Algorithm;
pub use control::{Cause, CongestionControl, Flight, Marks, Pacing, Progress, RateSample, Report, RoundTrip};
use linerate_core::units::{Span, Time};
pub(super) use proportion::Repair;
pub use window::{LARGEST, Phase, Window};

use super::{CongestionRules, Recovery};

/// The congestion window of one end and the algorithm that moves it.
#[derive(Debug)]
pub(super) struct Congestion {
    pub(super) window: Window,
    control: Box<dyn CongestionControl>,
}

impl Congestion {
    /// `recovery` is that with this peer.
    pub(super) fn new(rules: &CongestionRules, recovery: Recovery, mss: u32) -> Self {
        let (rules, mss) = (CongestionRules { recovery, ..rules.clone() }, u64::from(mss));
        Self { control: (rules.algorithm.build)(mss, &rules), window: Window::new(rules, mss) }
    }

    /// How fast segments may leave, if the algorithm says so.
    pub(super) fn pacing(&self) -> Option<Pacing> {
        self.control.pacing()
    }

    /// The handshake took `rtt`.
    pub(super) fn opened(&mut self, rtt: Span, now: Time) {
        self.window.ignored = rtt < self.window.rules.ignored_below_rtt;
        self.control.opened(rtt, now);
    }

    /// Nothing was sent for a retransmission timeout (RFC 5681, 4.1).
    pub(super) fn idle(&mut self) {
        self.control.idle(&mut self.window);
    }

    /// New data was acknowledged; returns whether the next outstanding segment counts as lost: a
    /// partial acknowledgement in a fast recovery without SACK (RFC 6582, 3.2).
    pub(super) fn acknowledged(&mut self, progress: &Progress) -> bool {
        self.control.acknowledged(&mut self.window, progress);
        self.window.phase == Phase::Recovery && self.window.rules.recovery == Recovery::NewReno
    }

    /// New data was acknowledged, marked or not; returns whether that reduces the window.
    pub(super) fn marked(&mut self, progress: &Progress, marks: Marks) -> bool {
        self.control.marked(&mut self.window, progress, marks)
    }

    /// What an acknowledgement says of the path; returns whether the algorithm sends less than the
    /// path takes.
    pub(super) fn report(&mut self, report: &Report) -> bool {
        self.control.report(&mut self.window, report)
    }

    /// A fast retransmit begins.
    pub(super) fn recover(&mut self, flight: &Flight) {
        self.window.phase = Phase::Recovery;
        self.window.recover = match self.window.rules.recovery {
            // Plain Reno treats the next loss as a new one.
            Recovery::Reno => 0,
            Recovery::NewReno | Recovery::Sack => flight.next,
        };
        self.control.lost(&mut self.window, flight);
        self.window.ignored = false;
    }

    /// A probe repaired a loss that nothing else told of (RFC 8985, 7.4.2).
    pub(super) fn lost_tail(&mut self, outstanding: u64) {
        self.control.lost_tail(&mut self.window, outstanding);
    }

    /// The retransmission timer expired; `again` if it had expired for the same segment before (RFC
    /// 5681, 3.1).
    pub(super) fn timeout(&mut self, flight: u64, next: u64, again: bool) {
        self.control.timed_out(&mut self.window, flight, again);
        self.window.phase = Phase::Loss;
        self.window.proportion = None;
        self.window.recover = next;
        self.window.bytes = self.window.mss;
    }
}

#[cfg(test)]
mod tests;
