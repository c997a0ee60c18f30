//! Who gets a frame.

use linerate_core::units::Time;
use linerate_sim::ethernet::segment::{Delays, Seat};
use linerate_sim::frame::{Destination, Station};

use super::bench::{What, World, at, gigabit, seats, ten_megabit, to};

fn receivers(destination: Destination) -> Vec<(u32, u64)> {
    let mut seats = seats(4);
    seats[3] = Seat::of_bridge(3);
    let legs = [0, 10, 20, 30].map(|bits| ten_megabit().pace.span(bits)).to_vec();
    let delays = Delays::star(legs, ten_megabit().pace.span(100));
    let mut world = World::new(ten_megabit(), delays, &seats, 1).keep_lines();
    world.offer(0, Time::ZERO, 64, destination);
    world.run();
    assert_eq!((world.segment_held(), world.stations.lost), (0, 0));
    world.times(|what| what == What::Received(0))
}

#[test]
fn a_frame_reaches_its_station_and_every_bridge() {
    assert_eq!(receivers(to(2)), [(2, 576 + 120), (3, 576 + 130)]);
    assert_eq!(receivers(to(77)), [(3, 576 + 130)], "a station beyond the bridge");
    assert_eq!(receivers(Destination::Everyone), [(1, 576 + 110), (2, 576 + 120), (3, 576 + 130)]);
}

#[test]
fn a_frame_that_nobody_listens_to_just_ends() {
    let mut world = World::of_stations(ten_megabit(), 3, 10, 1);
    world.offer(0, Time::ZERO, 64, to(77));
    world.offer(0, Time::ZERO, 64, to(0));
    world.run();
    assert_eq!((world.stations.taken, world.stations.delivered, world.stations.lost), (2, 0, 0));
    assert_eq!((world.counters(0).sent, world.segment_held()), (2, 0));
}

#[test]
fn a_frame_is_held_until_the_last_of_its_receivers_has_it() {
    let legs = [0, 0, 500].map(|bits| ten_megabit().pace.span(bits)).to_vec();
    let mut world = World::new(ten_megabit(), Delays::star(legs, ten_megabit().pace.span(1)), &seats(3), 1);
    world.offer(0, Time::ZERO, 64, Destination::Everyone);
    world.run_until(at(ten_megabit(), 600));
    assert_eq!((world.stations.delivered, world.segment_held()), (1, 1));
    world.run();
    assert_eq!((world.stations.delivered, world.segment_held()), (2, 0));
}

#[test]
fn a_half_duplex_receiver_drops_what_is_shorter_than_the_slot_at_gigabit() {
    let seats = [Seat::of_station(Station(0)), Seat::of_station(Station(1)).full_duplex()];
    for (length, lost) in [(511, 1), (512, 0)] {
        let mut world = World::new(gigabit(), Delays::equal(2, gigabit().pace.span(10)), &seats, 1);
        world.offer(1, Time::ZERO, length, to(0));
        world.run();
        assert_eq!((world.stations.lost, world.counters(0).errors), (lost, lost), "{length} bytes");
    }
}
