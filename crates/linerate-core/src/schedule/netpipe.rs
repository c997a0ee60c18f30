//! NetPIPE's message sizes, the same in versions 2.4 to 5.x.

/// NetPIPE's sizes from `start` to `end` with perturbation `perturb`.
///
/// Source: the rule as observed in the output of NetPIPE 3.7.2 (`docs/method.md`): the step
/// doubles on every second base, and a base is measured with its neighbours at +-`perturb` once
/// the step is larger than `perturb + 1`. The end bounds the base: the last triple may overshoot.
pub(super) fn sizes(start: u64, end: u64, perturb: u64) -> impl Iterator<Item = u64> {
    let mut step = if start > 1 { start / 2 } else { 1 };
    let mut count = u64::from(start > 1);
    let mut next = Some(start);
    std::iter::from_fn(move || {
        let base = next.filter(|base| *base <= end)?;
        if count > 2 && count % 2 == 1 {
            step = step.saturating_mul(2);
        }
        let here = if perturb > 0 && step.saturating_sub(perturb) > 1 {
            vec![base - perturb, base, base.saturating_add(perturb)]
        } else {
            vec![base]
        };
        count += 1;
        next = base.checked_add(step);
        Some(here)
    })
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(start: u64, end: u64, perturb: u64) -> Vec<u64> {
        sizes(start, end, perturb).collect()
    }

    #[test]
    fn the_default_is_124_points_and_46_without_perturbation() {
        let sizes = all(1, 10_000_000, 3);
        assert_eq!(sizes.len(), 124);
        assert_eq!(sizes.last(), Some(&8_388_611));
        assert_eq!(
            sizes[..31],
            [
                1, 2, 3, 4, 6, 8, 12, 13, 16, 19, 21, 24, 27, 29, 32, 35, 45, 48, 51, 61, 64, 67, 93, 96, 99,
                125, 128, 131, 189, 192, 195
            ]
        );
        assert_eq!(all(1, 10_000_000, 0).len(), 46);
        assert_eq!(all(1, 65_536, 3).len(), 82);
        assert_eq!(all(1, 1_000_000_000, 3).len(), 163);
    }

    #[test]
    fn other_starts_keep_the_ratio_anchored_on_the_start() {
        assert_eq!(all(64, 200, 0), [64, 96, 128, 192]);
        assert_eq!(all(100, 600, 0), [100, 150, 200, 300, 400, 600]);
        assert_eq!(all(1000, 3000, 0), [1000, 1500, 2000, 3000]);
    }

    #[test]
    fn the_bound_is_on_the_base() {
        assert_eq!(all(1, 65_536, 3).last(), Some(&65_539));
        assert_eq!(all(100_000, 100_000, 3), [99_997, 100_000, 100_003]);
    }
}
