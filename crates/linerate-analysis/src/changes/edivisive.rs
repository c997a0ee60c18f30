//! E-divisive: where two stretches of a series differ the most.
//!
//! Source: Matteson and James, A nonparametric approach for multiple change point analysis of
//! multivariate data, JASA 109 (2014), equations 5 to 7, with exponent 1. Written from the paper.

/// A split of an interval: the stretch before `at` and the one from there to `end` differ the most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    /// First value of the second stretch.
    pub(super) at: usize,
    /// First value after the second stretch.
    pub(super) end: usize,
    /// The scaled energy distance of the two. Unit: that of the values.
    pub(super) distance: f64,
}

/// The split with the largest distance of all in which both stretches have at least `least` values.
/// The first one wins. `None` if the series is too short.
///
/// For stretches X of n values and Y of m, the distance is
/// `2/(n+m) sum|X-Y| - 2m/((n+m)(n-1)) sum|X-X| - 2n/((n+m)(m-1)) sum|Y-Y|`, where a stretch of one
/// value has no sum of its own. The work grows with the square of the series' length.
pub(super) fn best_split(z: &[f64], least: usize) -> Option<Split> {
    let (count, least) = (z.len(), least.max(1));
    // to[k][i]: the sum of the distances of value k to the values before i.
    let to: Vec<Vec<f64>> = z.iter().map(|value| sums_of_distances(z, *value)).collect();
    let mut best: Option<Split> = None;
    let mut before = 0.0;
    for at in 1..count {
        before += to[at - 1][at - 1];
        if at < least {
            continue;
        }
        let (mut between, mut within) = (0.0, 0.0);
        for end in at + 1..=count {
            let row = &to[end - 1];
            between += row[at];
            within += row[end - 1] - row[at];
            let (n, m) = (at as f64, (end - at) as f64);
            if end - at < least {
                continue;
            }
            let mut distance = 2.0 / (n + m) * between;
            if at > 1 {
                distance -= 2.0 * m / ((n + m) * (n - 1.0)) * before;
            }
            if end - at > 1 {
                distance -= 2.0 * n / ((n + m) * (m - 1.0)) * within;
            }
            if best.is_none_or(|best| distance > best.distance) {
                best = Some(Split { at, end, distance });
            }
        }
    }
    best
}

/// For each i, the sum of the distances from `value` to the values before i.
fn sums_of_distances(z: &[f64], value: f64) -> Vec<f64> {
    let mut sum = 0.0;
    let mut sums = Vec::with_capacity(z.len() + 1);
    sums.push(sum);
    for other in z {
        sum += (other - value).abs();
        sums.push(sum);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_split(z: &[f64], at: usize, end: usize, distance: f64) {
        let split = best_split(z, 1).expect("long enough");
        assert_eq!((split.at, split.end), (at, end));
        assert!((split.distance - distance).abs() < 1e-9, "{}", split.distance);
    }

    // Computed by hand with numpy from the formula above.
    #[test]
    fn the_largest_distance_is_at_the_step() {
        assert_split(&[10.0, 10.2, 9.9, 10.1, 10.3, 9.8, 11.0, 11.2, 10.9, 11.1, 11.3, 10.8], 6, 12, 4.6);
        assert_split(&[5.0, 5.1, 4.9, 5.0, 7.0, 7.1, 6.9, 7.0, 5.0, 5.1, 4.9, 5.0], 4, 8, 7.6);
    }

    /// The formula as it stands, without shared sums.
    fn naive(z: &[f64], at: usize, end: usize) -> f64 {
        let sum = |a: std::ops::Range<usize>, b: std::ops::Range<usize>| {
            a.map(|i| b.clone().map(|j| (z[i] - z[j]).abs()).sum::<f64>()).sum::<f64>()
        };
        let (n, m) = (at as f64, (end - at) as f64);
        let one = if at > 1 { 2.0 * m / ((n + m) * (n - 1.0)) * sum(0..at, 0..at) / 2.0 } else { 0.0 };
        let two =
            if end - at > 1 { 2.0 * n / ((n + m) * (m - 1.0)) * sum(at..end, at..end) / 2.0 } else { 0.0 };
        2.0 / (n + m) * sum(0..at, at..end) - one - two
    }

    #[test]
    fn shared_sums_give_the_same_split_as_the_formula() {
        let z: Vec<f64> = (0..23).map(|i| f64::from((i * i * 7919) % 101) / 10.0).collect();
        for least in [1, 2, 5] {
            let split = best_split(&z, least).expect("long enough");
            let mut all = Vec::new();
            for at in least..=z.len() - least {
                all.extend((at + least..=z.len()).map(|end| naive(&z, at, end)));
            }
            let largest = all.into_iter().fold(f64::MIN, f64::max);
            assert!((split.distance - largest).abs() < 1e-9);
            assert!((naive(&z, split.at, split.end) - largest).abs() < 1e-9);
        }
    }

    #[test]
    fn too_few_values_cannot_be_split() {
        assert_eq!(best_split(&[1.0; 9], 5), None);
        assert_eq!(best_split(&[], 5), None);
    }
}
