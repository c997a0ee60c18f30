use rstest::rstest;

use super::*;
use linerate_core::units::Time;

/// IEEE 802.3, table 28B-3, row by row: PAUSE and ASM_DIR here, there; what is done here, there.
/// `S` is who may send, `O` who obeys.
#[test]
fn the_sixteen_rows_of_the_pause_table_are_resolved_as_the_standard_says() {
    const TABLE: [(&str, &str, &str, &str); 16] = [
        ("00", "00", "", ""),
        ("00", "01", "", ""),
        ("00", "10", "", ""),
        ("00", "11", "", ""),
        ("01", "00", "", ""),
        ("01", "01", "", ""),
        ("01", "10", "", ""),
        ("01", "11", "S", "O"),
        ("10", "00", "", ""),
        ("10", "01", "", ""),
        ("10", "10", "SO", "SO"),
        ("10", "11", "SO", "SO"),
        ("11", "00", "", ""),
        ("11", "01", "O", "S"),
        ("11", "10", "SO", "SO"),
        ("11", "11", "SO", "SO"),
    ];
    let ability = |text: &str| PauseAbility { pause: &text[..1] == "1", asm_dir: &text[1..] == "1" };
    let flow = |text: &str| FlowControl { sends: text.contains('S'), obeys: text.contains('O') };
    for (here, there, done_here, done_there) in TABLE {
        let resolved = resolve([ability(here), ability(there)]);
        assert_eq!(resolved, [flow(done_here), flow(done_there)], "{here} with {there}");
    }
}

#[test]
fn whoever_may_send_pause_has_a_partner_that_obeys_and_the_table_is_symmetric() {
    for a in PauseAbility::ALL {
        for b in PauseAbility::ALL {
            let [here, there] = resolve([a, b]);
            assert_eq!((here.sends, there.sends), (there.obeys, here.obeys));
            assert_eq!(resolve([b, a]), [there, here]);
        }
    }
}

#[rstest]
#[case(10, 3_355_392_000_000)]
#[case(100, 335_539_200_000)]
#[case(1_000, 33_553_920_000)]
#[case(10_000, 3_355_392_000)]
fn the_longest_pause_is_65535_quanta_of_512_bit_times(#[case] megabits: u64, #[case] ps: u64) {
    assert_eq!(span(MAX_QUANTA, Pace::of_bits_per_second(megabits * 1_000_000)), Span::from_ps(ps));
}

#[rstest]
#[case(10e6, 1)]
#[case(100e6, 1)]
#[case(1e9, 2)]
#[case(9.286e9, 60)]
#[case(10e9, 60)]
#[case(40e9, 118)]
#[case(100e9, 394)]
fn the_reaction_limit_grows_with_the_rate(#[case] rate: f64, #[case] quanta: u64) {
    assert_eq!(reaction_limit_quanta(Pace::of_bits_per_second(rate as u64)), quanta);
}

/// 5 ns per metre, which is what the published figures imply: from 2 m to 5 km at 1 Gb/s the
/// headroom grows by 6248 bytes, 49,980 bit times for 4998 m there and back.
fn headroom(gigabits: u64, max_frame_bytes: u64, metres: u64) -> Headroom {
    let pace = Pace::of_bits_per_second(gigabits * 1_000_000_000);
    Headroom::at_reaction_limit(max_frame_bytes, pace, Span::from_ns(5 * metres))
}

#[rstest]
#[case(1, 1518, 2, 26_324)] // 3290.5 bytes: published as 3290, 3291 are needed
#[case(1, 1518, 100, 27_304)] // 3413
#[case(1, 1518, 550, 31_804)] // 3975.5, published as 3976
#[case(1, 1518, 5_000, 76_304)] // 9538
#[case(1, 9018, 2, 146_324)] // 18.3 kB
#[case(10, 1518, 2, 56_200)] // 7.0 kB
#[case(10, 1518, 5_000, 556_000)] // 69.5 kB
fn headroom_is_what_the_closed_form_gives(
    #[case] gigabits: u64,
    #[case] max_frame_bytes: u64,
    #[case] metres: u64,
    #[case] bits: u64,
) {
    let headroom = headroom(gigabits, max_frame_bytes, metres);
    assert_eq!((headroom.bits(), headroom.bytes()), (bits, bits.div_ceil(8)));
    assert_eq!(headroom.bytes_by_frame(), bits.div_ceil(8) + max_frame_bytes - 1);
}

#[test]
fn the_published_headroom_is_met_to_half_a_byte() {
    for (metres, published) in [(2, 3_290.0), (100, 3_413.0), (550, 3_976.0), (5_000, 9_538.0)] {
        let bytes = headroom(1, 1518, metres).bits() as f64 / 8.0;
        assert!((bytes - published).abs() <= 0.5, "{metres} m: {bytes}");
    }
}

#[test]
fn the_cable_counts_with_the_bits_that_are_on_it_there_and_back() {
    let odd = Pace::new(66 * 1_000_000_000_000, 64 * 9_584_640_000);
    for bits in [0, 1, 7, 1_000, 123_457, 10_000_000_000] {
        let mut headroom = Headroom { max_frame_bytes: 64, pace: odd, delay: Span::ZERO, reaction_bits: 0 };
        let none = headroom.bits();
        headroom.delay = odd.span(bits);
        // Twice a rounded-up span may need one bit more than twice the bits.
        assert!((2 * bits..=2 * bits + 1).contains(&(headroom.bits() - none)), "{bits}");
        headroom.pace = Pace::of_bits_per_second(1_000_000_000);
        headroom.delay = Span::from_ns(bits);
        assert_eq!(headroom.bits() - none, 2 * bits);
    }
}

fn at(ps: u64) -> Time {
    Time::from_ps(ps)
}

#[test]
fn a_gauge_asks_once_at_the_high_watermark_and_once_at_the_low_one() {
    let mut gauge = Gauge::new(1_000, Watermarks { high: 600, low: 200 }).expect("they fit");
    assert_eq!(gauge.fill(at(0), 599), Filled::Stored);
    assert_eq!(gauge.fill(at(1), 1), Filled::StoredAndPause);
    assert_eq!(gauge.fill(at(2), 400), Filled::Stored, "it has asked already, and 1000 is all of it");
    assert_eq!(gauge.fill(at(3), 1), Filled::Overflow);
    assert_eq!((gauge.level(), gauge.peak(), gauge.overflows()), (1_000, 1_000, 1));
    assert_eq!(gauge.drain(at(4), 799), None);
    assert_eq!(gauge.drain(at(5), 1), Some(Resume));
    assert_eq!(gauge.drain(at(6), 200), None);
    assert_eq!(gauge.fill(at(7), 600), Filled::StoredAndPause);
}

#[test]
fn the_mean_level_is_weighted_by_time() {
    let mut gauge = Gauge::without_pause(1_000);
    assert_eq!(gauge.fill(at(100), 600), Filled::Stored);
    assert_eq!(gauge.drain(at(200), 400), None);
    assert_eq!(gauge.mean_level(at(200)), 300.0);
    assert_eq!(gauge.mean_level(at(400)), 250.0);
    assert_eq!(gauge.peak(), 600);
}

#[test]
fn a_refresh_is_due_at_each_interval_until_the_low_watermark() {
    let watermarks = Watermarks { high: 600, low: 200 };
    let mut gauge = Gauge::new(1_000, watermarks).expect("they fit").asking(9, Some(Span::from_ps(50)));
    assert_eq!((gauge.quanta(), gauge.refresh_at()), (9, None));
    assert_eq!(gauge.fill(at(10), 600), Filled::StoredAndPause);
    assert_eq!(gauge.refresh_at(), Some(at(60)));
    assert!(!gauge.refresh_due(at(59)));
    assert!(gauge.refresh_due(at(61)), "late is due too");
    assert!(!gauge.refresh_due(at(61)), "and is said once");
    assert_eq!(gauge.refresh_at(), Some(at(111)));
    assert_eq!(gauge.drain(at(70), 400), Some(Resume));
    assert_eq!((gauge.refresh_at(), gauge.refresh_due(at(999))), (None, false));
}

#[test]
fn watermarks_that_do_not_fit_are_refused() {
    for (high, low) in [(600, 600), (1_001, 0), (0, 0)] {
        let error = Gauge::new(1_000, Watermarks { high, low }).expect_err("they do not fit");
        assert_eq!(error, UnfitWatermarks { low, high, capacity: 1_000 });
    }
}

#[test]
fn quanta_that_end_before_a_frame_does_cannot_be_refreshed() {
    let pace = Pace::of_bits_per_second(1_000_000_000);
    // A frame of 1518 bytes takes 12,304 bit times, 24 quanta and 16 bits.
    assert_eq!(refresh_interval(24, 1518, pace), None);
    assert_eq!(refresh_interval(25, 1518, pace), Some(Span::from_ns(496)));
}
