use super::super::super::fixture;
use super::super::step;
use super::*;

fn labels(axis: &Axis) -> String {
    axis.ticks.iter().map(|tick| tick.label.as_str()).collect::<Vec<_>>().join(", ")
}

#[test]
fn labels_are_round() {
    let report = fixture::one();
    assert_eq!(labels(&Axis::size(&report, 7)), "1 B, 16 B, 256 B, 4 KiB, 64 KiB, 1 MiB");
    assert_eq!(labels(&Axis::size(&report, 4)), "1 B, 1 KiB, 1 MiB");
    assert_eq!(labels(&Axis::time(&report)), "100 us, 1 ms, 10 ms");
    assert_eq!(labels(&Axis::rate(&report, 6)), "0, 200, 400, 600, 800, 1000");
}

/// How many labels differ.
fn distinct(axis: &Axis) -> usize {
    let mut labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
    labels.dedup();
    labels.len()
}

/// The powers of ten from one exponent to another, in steps that are no round numbers.
fn powers(from: f64, to: f64) -> impl Iterator<Item = f64> {
    (0..)
        .map(move |nth| from + 0.037 * f64::from(nth))
        .take_while(move |at| *at < to)
        .map(|it| 10_f64.powf(it))
}

#[test]
fn every_span_of_times_has_labels_enough_and_not_too_many() {
    for low in powers(-3.0, 7.0) {
        for factor in [1.011, 1.02].into_iter().chain(powers(0.02, 6.0)) {
            let ends = [low, low * factor];
            let axis = Axis::new(String::new(), Scale::Decimal, ends, &decimal(ends), time_label);
            let fewest = if factor < 100.0 { 4 } else { 3 };
            assert!((fewest..=9).contains(&distinct(&axis)), "{ends:?}: {}", labels(&axis));
            assert!(axis.ticks.iter().all(|tick| (0.0..=1.0).contains(&axis.share(tick.value))));
        }
    }
}

#[test]
fn every_rate_has_labels_enough_in_a_unit_that_fits() {
    for high in powers(-2.0, 6.0) {
        for most in 5..8 {
            let axis = Axis::rates("Throughput", high, most);
            assert!((4..=most + 3).contains(&distinct(&axis)), "{high}: {}", labels(&axis));
            assert!(axis.ticks.iter().all(|tick| tick.label.len() <= 5), "{}", labels(&axis));
        }
    }
}

#[test]
fn every_span_of_sizes_has_labels_enough() {
    let mut report = fixture::one();
    report.curves[0].points.truncate(2);
    for low in powers(0.0, 6.0).map(|it| it as u64) {
        for factor in powers(0.01, 3.0) {
            let high = (low as f64 * factor) as u64;
            (report.curves[0].points[0].size, report.curves[0].points[1].size) = (low, high);
            let axis = Axis::size(&report, 9);
            // A size is a whole number of bytes.
            let enough = if high == low { 2 } else { 4.min(high - low + 1) as usize };
            assert!((enough..=12).contains(&distinct(&axis)), "{low}..{high}: {}", labels(&axis));
        }
    }
}

#[test]
fn an_axis_of_sizes_ends_where_something_was_timed() {
    let mut report = fixture::one();
    for untimed in [false, true] {
        report.curves[0]
            .points
            .iter_mut()
            .filter(|point| point.size > 3 && untimed)
            .for_each(|point| point.timed = None);
        let sizes: Vec<f64> = report.curves[0].timed().map(|(size, _)| size as f64).collect();
        let [low, high] = [f64::min, f64::max].map(|end| sizes.iter().copied().reduce(end).expect("sizes"));
        let air = (high / low).powf(0.03);
        let [from, to] = Axis::size(&report, 9).range();
        assert!((low / air..=low).contains(&from) && (high..=high * air).contains(&to), "{from} to {to}");
    }
}

#[test]
fn the_tail_of_a_distribution_is_spread_evenly() {
    let axis = Axis::new(String::new(), Scale::Tail, [0.0, 0.999], &[], |_| String::new());
    let [none, nine, third] = [0.0, 0.9, 0.999].map(|share| axis.share(share));
    assert!((third - none - 3.0 * (nine - none)).abs() < 1e-9);
}

#[test]
fn an_axis_without_values_or_with_one_has_a_length() {
    for kept in [0, 1] {
        let mut report = fixture::one();
        report.ceilings.clear();
        report.curves[0].points.truncate(kept);
        for axis in [Axis::size(&report, 7), Axis::time(&report), Axis::rate(&report, 6)] {
            assert!(axis.ends[0] < axis.ends[1] && axis.ticks.len() >= 2, "{}: {:?}", axis.title, axis.ends);
        }
    }
}

fn close(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-9, "{got}, not {expected}");
}

fn all_close(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{got:?}, not {expected:?}");
    for (got, expected) in got.iter().zip(expected) {
        assert!((got / expected - 1.0).abs() < 1e-9 || got == expected, "{got}, not {expected}");
    }
}

/// An axis without labels.
fn bare(scale: Scale, ends: [f64; 2]) -> Axis {
    Axis::new(String::new(), scale, ends, &[], |_| String::new())
}

#[test]
fn a_linear_axis_is_filled_and_the_others_have_air_at_both_ends() {
    let linear = bare(Scale::Linear, [10.0, 30.0]);
    for (value, share) in [(10.0, 0.0), (15.0, 0.25), (30.0, 1.0), (40.0, 1.5), (0.0, -0.5)] {
        close(linear.share(value), share);
    }
    // The ends stand a fiftieth within, and the middle in the middle.
    let end = 0.02 / 1.04;
    for (scale, ends, middle) in [
        (Scale::Binary, [4.0, 64.0], 16.0),
        (Scale::Decimal, [0.1, 1_000.0], 10.0),
        (Scale::Tail, [0.0, 0.9999], 0.99),
    ] {
        let axis = bare(scale, ends);
        close(axis.share(ends[0]), end);
        close(axis.share(ends[1]), 1.0 - end);
        close(axis.share(middle), 0.5);
        assert!(axis.is_logarithmic());
    }
    assert!(!linear.is_logarithmic());
}

/// Air of a fiftieth of four doublings, four decades and four nines.
#[test]
fn an_axis_knows_its_lowest_value_and_its_range() {
    close(bare(Scale::Linear, [10.0, 30.0]).lowest(), 10.0);
    for (scale, ends, expected) in [
        (Scale::Binary, [4.0, 64.0], [1.92_f64.exp2(), 6.08_f64.exp2()]),
        (Scale::Decimal, [0.1, 1_000.0], [10_f64.powf(-1.08), 10_f64.powf(3.08)]),
        (Scale::Tail, [0.0, 0.9999], [1.0 - 10_f64.powf(0.08), 1.0 - 10_f64.powf(-4.08)]),
    ] {
        let axis = bare(scale, ends);
        close(axis.lowest(), expected[0]);
        let range = axis.range();
        assert!((range[0] - expected[0]).abs() < 1e-9 && (range[1] / expected[1] - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_step_is_one_two_or_five_times_a_power_of_ten() {
    for (least, expected) in [
        (1.0, 1.0),
        (1.01, 2.0),
        (2.0, 2.0),
        (2.01, 5.0),
        (5.01, 10.0),
        (9.9, 10.0),
        (0.03, 0.05),
        (0.000_7, 0.001),
        (1_500.0, 2_000.0),
    ] {
        all_close(&[step(least)], &[expected]);
    }
}

#[test]
fn round_values_stand_at_equal_distances() {
    for (ends, most, expected) in [
        ([0.0, 10.0], 5, &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0][..]),
        ([0.0, 100.0], 7, &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0]),
        // Steps of 5 would give three.
        ([3.0, 17.0], 4, &[5.0, 7.5, 10.0, 12.5, 15.0]),
        ([0.0, 1.0], 1, &[0.0, 0.5, 1.0]),
        ([0.0, 1.0], 0, &[0.0, 0.5, 1.0]),
        ([0.3, 0.9], 6, &[0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
        // Three are too few; the seven of half the distance are too many for 3 labels, not for 4.
        ([0.5, 3.5], 3, &[1.0, 2.0, 3.0]),
        ([0.5, 3.5], 4, &[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]),
    ] {
        all_close(&evenly(ends, most), expected);
    }
}

#[test]
fn powers_of_ten_are_labelled_and_round_values_between_a_few() {
    for (ends, expected) in [
        ([1.0, 1_000.0], &[1.0, 10.0, 100.0, 1_000.0][..]),
        ([0.02, 20.0], &[0.1, 1.0, 10.0]),
        ([1.0, 50.0], &[1.0, 3.0, 10.0, 30.0]),
        ([20.0, 900.0], &[20.0, 50.0, 100.0, 200.0, 500.0]),
        ([1.0, 9.0], &[2.0, 4.0, 6.0, 8.0]),
    ] {
        all_close(&decimal(ends), expected);
    }
}

#[test]
fn a_range_is_of_positive_values_that_lie_apart() {
    let of = |values: &[f64]| range(values.iter().copied(), [7.0, 9.0]);
    assert_eq!(of(&[]), [7.0, 9.0]);
    assert_eq!(of(&[0.0, -1.0, f64::INFINITY, f64::NAN]), [7.0, 9.0]);
    assert_eq!(of(&[3.0, 0.0, 5.0, 4.0, f64::INFINITY]), [3.0, 5.0]);
    assert_eq!(of(&[8.0]), [4.0, 16.0]);
    assert_eq!(of(&[100.0, 101.0]), [50.0, 202.0], "too near each other");
    assert_eq!(of(&[100.0, 101.1]), [100.0, 101.1]);
}

/// The fixture with these two sizes alone.
fn between(low: u64, high: u64) -> Report {
    let mut report = fixture::one();
    report.curves[0].points.truncate(2);
    (report.curves[0].points[0].size, report.curves[0].points[1].size) = (low, high);
    report
}

#[test]
fn sizes_are_labelled_at_powers_of_two_and_between_a_few() {
    for (ends, most, expected) in [
        ([1, 1 << 20], 9, "1 B, 16 B, 256 B, 4 KiB, 64 KiB, 1 MiB"),
        ([1, 256], 9, "1 B, 2 B, 4 B, 8 B, 16 B, 32 B, 64 B, 128 B, 256 B"),
        ([1, 512], 9, "1 B, 4 B, 16 B, 64 B, 256 B"),
        ([1, 1 << 20], 2, "1 B, 1 MiB"),
        // The middles between doublings too.
        ([64, 256], 9, "64 B, 96 B, 128 B, 192 B, 256 B"),
        // Two doublings and one middle are too few.
        ([1_000, 3_000], 9, "1000 B, 1500 B, 2000 B, 2500 B, 3000 B"),
        ([5, 6], 9, "5 B, 6 B"),
    ] {
        assert_eq!(labels(&Axis::size(&between(ends[0], ends[1]), most)), expected, "{ends:?}");
    }
}

#[test]
fn an_axis_of_rates_reaches_to_the_ceilings_that_are_not_far_above() {
    let with = |ceilings: &[f64]| {
        let mut report = between(64, 128);
        for point in &mut report.curves[0].points {
            let timed = point.timed.as_mut().expect("the fixture times it");
            (timed.mbps, timed.mbps_interval) = (90.0, Some([80.0, 100.0]));
        }
        let ceiling = |mbps: &f64| linerate_analysis::report::Ceiling { mbps: *mbps, label: String::new() };
        report.ceilings = ceilings.iter().map(ceiling).collect();
        Axis::rate(&report, 6)
    };
    // The end of the interval, and 8 % of air.
    close(with(&[]).share(100.0), 1.0 / 1.08);
    close(with(&[300.0, 200.0]).share(300.0), 1.0 / 1.08);
    close(with(&[301.0, 200.0]).share(200.0), 1.0 / 1.08);
    assert_eq!(with(&[]).title, "Throughput (Mb/s)");
}

#[test]
fn a_unit_changes_where_its_numbers_would_be_long_or_below_one() {
    for (high, unit) in [(10_000.0, "Gb/s"), (9_999.0, "Mb/s"), (1.0, "Mb/s"), (0.99, "kb/s")] {
        assert_eq!(Axis::rates("Rate", high, 6).title, format!("Rate ({unit})"), "{high}");
    }
    assert_eq!(labels(&Axis::in_units("", 2_000.0, 1_000.0, 5)), "0.0, 0.5, 1.0, 1.5, 2.0");
    assert_eq!(labels(&Axis::in_units("", 0.08, 1.0, 4)), "0.00, 0.02, 0.04, 0.06, 0.08");
    assert_eq!(labels(&Axis::in_units("", 1.0, 1.0, 4)), "0.00, 0.25, 0.50, 0.75, 1.00");
    close(Axis::in_units("", 2_000.0, 1_000.0, 5).share(500.0), 0.25);
}

#[test]
fn a_time_has_no_more_digits_than_it_needs() {
    for (us, text) in [
        (0.5, "500 ns"),
        (10.0, "10 us"),
        (100.0, "100 us"),
        (1_500.0, "1.5 ms"),
        (1_000_000.0, "1 s"),
        (12.34, "12.34 us"),
        (2_000_000_000.0, "2000 s"),
    ] {
        assert_eq!(time_label(us), text);
    }
}
