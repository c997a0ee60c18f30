//! One saturated station: table B2 of closed forms, exact to the picosecond.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::segment::{Delays, Parameters, Seat};
use linerate_sim::frame::Station;
use rstest::rstest;

use super::bench::{What, World, at, gigabit, ten_megabit, to};

/// When the frames of one saturated station end, in bits, computed from the rules alone.
fn expected_ends(length: u64, slot: u64, burst: u64, count: usize) -> Vec<u64> {
    let (mut ends, mut burst_start) = (Vec::new(), 0);
    let mut end = 64 + (length * 8).max(slot);
    while ends.len() < count {
        ends.push(end);
        if end - burst_start < burst {
            end += 96 + 64 + length * 8;
        } else {
            burst_start = end + 96;
            end = burst_start + 64 + (length * 8).max(slot);
        }
    }
    ends
}

fn ends(parameters: Parameters, length: u64, count: u64) -> Vec<u64> {
    let mut world = World::of_stations(parameters, 2, 0, 1).keep_lines();
    world.saturate(0, &[length], to(1));
    world.run_until_delivered(count);
    world.times(|what| what == What::Sent).into_iter().map(|(_, end)| end).collect()
}

#[rstest]
#[case::l64(64, [0.76190, 0.12030, 0.72058])]
#[case::l128(128, [0.86486, 0.24060, 0.82450])]
#[case::l256(256, [0.92754, 0.48120, 0.89879])]
#[case::l512(512, [0.96241, 0.96241, 0.96241])]
#[case::l1518(1_518, [0.98700, 0.98700, 0.98700])]
fn a_lone_station_reaches_what_framing_leaves(#[case] length: u64, #[case] printed: [f64; 3]) {
    let modes = [(ten_megabit(), 0, 0), (gigabit().without_bursting(), 4_096, 0), (gigabit(), 4_096, 65_536)];
    for ((parameters, slot, burst), printed) in modes.into_iter().zip(printed) {
        let expected = expected_ends(length, slot, burst, 1_000);
        assert_eq!(ends(parameters, length, 1_000), expected);
        // Up to the gap after a whole number of bursts, to the printed digits.
        let in_burst = frames_of_a_burst(length, slot, burst);
        let frames = 1_000 / in_burst * in_burst;
        let time = expected[frames - 1] + 96;
        let efficiency = (frames as u64 * length * 8) as f64 / time as f64;
        assert!((efficiency - printed).abs() < 6e-6, "{efficiency} is not {printed}");
    }
}

fn frames_of_a_burst(length: u64, slot: u64, burst: u64) -> usize {
    let first = 64 + (length * 8).max(slot);
    if burst <= first { 1 } else { 1 + (burst - first).div_ceil(160 + length * 8) as usize }
}

#[rstest]
#[case(64, 93)]
#[case(128, 53)]
#[case(256, 29)]
#[case(512, 16)]
#[case(1_518, 6)]
fn a_burst_takes_the_frames_that_begin_before_its_limit(#[case] length: u64, #[case] frames: u64) {
    assert_eq!(frames_of_a_burst(length, 4_096, 65_536) as u64, frames);
    // Another station waits for the end of the burst: then they collide, and never before.
    let mut world = World::of_stations(gigabit(), 2, 10, 1);
    world.saturate(0, &[length], to(1));
    world.offer(1, at(gigabit(), 100), 64, to(0));
    while world.counters(1).collisions == 0 {
        assert!(world.step());
    }
    assert_eq!((world.counters(0).sent, world.counters(0).collisions), (frames, 1));
    assert_eq!(world.counters(0).late_collisions, 0);
}

#[test]
fn a_burst_extends_its_first_frame_only_and_fills_its_gaps() {
    let mut world = World::of_stations(gigabit(), 2, 0, 1).keep_lines();
    for length in [80, 214, 980] {
        world.offer(0, Time::ZERO, length, to(1));
    }
    world.run();
    let ends = [4_160, 4_160 + 96 + 1_776, 4_160 + 96 + 1_776 + 96 + 7_904];
    assert_eq!(world.times(|what| what == What::Sent), ends.map(|end| (0, end)));
    assert_eq!(world.times(|what| what == What::Received(0)), ends.map(|end| (1, end)));
}

#[rstest]
#[case(64)]
#[case(512)]
#[case(1_518)]
fn half_duplex_without_extension_and_others_is_full_duplex(#[case] length: u64) {
    let plain = gigabit().without_extension().without_bursting();
    let seats = [Seat::of_station(Station(0)).full_duplex(), Seat::of_station(Station(1))];
    let mut full = World::new(plain, Delays::equal(2, Span::ZERO), &seats, 1).keep_lines();
    full.saturate(0, &[length], to(1));
    full.run_until_delivered(500);
    let half = ends(plain, length, 500);
    assert_eq!(full.times(|what| what == What::Sent), half.iter().map(|end| (0, *end)).collect::<Vec<_>>());
    assert_eq!(half, (1..=500).map(|count| count * (length + 20) * 8 - 96).collect::<Vec<_>>());
}

#[rstest]
#[case(512)]
#[case(1_518)]
fn extension_does_nothing_to_frames_of_a_slot(#[case] length: u64) {
    let extended = gigabit().without_bursting();
    assert_eq!(ends(extended, length, 500), ends(extended.without_extension(), length, 500));
}

#[test]
fn a_burst_ends_with_the_frame_that_reaches_its_limit() {
    // The last of these ends 65,536 bits after the burst began, or one byte before that.
    for (last, extended) in [(1_259, true), (1_258, false)] {
        let mut world = World::of_stations(gigabit(), 2, 0, 1).keep_lines();
        for length in [64, 1_258, 1_258, 1_259, 1_259, 1_259, last, 64] {
            world.offer(0, Time::ZERO, length, to(1));
        }
        world.run();
        let ends = world.times(|what| what == What::Sent);
        assert_eq!(ends[6].1, 65_536 - (1_259 - last) * 8);
        assert_eq!(ends[7].1 - ends[6].1, 96 + 64 + if extended { 4_096 } else { 512 });
    }
}
