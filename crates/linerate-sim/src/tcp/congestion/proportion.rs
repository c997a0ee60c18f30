//! Proportional rate reduction: RFC 9937, which replaces RFC 6937.

/// One recovery. Unit of all: bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Proportion {
    /// What was in flight when it began: `RecoverFS`.
    flight: u64,
    /// What was delivered since: `prr_delivered`.
    delivered: u64,
    /// What was sent since: `prr_out`.
    out: u64,
    /// Something is to be sent again.
    repairs: bool,
}

/// What an acknowledgement in recovery says.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Repair {
    /// Acknowledged or newly selected: `DeliveredData`.
    pub(in crate::tcp) delivered: u64,
    /// What is in the network.
    pub(in crate::tcp) pipe: u64,
    /// The acknowledgement moved on and no further loss was found: `SafeACK`.
    pub(in crate::tcp) is_safe: bool,
}

impl Proportion {
    /// A recovery begins with `flight` bytes outstanding that were not selected before this
    /// acknowledgement (RFC 9937, 6.1).
    pub(super) const fn new(flight: u64) -> Self {
        Self { flight, delivered: 0, out: 0, repairs: true }
    }

    /// The same without a loss.
    pub(super) const fn without_loss(flight: u64) -> Self {
        Self { repairs: false, ..Self::new(flight) }
    }

    /// Something was sent.
    pub(super) const fn sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// The window after an acknowledgement, on the way to `threshold` (RFC 9937, 6.2).
    pub(super) fn window(&mut self, repair: Repair, threshold: u64, mss: u64) -> u64 {
        let Repair { delivered, pipe, is_safe } = repair;
        self.delivered += delivered;
        let mut more = if pipe > threshold {
            let due = u128::from(self.delivered) * u128::from(threshold);
            let due = due.div_ceil(u128::from(self.flight.max(1)));
            u64::try_from(due).unwrap_or(u64::MAX).saturating_sub(self.out)
        } else {
            let more = self.delivered.saturating_sub(self.out).max(delivered);
            let more = if is_safe { more + mss } else { more };
            more.min(threshold - pipe)
        };
        if self.repairs && self.out == 0 && more == 0 {
            more = mss;
        }
        pipe + more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// RFC 9937, figure of 7: 20 segments in flight of which the first is lost, and a threshold of 10. Each
    /// acknowledgement delivers a segment; one is sent for every two of them, and half the flight is left.
    #[test]
    fn a_loss_halves_the_flight_evenly_over_a_round_trip() {
        let mut proportion = Proportion::new(20 * MSS);
        // Three were selected when recovery began: 16 in the network.
        let mut pipe = 16 * MSS;
        let mut sent = Vec::new();
        let window = proportion.window(Repair { delivered: 3 * MSS, pipe, is_safe: false }, 10 * MSS, MSS);
        let mut room = window - pipe;
        for _ in 0..17 {
            while room >= MSS {
                room -= MSS;
                pipe += MSS;
                proportion.sent(MSS);
                sent.push(pipe / MSS);
            }
            pipe -= MSS;
            let window = proportion.window(Repair { delivered: MSS, pipe, is_safe: false }, 10 * MSS, MSS);
            room = window.saturating_sub(pipe);
        }
        assert_eq!(sent.len(), 10, "{sent:?}");
        assert!(sent.windows(2).all(|pair| pair[1] <= pair[0]), "the flight only falls: {sent:?}");
        assert!((9 * MSS..=10 * MSS).contains(&pipe), "{pipe}");
    }

    /// RFC 9937, 6.2: below the threshold as much is sent as is delivered, and a segment more if the
    /// repairs get on.
    #[test]
    fn below_the_threshold_it_conserves_packets_or_grows_slowly() {
        let below = |is_safe| {
            let mut proportion = Proportion::new(20 * MSS);
            proportion.sent(15 * MSS);
            let repair = Repair { delivered: 2 * MSS, pipe: 4 * MSS, is_safe };
            proportion.window(repair, 10 * MSS, MSS)
        };
        assert_eq!((below(false), below(true)), (6 * MSS, 7 * MSS));
        let mut proportion = Proportion::new(20 * MSS);
        let repair = Repair { delivered: 9 * MSS, pipe: 8 * MSS, is_safe: true };
        assert_eq!(proportion.window(repair, 10 * MSS, MSS), 10 * MSS, "never beyond the threshold");
    }

    #[test]
    fn the_first_repeat_always_leaves() {
        let mut proportion = Proportion::new(20 * MSS);
        let repair = Repair { delivered: 0, pipe: 20 * MSS, is_safe: false };
        assert_eq!(proportion.window(repair, 10 * MSS, MSS), 21 * MSS);
    }
}
