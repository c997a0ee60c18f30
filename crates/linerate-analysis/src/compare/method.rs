//! How two sides are judged, by how many runs they have.

use serde::{Deserialize, Serialize};

use super::Question;
use super::sides::Sides;

/// What runs of one path are taken to differ by where nothing is known: the standard deviation of the
/// logarithm of a figure.
pub const ASSUMED_SPREAD: f64 = 0.05;

/// From so many runs a side an interval can be bootstrapped: with fewer it covers too little.
const BOOTSTRAP_FROM: usize = 5;
/// From so many splits one in either direction has a share of at most 5 %.
const SPLITS_NEEDED: usize = 40;

/// How two sides are judged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "test", rename_all = "kebab-case")]
pub enum Method {
    /// A model without chance: every difference is one.
    Exact,
    /// Whole runs change sides in every way; Welch's t; step-down max-T over the family.
    Permutation {
        /// How the intervals were made.
        intervals: Intervals,
    },
    /// Welch's t and Holm's correction: too few runs for permutation.
    Welch,
    /// One run a side: the spread of the runs of this path in the history.
    History {
        /// How many runs of the history say so.
        runs: usize,
    },
    /// One run a side and no history: no verdict.
    OneEach,
}

/// How intervals were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intervals {
    /// Welch's t on logarithms.
    LogT,
    /// Runs drawn anew, and in each its rounds.
    Bootstrap,
}

impl Method {
    pub(super) fn choose(sides: &Sides<'_>, question: &Question) -> Self {
        let [base, candidate] = sides.counts();
        if sides.without_chance() {
            return Self::Exact;
        }
        if base == 1 && candidate == 1 {
            return question
                .spread
                .as_ref()
                .map_or(Self::OneEach, |spread| Self::History { runs: spread.runs });
        }
        if base < 2 || candidate < 2 || ways(base + candidate, base) < SPLITS_NEEDED {
            return Self::Welch;
        }
        let intervals =
            if base.min(candidate) >= BOOTSTRAP_FROM { Intervals::Bootstrap } else { Intervals::LogT };
        Self::Permutation { intervals }
    }
}

/// In how many ways `taken` of `all` can be chosen; at most [`usize::MAX`].
fn ways(all: usize, taken: usize) -> usize {
    (0..taken.min(all - taken))
        .try_fold(1_usize, |ways, nth| Some(ways.checked_mul(all - nth)? / (nth + 1)))
        .unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_splits_is_binomial() {
        for (all, taken, expected) in
            [(8, 4, 70), (6, 3, 20), (8, 3, 56), (10, 2, 45), (10, 8, 45), (3, 1, 3)]
        {
            assert_eq!(ways(all, taken), expected);
        }
        assert_eq!(ways(2_000, 1_000), usize::MAX);
    }
}
