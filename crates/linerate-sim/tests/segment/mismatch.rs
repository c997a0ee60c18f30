//! Duplex mismatch: one side takes turns, the other does not.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::segment::{Delays, Parameters, Seat};
use linerate_sim::frame::Station;

use super::bench::{World, at, to};

const HALF: u32 = 0;
const FULL: u32 = 1;

fn mismatch() -> World {
    let parameters = Parameters::of_rate(100_000_000);
    let seats = [Seat::of_station(Station(HALF)), Seat::of_station(Station(FULL)).full_duplex()];
    World::new(parameters, Delays::equal(2, parameters.pace.span(60)), &seats, 1)
}

#[test]
fn a_mismatch_shows_late_collisions_at_the_half_side_and_errors_at_the_full_side() {
    let mut world = mismatch();
    world.saturate(HALF, &[1_518], to(FULL));
    // The other side sends a fifth of the time, not in step with the frames of the first.
    let parameters = Parameters::of_rate(100_000_000);
    for number in 0..5_000 {
        world.offer(FULL, at(parameters, 20_000 * number + number * 7_919 % 9_000), 512, to(HALF));
    }
    world.run_until(at(parameters, 20_000 * 5_000 + 20_000));
    let [half, full] = [HALF, FULL].map(|port| world.counters(port));
    println!("half {half:?}\nfull {full:?}\n{:?}", world.stations.delivered_from);
    assert!(half.late_collisions > 1_000, "{half:?}");
    assert_eq!((full.collisions, full.late_collisions, full.sent), (0, 0, 5_000));
    assert!(full.errors >= half.collisions, "each fragment arrives as an error: {full:?}");
}

#[test]
fn under_load_both_ways_nearly_all_goes_one_way() {
    let mut world = mismatch();
    world.saturate(HALF, &[1_518], to(FULL));
    world.saturate(FULL, &[1_518], to(HALF));
    world.run_until(at(Parameters::of_rate(100_000_000), 100_000_000));
    let [half, full] = [HALF, FULL].map(|port| world.stations.delivered_from[port as usize]);
    println!("from half {half}, from full {full}");
    assert!(full > 5 * half.max(1), "from half {half}, from full {full}");
    assert!(world.counters(HALF).excessive_collisions > 10);
}

#[test]
fn one_frame_at_a_time_is_not_disturbed() {
    let mut world = mismatch();
    for number in 0..1_000 {
        let start = Time::from_ps(1_000_000_000 * number);
        world.offer(HALF, start, 64, to(FULL));
        world.offer(FULL, start + Span::from_us(100), 64, to(HALF));
    }
    world.run();
    assert_eq!((world.stations.delivered, world.stations.lost), (2_000, 0));
    assert_eq!(world.counters(HALF).collisions + world.counters(FULL).errors, 0);
}
