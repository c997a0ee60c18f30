//! Which rounds of messages that overlap time the path, and not a burst.

use super::cost::LUMP;
use crate::series::{Round, Series};
use crate::units::Span;

/// A round that moved this part of the most that any round moved is judged by itself,
const LONG_PART: u64 = 4;
/// as is one that moved this many bytes; no path lets more than a small part of it burst.
const LONG: u64 = 64 << 20;
/// But one of fewer bytes is not, unless it is half of the most: a path may deliver them in eight lumps,
/// and between two of them nothing tells how late the receiver is.
const LONG_LEAST: u64 = 8 * LUMP;
const LEAST_PART: u64 = 2;
/// A shorter one is settled if its rate is at most this much above the [`highest`] of those.
const ABOVE: f64 = 1.005;
/// So many rounds next to each other, of one size or of neighbours, are asked for a rate: their middle one. A receiver that
/// came late to the first message of a round, behind other work, makes that one round fast.
const NEIGHBOURS: usize = 3;

/// What is known of the rounds so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Settling {
    /// Of each size, by its place in the schedule, and each of its rounds: whether the receiver kept
    /// up with what arrived, for long enough.
    steady: Vec<Vec<bool>>,
    /// The most bytes that one steady round timed.
    most: u64,
}

impl Settling {
    pub(super) fn new(sizes: usize) -> Self {
        Self { steady: vec![Vec::new(); sizes], most: 0 }
    }

    /// Takes the last round of the size at `index`, which should have lasted for `least`. Returns
    /// whether the receiver kept up with what arrived, for long enough.
    pub(super) fn add(&mut self, series: &Series, index: usize, least: Span) -> bool {
        let point = &series.points[index];
        let Some(round) = point.rounds.last() else { return true };
        let steady = round.sustained && round.mean * round.messages() >= least;
        self.steady[index].push(steady);
        if steady {
            self.most = self.most.max(bytes(point.size, round));
        }
        steady
    }

    /// How many bytes a round moves that is judged by itself.
    pub(super) fn long(&self) -> u64 {
        (self.most / LONG_PART).max(LONG_LEAST.min(self.most / LEAST_PART)).min(LONG)
    }

    /// Judges all rounds, by what was seen up to now.
    ///
    /// A burst makes a short round fast, and a long one less so. So a short round counts only if it is
    /// no faster than the long ones. Where even those are of a few lumps, they count only beside each other.
    pub(super) fn judge(&self, series: &mut Series) {
        let mut long = Vec::new();
        self.each(series, |size, round, steady| {
            if steady && bytes(size, round) >= self.long() {
                long.push(rate(size, round));
            }
        });
        let highest = if self.most < LONG_LEAST { highest_of_few(&long) } else { highest(&long) };
        self.each(series, |size, round, steady| {
            let short = bytes(size, round) < self.long().max(LONG_LEAST);
            round.sustained = steady && !(short && rate(size, round) > highest * ABOVE);
        });
    }

    fn each(&self, series: &mut Series, mut look: impl FnMut(u64, &mut Round, bool)) {
        for (point, steady) in series.points.iter_mut().zip(&self.steady) {
            for (round, steady) in point.rounds.iter_mut().zip(steady) {
                look(point.size, round, *steady);
            }
        }
    }
}

/// The highest rate that lasted, of long rounds in the order of their sizes: that of the middle one of [`NEIGHBOURS`]. Of fewer,
/// the highest.
fn highest(rates: &[f64]) -> f64 {
    let three = rates.windows(NEIGHBOURS).filter_map(|some| <[f64; NEIGHBOURS]>::try_from(some).ok());
    let middle = |mut some: [f64; NEIGHBOURS]| {
        some.sort_by(f64::total_cmp);
        some[NEIGHBOURS / 2]
    };
    three.map(middle).reduce(f64::max).unwrap_or_else(|| rates.iter().copied().fold(0.0, f64::max))
}

/// The same where one lump, or the rest of a burst, may be a large part of every round: of two, the slower one.
fn highest_of_few(rates: &[f64]) -> f64 {
    match rates {
        [first, second] => first.min(*second),
        other => highest(other),
    }
}

fn bytes(size: u64, round: &Round) -> u64 {
    round.messages().saturating_mul(size)
}

/// Bytes a picosecond.
fn rate(size: u64, round: &Round) -> f64 {
    size as f64 / round.mean.as_ps().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_round_alone_is_not_the_rate_of_the_path() {
        assert_eq!(highest(&[94.1, 94.7, 94.2, 94.1]), 94.2);
        assert_eq!(highest(&[50.0, 94.0, 94.2, 94.1, 70.0]), 94.1, "where it is highest");
        assert_eq!(highest(&[94.1, 94.7]), 94.7, "two do not tell which is wrong");
        assert_eq!(highest(&[]), 0.0);
        assert_eq!(highest_of_few(&[7.67, 4.43]), 4.43, "the first had what the bucket had left");
        assert_eq!(highest_of_few(&[7.67, 4.43, 4.44]), 4.44);
        assert_eq!(highest_of_few(&[4.43]), 4.43);
    }

    #[test]
    fn a_round_is_long_beside_the_longest_and_beside_what_arrives_at_once() {
        let long = |most| Settling { steady: Vec::new(), most }.long();
        assert_eq!(long(40 << 20), 10 << 20);
        assert_eq!(long(1 << 30), LONG);
        assert_eq!(long(1_180_000), 8 * 65_536, "a quarter would be five lumps");
        assert_eq!(long(600_000), 300_000, "nothing longer will come");
        assert_eq!(long(0), 0);
    }
}
