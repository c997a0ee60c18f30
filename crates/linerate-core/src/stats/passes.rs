//! What whole passes agree on.

use super::{Estimate, median};

/// The median of several passes, with an interval from the lowest to the highest end of their own.
///
/// What stays the same within a pass and differs between passes is in it, and one pass beside other work moves the median
/// no further than to its neighbour. A pass without an interval counts with its value alone. Absent without passes;
/// without an interval for one pass that has none. Unit: that of the estimates.
///
/// It holds for the next run more often than an interval of the mean of the passes, which shrinks with their number though
/// the next run does not: docs/method.md has the count.
#[must_use]
pub fn over_passes(passes: &[Estimate]) -> Option<Estimate> {
    let ends = |pass: &Estimate| pass.interval.unwrap_or([pass.median; 2]);
    let interval = passes.iter().map(ends).reduce(|[low, high], next| [low.min(next[0]), high.max(next[1])]);
    let known = passes.len() > 1 || passes.iter().any(|pass| pass.interval.is_some());
    let median = median(passes.iter().map(|pass| pass.median))?;
    Some(Estimate { median, interval: interval.filter(|_| known) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(median: f64, interval: Option<[f64; 2]>) -> Estimate {
        Estimate { median, interval }
    }

    #[test]
    fn one_crowded_pass_widens_the_interval_and_not_the_median() {
        let quiet = [8.0, 8.5, 9.0, 9.4].map(|median| estimate(median, Some([median - 0.5, median + 0.5])));
        let all = [&quiet[..], &[estimate(950.0, Some([20.0, 980.0]))]].concat();
        assert_eq!(over_passes(&all), Some(estimate(9.0, Some([7.5, 980.0]))));
    }

    #[test]
    fn a_pass_alone_keeps_its_own_interval() {
        for one in [estimate(5.0, None), estimate(5.0, Some([4.0, 6.0]))] {
            assert_eq!(over_passes(&[one]), Some(one));
        }
        assert_eq!(over_passes(&[]), None);
        let two = [estimate(5.0, None), estimate(7.0, None)];
        assert_eq!(over_passes(&two), Some(estimate(6.0, Some([5.0, 7.0]))));
    }
}
