//! Congestion avoidance of RFC 5681, section 3.1.

/// One segment a window.
#[derive(Debug, Default)]
pub(super) struct Reno {
    /// What was acknowledged and did not yet make a window. Unit: bytes.
    counted: u64,
}

impl Reno {
    /// By how much a window grows for `counted` bytes. Source: RFC 3465, 2.1.
    pub(super) fn grow(&mut self, window: u64, mss: u64, counted: u64) -> u64 {
        self.counted += counted;
        if self.counted < window {
            return 0;
        }
        self.counted -= window;
        mss
    }

    /// The slow start threshold after a loss. Source: RFC 5681, equation 4.
    pub(super) fn reduce(&mut self, flight: u64) -> u64 {
        self.counted = 0;
        flight / 2
    }
}
