//! BBR, version 1: draft-cardwell-iccrg-bbr-congestion-control-00. The sections are the draft's.

mod filter;
mod gains;

use filter::{Highest, Least};
use gains::{Cycle, HIGH_GAIN};
use linerate_core::units::{Rate, Span, Time};

use super::{Algorithm, CongestionControl, Flight, LARGEST, Marks, Pacing, Phase, Progress, Report, Window};

impl Algorithm {
    /// BBR, version 1: a model of the path sets rate and window.
    pub const BBR: Self = Self {
        name: "bbr",
        source: "Version 1: draft-cardwell-iccrg-bbr-congestion-control-00.",
        exact_ecn: false,
        build: |mss, rules| Box::new(Bbr::new(mss, rules.first_window(mss), None, Time::ZERO)),
    };
}

/// 4.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRoundTrip,
}

/// `BBRMinPipeCwnd` (4.2.3.1). Unit: segments.
const LEAST_WINDOW: u64 = 4;
/// `ProbeRTTDuration` (4.3.5).
const PROBE_RTT: Span = Span::from_ms(200);
/// What growth in three rounds ends Startup (4.3.2.2).
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// Pacing stays a percent below the estimate: `BBRPacingMarginPercent` of the draft's version 02,
/// 2.5, which Linux has in version 1 too.
const MARGIN: f64 = 0.99;

/// The most that leaves at once (4.2.2). Unit: bytes.
const LARGEST_QUANTUM: u64 = 64 << 10;

/// The state of BBR.
#[derive(Debug)]
pub(super) struct Bbr {
    mss: u64,
    initial_window: u64,
    state: State,
    bandwidth: Highest,
    rtt: Least,
    /// Rounds (4.1.1.3).
    round: u64,
    round_ends: u64,
    round_starts: bool,
    /// The pipe is full (4.3.2.2).
    filled: bool,
    full: f64,
    full_rounds: u32,
    cycle: Cycle,
    pacing: Rate,
    /// When ProbeRTT may end, once its small window is reached, and whether a round passed there.
    probe_ends: Option<Time>,
    probe_round: bool,
    /// The window before a recovery or ProbeRTT (4.2.3.4, 4.2.3.5).
    saved: u64,
    /// A round of recovery sends what is delivered (4.2.3.4).
    conserves_until: Option<u64>,
}

impl Bbr {
    /// `rtt` is that of the handshake (4.2.1.1).
    fn new(mss: u64, initial_window: u64, rtt: Option<Span>, now: Time) -> Self {
        let first = rtt.unwrap_or(Span::from_ms(1));
        let nominal = Rate::of(initial_window, first).map_or(0.0, Rate::bits_per_second);
        Self {
            mss,
            initial_window,
            state: State::Startup,
            bandwidth: Highest::default(),
            rtt: Least::new(rtt, now),
            round: 0,
            round_ends: 0,
            round_starts: false,
            filled: false,
            full: 0.0,
            full_rounds: 0,
            cycle: Cycle::default(),
            pacing: Rate::from_bits_per_second(HIGH_GAIN * nominal),
            probe_ends: None,
            probe_round: false,
            saved: 0,
            conserves_until: None,
        }
    }

    /// What leaves at once (4.2.2). Unit: bytes.
    fn quantum(&self) -> u64 {
        let rate = self.pacing.bits_per_second();
        if rate < 1.2e6 {
            self.mss
        } else if rate < 24e6 {
            2 * self.mss
        } else {
            ((rate / 8e3) as u64).min(LARGEST_QUANTUM)
        }
    }

    /// An acknowledgement; gives the new window (4.2.3, `BBRUpdateOnACK`).
    fn learn(&mut self, report: &Report, window: u64) -> u64 {
        self.count_round(report);
        if let Some(sample) = report.sample {
            let rate = sample.rate.bits_per_second();
            // The small window of ProbeRTT says nothing about the path (4.3.5).
            let limited = sample.limited || self.state == State::ProbeRoundTrip;
            if !limited || rate >= self.bandwidth.get() {
                self.bandwidth.add(rate, self.round);
            }
        }
        self.step_cycle(report);
        self.check_full(report);
        self.check_drain(report);
        let expired = self.rtt.add(report.rtt, report.now);
        let window = self.check_probe_rtt(expired, report, window);
        self.set_pacing();
        self.window(report, window)
    }

    fn count_round(&mut self, report: &Report) {
        self.round_starts = report.sample.is_some_and(|sample| sample.before >= self.round_ends);
        if self.round_starts {
            self.round_ends = report.total;
            self.round += 1;
            self.conserves_until = self.conserves_until.filter(|until| *until > self.round);
        }
    }

    fn step_cycle(&mut self, report: &Report) {
        if self.state != State::ProbeBandwidth {
            return;
        }
        let has_passed = report.now.since(self.cycle.begin) > self.rtt.get().unwrap_or(Span::ZERO);
        let gain = self.cycle.gain();
        let ends = if gain > 1.0 {
            has_passed && (report.lost > 0 || report.pipe_before >= self.inflight(gain))
        } else if gain < 1.0 {
            has_passed || report.pipe_before <= self.inflight(1.0)
        } else {
            has_passed
        };
        if ends {
            self.cycle.next(report.now);
        }
    }

    /// 4.3.2.2.
    fn check_full(&mut self, report: &Report) {
        let limited = report.sample.is_none_or(|sample| sample.limited);
        if self.filled || !self.round_starts || limited {
            return;
        }
        let bandwidth = self.bandwidth.get();
        if bandwidth >= self.full * FULL_GROWTH {
            (self.full, self.full_rounds) = (bandwidth, 0);
            return;
        }
        self.full_rounds += 1;
        self.filled = self.full_rounds >= FULL_ROUNDS;
    }

    /// 4.3.3.
    fn check_drain(&mut self, report: &Report) {
        if self.state == State::Startup && self.filled {
            self.state = State::Drain;
        }
        if self.state == State::Drain && report.pipe <= self.inflight(1.0) {
            self.probe_bandwidth(report);
        }
    }

    fn probe_bandwidth(&mut self, report: &Report) {
        self.state = State::ProbeBandwidth;
        self.cycle = Cycle::begin(report.now, report.total);
    }

    /// 4.3.5.
    fn check_probe_rtt(&mut self, expired: bool, report: &Report, mut window: u64) -> u64 {
        if expired && self.state != State::ProbeRoundTrip {
            self.state = State::ProbeRoundTrip;
            self.save(window);
            self.probe_ends = None;
        }
        if self.state != State::ProbeRoundTrip {
            return window;
        }
        if let Some(ends) = self.probe_ends {
            self.probe_round |= self.round_starts;
            if self.probe_round && report.now >= ends {
                self.rtt.renew(report.now);
                window = window.max(self.saved);
                self.saved = 0;
                if self.filled {
                    self.probe_bandwidth(report);
                } else {
                    self.state = State::Startup;
                }
            }
        } else if report.pipe <= LEAST_WINDOW * self.mss {
            self.probe_ends = Some(report.now + PROBE_RTT);
            self.probe_round = false;
            self.round_ends = report.total;
        }
        window
    }

    fn gains(&self) -> [f64; 2] {
        match self.state {
            State::Startup => [HIGH_GAIN, HIGH_GAIN],
            State::Drain => [1.0 / HIGH_GAIN, HIGH_GAIN],
            State::ProbeBandwidth => [self.cycle.gain(), 2.0],
            State::ProbeRoundTrip => [1.0, 1.0],
        }
    }

    /// 4.2.1.
    fn set_pacing(&mut self) {
        let [gain, _] = self.gains();
        let rate = gain * self.bandwidth.get() * MARGIN;
        if rate > 0.0 && (self.filled || rate > self.pacing.bits_per_second()) {
            self.pacing = Rate::from_bits_per_second(rate);
        }
    }

    /// `BBRInflight` (4.2.3.2). Unit: bytes.
    fn inflight(&self, gain: f64) -> u64 {
        let Some(rtt) = self.rtt.get() else { return self.initial_window };
        let bytes = gain * self.bandwidth.get() / 8.0 * rtt.as_seconds();
        (bytes as u64).next_multiple_of(self.mss) + 3 * self.quantum()
    }

    /// 4.2.3.6.
    fn window(&self, report: &Report, mut window: u64) -> u64 {
        let least = LEAST_WINDOW * self.mss;
        if report.lost > 0 {
            window = window.saturating_sub(report.lost).max(self.mss);
        }
        if self.conserves_until.is_some() {
            window = window.max(report.pipe + report.delivered);
        } else {
            let [_, gain] = self.gains();
            let target = self.inflight(gain);
            if self.filled {
                window = (window + report.delivered).min(target);
            } else if window < target || report.total < self.initial_window {
                window += report.delivered;
            }
            window = window.max(least);
        }
        if self.state == State::ProbeRoundTrip { window.min(least) } else { window }
    }

    fn save(&mut self, window: u64) {
        self.saved = self.saved.max(window);
    }

    /// A loss begins a recovery; gives the window, with `pipe` bytes in the network (4.2.3.4).
    fn recovers(&mut self, window: u64, (pipe, delivered, total): (u64, u64, u64)) -> u64 {
        self.save(window);
        self.round_ends = total;
        self.conserves_until = Some(self.round + 1);
        pipe + delivered.max(self.mss)
    }

    /// A recovery is over; gives the window (4.2.3.4).
    fn recovered(&mut self, window: u64) -> u64 {
        self.conserves_until = None;
        if self.state == State::ProbeRoundTrip {
            return window;
        }
        window.max(std::mem::take(&mut self.saved))
    }
}

impl CongestionControl for Bbr {
    /// How fast, and how much at once (4.2.1, 4.2.2).
    fn pacing(&self) -> Option<Pacing> {
        Some(Pacing { rate: self.pacing, quantum: self.quantum() })
    }

    fn opened(&mut self, rtt: Span, now: Time) {
        *self = Self::new(self.mss, self.initial_window, Some(rtt), now);
    }

    /// It sends again after the application had nothing to send (4.3.4.4).
    fn idle(&mut self, _: &mut Window) {
        if self.state == State::ProbeBandwidth {
            self.pacing = Rate::from_bits_per_second(self.bandwidth.get() * MARGIN);
        }
    }

    fn acknowledged(&mut self, window: &mut Window, progress: &Progress) {
        if window.end_phase(progress.position) {
            window.bytes = self.recovered(window.bytes);
        }
    }

    /// Version 1 models the path by its rate and delay alone.
    fn marked(&mut self, _: &mut Window, _: &Progress, _: Marks) -> bool {
        false
    }

    fn report(&mut self, window: &mut Window, report: &Report) -> bool {
        window.bytes = self.learn(report, window.bytes).min(LARGEST);
        self.state == State::ProbeRoundTrip
    }

    fn lost(&mut self, window: &mut Window, flight: &Flight) {
        window.bytes = self.recovers(window.bytes, (flight.pipe, flight.delivered, flight.total));
    }

    /// Nothing: the loss was repaired, and the model has the rate.
    fn lost_tail(&mut self, _: &mut Window, _: u64) {}

    /// 4.2.3.4.
    fn timed_out(&mut self, window: &mut Window, _: u64, _: bool) {
        if window.phase() != Phase::Loss {
            self.save(window.bytes);
            self.conserves_until = None;
            self.full = 0.0;
        }
    }
}

#[cfg(test)]
mod tests;
