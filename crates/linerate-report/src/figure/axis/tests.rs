use super::*;

fn labels(axis: &Axis) -> String {
    axis.ticks.iter().map(|tick| tick.label.as_str()).collect::<Vec<_>>().join(", ")
}

#[test]
fn swept_values_are_labelled_where_they_are() {
    assert_eq!(
        labels(&swept("", Unit::Number, &[2.0, 4.0, 64.0, 2.0, 8.0, 16.0, 32.0])),
        "2, 4, 8, 16, 32, 64"
    );
    assert_eq!(labels(&swept("", Unit::Bytes, &[65_536.0, 131_072.0])), "64 KiB, 128 KiB");
    assert_eq!(labels(&swept("", Unit::Number, &[0.0, 0.5, 0.501, 1.0])), "0, 0.5, 1", "no room");
    assert_eq!(labels(&swept("", Unit::Number, &[3.0])), "3");
}

#[test]
fn shares_end_at_the_whole_unless_there_is_more() {
    assert_eq!(labels(&shares("", 0.3)), "0 %, 20 %, 40 %, 60 %, 80 %, 100 %");
    assert_eq!(labels(&shares("", 3.6)), "0 %, 100 %, 200 %, 300 %");
}

#[test]
fn a_unit_fits_its_values() {
    let said = |axis: &Axis| format!("{}: {}", axis.title, labels(axis));
    assert_eq!(said(&rates("Rate", 900.0)), "Rate (Mb/s): 0, 200, 400, 600, 800");
    assert_eq!(said(&rates("Rate", 29_940.0)), "Rate (Gb/s): 0, 5, 10, 15, 20, 25, 30");
    assert_eq!(said(&rates("Rate", 0.05)), "Rate (kb/s): 0, 10, 20, 30, 40, 50");
    assert_eq!(said(&times_from_zero("Time", 57.0)), "Time (us): 0, 10, 20, 30, 40, 50, 60");
    assert_eq!(said(&times_from_zero("Time", 4_933.0)), "Time (ms): 0, 1, 2, 3, 4, 5");
}

#[test]
fn a_tail_is_labelled_by_its_nines() {
    assert_eq!(labels(&tail("", 0.99999)), "0 %, 50 %, 90 %, 99 %, 99.9 %, 99.99 %, 99.999 %");
    assert_eq!(labels(&tail("", 0.9975)), "0 %, 50 %, 90 %, 99 %");
    assert_eq!(labels(&tail("", 0.75)), "0 %, 25 %, 50 %, 75 %");
    assert!(tail("", 1.0).share(0.999).is_finite());
}

#[test]
fn an_axis_of_one_value_or_none_has_a_length() {
    let axes = [
        swept("", Unit::Number, &[]),
        swept("", Unit::Number, &[0.0]),
        times("", 0.0, 0.0),
        from_zero("", 0.0),
        numbers("", 0, 1),
    ];
    for axis in axes {
        assert!(axis.share(0.75).is_finite(), "{}", labels(&axis));
    }
}

fn close(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-9, "{got}, not {expected}");
}

/// Where the ends of a logarithmic axis stand: a fiftieth of its values within.
const WITHIN: f64 = 0.02 / 1.04;

#[test]
fn swept_values_eight_times_apart_are_spread_by_powers_of_two() {
    let binary = swept("", Unit::Number, &[2.0, 8.0, 32.0]);
    close(binary.share(8.0), 0.5);
    close(binary.share(2.0), WITHIN);
    // 2 to 15 are not, and have a fiftieth of air on either side.
    let linear = swept("", Unit::Number, &[2.0, 15.0, 8.5]);
    close(linear.share(8.5), 0.5);
    close(linear.share(2.0), WITHIN);
    close(linear.share(15.0), 1.0 - WITHIN);
    close(swept("", Unit::Number, &[2.0, 16.0]).share(32_f64.sqrt()), 0.5);
    // Nothing has no place among powers.
    close(swept("", Unit::Number, &[0.0, 10.0, 100.0]).share(50.0), 0.5);
    close(swept("", Unit::Number, &[3.0]).share(3.0), 0.5);
}

#[test]
fn swept_values_without_room_are_not_labelled() {
    // On an axis of 104 a label needs 4.68.
    assert_eq!(labels(&swept("", Unit::Number, &[0.0, 4.6, 50.0, 54.7, 100.0])), "0, 50, 54.7, 100");
    assert_eq!(labels(&swept("", Unit::Time, &[10.0, 1_500.0, 20_000.0])), "10 us, 1.5 ms, 20 ms");
    assert_eq!(labels(&swept("", Unit::Bytes, &[64.0, 1500.0, 65_536.0])), "64 B, 1500 B, 64 KiB");
}

#[test]
fn an_axis_from_zero_ends_a_little_above_its_highest_value() {
    for axis in [from_zero("", 50.0), rates("", 50.0), parts("", 50.0), times_from_zero("", 50.0)] {
        close(axis.share(0.0), 0.0);
        close(axis.share(50.0), 1.0 / 1.08);
    }
    close(shares("", 2.0).share(2.0), 1.0 / 1.08);
    close(shares("", 1.0).share(1.0), 1.0);
    close(from_zero("", 0.0).share(1.0), 1.0);
}

#[test]
fn times_are_told_in_the_unit_that_fits() {
    for (highest, title) in [
        (0.999, "T (ns)"),
        (1.0, "T (us)"),
        (999.0, "T (us)"),
        (1_000.0, "T (ms)"),
        (999_999.0, "T (ms)"),
        (1_000_000.0, "T (s)"),
    ] {
        assert_eq!(times_from_zero("T", highest).title, title, "{highest}");
    }
    assert_eq!(labels(&times_from_zero("", 0.5)), "0, 100, 200, 300, 400, 500");
    assert_eq!(labels(&times_from_zero("", 5e6)), "0, 1, 2, 3, 4, 5");
}

#[test]
fn parts_have_as_many_decimals_as_their_distance_needs() {
    assert_eq!(labels(&parts("", 0.3)), "0 %, 5 %, 10 %, 15 %, 20 %, 25 %, 30 %");
    assert_eq!(labels(&parts("", 0.004)), "0.0 %, 0.1 %, 0.2 %, 0.3 %, 0.4 %");
    assert_eq!(labels(&parts("", 0.06)), "0 %, 1 %, 2 %, 3 %, 4 %, 5 %, 6 %");
    assert_eq!(labels(&parts("", 0.000_5)), "0.00 %, 0.01 %, 0.02 %, 0.03 %, 0.04 %, 0.05 %");
}

#[test]
fn rates_and_times_by_decades_have_a_length_and_no_zero() {
    let axis = rates_by_decades("Rate", 10.0, 1_000.0);
    assert_eq!(labels(&axis), "10, 100, 1000");
    close(axis.share(100.0), 0.5);
    close(axis.share(10.0), WITHIN);
    assert_eq!(labels(&times("", 100.0, 10_000.0)), "100 us, 1 ms, 10 ms");
    // One value, or two that are nearly one, stand in the middle of a factor of four.
    for high in [8.0, 8.08] {
        close(times("", 8.0, high).share(8.0), 0.5);
    }
    close(times("", 8.0, 8.1).share(8.0), WITHIN);
    assert!(rates_by_decades("", 0.0, 100.0).lowest() < 1e-6, "what is not positive is next to nothing");
}

#[test]
fn words_stand_side_by_side_with_half_a_place_at_either_end() {
    let names = ["one", "two", "three"].map(str::to_owned);
    let axis = words("Plan", &names);
    assert_eq!((axis.title.as_str(), labels(&axis).as_str()), ("Plan", "one, two, three"));
    for (value, share) in [(0.0, 1.0 / 6.0), (1.0, 0.5), (2.0, 5.0 / 6.0)] {
        close(axis.share(value), share);
    }
}

#[test]
fn bars_are_numbered_from_the_first_and_not_all_of_many() {
    let four = numbers("", 0, 4);
    assert_eq!(labels(&four), "0, 1, 2, 3");
    for (value, share) in [(0.0, 0.125), (3.0, 0.875)] {
        close(four.share(value), share);
    }
    assert_eq!(labels(&numbers("", 1, 3)), "1, 2, 3");
    close(numbers("", 1, 3).share(2.0), 0.5);
    assert_eq!(numbers("", 0, 24).ticks.len(), 24);
    // From 25 on every second, from 49 on every fifth.
    assert_eq!(numbers("", 1, 25).ticks.len(), 13);
    assert!(labels(&numbers("", 1, 49)).starts_with("1, 6, 11, "));
}

#[test]
fn a_tail_spreads_its_nines_evenly() {
    let axis = tail("", 0.999);
    close(axis.share(0.9) - axis.share(0.0), axis.share(0.99) - axis.share(0.9));
    close(axis.share(0.999), 1.0 - WITHIN);
    assert_eq!(labels(&tail("", 0.9)), "0 %, 25 %, 50 %, 75 %, 90 %");
    assert_eq!(labels(&tail("", 0.99)), "0 %, 50 %, 90 %, 99 %");
    assert_eq!(labels(&tail("", 0.3)), "0 %, 25 %, 50 %", "half of them at least");
}
