//! Random numbers by the number of a photon: what becomes of it does not depend on who traces it.

use rand::Rng;
use rand_pcg::Pcg64;

/// How many random numbers a photon may take: its stream begins so many after that of the one before.
pub(crate) const EACH: u128 = 1 << 16;
/// The multiplier of PCG with 128 bits of state.  Source: O'Neill, "PCG: a family of simple fast space-efficient
/// statistically good algorithms for random number generation", 2014, and its reference code.
const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;
/// Which of PCG's sequences. Any would do.
const SEQUENCE: u128 = 0x6C69_6E65_7261_7465;
const INCREMENT: u128 = (SEQUENCE << 1) | 1;

/// A step of a linear congruential generator, or many steps at once.
#[derive(Clone, Copy, Debug)]
struct Step {
    factor: u128,
    addend: u128,
}

impl Step {
    const ONE: Self = Self { factor: MULTIPLIER, addend: INCREMENT };

    /// This one after `first`.
    const fn after(self, first: Self) -> Self {
        let addend = self.factor.wrapping_mul(first.addend).wrapping_add(self.addend);
        Self { factor: self.factor.wrapping_mul(first.factor), addend }
    }

    /// So many steps.  Source: Brown, "Random number generation with arbitrary stride", 1994.
    const fn many(mut count: u128) -> Self {
        let (mut square, mut found) = (Self::ONE, Self { factor: 1, addend: 0 });
        while count > 0 {
            if count & 1 == 1 {
                found = square.after(found);
            }
            square = square.after(square);
            count >>= 1;
        }
        found
    }

    const fn of(self, state: u128) -> u128 {
        self.factor.wrapping_mul(state).wrapping_add(self.addend)
    }
}

/// The streams of photons, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    /// The state before the next stream's first.
    state: u128,
    to_next: Step,
}

impl Streams {
    /// From photon `first` on.
    pub(crate) const fn from(seed: u64, first: u64) -> Self {
        let start = (seed as u128).wrapping_add(INCREMENT);
        Self { state: Step::many(first as u128 * EACH).of(start), to_next: Step::many(EACH) }
    }

    /// The stream of the next photon.
    #[inline]
    pub(crate) fn next(&mut self) -> Stream {
        let generator = Pcg64::new(self.state.wrapping_sub(INCREMENT), SEQUENCE);
        self.state = self.to_next.of(self.state);
        Stream(generator)
    }
}

/// The random numbers of one photon.
#[derive(Clone, Debug)]
pub(crate) struct Stream(Pcg64);

impl Stream {
    /// The next one: uniform from 0 to below 1, in steps of 2^-53.
    #[inline]
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_the_generator_advanced_by_the_photons_number() {
        let mut streams = Streams::from(7, 0);
        for photon in 0..100_u64 {
            let mut expected = Pcg64::new(7, SEQUENCE);
            expected.advance(u128::from(photon) * EACH);
            let mut jumped = Streams::from(7, photon).next();
            let mut next = streams.next();
            for _ in 0..10 {
                let value = expected.next_u64();
                assert_eq!([jumped.0.next_u64(), next.0.next_u64()], [value; 2], "photon {photon}");
            }
        }
    }

    #[test]
    fn numbers_of_neighbouring_streams_are_independent() {
        // Streams begin a power of two apart, so their low bits are the same. The products of what two neighbours draw first
        // have the mean 1/4, with a standard deviation of sqrt(1/9 - 1/16).
        let mut streams = Streams::from(1, 0);
        let first: Vec<f64> = (0..100_001).map(|_| streams.next().uniform()).collect();
        let mean = |of: &dyn Fn(&[f64]) -> f64| first.windows(2).map(of).sum::<f64>() / 1e5;
        assert!((mean(&|pair| pair[0]) - 0.5).abs() < 4.0 * (1.0_f64 / 12.0 / 1e5).sqrt());
        assert!((mean(&|pair| pair[0] * pair[1]) - 0.25).abs() < 4.0 * (7.0_f64 / 144.0 / 1e5).sqrt());
    }
}
