//! Collisions: by hand, sixteen of them, late ones, and those that nobody hears.

use linerate_core::units::Time;
use linerate_sim::ethernet::segment::{Delays, Parameters, Seat};
use linerate_sim::fabric::Loss;
use linerate_sim::frame::Station;
use linerate_sim::random::{Purpose, stream};
use rand::Rng as _;

use super::bench::{What, World, at, gigabit, seats, ten_megabit, to};

/// Three stations with the delays 0-1, 0-2 and 1-2. Unit: bits.
fn three(parameters: Parameters, [near, far, other]: [u64; 3], seed: u64) -> World {
    let rows = [0, near, far, near, 0, other, far, other, 0];
    let delays = Delays::matrix(3, rows.map(|bits| parameters.pace.span(bits)).to_vec());
    World::new(parameters, delays, &seats(3), seed).keep_lines()
}

/// The slots that a station draws after its first two collisions.
fn slots(seed: u64, station: u32) -> [u64; 2] {
    let mut random = stream(seed, station, Purpose::Backoff);
    [random.next_u64() >> 63, random.next_u64() >> 62]
}

#[test]
fn a_collision_of_three_goes_as_computed_by_hand() {
    let wanted = |seed: &u64| {
        let drawn = [0, 1, 2].map(|station| slots(*seed, station));
        drawn[0][0] == 0 && drawn[1] == [1, 0] && drawn[2] == [1, 2]
    };
    let seed = (0..).find(wanted).expect("one of a few hundred seeds draws so");
    let mut world = three(ten_megabit(), [20, 50, 30], seed);
    for (port, start) in [(0, 0), (1, 10), (2, 40)] {
        world.offer(port, at(ten_megabit(), start), 64, to((port + 1) % 3));
    }
    world.run();
    let trace: Vec<_> =
        world.lines().iter().map(|line| (world.bits(line.at), line.port, line.what)).collect();
    let expected = [
        // 0 hears 1 at 30, 1 hears 0 at 20: both complete the preamble, and jam.
        (96, 0, What::Collided),
        (106, 1, What::Collided),
        // 1 is heard at 2 at the instant at which 2 begins: no deference, and a collision at once.
        (136, 2, What::Collided),
        // Carrier is gone at 0 at 40 + 96 + 50; after the gap it sends.
        (282 + 576, 0, What::Sent),
        (858 + 20, 1, What::Received(0)),
        // 1 sends from 878 + 96, which 2 hears as its own gap ends, at 858 + 50 + 96.
        (974 + 96, 1, What::Collided),
        (1_004 + 96, 2, What::Collided),
        // 2 is gone at 1 at 1130; 2 itself waits for two slots.
        (1_226 + 576, 1, What::Sent),
        (1_802 + 30, 2, What::Received(1)),
        (1_100 + 1_024 + 576, 2, What::Sent),
        (2_700 + 50, 0, What::Received(2)),
    ];
    assert_eq!(trace, expected);
}

/// A full-duplex seat that never pauses, and a station that collides with it whenever it tries.
fn against_a_wall(frames: u32) -> World {
    let seats = [Seat::of_station(Station(0)), Seat::of_station(Station(1)).full_duplex()];
    let delays = Delays::equal(2, ten_megabit().pace.span(25));
    let mut world = World::new(ten_megabit(), delays, &seats, 1).keep_lines();
    world.saturate(1, &[1_518], to(0));
    for _ in 0..frames {
        world.offer(0, at(ten_megabit(), 1_000), 64, to(1));
    }
    world
}

#[test]
fn a_frame_is_given_up_after_sixteen_transmissions_and_the_next_one_has_sixteen_again() {
    let mut world = against_a_wall(2);
    world.run_until(at(ten_megabit(), 16_000_000));
    let counters = world.counters(0);
    assert_eq!((counters.collisions, counters.excessive_collisions, counters.sent), (32, 2, 0));
    assert_eq!((counters.late_collisions, world.stations.losses[0]), (0, 2));
    let tries = world.times(|what| what == What::Collided);
    let lost = world.times(|what| what == What::Lost(Loss::ExcessiveCollisions));
    assert_eq!(lost, [tries[15], tries[31]]);
    // Every try begins as the gap ends, to the bit: the wall's frames are 12,304 apart.
    for (_, end) in tries {
        assert_eq!((end - 96 - 25) % 12_304, 0);
    }
}

#[test]
fn a_late_collision_is_tried_again_at_10_megabit() {
    let mut world = World::of_stations(ten_megabit(), 2, 600, 1).keep_lines();
    world.offer(0, Time::ZERO, 1_518, to(1));
    world.offer(1, at(ten_megabit(), 590), 1_518, to(0));
    world.run_until(at(ten_megabit(), 590 + 600 + 32));
    assert_eq!(world.times(|what| what == What::Collided), [(1, 590 + 96), (0, 590 + 600 + 32)]);
    assert_eq!((world.counters(0).late_collisions, world.counters(1).late_collisions), (1, 0));
    world.run();
    assert_eq!((world.stations.delivered, world.stations.lost), (2, 0));
}

#[test]
fn a_collision_is_late_from_the_first_bit_after_the_slot() {
    for (heard, late) in [(511, 0), (512, 0), (513, 1)] {
        let mut world = World::of_stations(ten_megabit(), 2, 300, 1);
        world.offer(0, Time::ZERO, 1_518, to(1));
        world.offer(1, at(ten_megabit(), heard - 300), 1_518, to(0));
        while world.counters(0).collisions == 0 {
            assert!(world.step());
        }
        assert_eq!(world.counters(0).late_collisions, late, "heard at {heard}");
    }
}

#[test]
fn a_late_collision_loses_the_frame_at_gigabit() {
    let mut world = World::of_stations(gigabit(), 2, 5_000, 1).keep_lines();
    world.offer(0, Time::ZERO, 1_518, to(1));
    world.offer(1, at(gigabit(), 4_990), 1_518, to(0));
    world.run();
    assert_eq!(world.times(|what| what == What::Lost(Loss::LateCollision)), [(0, 9_990 + 32)]);
    assert_eq!((world.counters(0).late_collisions, world.counters(1).late_collisions), (1, 0));
    assert_eq!((world.stations.delivered_from[1], world.stations.lost), (1, 1));
}

#[test]
fn a_collision_that_no_sender_hears_arrives_as_an_error() {
    // The middle hears both frames from 300; each sender would hear the other at 600, being done.
    let mut world = three(ten_megabit(), [600, 300, 300], 1);
    world.offer(0, Time::ZERO, 64, to(2));
    world.offer(1, at(ten_megabit(), 10), 64, to(2));
    world.run();
    assert_eq!(world.times(|what| what == What::Sent), [(0, 576), (1, 586)]);
    assert_eq!(world.times(|what| what == What::Lost(Loss::Error)), [(0, 876), (1, 886)]);
    assert_eq!((world.counters(0).collisions, world.counters(2).errors, world.segment_held()), (0, 2, 0));
}

#[test]
fn carrier_that_arrives_as_the_own_transmission_ends_is_no_collision() {
    for (start, collisions) in [(276, 0), (275, 1)] {
        let mut world = World::of_stations(ten_megabit(), 2, 300, 1);
        world.offer(0, Time::ZERO, 64, to(1));
        world.offer(1, at(ten_megabit(), start), 64, to(0));
        // Up to the bit after the first frame's end and the longest jam.
        world.run_until(at(ten_megabit(), 576 + 32));
        assert_eq!(world.counters(0).collisions, collisions, "heard at {}", start + 300);
    }
    // The same where the other's carrier is already on its way: it arrives at 600.
    for (start, collisions) in [(24, 0), (25, 1)] {
        let mut world = World::of_stations(ten_megabit(), 2, 600, 1);
        world.offer(0, Time::ZERO, 64, to(1));
        world.offer(1, at(ten_megabit(), start), 64, to(0));
        world.run_until(at(ten_megabit(), 600 + 32));
        assert_eq!(world.counters(1).collisions, collisions, "sends until {}", start + 576);
    }
}

#[test]
fn a_station_that_sends_does_not_receive() {
    // 1 begins before it hears the frame for it, and 0 is done before it hears 1.
    let mut world = World::of_stations(ten_megabit(), 2, 600, 1).keep_lines();
    world.offer(0, Time::ZERO, 64, to(1));
    world.offer(1, at(ten_megabit(), 500), 64, to(0));
    world.run();
    assert_eq!(world.times(|what| what == What::Lost(Loss::Error)), [(0, 576 + 600)]);
    assert_eq!((world.counters(0).sent, world.counters(0).collisions), (1, 0));
    assert_eq!((world.counters(1).collisions, world.stations.delivered_from[1]), (1, 1));
}

#[test]
fn a_fragment_at_the_start_of_a_long_frame_is_not_forgotten_at_its_end() {
    let seats = [0, 1, 2].map(|number| Seat::of_station(Station(number)));
    let seats = [seats[0], seats[1].full_duplex(), seats[2]];
    let delays = Delays::equal(3, ten_megabit().pace.span(10));
    let mut world = World::new(ten_megabit(), delays, &seats, 1).keep_lines();
    world.offer(0, Time::ZERO, 64, to(2));
    world.offer(1, at(ten_megabit(), 5), 1_518, to(2));
    world.run();
    assert_eq!(world.times(|what| what == What::Collided), [(0, 96)]);
    assert_eq!(world.times(|what| what == What::Lost(Loss::Error)), [(1, 5 + 12_208 + 10)]);
    assert_eq!(world.stations.delivered_from, [1, 0, 0]);
}

#[test]
fn a_collision_in_the_extension_is_one_of_the_frame() {
    let mut world = World::of_stations(gigabit(), 2, 1_500, 1).keep_lines();
    world.offer(0, Time::ZERO, 64, to(1));
    world.offer(1, at(gigabit(), 1_400), 64, to(0));
    world.run();
    let collided = world.times(|what| what == What::Collided);
    assert_eq!(collided[..2], [(1, 1_500 + 32), (0, 2_900 + 32)]);
    assert_eq!(world.counters(0).late_collisions, 0);
    assert_eq!((world.stations.delivered, world.stations.lost), (2, 0));
}

#[test]
fn any_collision_after_the_first_frame_of_a_burst_is_late() {
    // Well within the slot time: without extension three frames begin before the collision.
    let parameters = gigabit().without_extension();
    let cases = [
        // In the fill before the third frame: the jam follows at once.
        (500, 1_300, 1_332),
        // In the third frame's preamble, which is completed.
        (590, 1_390, 1_344 + 64 + 32),
        // In its data.
        (750, 1_550, 1_582),
    ];
    for (start, heard, end) in cases {
        let mut world = World::of_stations(parameters, 2, 800, 1).keep_lines();
        for _ in 0..3 {
            world.offer(0, Time::ZERO, 64, to(1));
        }
        world.offer(1, at(parameters, start), 1_518, to(0));
        world.run();
        assert_eq!(start + 800, heard);
        assert_eq!(world.times(|what| what == What::Lost(Loss::LateCollision)), [(0, end)]);
        assert_eq!((world.counters(0).sent, world.counters(0).late_collisions), (2, 1));
    }
}

#[test]
fn within_a_burst_what_is_left_of_a_frame_is_an_error_from_the_shortest_frame_on() {
    // Another station is so far that it hears the burst too late. The second frame begins at 4256.
    for (heard, errors) in [(4_256 + 64 + 512 - 33, 0), (4_256 + 64 + 512 - 32, 1), (5_500, 1)] {
        let delays = [0, 10, 3_000, 10, 0, 3_000, 3_000, 3_000, 0].map(|bits| gigabit().pace.span(bits));
        let mut world = World::new(gigabit(), Delays::matrix(3, delays.to_vec()), &seats(3), 1);
        world.offer(0, Time::ZERO, 64, to(1));
        world.offer(0, Time::ZERO, 1_518, to(1));
        world.offer(2, at(gigabit(), heard - 3_000), 64, to(0));
        world.run();
        assert_eq!((world.counters(0).sent, world.counters(0).late_collisions), (1, 1));
        assert_eq!((world.counters(1).received, world.counters(1).errors), (1, errors), "heard at {heard}");
    }
}
