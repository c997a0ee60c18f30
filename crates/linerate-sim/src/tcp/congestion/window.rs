//! The congestion window and the course of a loss: what all algorithms share.

use super::proportion::{Proportion, Repair};
use crate::tcp::{CongestionRules, Recovery};

/// The largest window. Unit: bytes. 1 GiB is the largest scaled window (RFC 7323, 2.3).
pub const LARGEST: u64 = 1 << 30;

/// What a sender is doing about losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No known loss.
    Open,
    /// Marks have reduced the window (RFC 3168, 6.1.2).
    Reduced,
    /// Fast recovery.
    Recovery,
    /// The retransmission timer ran out.
    Loss,
}

impl Phase {
    /// Whether something is known to be lost.
    pub(in crate::tcp) const fn repairs(self) -> bool {
        matches!(self, Self::Recovery | Self::Loss)
    }
}

/// The congestion window of one end, as an algorithm reads and sets it.
#[derive(Debug)]
pub struct Window {
    /// How much may be in flight. Unit: bytes.
    pub bytes: u64,
    /// The slow start threshold (RFC 5681, 3.1). Unit: bytes.
    pub threshold: u64,
    pub(super) mss: u64,
    /// Their `recovery` is that with this peer.
    pub(super) rules: CongestionRules,
    pub(super) phase: Phase,
    /// What was the next position to send when the phase began: it ends when all before is
    /// acknowledged.
    pub(super) recover: u64,
    /// The window is unlimited until the first loss.
    pub(super) ignored: bool,
    /// The recovery that is reduced in proportion.
    pub(super) proportion: Option<Proportion>,
    /// It was reduced, and the peer was not told.
    pub(super) reduced: bool,
}

impl Window {
    pub(super) fn new(rules: CongestionRules, mss: u64) -> Self {
        Self {
            bytes: rules.first_window(mss),
            threshold: rules.initial_threshold.map_or(LARGEST, linerate_core::units::Size::bytes),
            mss,
            rules,
            phase: Phase::Open,
            recover: 0,
            ignored: false,
            proportion: None,
            reduced: false,
        }
    }

    /// Payload of a full segment. Unit: bytes.
    #[must_use]
    pub const fn mss(&self) -> u64 {
        self.mss
    }

    /// The rules of the kernel. Their `recovery` is that with this peer, which may have no SACK.
    #[must_use]
    pub const fn rules(&self) -> &CongestionRules {
        &self.rules
    }

    /// What the sender is doing about losses.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Ends the phase if all before `position`, and so all that was sent before it began, is
    /// acknowledged; returns whether it did.
    pub const fn end_phase(&mut self, position: u64) -> bool {
        let ends = position >= self.recover && !matches!(self.phase, Phase::Open);
        if ends {
            self.phase = Phase::Open;
        }
        ends
    }

    /// Whether `more` bytes may join `pipe` bytes in the network.
    pub(in crate::tcp) const fn admits(&self, pipe: u64, more: u64) -> bool {
        pipe == 0 || pipe + more <= self.bytes || self.ignored && matches!(self.phase, Phase::Open)
    }

    /// How much may join `pipe` bytes in the network. Unit: bytes.
    pub(in crate::tcp) fn room(&self, pipe: u64) -> u64 {
        if self.admits(pipe, LARGEST) { LARGEST } else { self.bytes.saturating_sub(pipe) }
    }

    /// A SYN was lost: the window begins with one segment (RFC 5681, 3.1).
    pub(in crate::tcp) const fn syn_lost(&mut self) {
        self.bytes = self.mss;
    }

    /// A segment left.
    pub(in crate::tcp) fn sent(&mut self, bytes: u64) {
        if let Some(proportion) = &mut self.proportion {
            proportion.sent(bytes);
        }
    }

    /// Whether a fast retransmit may begin with all before `position` acknowledged. Duplicates of
    /// needless retransmissions are not a sign of loss: without SACK more than the last recovery
    /// must be acknowledged (RFC 6582, 3.2, step 1).
    pub(in crate::tcp) fn may_recover(&self, position: u64) -> bool {
        let passed = match self.rules.recovery {
            Recovery::NewReno => position > self.recover,
            Recovery::Reno | Recovery::Sack => position >= self.recover,
        };
        self.phase == Phase::Open && passed || self.phase == Phase::Reduced
    }

    /// A further duplicate in fast recovery without SACK (RFC 5681, 3.2, step 4).
    pub(in crate::tcp) fn inflate(&mut self) {
        if self.phase == Phase::Recovery && self.rules.recovery != Recovery::Sack {
            self.bytes = (self.bytes + self.mss).min(LARGEST);
        }
    }

    /// An acknowledgement while the window is reduced in proportion (RFC 9937).
    pub(in crate::tcp) fn repair(&mut self, repair: Repair) {
        if repair.delivered > 0
            && matches!(self.phase, Phase::Recovery | Phase::Reduced)
            && let Some(proportion) = &mut self.proportion
        {
            self.bytes = proportion.window(repair, self.threshold, self.mss);
        }
    }

    /// Whether it was reduced since last asked.
    pub(in crate::tcp) const fn take_reduced(&mut self) -> bool {
        std::mem::replace(&mut self.reduced, false)
    }
}
