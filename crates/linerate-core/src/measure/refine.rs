//! Which sizes are the least certain.

use crate::series::{Point, Series, local_residuals};

/// A refining round visits at most this part of the sizes ...
const PART: usize = 2;
/// ... but at least this many, if this many are uncertain.
const FEWEST: usize = 8;
/// A time that differs from what its neighbours suggest by more than this many targets is doubted,
const DOUBTED: f64 = 5.0;
/// until it has been visited this many times.
const ENOUGH_ROUNDS: usize = 15;

/// The sizes that deserve another round: those whose interval is wider than `target`, and those
/// that differ from their neighbours.
///
/// First come the sizes that gain most from a round: an interval shrinks with the root of the
/// number of rounds, so the gain falls with the rounds that a size has had. A hopelessly noisy size
/// thus does not starve the others.
pub(super) fn least_certain(series: &Series, target: f64, affordable: impl Fn(usize) -> bool) -> Vec<usize> {
    let residuals = local_residuals(series);
    let gain = |(index, point): (usize, &Point)| {
        let rounds = point.rounds.len();
        if rounds == 0 {
            return None;
        }
        let width = point.time().and_then(|time| time.relative_half_width());
        let width = width.map_or(f64::INFINITY, |width| width / target);
        let odd = residuals[index].map_or(0.0, |residual| residual.abs() / (DOUBTED * target));
        let doubt = if rounds < ENOUGH_ROUNDS { odd } else { 0.0 };
        let uncertainty = width.max(doubt);
        (uncertainty > 1.0 && affordable(index)).then_some((index, uncertainty / rounds as f64))
    };
    let mut due: Vec<(usize, f64)> = series.points.iter().enumerate().filter_map(gain).collect();
    due.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    due.truncate((series.points.len() / PART).max(FEWEST));
    due.into_iter().map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Pattern;
    use crate::schedule::{Bounds, Schedule};
    use crate::series::Round;
    use crate::trial::Tally;
    use crate::units::Span;

    /// A curve with `time(size)` microseconds and +-`noise` between nine rounds.
    fn series(noise: f64, time: impl Fn(u64) -> f64) -> Series {
        let sizes = Schedule::Netpipe.sizes(Bounds::default()).expect("NetPIPE's schedule");
        let mut series = Series::new(Pattern::PingPong, &sizes);
        for point in &mut series.points {
            for round in 0..9 {
                let factor = 1.0 + noise * (f64::from(round) - 4.0) / 4.0;
                let median = Span::from_seconds(time(point.size) * factor * 1e-6);
                point.rounds.push(Round {
                    pass: 0,
                    round,
                    samples: 1,
                    batch: 1,
                    median,
                    mean: median,
                    min: median,
                    max: median,
                    warmup: 0,
                    warmup_span: Span::ZERO,
                    tally: Tally::default(),
                    sustained: true,
                });
            }
        }
        series
    }

    fn line(size: u64) -> f64 {
        50.0 + 0.008 * size as f64
    }

    /// Nine rounds of +-1 %: the interval's half width is 0.75 % at every size.
    const NOISE: f64 = 0.01;
    const WIDTH: f64 = 0.007_5;

    fn all(_: usize) -> bool {
        true
    }

    #[test]
    fn an_interval_as_narrow_as_the_target_is_enough() {
        let series = series(NOISE, line);
        assert!(least_certain(&series, WIDTH * 1.01, all).is_empty());
        assert_eq!(least_certain(&series, WIDTH * 0.99, all).len(), series.points.len() / 2);
    }

    #[test]
    fn a_few_sizes_are_visited_even_of_a_short_schedule() {
        let mut series = series(NOISE, line);
        series.points.truncate(10);
        assert_eq!(least_certain(&series, WIDTH * 0.99, all).len(), 8);
    }

    #[test]
    fn those_with_the_fewest_rounds_come_first_and_the_dear_ones_never() {
        let mut series = series(NOISE, line);
        for (index, rounds) in [(5, 3), (7, 6), (9, 7)] {
            series.points[index].rounds.truncate(rounds);
        }
        // Three rounds have no interval; six span nearly all of the noise that seven do.
        let due = least_certain(&series, WIDTH * 0.5, all);
        assert_eq!(due[0], 5);
        assert!(due[1..3].contains(&7) && due[1..3].contains(&9), "{due:?}");
        let due = least_certain(&series, WIDTH * 0.5, |index| index != 5);
        assert!(!due.contains(&5) && due.contains(&7));
    }

    #[test]
    fn a_size_unlike_its_neighbours_is_doubted_until_it_was_visited_often() {
        let odd = 40;
        let mut series = series(NOISE, line);
        // All take alike, but for one that takes half as long again.
        for (index, point) in series.points.iter_mut().enumerate() {
            for round in &mut point.rounds {
                round.median = crate::units::Span::from_us(if index == odd { 150 } else { 100 });
            }
        }
        let doubt = 1.5_f64.ln();
        assert_eq!(least_certain(&series, doubt / 5.0 * 0.99, all), [odd]);
        assert!(least_certain(&series, doubt / 5.0 * 1.01, all).is_empty());
        let rounds = &mut series.points[odd].rounds;
        rounds.resize(14, rounds[0]);
        assert_eq!(least_certain(&series, doubt / 5.0 * 0.99, all), [odd]);
        let rounds = &mut series.points[odd].rounds;
        rounds.resize(15, rounds[0]);
        assert!(least_certain(&series, doubt / 5.0 * 0.99, all).is_empty());
    }
}
