//! How long bits take, exactly: also where the time of a bit is no whole number of picoseconds.

use linerate_core::units::{Span, Time};

/// The time of one bit as a fraction.
///
/// Unit: `numerator / denominator` picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pace {
    numerator: u64,
    denominator: u64,
}

impl Pace {
    /// A bit takes `numerator / denominator` picoseconds; the fraction is reduced.
    ///
    /// # Panics
    ///
    /// If either is zero.
    #[must_use]
    pub const fn new(numerator: u64, denominator: u64) -> Self {
        assert!(numerator > 0 && denominator > 0, "a bit takes some time");
        let (mut a, mut b) = (numerator, denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Self { numerator: numerator / a, denominator: denominator / a }
    }

    /// The pace of `bits` per second.
    ///
    /// # Panics
    ///
    /// If `bits` is zero.
    #[must_use]
    pub const fn of_bits_per_second(bits: u64) -> Self {
        Self::new(1_000_000_000_000, bits)
    }

    /// Bits per second.
    #[must_use]
    pub fn bits_per_second(self) -> f64 {
        1e12 * self.denominator as f64 / self.numerator as f64
    }

    /// The time of `bits`, rounded up to a picosecond.
    #[must_use]
    pub const fn span(self, bits: u64) -> Span {
        if self.denominator == 1 {
            return Span::from_ps(bits * self.numerator);
        }
        let exact = bits as u128 * self.numerator as u128;
        Span::from_ps(exact.div_ceil(self.denominator as u128) as u64)
    }
}

/// A line on which bits follow each other, kept exactly: what is rounded is what is shown, never
/// what is added to, so that a million cells end where they should.
#[derive(Clone, Copy, Debug)]
pub struct Serial {
    pace: Pace,
    /// When the line is free. Unit: picoseconds / denominator.
    free: u128,
}

impl Serial {
    /// A line that is free from time zero.
    #[must_use]
    pub const fn new(pace: Pace) -> Self {
        Self { pace, free: 0 }
    }

    /// The pace of its bits.
    #[must_use]
    pub const fn pace(&self) -> Pace {
        self.pace
    }

    /// When it is free, rounded up to a picosecond.
    #[must_use]
    pub const fn free_at(&self) -> Time {
        self.shown(self.free)
    }

    /// Occupies the line for `bits` from `now` or from when it is free, whichever is later; gives
    /// when that begins and ends.
    pub fn occupy(&mut self, now: Time, bits: u64) -> [Time; 2] {
        let now = now.as_ps() as u128 * self.pace.denominator as u128;
        // A line that became free within the present picosecond has not been idle.
        let start = if now.saturating_sub(self.free) < self.pace.denominator as u128 && self.free > 0 {
            self.free
        } else {
            self.free.max(now)
        };
        self.free = start + bits as u128 * self.pace.numerator as u128;
        [self.shown(start), self.shown(self.free)]
    }

    /// When so many bits after the line became free have passed, rounded up to a picosecond.
    #[must_use]
    pub const fn after(&self, bits: u64) -> Time {
        self.shown(self.free + bits as u128 * self.pace.numerator as u128)
    }

    const fn shown(&self, exact: u128) -> Time {
        if self.pace.denominator == 1 {
            return Time::from_ps(exact as u64);
        }
        Time::from_ps(exact.div_ceil(self.pace.denominator as u128) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SPE payload of STS-3c. Unit: bit/s.
    const OC3C: u64 = 149_760_000;

    #[test]
    fn a_million_cells_end_where_they_should() {
        let mut line = Serial::new(Pace::of_bits_per_second(OC3C));
        let mut end = Time::ZERO;
        for _ in 0..1_000_000 {
            // Asked for at the instant when the one before is seen to end.
            end = line.occupy(end, 53 * 8)[1];
        }
        let exact = 1_000_000_u128 * 53 * 8 * 1_000_000_000_000;
        assert_eq!(u128::from(end.as_ps()), exact.div_ceil(u128::from(OC3C)));
    }

    #[test]
    fn an_idle_line_begins_when_it_is_asked() {
        let mut line = Serial::new(Pace::of_bits_per_second(1_000_000_000));
        assert_eq!(line.occupy(Time::from_ps(7), 8), [Time::from_ps(7), Time::from_ps(8_007)]);
        assert_eq!(line.occupy(Time::from_ps(9), 1), [Time::from_ps(8_007), Time::from_ps(9_007)]);
        assert_eq!(line.occupy(Time::from_ps(20_000), 1)[0], Time::from_ps(20_000));
    }

    #[test]
    fn a_pace_is_reduced() {
        assert_eq!(Pace::of_bits_per_second(1_000_000_000), Pace::new(1_000, 1));
        assert_eq!(Pace::of_bits_per_second(OC3C), Pace::new(781_250, 117));
        assert_eq!(Pace::new(20_000, 17).span(17 * 8), Span::from_ps(160_000));
    }
}
