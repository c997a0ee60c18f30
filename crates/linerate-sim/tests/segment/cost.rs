//! What a frame costs: events, which must not grow with the stations that only hear it.

use linerate_core::units::Time;
use rstest::rstest;

use super::bench::{World, at, ten_megabit, to};

/// Events for a delivered frame, and for a transmission.
fn cost(count: u32, length: u64) -> [f64; 2] {
    let mut world = World::of_stations(ten_megabit(), count, 25, 1);
    world.saturate_all(&[length]);
    world.run_until_delivered(10_000);
    let counters = (0..count).map(|port| world.counters(port));
    let transmissions: u64 = counters.map(|counters| counters.sent + counters.collisions).sum();
    let events = world.kernel.happened() as f64;
    [events / world.stations.delivered as f64, events / transmissions as f64]
}

#[rstest]
fn a_transmission_among_many_stations_costs_no_more_than_among_few(#[values(64, 1_518)] length: u64) {
    let [two, some, many] = [2, 21, 100].map(|count| cost(count, length));
    println!(
        "{length} B: events for a delivered frame, for a transmission: {two:.2?}, {some:.2?}, {many:.2?}"
    );
    // Collisions are the physics of saturation: each transmission has its backoff, start and end.
    for [_, of_transmission] in [two, some, many] {
        assert!(of_transmission < 3.5, "{of_transmission}");
    }
    // Fifty times the stations, all saturated.
    assert!(many[0] < 12.0 * two[0], "{} for {}", many[0], two[0]);
}

#[test]
fn a_frame_of_a_lone_station_costs_three_events() {
    let mut world = World::of_stations(ten_megabit(), 1_000, 25, 1);
    world.saturate(0, &[64], to(1));
    world.run_until_delivered(1_000);
    assert!(world.kernel.happened() <= 3_001, "{}", world.kernel.happened());

    let mut world = World::of_stations(ten_megabit(), 1_000, 25, 1);
    for number in 0..100 {
        world.offer(7, at(ten_megabit(), 1_000 * number), 64, to(8));
    }
    world.run();
    assert_eq!(world.kernel.happened(), 100 * (1 + 3), "and one to offer it");
}

#[test]
fn a_thousand_stations_that_begin_at_once_come_to_an_end() {
    let mut world = World::of_stations(ten_megabit(), 1_000, 25, 1);
    for port in 0..1_000 {
        world.offer(port, Time::ZERO, 64, to((port + 1) % 1_000));
    }
    world.run();
    assert_eq!(world.stations.delivered + world.stations.losses[0], 1_000);
    assert_eq!(world.segment_held(), 0);
}
