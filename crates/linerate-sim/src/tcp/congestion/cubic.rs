//! CUBIC: RFC 9438.
//!
//! In `f64` with sums, products, quotients and [`libm::cbrt`] only, so that every machine and every
//! build computes the same.

use linerate_core::units::{Span, Time};

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

impl Cubic {
    /// By how many bytes a `window` (with its segment size) grows for `counted` bytes.
    pub(super) fn grow(&mut self, (window, mss): (u64, u64), counted: u64, now: Time, rtt: Span) -> u64 {
        let segment = mss as f64;
        let window = window as f64 / segment;
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

    /// The slow start threshold after a loss. Source: RFC 9438, 4.6 and 4.7.
    pub(super) fn reduce(&mut self, flight: u64, mss: u64) -> u64 {
        let flight = flight as f64;
        let window = flight / mss as f64;
        self.largest = if window < self.largest { window * (1.0 + BETA) / 2.0 } else { window };
        self.prior = window;
        self.restart_epoch();
        libm::floor(flight * BETA) as u64
    }

    /// Restarts the time of growth (RFC 9438, 4.2: it does not run while the application limits the
    /// flow).
    pub(super) fn restart_epoch(&mut self) {
        self.epoch = None;
        self.rest = 0.0;
    }
}
