//! How long bits take, exactly, even where the time of a bit is not a whole number of picoseconds.

use linerate_core::units::{Span, Time};

/// An instant or a span as a pace counts it: exactly, even where a bit does not take a whole number
/// of picoseconds.
///
/// Unit: picoseconds divided by the denominator of the pace.
pub(crate) type Ticks = u128;

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
        Span::from_ps(self.ticks(bits).div_ceil(self.denominator as u128) as u64)
    }

    /// The fewest bits that last as long as `span`, or longer. If no bit is shorter than a
    /// picosecond, this is the inverse of [`Self::span`].
    #[must_use]
    pub const fn bits(self, span: Span) -> u64 {
        let Some(before) = span.as_ps().checked_sub(1) else { return 0 };
        // The bits that are over before the last picosecond of the span, and one.
        (before as u128 * self.denominator as u128 / self.numerator as u128) as u64 + 1
    }

    /// The time of `bits`, exactly.
    pub(crate) const fn ticks(self, bits: u64) -> Ticks {
        bits as u128 * self.numerator as u128
    }

    /// An instant, exactly.
    pub(crate) const fn instant(self, time: Time) -> Ticks {
        time.as_ps() as u128 * self.denominator as u128
    }

    /// A length of time, exactly.
    pub(crate) const fn length(self, span: Span) -> Ticks {
        span.as_ps() as u128 * self.denominator as u128
    }

    /// An instant, rounded up to a picosecond.
    pub(crate) const fn shown(self, instant: Ticks) -> Time {
        if self.denominator == 1 {
            return Time::from_ps(instant as u64);
        }
        Time::from_ps(instant.div_ceil(self.denominator as u128) as u64)
    }

    /// When a line that is free from `free` begins what it is given at `now`. A line that became
    /// free within the present picosecond has not been idle.
    pub(crate) const fn begin(self, free: Ticks, now: Time) -> Ticks {
        let now = self.instant(now);
        if free > now || (free > 0 && now - free < self.denominator as u128) { free } else { now }
    }
}

/// A line on which bits follow each other. The sum is exact and only the results are rounded, so
/// that a million cells end where they should.
#[derive(Clone, Copy, Debug)]
pub struct Serial {
    pace: Pace,
    /// When the line is free.
    free: Ticks,
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
        self.pace.shown(self.free)
    }

    /// Occupies the line for `bits` from `now` or from when it is free, whichever is later; returns
    /// when that begins and ends.
    pub fn occupy(&mut self, now: Time, bits: u64) -> [Time; 2] {
        let start = self.pace.begin(self.free, now);
        self.free = start + self.pace.ticks(bits);
        [self.pace.shown(start), self.pace.shown(self.free)]
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

    #[test]
    fn a_span_is_covered_by_the_fewest_bits_that_last_as_long() {
        let paces = [(1_000, 1), (781_250, 117), (66_000_000, 613_413), (20_000, 17), (7, 5)];
        for pace in paces.map(|(numerator, denominator)| Pace::new(numerator, denominator)) {
            assert_eq!(pace.bits(Span::ZERO), 0);
            for bits in [1, 2, 117, 123_457, 10_000_000_000] {
                let span = pace.span(bits);
                let around = [span, Span::from_ps(span.as_ps() + 1), Span::from_ps(span.as_ps() - 1)];
                for span in around {
                    let fewest = pace.bits(span);
                    assert!(pace.span(fewest) >= span, "{pace:?}: {fewest} bits in {span:?}");
                    assert!(
                        fewest == 0 || pace.span(fewest - 1) < span,
                        "{pace:?}: {fewest} bits in {span:?}"
                    );
                }
                assert_eq!(pace.bits(span), bits);
                assert_eq!(pace.bits(around[1]), bits + 1);
            }
        }
    }
}
