//! The gains of ProbeBW: 4.3.4.

use linerate_core::units::Time;

/// 2/ln(2) (4.3.2.1).
pub(super) const HIGH_GAIN: f64 = 2.885_390_081_777_927;

/// 4.3.4.1.
const GAINS: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

/// Where it is in the cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    phase: usize,
    pub(super) begin: Time,
}

impl Default for Cycle {
    fn default() -> Self {
        Self { phase: 2, begin: Time::ZERO }
    }
}

impl Cycle {
    /// It begins anywhere but where it would drain (4.3.4.3). Flows that begin together are to
    /// differ, and a run is to be repeatable: so time and what was delivered choose.
    pub(super) const fn begin(now: Time, delivered: u64) -> Self {
        let mixed = (now.as_ps() ^ delivered.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let phase = match (mixed >> 40) % 7 {
            0 => 0,
            other => other as usize + 1,
        };
        Self { phase, begin: now }
    }

    pub(super) const fn gain(&self) -> f64 {
        GAINS[self.phase]
    }

    pub(super) const fn next(&mut self, now: Time) {
        self.phase = (self.phase + 1) % GAINS.len();
        self.begin = now;
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Span;

    use super::*;

    #[test]
    fn it_begins_in_every_phase_but_the_draining_one() {
        let mut seen = [0; 8];
        for step in 0..7000 {
            seen[Cycle::begin(Time::ZERO + Span::from_us(step), step * 1448).phase] += 1;
        }
        assert_eq!(seen[1], 0);
        assert!(seen.iter().enumerate().all(|(phase, count)| phase == 1 || *count > 700), "{seen:?}");
    }

    #[test]
    fn the_gains_of_a_cycle_send_what_is_delivered_4_3_4_1() {
        assert_eq!(GAINS.iter().sum::<f64>(), 8.0);
        let mut cycle = Cycle { phase: 7, begin: Time::ZERO };
        cycle.next(Time::ZERO);
        assert_eq!(cycle.gain(), 1.25);
        cycle.next(Time::ZERO);
        assert_eq!(cycle.gain(), 0.75);
    }
}
