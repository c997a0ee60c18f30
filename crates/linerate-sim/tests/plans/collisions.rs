//! Half duplex: bursts, contention, mixtures, faults.

use linerate_core::caution::Caution;
use linerate_sim::fabric::Loss;
use toml::Value;

use super::shipped::{load, lost};

/// One station that always sends: frame (bytes), share of the line with bursts, and without.
/// Derived from IEEE 802.3, 4.2.3.2.7 and 4.2.3.4 (docs/models/csma-cd.md).
const LONE: [(i64, f64, f64); 5] = [
    (64, 0.72058, 0.12030),
    (128, 0.82450, 0.24060),
    (256, 0.89879, 0.48120),
    (512, 0.96241, 0.96241),
    (1518, 0.98700, 0.98700),
];

#[test]
fn bursts_give_short_frames_most_of_a_gigabit_and_extension_alone_an_eighth() {
    for (frame, burst, extended) in LONE {
        let frame = [("load.frame", Value::from(frame))];
        // The run begins and ends within a burst: 65 us in 45 ms at most.
        let with = load("gigabit-half-duplex", &frame).efficiency();
        assert!((with - burst).abs() < 2e-4, "{frame:?}: {with}");
        let without = load("gigabit-half-duplex-no-burst", &frame).efficiency();
        assert!((without - extended).abs() < 2e-4, "{frame:?}: {without}");
    }
}

#[test]
fn more_stations_make_less_of_ten_megabits_but_more_than_metcalfe_and_boggs_allow_for() {
    let mut before = 0.98700;
    for stations in [2, 24, 100] {
        let changes = [("network.stations", Value::from(stations)), ("load.time", "8s".into())];
        let efficiency = load("ten-base-t", &changes).efficiency();
        assert!(efficiency < before, "{stations} stations: {efficiency} after {before}");
        let least = metcalfe_boggs(stations as f64, 1518.0) - 0.05;
        assert!(efficiency > least, "{stations} stations: {efficiency}, at least {least}");
        before = efficiency;
    }
}

/// Efficiency of a slotted Ethernet with the best backoff. Source: Metcalfe and Boggs 1976.
fn metcalfe_boggs(stations: f64, frame_bytes: f64) -> f64 {
    let acquires = (1.0 - 1.0 / stations).powf(stations - 1.0);
    let slots = (1.0 - acquires) / acquires;
    frame_bytes * 8.0 / (frame_bytes * 8.0 + slots * 512.0)
}

#[test]
fn the_delay_on_a_hub_grows_long_before_it_is_full() {
    let delay = |total| {
        let outcome =
            load("fast-ethernet-hub", &[("load.total-load", Value::from(total)), ("load.time", "1s".into())]);
        outcome.delay.mean.expect("frames").as_us()
    };
    let [low, high] = [0.3, 0.9].map(delay);
    assert!(low < 250.0 && high > 5.0 * low, "{low} us, {high} us");
}

#[test]
fn one_long_packet_in_eight_lifts_the_throughput_of_short_ones() {
    let efficiency =
        |frame| load("mixed-sizes", &[("load.frame", frame), ("load.time", "5s".into())]).efficiency();
    let mixed = load("mixed-sizes", &[("load.time", "5s".into())]).efficiency();
    let [short, long] = [64, 1536].map(|frame| efficiency(Value::from(frame)));
    assert!(short + 0.1 < mixed && mixed + 0.05 < long, "{short} {mixed} {long}");
    // Boggs, Mogul and Kent 1988: far above the 37 % of folklore. Their mixtures lie above 7.5 Mb/s.
    assert!(mixed > 0.75 && short > 0.6, "{short} {mixed}");
}

#[test]
fn a_duplex_mismatch_has_late_collisions_at_the_half_end_errors_at_the_full_one_and_one_way_traffic() {
    let outcome = load("duplex-mismatch", &[]);
    let [full, half] = &outcome.stations[..] else { panic!("two stations") };
    assert_eq!((full.mac.collisions, full.mac.late_collisions), (0, 0), "it does not look for any");
    assert!(
        half.mac.late_collisions > 1_000 && half.mac.late_collisions * 2 > half.mac.collisions,
        "{half:?}"
    );
    assert!(full.mac.errors >= half.mac.collisions, "each fragment arrives as an error: {full:?}");
    assert!(half.throughput.bits_per_second() > 4.0 * full.throughput.bits_per_second(), "{outcome:?}");
    assert!(lost(&outcome, Loss::Error) > 1_000 && half.lost.is_empty(), "only the full end loses");
    assert!(matches!(outcome.cautions[..], [Caution::DuplexMismatch { .. }, Caution::FramesLost { .. }]));
    let quiet = load("duplex-mismatch", &[("load.station-load", Value::from(0.01))]);
    assert!(quiet.all_lost() * 50 < quiet.offered, "ping hardly sees it: {:?}", quiet.lost);
    // When the full end hardly pauses, it is the half end that starves.
    let flood = load("duplex-mismatch", &[("load.station-load", Value::from(0.8))]);
    let [full, half] = &flood.stations[..] else { panic!("two stations") };
    assert!(full.throughput.bits_per_second() > 4.0 * half.throughput.bits_per_second(), "{flood:?}");
    assert!(half.mac.excessive_collisions > 10, "{half:?}");
}

#[test]
fn an_illegal_diameter_shows_late_collisions_and_collisions_that_nobody_hears() {
    let wide = load("illegal-diameter", &[]);
    let [Caution::IllegalDiameter { round_trip_bits, slot_bits }, Caution::FramesLost { .. }] =
        wide.cautions[..]
    else {
        panic!("{:?}", wide.cautions)
    };
    // 4 x 400 m of 5.56 ns, two stations and a repeater.
    assert_eq!((round_trip_bits, slot_bits), (890 + 100 + 140, 512));
    let macs = wide.macs();
    assert!(macs.late_collisions > 500, "{macs:?}");
    assert!(
        lost(&wide, Loss::Error) > 200,
        "sent without a collision that the sender heard: {:?}",
        wide.lost
    );
    let legal = load("illegal-diameter", &[("network.length-m", Value::from(100.0))]);
    assert!(legal.cautions.is_empty() && lost(&legal, Loss::Error) == 0);
    assert_eq!(legal.macs().late_collisions, 0);
}
