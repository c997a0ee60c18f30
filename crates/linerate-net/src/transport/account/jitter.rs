//! How much the transit times of messages differ.

use linerate_core::units::Span;

/// Interarrival jitter.  Source: RFC 3550, section 6.4.1 and appendix A.8, whose integer form this is.
#[derive(Debug, Default)]
pub(super) struct Jitter {
    /// Difference of the two clocks at the last message, which wraps. Unit: nanoseconds.
    transit_ns: Option<u64>,
    /// Sixteen times the estimate. Unit: nanoseconds.
    scaled_ns: u64,
}

impl Jitter {
    #[inline]
    pub(super) fn arrived(&mut self, sent_ns: u64, now_ns: u64) {
        let transit_ns = now_ns.wrapping_sub(sent_ns);
        if let Some(last_ns) = self.transit_ns.replace(transit_ns) {
            let difference_ns = transit_ns.wrapping_sub(last_ns).cast_signed().unsigned_abs();
            let decay_ns = (self.scaled_ns + 8) >> 4;
            self.scaled_ns = (self.scaled_ns - decay_ns.min(self.scaled_ns)).saturating_add(difference_ns);
            // Times that no clock shows must not overflow the next step.
            self.scaled_ns = self.scaled_ns.min(u64::MAX >> 1);
        }
    }

    pub(super) const fn estimate(&self) -> Span {
        Span::from_ns(self.scaled_ns >> 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_that_of_the_standard() {
        // Transit times of 10, 26 and 10 us: |D| is 16 us twice.
        let mut jitter = Jitter::default();
        for (sent_ns, transit_ns) in [(0, 10_000), (1000, 26_000), (2000, 10_000)] {
            jitter.arrived(sent_ns, sent_ns + transit_ns);
        }
        // J1 = 16/16 = 1 us; J2 = 1 + (16 - 1)/16 = 1.9375 us.
        assert_eq!(jitter.estimate(), Span::from_ns(1937));
    }

    #[test]
    fn clocks_need_not_agree() {
        let mut jitter = Jitter::default();
        for (sent_ns, now_ns) in [(1_000, 500), (2_000, 1_500), (3_000, 2_660)] {
            jitter.arrived(sent_ns, now_ns);
        }
        assert_eq!(jitter.estimate(), Span::from_ns(10), "a sixteenth of the first difference");
    }

    #[test]
    fn times_that_no_clock_shows_do_not_overflow() {
        let mut jitter = Jitter::default();
        for sent_ns in [0, u64::MAX / 2, 0, u64::MAX, 1 << 63, 0, 1 << 63] {
            jitter.arrived(sent_ns, 0);
        }
        assert!(jitter.estimate() > Span::ZERO);
    }
}
