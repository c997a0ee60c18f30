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
    window: Window,
    control: Box<dyn CongestionControl>,
}

impl Congestion {
    pub(super) fn new(rules: &CongestionRules, mss: u32) -> Self {
        let mss = u64::from(mss);
        Self { window: Window::new(rules, mss), control: (rules.algorithm.build)(mss, rules) }
    }

    /// How fast segments may leave, if the algorithm says so.
    pub(super) fn pacing(&self) -> Option<Pacing> {
        self.control.pacing()
    }

    /// Unit: bytes.
    pub(super) const fn window(&self) -> u64 {
        self.window.bytes
    }

    pub(super) const fn threshold(&self) -> u64 {
        self.window.threshold
    }

    pub(super) const fn phase(&self) -> Phase {
        self.window.phase
    }

    /// Whether `more` bytes may join `pipe` bytes in the network.
    pub(super) const fn admits(&self, pipe: u64, more: u64) -> bool {
        self.window.admits(pipe, more)
    }

    /// How much may join `pipe` bytes in the network. Unit: bytes.
    pub(super) fn room(&self, pipe: u64) -> u64 {
        if self.admits(pipe, LARGEST) { LARGEST } else { self.window.bytes.saturating_sub(pipe) }
    }

    /// The handshake took `rtt`.
    pub(super) fn opened(&mut self, rtt: Span, now: Time, rules: &CongestionRules) {
        self.window.ignored = rtt < rules.ignored_below_rtt;
        self.control.opened(rtt, now);
    }

    /// A segment left.
    pub(super) fn sent(&mut self, bytes: u64) {
        if let Some(proportion) = &mut self.window.proportion {
            proportion.sent(bytes);
        }
    }

    /// A SYN was lost: the window begins with one segment (RFC 5681, 3.1).
    pub(super) fn syn_lost(&mut self) {
        self.window.bytes = self.window.mss;
    }

    /// Nothing was sent for a retransmission timeout (RFC 5681, 4.1).
    pub(super) fn idle(&mut self, rules: &CongestionRules) {
        self.control.idle(&mut self.window, rules);
    }

    /// New data was acknowledged; returns whether the next outstanding segment counts as lost: a
    /// partial acknowledgement in a fast recovery without SACK (RFC 6582, 3.2).
    pub(super) fn acknowledged(
        &mut self,
        progress: &Progress,
        recovery: Recovery,
        rules: &CongestionRules,
    ) -> bool {
        self.control.acknowledged(&mut self.window, progress, recovery, rules);
        self.window.phase == Phase::Recovery && recovery == Recovery::NewReno
    }

    /// New data was acknowledged, marked or not; returns whether that reduces the window.
    pub(super) fn marked(&mut self, progress: &Progress, marks: Marks, rules: &CongestionRules) -> bool {
        self.control.marked(&mut self.window, progress, marks, rules)
    }

    /// Whether the window was reduced since last asked.
    pub(super) const fn take_reduced(&mut self) -> bool {
        std::mem::replace(&mut self.window.reduced, false)
    }

    /// An acknowledgement while the window is reduced in proportion (RFC 9937).
    pub(super) fn repair(&mut self, repair: Repair) {
        self.window.repair(repair);
    }

    /// What an acknowledgement says of the path; returns whether the algorithm sends less than the
    /// path takes.
    pub(super) fn report(&mut self, report: &Report) -> bool {
        self.control.report(&mut self.window, report)
    }

    /// Whether a fast retransmit may begin with all before `position` acknowledged.
    pub(super) fn may_recover(&self, position: u64, recovery: Recovery) -> bool {
        self.window.may_recover(position, recovery)
    }

    /// A fast retransmit begins.
    pub(super) fn recover(&mut self, flight: &Flight, recovery: Recovery, rules: &CongestionRules) {
        self.window.phase = Phase::Recovery;
        self.window.recover = match recovery {
            // Plain Reno treats the next loss as a new one.
            Recovery::Reno => 0,
            Recovery::NewReno | Recovery::Sack => flight.next,
        };
        self.control.lost(&mut self.window, flight, recovery, rules);
        self.window.ignored = false;
    }

    /// A probe repaired a loss that nothing else told of (RFC 8985, 7.4.2).
    pub(super) fn lost_tail(&mut self, outstanding: u64, rules: &CongestionRules) {
        self.control.lost_tail(&mut self.window, outstanding, rules);
    }

    /// A further duplicate in fast recovery without SACK (RFC 5681, 3.2, step 4).
    pub(super) fn inflate(&mut self) {
        self.window.bytes = (self.window.bytes + self.window.mss).min(LARGEST);
    }

    /// The retransmission timer expired; `again` if it had expired for the same segment before (RFC
    /// 5681, 3.1).
    pub(super) fn timeout(&mut self, flight: u64, next: u64, again: bool, rules: &CongestionRules) {
        self.control.timed_out(&mut self.window, flight, again, rules);
        self.window.phase = Phase::Loss;
        self.window.proportion = None;
        self.window.recover = next;
        self.window.bytes = self.window.mss;
    }
}

#[cfg(test)]
mod tests;
