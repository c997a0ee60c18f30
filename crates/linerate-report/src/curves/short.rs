//! Which sizes a short table has.

use linerate_analysis::report::Curve;

/// Tables of this many sizes or fewer are shown whole.
const MOST_ROWS: usize = 24;
/// Fewer rows than these would not show the shape of a curve whose sizes are no powers of two.
const FEWEST_ROWS: usize = 16;

/// The points of `curve` that a short table has, in the order of the schedule.
pub(super) fn rows(curve: &Curve) -> Vec<usize> {
    let points = &curve.points;
    if points.len() <= MOST_ROWS {
        return (0..points.len()).collect();
    }
    let told = told(curve);
    let mut chosen: Vec<bool> =
        points.iter().map(|point| point.size.is_power_of_two() || told.contains(&point.size)).collect();
    for end in [Some(0), points.iter().rposition(|point| point.timed.is_some()), points.len().checked_sub(1)]
    {
        end.into_iter().for_each(|place| chosen[place] = true);
    }
    if chosen.iter().filter(|chosen| **chosen).count() < FEWEST_ROWS {
        chosen.iter_mut().step_by(points.len().div_ceil(FEWEST_ROWS)).for_each(|chosen| *chosen = true);
    }
    (0..points.len()).filter(|place| chosen[*place]).collect()
}

/// The sizes that the numbers below the table are about: of latency, peak, half the peak, saturation and
/// dips.
fn told(curve: &Curve) -> Vec<u64> {
    let derived = &curve.derived;
    let nearest = |bytes: f64| {
        let away = |size: &u64| (*size as f64 / bytes).ln().abs();
        let sizes = curve.timed().map(|(size, _)| size);
        sizes.min_by(|one, other| away(one).total_cmp(&away(other)))
    };
    let mut told: Vec<u64> = derived.dips.iter().map(|dip| dip.size).collect();
    told.extend(derived.latency.as_ref().map(|latency| latency.size));
    told.extend(derived.bandwidth.map(|it| it.burst.unwrap_or(it.peak).size));
    told.extend(derived.bandwidth.and_then(|it| it.half_performance_bytes).and_then(nearest));
    told.extend(derived.saturation.and_then(|knee| nearest(knee.size)));
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, DIP};

    #[test]
    fn a_short_table_keeps_what_the_numbers_are_about() {
        let report = fixture::one();
        let curve = &report.curves[0];
        let all: Vec<u64> = curve.points.iter().map(|point| point.size).collect();
        let short: Vec<u64> = rows(curve).into_iter().map(|place| all[place]).collect();
        assert!(short.len() * 3 < all.len(), "{} of {}", short.len(), all.len());
        assert!(all.iter().filter(|size| size.is_power_of_two()).all(|size| short.contains(size)));
        let derived = &curve.derived;
        let latency = derived.latency.as_ref().expect("a latency").size;
        let peak = derived.bandwidth.expect("a peak").peak.size;
        for size in [all[0], all[all.len() - 1], latency, peak] {
            assert!(short.contains(&size), "{size} in {short:?}");
        }
        assert!(derived.dips.iter().any(|dip| DIP.contains(&dip.size) && short.contains(&dip.size)));
        let knee = derived.saturation.expect("a knee").size;
        let around = |low: f64, high: f64| short.iter().any(|size| (low..=high).contains(&(*size as f64)));
        assert!(around(knee / 1.5, knee * 1.5), "{knee} in {short:?}");
        assert!(short.is_sorted(), "in the order of the schedule");
    }

    #[test]
    fn a_few_sizes_are_all_shown_and_odd_ones_are_not_lost() {
        let mut report = fixture::one();
        report.curves[0].points.truncate(MOST_ROWS);
        assert_eq!(rows(&report.curves[0]).len(), MOST_ROWS);
        let mut report = fixture::one();
        report.curves[0].points.iter_mut().for_each(|point| point.size = point.size * 2 + 1);
        report.curves[0].derived.dips.clear();
        let shown = rows(&report.curves[0]).len();
        assert!((FEWEST_ROWS..=FEWEST_ROWS + 8).contains(&shown), "{shown}");
    }
}
