//! CUBIC: RFC 9438.
//!
//! In `f64` with sums, products, quotients and [`libm::cbrt`] only, so that every machine and every
//! build computes the same.

use linerate_core::units::Time;

use super::hystart::{HyStart, Step};
use super::{Algorithm, Cause, CongestionControl, Progress, Window};

impl Algorithm {
    /// CUBIC: the window grows with the cube of the time since the last loss.
    pub const CUBIC: Self = Self {
        name: "cubic",
        source: "RFC 9438.",
        exact_ecn: false,
        build: |_, rules| Box::new(Cubic { hystart: rules.hystart.then(HyStart::new), ..Cubic::default() }),
    };
}

/// How fast it grows. Unit: segments a second cubed. Source: RFC 9438, 5.
const C: f64 = 0.4;

/// What a loss leaves of the window. Source: RFC 9438, 4.6.
const BETA: f64 = 0.7;

/// Its state; windows in segments.
#[derive(Debug, Default)]
pub(super) struct Cubic {
    /// The window before the last reduction, or less by fast convergence.
    largest: f64,
    /// The window before the last reduction.
    prior: f64,
    epoch: Option<Epoch>,
    /// The fraction of a segment by which the window should have grown and did not.
    rest: f64,
    /// Ends the first slow start early, if the rules have it: nothing is known of the path before.
    hystart: Option<HyStart>,
}

/// Congestion avoidance since the last reduction.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    begin: Time,
    /// Seconds until the window is the largest again: K.
    rise: f64,
    /// The window where the curve is flat: `W_max`.
    plateau: f64,
    /// What Reno would have: `W_est`.
    reno: f64,
}

impl CongestionControl for Cubic {
    fn grow(&mut self, window: &Window, counted: u64, progress: &Progress) -> u64 {
        let (now, rtt) = (progress.now, progress.rtt.smoothed);
        let segment = window.mss as f64;
        let window = window.bytes as f64 / segment;
        let counted = counted as f64 / segment;
        let largest = self.largest;
        let epoch = self.epoch.get_or_insert_with(|| Epoch {
            begin: now,
            // RFC 9438, equation 2.
            rise: if largest > window { libm::cbrt((largest - window) / C) } else { 0.0 },
            plateau: largest.max(window),
            reno: window,
        });
        // RFC 9438, equation 1.
        let cubic = |seconds: f64| {
            let apart = seconds - epoch.rise;
            C * apart * apart * apart + epoch.plateau
        };
        let elapsed = now.since(epoch.begin).as_seconds();
        // RFC 9438, 4.3, equation 4.
        let alpha = if epoch.reno >= self.prior { 1.0 } else { 3.0 * (1.0 - BETA) / (1.0 + BETA) };
        let reno = epoch.reno + alpha * counted / window;
        let gain = if cubic(elapsed) < reno {
            (reno - window).max(0.0)
        } else {
            // RFC 9438, 4.2, 4.4 and 4.5.
            let target = cubic(elapsed + rtt.as_seconds()).clamp(window, 1.5 * window);
            (target - window) / window * counted
        };
        epoch.reno = reno;
        self.rest += gain * segment;
        let whole = libm::floor(self.rest);
        self.rest -= whole;
        whole as u64
    }

    /// Source: RFC 9438, 4.6 and 4.7.
    fn reduce(&mut self, window: &Window, flight: u64, _: Cause) -> u64 {
        self.hystart = None;
        let flight = flight as f64;
        let window = flight / window.mss as f64;
        self.largest = if window < self.largest { window * (1.0 + BETA) / 2.0 } else { window };
        self.prior = window;
        self.restart_growth();
        libm::floor(flight * BETA) as u64
    }

    fn restart_growth(&mut self) {
        self.epoch = None;
        self.rest = 0.0;
    }

    fn ends_slow_start(&mut self, window: &Window, progress: &Progress) -> bool {
        let Some(hystart) = &mut self.hystart else { return false };
        let step = Step {
            position: progress.position,
            next: progress.next,
            rtt: progress.rtt.sample,
            least_rtt: progress.rtt.least,
            window: window.bytes / window.mss,
        };
        let ends = hystart.ends(step, progress.now);
        if ends {
            self.hystart = None;
        }
        ends
    }
}
