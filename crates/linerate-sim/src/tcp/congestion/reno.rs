//! Congestion avoidance of RFC 5681, section 3.1.

use super::{Algorithm, Cause, CongestionControl, Progress, Window};

impl Algorithm {
    /// Reno: half of the window is left after a loss.
    pub const RENO: Self =
        Self { name: "reno", source: "RFC 5681.", exact_ecn: false, build: |_, _| Box::new(Reno::default()) };
}

/// One segment a window.
#[derive(Debug, Default)]
pub(super) struct Reno {
    /// What was acknowledged and did not yet make a window. Unit: bytes.
    counted: u64,
}

impl CongestionControl for Reno {
    /// Source: RFC 3465, 2.1.
    fn grow(&mut self, window: &Window, counted: u64, _: &Progress) -> u64 {
        self.counted += counted;
        if self.counted < window.bytes {
            return 0;
        }
        self.counted -= window.bytes;
        window.mss
    }

    /// Source: RFC 5681, equation 4.
    fn reduce(&mut self, _: &Window, flight: u64, _: Cause) -> u64 {
        self.counted = 0;
        flight / 2
    }
}
