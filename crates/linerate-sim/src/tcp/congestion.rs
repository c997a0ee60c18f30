//! Congestion control: how much may be in flight. RFC 3168, 5681, 6582, 6675, 8257, 9438 and 9937;
//! BBR.

mod bbr;
mod cubic;
mod dctcp;
mod hystart;
mod marks;
mod proportion;
mod reno;

use bbr::Bbr;
pub(super) use bbr::Report;
use cubic::Cubic;
use dctcp::Dctcp;
use hystart::{HyStart, Step};
use linerate_core::units::{Span, Time};
use proportion::Proportion;
pub(super) use proportion::Repair;
use reno::Reno;

use super::pacing::Pacing;
use super::{CongestionRules, Counting, Recovery, ReducedFrom, Reduction};

/// A congestion control algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// RFC 5681.
    Reno,
    /// RFC 9438.
    Cubic,
    /// Version 1: draft-cardwell-iccrg-bbr-congestion-control-00.
    Bbr,
    /// RFC 8257, which asks for ECN.
    Dctcp,
}

impl Algorithm {
    /// Its name in a kernel.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reno => "reno",
            Self::Cubic => "cubic",
            Self::Bbr => "bbr",
            Self::Dctcp => "dctcp",
        }
    }
}

/// What a sender is doing about losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
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
    pub(super) const fn repairs(self) -> bool {
        matches!(self, Self::Recovery | Self::Loss)
    }
}

/// Why the window falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Loss,
    Mark,
}

#[derive(Debug)]
enum Growth {
    Reno(Reno),
    Cubic(Cubic),
    Bbr(Box<Bbr>),
    Dctcp(Dctcp),
}

/// The congestion window. Unit: bytes.
#[derive(Debug)]
pub(super) struct Congestion {
    window: u64,
    threshold: u64,
    mss: u64,
    phase: Phase,
    /// What was the next position to send when the phase began: it ends when all before is
    /// acknowledged.
    recover: u64,
    /// The window is unlimited until the first loss.
    ignored: bool,
    growth: Growth,
    /// Ends slow start early, if the rules have it.
    hystart: Option<HyStart>,
    /// The recovery that is reduced in proportion.
    proportion: Option<Proportion>,
    /// It was reduced, and the peer was not told.
    reduced: bool,
}

/// The largest window. Unit: bytes. 1 GiB is the largest scaled window (RFC 7323, 2.3).
pub(super) const LARGEST: u64 = 1 << 30;

/// An acknowledgement of new data, as the window sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// What it acknowledges. Unit: bytes.
    pub(super) bytes: u64,
    /// What was in the network before. Unit: bytes.
    pub(super) pipe: u64,
    /// What is outstanding now. Unit: bytes.
    pub(super) outstanding: u64,
    /// All before is acknowledged.
    pub(super) position: u64,
    /// The next position to send.
    pub(super) next: u64,
    pub(super) now: Time,
    pub(super) rtt: RoundTrip,
}

/// Round trips as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundTrip {
    /// Of this acknowledgement, if it gives one.
    pub(super) sample: Option<Span>,
    pub(super) smoothed: Span,
    /// The least so far.
    pub(super) least: Span,
}

/// What is in the network when a loss is found. Unit: bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    /// Sent and not acknowledged.
    pub(super) outstanding: u64,
    /// The end of it.
    pub(super) next: u64,
    /// Selected before this acknowledgement.
    pub(super) selected: u64,
    pub(super) pipe: u64,
    /// What this acknowledgement delivered, and what all did.
    pub(super) delivered: u64,
    pub(super) total: u64,
}

impl Congestion {
    pub(super) fn new(rules: &CongestionRules, mss: u32) -> Self {
        let mss = u64::from(mss);
        Self {
            window: u64::from(rules.initial_window) * mss,
            threshold: rules.initial_threshold.map_or(LARGEST, linerate_core::units::Size::bytes),
            mss,
            phase: Phase::Open,
            recover: 0,
            ignored: false,
            growth: match rules.algorithm {
                Algorithm::Reno => Growth::Reno(Reno::default()),
                Algorithm::Cubic => Growth::Cubic(Cubic::default()),
                Algorithm::Bbr => Growth::Bbr(Box::new(Bbr::new(mss, rules, None, Time::ZERO))),
                Algorithm::Dctcp => Growth::Dctcp(Dctcp::new()),
            },
            hystart: (rules.hystart && rules.algorithm == Algorithm::Cubic).then(HyStart::new),
            proportion: None,
            reduced: false,
        }
    }

    /// How fast segments may leave, if the algorithm says so.
    pub(super) fn pacing(&self) -> Option<Pacing> {
        match &self.growth {
            Growth::Bbr(bbr) => Some(bbr.pacing()),
            Growth::Reno(_) | Growth::Cubic(_) | Growth::Dctcp(_) => None,
        }
    }

    pub(super) const fn window(&self) -> u64 {
        self.window
    }

    pub(super) const fn threshold(&self) -> u64 {
        self.threshold
    }

    pub(super) const fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether `more` bytes may join `pipe` bytes in the network.
    pub(super) const fn admits(&self, pipe: u64, more: u64) -> bool {
        pipe == 0 || pipe + more <= self.window || self.ignored && matches!(self.phase, Phase::Open)
    }

    /// How much may join `pipe` bytes in the network. Unit: bytes.
    pub(super) fn room(&self, pipe: u64) -> u64 {
        if self.admits(pipe, LARGEST) { LARGEST } else { self.window.saturating_sub(pipe) }
    }

    /// The handshake took `rtt`.
    pub(super) fn opened(&mut self, rtt: Span, now: Time, rules: &CongestionRules) {
        self.ignored = rtt < rules.ignored_below_rtt;
        if let Growth::Bbr(bbr) = &mut self.growth {
            **bbr = Bbr::new(self.mss, rules, Some(rtt), now);
        }
    }

    /// A segment left.
    pub(super) fn sent(&mut self, bytes: u64) {
        if let Some(proportion) = &mut self.proportion {
            proportion.sent(bytes);
        }
    }

    /// A SYN was lost: the window begins with one segment (RFC 5681, 3.1).
    pub(super) fn syn_lost(&mut self) {
        self.window = self.mss;
    }

    /// Nothing was sent for a retransmission timeout (RFC 5681, 4.1).
    pub(super) fn idle(&mut self, rules: &CongestionRules) {
        if let Growth::Bbr(bbr) = &mut self.growth {
            bbr.restart();
        } else if rules.restarts_after_idle {
            self.window = self.window.min(u64::from(rules.initial_window) * self.mss);
            self.restart_epoch();
        }
    }

    /// New data was acknowledged; returns whether the next outstanding segment counts as lost: a
    /// partial acknowledgement in a fast recovery without SACK (RFC 6582, 3.2).
    pub(super) fn acknowledged(
        &mut self,
        progress: Progress,
        recovery: Recovery,
        rules: &CongestionRules,
    ) -> bool {
        if let Growth::Bbr(bbr) = &mut self.growth {
            if progress.position >= self.recover && self.phase != Phase::Open {
                self.phase = Phase::Open;
                self.window = bbr.recovered(self.window);
            }
            return self.phase == Phase::Recovery && recovery == Recovery::NewReno;
        }
        match self.phase {
            Phase::Recovery if progress.position >= self.recover || recovery == Recovery::Reno => {
                self.phase = Phase::Open;
                self.proportion = None;
                // RFC 6582, 3.2, step 3, option 1; with SACK the window is the threshold already.
                let flight = progress.outstanding.max(self.mss) + self.mss;
                self.window = match recovery {
                    Recovery::NewReno => self.threshold.min(flight).max(self.mss),
                    Recovery::Reno | Recovery::Sack => self.threshold,
                };
                false
            }
            Phase::Recovery if recovery == Recovery::NewReno => {
                self.window = self.window.saturating_sub(progress.bytes).max(self.mss);
                if progress.bytes >= self.mss {
                    self.window += self.mss;
                }
                true
            }
            Phase::Recovery | Phase::Reduced => false,
            Phase::Open | Phase::Loss => {
                self.grow(progress, rules);
                if progress.position >= self.recover {
                    self.phase = Phase::Open;
                }
                false
            }
        }
    }

    fn grow(&mut self, progress: Progress, rules: &CongestionRules) {
        let slow = self.window < self.threshold;
        // In slow start a window that is half used may grow, so that the window itself does not end
        // slow start.
        let reach = if slow { progress.pipe * 2 } else { progress.pipe + self.mss };
        if rules.grows_only_when_limiting && reach <= self.window {
            self.restart_epoch();
            return;
        }
        let counted = match rules.counting {
            Counting::Acknowledgements => self.mss,
            Counting::Bytes | Counting::AllBytes => progress.bytes,
        };
        if slow {
            self.look_for_the_end_of_slow_start(progress);
            // RFC 3465, 2.2 and 2.3: two segments at most, and one after a timeout.
            let most = match (rules.counting, self.phase) {
                (Counting::AllBytes, _) => LARGEST,
                (_, Phase::Loss) => self.mss,
                _ => 2 * self.mss,
            };
            self.window += counted.min(most);
        } else {
            self.window += match &mut self.growth {
                Growth::Reno(reno) => reno.grow(self.window, self.mss, counted),
                Growth::Cubic(cubic) => {
                    cubic.grow((self.window, self.mss), counted, progress.now, progress.rtt.smoothed)
                }
                Growth::Dctcp(dctcp) => dctcp.reno.grow(self.window, self.mss, counted),
                Growth::Bbr(_) => 0,
            };
        }
        self.window = self.window.min(LARGEST);
    }

    /// HyStart: slow start may end here. It watches the first one only, as nothing is known of the
    /// path before.
    fn look_for_the_end_of_slow_start(&mut self, progress: Progress) {
        let Some(hystart) = &mut self.hystart else { return };
        let step = Step {
            position: progress.position,
            next: progress.next,
            rtt: progress.rtt.sample,
            least_rtt: progress.rtt.least,
            window: self.window / self.mss,
        };
        if hystart.ends(step, progress.now) {
            self.threshold = self.window;
            self.hystart = None;
        }
    }

    /// An acknowledgement while the window is reduced in proportion (RFC 9937).
    pub(super) fn repair(&mut self, repair: Repair) {
        if repair.delivered > 0
            && matches!(self.phase, Phase::Recovery | Phase::Reduced)
            && let Some(proportion) = &mut self.proportion
        {
            self.window = proportion.window(repair, self.threshold, self.mss);
        }
    }

    /// What an acknowledgement says of the path, for an algorithm that models it; returns whether
    /// the algorithm sends less than the path takes.
    pub(super) fn report(&mut self, report: &Report) -> bool {
        let Growth::Bbr(bbr) = &mut self.growth else { return false };
        self.window = bbr.acknowledged(report, self.window).min(LARGEST);
        bbr.is_probing_round_trip()
    }

    /// Whether a fast retransmit may begin with all before `position` acknowledged. Duplicates of
    /// needless retransmissions are not a sign of loss: without SACK more than the last recovery
    /// must be acknowledged (RFC 6582, 3.2, step 1).
    pub(super) fn may_recover(&self, position: u64, recovery: Recovery) -> bool {
        let passed = match recovery {
            Recovery::NewReno => position > self.recover,
            Recovery::Reno | Recovery::Sack => position >= self.recover,
        };
        self.phase == Phase::Open && passed || self.phase == Phase::Reduced
    }

    /// A fast retransmit begins.
    pub(super) fn recover(&mut self, flight: Flight, recovery: Recovery, rules: &CongestionRules) {
        // One reduction a window, whatever shows the congestion (RFC 3168, 6.1.2); but a loss counts
        // for more than a few marks (RFC 8257, 3.5).
        let was_reduced = self.phase == Phase::Reduced && !matches!(self.growth, Growth::Dctcp(_));
        self.phase = Phase::Recovery;
        self.recover = match recovery {
            // Plain Reno treats the next loss as a new one.
            Recovery::Reno => 0,
            Recovery::NewReno | Recovery::Sack => flight.next,
        };
        if let Growth::Bbr(bbr) = &mut self.growth {
            self.ignored = false;
            self.window = bbr.recovers(self.window, (flight.pipe, flight.delivered, flight.total));
            return;
        }
        if !was_reduced {
            self.reduce(flight.outstanding, Cause::Loss, rules);
        }
        let proportional = rules.reduction == Reduction::Proportional && recovery == Recovery::Sack;
        // RFC 9937, 6.1: with what this acknowledgement took off.
        let whole = flight.outstanding.saturating_sub(flight.selected);
        self.proportion = proportional.then(|| Proportion::new(whole));
        match recovery {
            // The window of this acknowledgement follows from the proportion.
            Recovery::Sack if proportional => {}
            Recovery::Sack => self.window = self.threshold,
            // RFC 5681, 3.2, step 3: the duplicates say what has left the network.
            Recovery::Reno | Recovery::NewReno => {
                self.window = self.threshold + u64::from(rules.duplicates) * self.mss;
            }
        }
    }

    /// A probe repaired a loss that nothing else told of (RFC 8985, 7.4.2): the window is reduced as
    /// by a recovery that is over.
    pub(super) fn lost_tail(&mut self, outstanding: u64, rules: &CongestionRules) {
        if self.phase == Phase::Open && !matches!(self.growth, Growth::Bbr(_)) {
            self.reduce(outstanding, Cause::Loss, rules);
            self.window = self.window.min(self.threshold);
        }
    }

    /// A further duplicate in fast recovery without SACK (RFC 5681, 3.2, step 4).
    pub(super) fn inflate(&mut self) {
        self.window = (self.window + self.mss).min(LARGEST);
    }

    /// The retransmission timer expired; `again` if it had expired for the same segment before (RFC
    /// 5681, 3.1).
    pub(super) fn timeout(&mut self, flight: u64, next: u64, again: bool, rules: &CongestionRules) {
        // The losses of one flight reduce the window once.
        let was_reduced = rules.reduced_from == ReducedFrom::Window && self.phase != Phase::Open;
        if let Growth::Bbr(bbr) = &mut self.growth {
            if self.phase != Phase::Loss {
                bbr.timed_out(self.window);
            }
        } else if !again && !was_reduced {
            self.reduce(flight, Cause::Loss, rules);
        }
        self.phase = Phase::Loss;
        self.proportion = None;
        self.recover = next;
        self.window = self.mss;
    }

    /// Lowers the threshold after a loss or a mark. No more can be in flight than the window, and what was sent
    /// for the duplicates that showed the loss (RFC 6675, 5); what is outstanding may be far more,
    /// sent while the peer selected what came after a gap.
    fn reduce(&mut self, outstanding: u64, cause: Cause, rules: &CongestionRules) {
        let flight = match rules.reduced_from {
            ReducedFrom::Window => self.window,
            ReducedFrom::Flight if self.ignored => outstanding,
            ReducedFrom::Flight => outstanding.min(self.window + u64::from(rules.duplicates) * self.mss),
        };
        self.ignored = false;
        self.hystart = None;
        self.reduced = true;
        let flight = flight.min(LARGEST);
        let threshold = match &mut self.growth {
            Growth::Reno(reno) => reno.reduce(flight),
            Growth::Cubic(cubic) => cubic.reduce(flight, self.mss),
            Growth::Dctcp(dctcp) => dctcp.reduce(flight, cause),
            Growth::Bbr(_) => self.threshold,
        };
        self.threshold = threshold.max(2 * self.mss);
    }

    fn restart_epoch(&mut self) {
        if let Growth::Cubic(cubic) = &mut self.growth {
            cubic.restart_epoch();
        }
    }
}

#[cfg(test)]
mod tests;
