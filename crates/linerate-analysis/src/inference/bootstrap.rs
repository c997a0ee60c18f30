//! The ratio of medians by a hierarchical bootstrap: runs are drawn, and in each drawn run its rounds.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::ALPHA;
use linerate_core::stats::median;

/// Resamplings for an interval.
const RESAMPLES: usize = 2_000;

/// One run: the logarithms of what its rounds gave.
pub type Unit = Vec<f64>;

/// The 95 % interval of the difference of the medians of `second` and `first`, each the median over its
/// runs of the median of their rounds. It covers too little below five runs a side (70 to 94 % instead
/// of 95), so it is absent there, as it is if a run has no rounds.
/// Source: Davison and Hinkley, Bootstrap Methods and their Application (1997), section 3.8.
#[must_use]
pub fn hierarchical(first: &[Unit], second: &[Unit]) -> Option<[f64; 2]> {
    if first.len() < 5 || second.len() < 5 || first.iter().chain(second).any(Vec::is_empty) {
        return None;
    }
    let mut random = Pcg64::new(1, 7);
    let mut found: Vec<f64> =
        (0..RESAMPLES).map(|_| redrawn(second, &mut random) - redrawn(first, &mut random)).collect();
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found[((share * RESAMPLES as f64) as usize).min(RESAMPLES - 1)];
    Some([at(ALPHA / 2.0), at(1.0 - ALPHA / 2.0)])
}

fn redrawn(runs: &[Unit], random: &mut Pcg64) -> f64 {
    let medians = (0..runs.len()).map(|_| {
        let run = &runs[random.random_range(0..runs.len())];
        median((0..run.len()).map(|_| run[random.random_range(0..run.len())])).unwrap_or(0.0)
    });
    median(medians).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_ends_are_near_those_of_all_draws() {
        // One round a run: a median of five draws with replacement. The least of five values is it with
        // P(Binomial(5, 1/5) >= 3) = 0.058, so 2.5 % of the draws lie within the least value of either.
        let runs = |values: [f64; 5]| values.map(|value: f64| vec![value.ln()]).to_vec();
        let [low, high] = hierarchical(
            &runs([100.0, 101.0, 102.0, 103.0, 104.0]),
            &runs([110.0, 111.0, 112.0, 113.0, 114.0]),
        )
        .expect("five runs a side")
        .map(f64::exp);
        assert!((1.063..1.08).contains(&low) && (1.115..1.135).contains(&high), "{low} to {high}");
    }

    #[test]
    fn few_runs_have_none() {
        let runs = |count: usize| vec![vec![0.0, 0.1]; count];
        assert_eq!(hierarchical(&runs(4), &runs(9)), None);
        assert_eq!(hierarchical(&runs(5), &[runs(4), vec![Vec::new()]].concat()), None);
        assert_eq!(hierarchical(&runs(5), &runs(5)).map(|[low, high]| low <= 0.0 && high >= 0.0), Some(true));
    }
}
