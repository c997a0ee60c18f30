//! DCTCP: RFC 8257.

use super::reno::Reno;
use super::{Algorithm, Cause, CongestionControl, Flight, Marks, Progress, Window, standard};

impl Algorithm {
    /// DCTCP: marks reduce the window by their share.
    pub const DCTCP: Self = Self {
        name: "dctcp",
        source: "RFC 8257, which asks for ECN.",
        exact_ecn: true,
        build: |_, _| Box::new(Dctcp::new()),
    };
}

/// The weight of the latest window in the share of marks: g of RFC 8257, 4.2.
const GAIN: f64 = 1.0 / 16.0;

/// The share of what is marked, and the window of Reno.
#[derive(Debug)]
pub(super) struct Dctcp {
    reno: Reno,
    /// DCTCP.Alpha, from 0 to 1.
    alpha: f64,
    /// Acknowledged in this window of data, and of that with marks. Unit: bytes.
    acknowledged: u64,
    marked: u64,
    /// The window of data ends when more than this is acknowledged.
    end: u64,
}

impl Dctcp {
    /// RFC 8257, 3.3: as if everything had been marked.
    fn new() -> Self {
        Self { reno: Reno::default(), alpha: 1.0, acknowledged: 0, marked: 0, end: 1 }
    }

    /// An acknowledgement of new data, marked or not (RFC 8257, 3.3, steps 1 to 9).
    fn count(&mut self, progress: &Progress, marked: bool) {
        self.acknowledged += progress.bytes;
        self.marked += if marked { progress.bytes } else { 0 };
        if progress.position <= self.end || self.acknowledged == 0 {
            return;
        }
        let share = self.marked as f64 / self.acknowledged as f64;
        self.alpha = (1.0 - GAIN) * self.alpha + GAIN * share;
        (self.acknowledged, self.marked, self.end) = (0, 0, progress.next);
    }
}

impl CongestionControl for Dctcp {
    fn grow(&mut self, window: &Window, counted: u64, progress: &Progress) -> u64 {
        self.reno.grow(window, counted, progress)
    }

    /// After a mark (RFC 8257, 3.3) or a loss (3.5).
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a window")]
    fn reduce(&mut self, window: &Window, flight: u64, cause: Cause) -> u64 {
        let half = self.reno.reduce(window, flight, cause);
        match cause {
            Cause::Loss => half,
            Cause::Mark => (flight as f64 * (1.0 - self.alpha / 2.0)) as u64,
        }
    }

    fn marked(&mut self, window: &mut Window, progress: &Progress, marks: Marks) -> bool {
        self.count(progress, marks.marked);
        standard::marked(self, window, progress, marks)
    }

    /// A loss counts for more than a few marks (RFC 8257, 3.5).
    fn lost(&mut self, window: &mut Window, flight: &Flight) {
        let flight = Flight { is_reduced: false, ..*flight };
        standard::lost(self, window, &flight);
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Time;

    use super::super::RoundTrip;
    use super::*;

    /// Windows of ten segments of 1000 B, of which the first `marked` are marked.
    fn windows(dctcp: &mut Dctcp, marked: &[u64]) {
        for (number, marked) in (0..).zip(marked) {
            for place in 0..10 {
                let position = 1 + number * 10_000 + (place + 1) * 1000;
                let progress = Progress {
                    bytes: 1000,
                    pipe: 10_000,
                    outstanding: 9000,
                    position,
                    next: position + 9000,
                    now: Time::ZERO,
                    rtt: RoundTrip::default(),
                };
                dctcp.count(&progress, place < *marked);
            }
        }
    }

    /// RFC 8257, 3.3: alpha is 1 at first, and g = 1/16 (4.2): the first acknowledgement ends a window of
    /// one segment, unmarked here, and each of the next two windows of ten ends with the first of the next.
    #[test]
    fn alpha_follows_the_share_of_marks_3_3() {
        let mut dctcp = Dctcp::new();
        windows(&mut dctcp, &[0, 0, 0]);
        let expected = (15.0_f64 / 16.0).powi(3);
        assert!((dctcp.alpha - expected).abs() < 1e-12, "{}", dctcp.alpha);
        let mut dctcp = Dctcp::new();
        windows(&mut dctcp, &[10; 100]);
        assert!((dctcp.alpha - 1.0).abs() < 1e-12);
        // Three of ten for ever.
        windows(&mut dctcp, &[3; 200]);
        assert!((dctcp.alpha - 0.3).abs() < 0.01, "{}", dctcp.alpha);
    }

    #[test]
    fn a_mark_takes_half_of_alpha_and_a_loss_half_3_3_and_3_5() {
        let mut dctcp = Dctcp { alpha: 0.25, ..Dctcp::new() };
        let rules = crate::tcp::Rules::find("linux-modern").expect("it is shipped").congestion;
        let window = Window::new(rules, 1000);
        assert_eq!(dctcp.reduce(&window, 80_000, Cause::Mark), 70_000);
        assert_eq!(dctcp.reduce(&window, 80_000, Cause::Loss), 40_000);
    }
}
