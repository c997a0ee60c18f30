//! How the time is shared among the sizes.

use crate::units::Span;

/// What is left for the least certain sizes after the common rounds.
const REFINE_PERCENT: u64 = 30;
/// When time is short, every size may still use an even share of this part of it, so that the cheap
/// sizes get more than one message a trial.
const EVEN_PERCENT: u64 = 20;

/// What a size needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// Which size, by its place in the schedule.
    pub(super) index: usize,
    /// The least that one trial takes.
    pub(super) least: Span,
}

/// What a size gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    /// Which size, by its place in the schedule.
    pub(super) index: usize,
    /// In how many rounds it takes part.
    pub(super) rounds: u32,
    /// How long one trial of it may take.
    pub(super) each: Span,
}

/// A slice is split into at most this many shorter ones; each is written to the run file.
const MOST_PARTS: u64 = 8;

impl Slice {
    /// The same time in more rounds of shorter trials, each at least `enough` long: trials differ
    /// more from each other than samples within one trial, so more trials give more information.
    pub(super) fn split(self, enough: Span) -> Self {
        let parts = (self.each.as_ps() / enough.as_ps().max(1)).clamp(1, MOST_PARTS);
        Self { rounds: self.rounds.saturating_mul(parts as u32), each: self.each / parts, ..self }
    }
}

/// Shares `time` among `demands`.
///
/// When every size can have `rounds` trials within seven tenths of the time, all do, and the rest
/// of the time raises the cheapest to a common level. Otherwise the most expensive are cut to a
/// common level: they take part in fewer rounds, but in at least one.
pub(super) fn allot(demands: &[Demand], rounds: u32, time: Span) -> Vec<Slice> {
    let mut wanted: Vec<u64> =
        demands.iter().map(|demand| (demand.least * u64::from(rounds)).as_ps()).collect();
    let common = (time - time * REFINE_PERCENT / 100).as_ps();
    let enough = wanted.iter().map(|want| u128::from(*want)).sum::<u128>() <= u128::from(common);
    let even = if enough { Span::ZERO } else { time * EVEN_PERCENT / 100 / demands.len() as u64 };
    wanted.iter_mut().for_each(|want| *want = (*want).max(even.as_ps()));
    let level = if enough {
        level(common, |level| wanted.iter().map(|want| u128::from((*want).max(level))).sum())
    } else {
        level(time.as_ps(), |level| wanted.iter().map(|want| u128::from((*want).min(level))).sum())
    };
    let slice = |(demand, want): (&Demand, &u64)| {
        if enough {
            let each = Span::from_ps((*want).max(level)) / u64::from(rounds);
            return Slice { index: demand.index, rounds, each };
        }
        let each = demand.least.max(even / u64::from(rounds));
        let affordable = (*want).min(level) / each.as_ps().max(1);
        let rounds = u32::try_from(affordable).unwrap_or(rounds).clamp(1, rounds);
        Slice { index: demand.index, rounds, each }
    };
    demands.iter().zip(&wanted).map(slice).collect()
}

/// The highest level at which `total(level)` is at most `time`, by bisection.
fn level(time: u64, total: impl Fn(u64) -> u128) -> u64 {
    let (mut low, mut high) = (0, time);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if total(middle) <= u128::from(time) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn demands(least_ms: &[u64]) -> Vec<Demand> {
        let demand = |(index, ms): (usize, &u64)| Demand { index, least: Span::from_ms(*ms) };
        least_ms.iter().enumerate().map(demand).collect()
    }

    #[test]
    fn with_time_for_all_the_cheap_sizes_share_what_is_over() {
        let slices = allot(&demands(&[1, 1, 100]), 10, Span::from_ms(10_000));
        // 7000 ms in common: 1000 for the dear one's ten trials would do, so all get a third.
        assert!(slices.iter().all(|slice| slice.rounds == 10));
        assert!(slices.iter().all(|slice| slice.each.as_seconds() > 0.2332), "{slices:?}");
    }

    #[test]
    fn with_too_little_time_the_dear_sizes_take_part_in_fewer_rounds() {
        let slices = allot(&demands(&[1, 1, 100, 400]), 10, Span::from_ms(1_000));
        let rounds: Vec<u32> = slices.iter().map(|slice| slice.rounds).collect();
        assert_eq!(rounds, [10, 10, 4, 1]);
    }

    #[test]
    fn a_slice_is_split_into_trials_that_are_long_enough_and_not_too_many() {
        let slice = |rounds, ms| Slice { index: 0, rounds, each: Span::from_ms(ms) };
        assert_eq!(slice(9, 10).split(Span::from_ms(2)), slice(45, 2));
        assert_eq!(slice(9, 800).split(Span::from_ms(2)), slice(72, 100));
        assert_eq!(slice(3, 10).split(Span::from_ms(20)), slice(3, 10));
    }

    proptest! {
        #[test]
        fn the_shares_never_exceed_the_time_unless_one_trial_each_does(least in prop::collection::vec(1_u64..2_000, 1..200), rounds in 1_u32..20, ms in 10_u64..100_000) {
            let demands = demands(&least);
            let total: u64 = allot(&demands, rounds, Span::from_ms(ms)).iter().map(|slice| slice.each.as_ps() * u64::from(slice.rounds)).sum();
            let one_each: u64 = demands.iter().map(|demand| demand.least.as_ps()).sum();
            prop_assert!(total <= Span::from_ms(ms).as_ps() + one_each, "{total}");
        }
    }
}
