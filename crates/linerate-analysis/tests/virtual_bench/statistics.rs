//! Whether the statistics promise what they keep: intervals that cover, dips that are there.

use linerate_analysis::derive::{Boundaries, BoundaryKind, dips};
use linerate_core::measure::Method;
use linerate_core::schedule::{Bounds, Schedule};
use linerate_core::series::Series;
use linerate_core::units::{Size, Span};

use crate::support::link::Link;
use crate::support::virtual_bench::VirtualBench;
use crate::support::watch::{method, point, watched};

const SEEDS: u64 = 300;

/// Payload of a full segment on Ethernet with timestamps.
const MSS: u64 = 1448;

/// How many of `SEEDS` intervals of `sizes` cover the true median.
fn covering(target: f64, ms: u64) -> (u64, u64) {
    const MEAN: Span = Span::from_us(20);
    let link = Link { jitter: |_| MEAN, ..Link::default() };
    // Of one round trip the noise is exponential, its median the mean times ln 2; half of it is one-way.
    let noise = MEAN.as_ps() as f64 * std::f64::consts::LN_2 / 2.0;
    let (mut covered, mut all) = (0, 0);
    for seed in 0..SEEDS {
        let mut bench = VirtualBench::new(link.clone(), seed);
        let (outcome, _) = watched(&mut bench, &method(&[1, 256, 4096], ms, target, seed));
        for point in &outcome.series.points {
            let truth = link.one_way(point.size).as_ps() as f64 + noise;
            let [low, high] = point.time().and_then(|time| time.interval).expect("seven rounds or more");
            all += 1;
            covered += u64::from(low <= truth && truth <= high);
        }
    }
    eprintln!("target {target}, {ms} ms: {covered} of {all}");
    (covered, all)
}

#[test]
fn the_interval_covers_the_true_median_95_times_in_100() {
    // 900 intervals at 95 % cover 855 +- 6.5 times; below 829 by chance once in 30,000 tries.
    let (covered, all) = covering(1e-6, 60);
    assert_eq!(all, 900);
    assert!(covered >= 829, "{covered} of {all}");
}

#[test]
fn the_interval_covers_as_often_when_it_ends_the_measurement() {
    // Looking again after every round favours intervals that are narrow by chance.
    for (target, ms) in [(0.02, 60), (0.005, 400)] {
        let (covered, all) = covering(target, ms);
        assert!(covered >= 829, "{covered} of {all} at {target}");
    }
}

fn sizes() -> Vec<u64> {
    let bounds = Bounds { to: Some(Size(65_536)), ..Bounds::default() };
    let netpipe = Schedule::Netpipe.sizes(bounds).expect("NetPIPE's schedule");
    // The three sizes just above two segments, as a probe of boundaries would add them.
    let mut sizes = [&netpipe[..], &[2 * MSS - 1, 2 * MSS, 2 * MSS + 1, 2 * MSS + 2, 2 * MSS + 3]].concat();
    sizes.sort_unstable();
    sizes
}

pub(crate) fn curve(link: Link, ms: u64, seed: u64) -> Series {
    let mut bench = VirtualBench::new(link, seed);
    watched(&mut bench, &method(&sizes(), ms, 0.02, seed)).0.series
}

#[test]
fn a_dip_three_bytes_wide_is_found_and_its_boundary_named() {
    let boundaries = Boundaries { segment: Some(MSS), page: Some(4096), ..Boundaries::default() };
    let extra =
        |size| if (2 * MSS + 1..=2 * MSS + 3).contains(&size) { Span::from_us(40) } else { Span::ZERO };
    for (seed, jitter) in [(1, Span::ZERO), (2, Span::from_us(5))] {
        let jitter: fn(u64) -> Span =
            if jitter == Span::ZERO { |_| Span::ZERO } else { |_| Span::from_us(5) };
        let series = curve(Link { extra, jitter, ..Link::default() }, 400, seed);
        let found = dips(&series, &boundaries);
        assert_eq!(found.len(), 1, "seed {seed}: {found:?}");
        assert_eq!(found[0].extent, [2 * MSS + 1, 2 * MSS + 3], "seed {seed}");
        let boundary = found[0].boundary.expect("two segments");
        assert_eq!((boundary.kind, boundary.multiple), (BoundaryKind::Segment, 2), "seed {seed}");
        assert_eq!(boundary.to_string(), "2 x MSS (2896 B)");
    }
}

#[test]
fn noise_alone_shows_a_dip_in_at_most_1_of_100_curves() {
    let seeds = 100;
    let with_dips: Vec<u64> = (0..seeds)
        .filter(|seed| {
            let series = curve(Link { jitter: |_| Span::from_us(10), ..Link::default() }, 150, *seed);
            !dips(&series, &Boundaries::default()).is_empty()
        })
        .collect();
    assert!(with_dips.len() <= 1, "seeds {with_dips:?}");
}

#[test]
fn p99_is_that_of_the_noise() {
    let link = Link { jitter: |_| Span::from_us(20), ..Link::default() };
    let (outcome, _) = watched(&mut VirtualBench::new(link.clone(), 1), &method(&[64], 2_000, 1e-6, 1));
    let noise = Span::from_seconds(20e-6 * 100.0_f64.ln() / 2.0);
    let expected = (link.one_way(64) + noise).as_us();
    let found = point(&outcome.series, 64).p99().expect("it was timed").as_us();
    // Of some 18,000 samples the 99th percentile's standard error is 0.74 us.
    assert!((found - expected).abs() < 3.0, "{found} us, not {expected} us");
}

#[test]
fn the_interval_covers_the_true_median_also_with_few_samples_a_round() {
    // The median of two is their mean, which lies above the median of a skewed distribution: what
    // the coverage loses by that is within what the interval has to spare.
    let link = Link { jitter: |_| Span::from_us(400), ..Link::default() };
    let truth = link.one_way(1).as_ps() as f64 + 400e6 * std::f64::consts::LN_2 / 2.0;
    let covered = (0..300)
        .filter(|seed| {
            let method = Method { rounds: 41, ..method(&[1], 80, 1e-6, *seed) };
            let (outcome, _) = watched(&mut VirtualBench::new(link.clone(), *seed), &method);
            let time = outcome.series.points[0].time();
            let [low, high] = time.and_then(|time| time.interval).expect("many rounds");
            (low..=high).contains(&truth)
        })
        .count();
    // 300 intervals at 95 % cover 285 +- 3.8 times.
    assert!(covered >= 270, "{covered} of 300");
}
