//! How much leaves at once where the adaptor cuts it into segments (TSO).

use linerate_core::units::Span;

use super::Connection;
use super::output::Plan;

/// What leaves at once is no more than the path takes in this time. Source: from memory, of Linux, which
/// sizes it by the rate of the flow (ip-sysctl, `tcp_min_tso_segs`).
const AT_ONCE: Span = Span::from_ms(1);

/// At least this many segments. Source: ip-sysctl, `tcp_min_tso_segs`.
const LEAST_SEGMENTS: u64 = 2;

impl Connection {
    /// How much payload is worth handing over at once, of at most `most` bytes: whole segments, by
    /// the rate of the flow. Unit: bytes.
    #[must_use]
    pub fn worth_at_once(&self, most: u64) -> u64 {
        let mss = u64::from(self.agreed.mss);
        let rate = match (self.congestion.pacing(), self.smoothed_rtt()) {
            (Some(pacing), _) => Some(pacing.rate.bits_per_second() / 8.0),
            (None, Some(rtt)) if rtt > Span::ZERO => {
                // ip-sysctl, `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`.
                let slow = self.congestion.window.bytes < self.congestion.window.threshold / 2;
                let ratio = if slow { 2.0 } else { 1.2 };
                Some(ratio * self.congestion.window.bytes as f64 / rtt.as_seconds())
            }
            (None, _) => None,
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is positive")]
        let worth = rate.map_or(most, |rate| (rate * AT_ONCE.as_seconds()) as u64);
        let worth = worth.max(LEAST_SEGMENTS * mss).min(most);
        (worth / mss).max(1) * mss
    }

    /// The payload of the next segment, if it is new data. Unit: bytes.
    #[must_use]
    pub fn next_new(&self) -> Option<u32> {
        match self.plan()? {
            Plan::New(length) => Some(length as u32),
            _ => None,
        }
    }

    /// How much new data could leave now, of at most `most` bytes. Unit: bytes.
    #[must_use]
    pub fn ready_at_once(&self, most: u64) -> u64 {
        let Some(first) = self.next_new() else { return 0 };
        let next = self.board.next();
        let unsent = self.writer.end.saturating_sub(next);
        let room = self.congestion.window.room(self.board.pipe());
        unsent.min(self.peer.usable(next)).min(room).min(self.worth_at_once(most)).max(u64::from(first))
    }
}
