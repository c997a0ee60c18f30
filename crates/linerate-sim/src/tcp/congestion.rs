//! Congestion control: how much may be in flight. RFC 5681, 6582, 6675 and 9438.

mod cubic;
mod reno;

use cubic::Cubic;
use linerate_core::units::{Span, Time};
use reno::Reno;

use super::{CongestionRules, Counting, Recovery};

/// A congestion control algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// RFC 5681.
    Reno,
    /// RFC 9438.
    Cubic,
}

impl Algorithm {
    /// Its name in a kernel.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reno => "reno",
            Self::Cubic => "cubic",
        }
    }
}

/// What a sender is doing about losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// No known loss.
    Open,
    /// Fast recovery.
    Recovery,
    /// The retransmission timer ran out.
    Loss,
}

#[derive(Debug)]
enum Growth {
    Reno(Reno),
    Cubic(Cubic),
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
            },
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

    /// The handshake took `rtt`.
    pub(super) fn opened(&mut self, rtt: Span, rules: &CongestionRules) {
        self.ignored = rtt < rules.ignored_below_rtt;
    }

    /// A SYN was lost: the window begins with one segment (RFC 5681, 3.1).
    pub(super) fn syn_lost(&mut self) {
        self.window = self.mss;
    }

    /// Nothing was sent for a retransmission timeout (RFC 5681, 4.1).
    pub(super) fn idle(&mut self, rules: &CongestionRules) {
        if rules.restarts_after_idle {
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
        at: (Time, Span),
        rules: &CongestionRules,
    ) -> bool {
        match self.phase {
            Phase::Recovery if progress.position >= self.recover || recovery == Recovery::Reno => {
                self.phase = Phase::Open;
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
            Phase::Recovery => false,
            Phase::Open | Phase::Loss => {
                self.grow(progress, at, rules);
                if progress.position >= self.recover {
                    self.phase = Phase::Open;
                }
                false
            }
        }
    }

    fn grow(&mut self, progress: Progress, (now, rtt): (Time, Span), rules: &CongestionRules) {
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
            Counting::Bytes => progress.bytes,
        };
        if slow {
            // RFC 3465, 2.2 and 2.3: two segments at most, and one after a timeout.
            let most = if self.phase == Phase::Loss { self.mss } else { 2 * self.mss };
            self.window += counted.min(most);
        } else {
            self.window += match &mut self.growth {
                Growth::Reno(reno) => reno.grow(self.window, self.mss, counted),
                Growth::Cubic(cubic) => cubic.grow((self.window, self.mss), counted, now, rtt),
            };
        }
        self.window = self.window.min(LARGEST);
    }

    /// Whether a fast retransmit may begin with all before `position` acknowledged. Duplicates of
    /// needless retransmissions are not a sign of loss: without SACK more than the last recovery
    /// must be acknowledged (RFC 6582, 3.2, step 1).
    pub(super) fn may_recover(&self, position: u64, recovery: Recovery) -> bool {
        let passed = match recovery {
            Recovery::NewReno => position > self.recover,
            Recovery::Reno | Recovery::Sack => position >= self.recover,
        };
        self.phase == Phase::Open && passed
    }

    /// A fast retransmit begins with `flight` bytes outstanding, of which `next` is the end.
    pub(super) fn recover(&mut self, flight: u64, next: u64, recovery: Recovery, duplicates: u32) {
        self.reduce(flight);
        self.phase = Phase::Recovery;
        self.recover = match recovery {
            // Plain Reno treats the next loss as a new one.
            Recovery::Reno => 0,
            Recovery::NewReno | Recovery::Sack => next,
        };
        self.window = match recovery {
            Recovery::Sack => self.threshold,
            // RFC 5681, 3.2, step 3: the duplicates say what has left the network.
            Recovery::Reno | Recovery::NewReno => self.threshold + u64::from(duplicates) * self.mss,
        };
    }

    /// A further duplicate in fast recovery without SACK (RFC 5681, 3.2, step 4).
    pub(super) fn inflate(&mut self) {
        self.window = (self.window + self.mss).min(LARGEST);
    }

    /// The retransmission timer expired; `again` if it had expired for the same segment before (RFC
    /// 5681, 3.1).
    pub(super) fn timeout(&mut self, flight: u64, next: u64, again: bool) {
        if !again {
            self.reduce(flight);
        }
        self.phase = Phase::Loss;
        self.recover = next;
        self.window = self.mss;
    }

    fn reduce(&mut self, flight: u64) {
        self.ignored = false;
        let flight = flight.min(LARGEST);
        let threshold = match &mut self.growth {
            Growth::Reno(reno) => reno.reduce(flight),
            Growth::Cubic(cubic) => cubic.reduce(flight, self.mss),
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
