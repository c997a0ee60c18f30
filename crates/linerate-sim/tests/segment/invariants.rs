//! What holds whatever the load: every frame has one fate, and nothing depends on a number.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::segment::{Delays, Parameters, Seat};
use linerate_sim::fabric::{Fabric as _, MacCounters};
use linerate_sim::frame::{Destination, Frame, Station};
use proptest::prelude::*;

use super::bench::{Fate, Line, What, World, at, gigabit, seats, ten_megabit, to};

/// Five stations on legs of different length, some frames at given times, in bits.
fn mixed(parameters: Parameters, seed: u64) -> World {
    let legs = [10, 20, 35, 50, 5].map(|bits| parameters.pace.span(bits)).to_vec();
    let delays = Delays::star(legs, parameters.pace.span(20));
    let mut world = World::new(parameters, delays, &seats(5), seed).keep_lines();
    world.saturate(0, &[64, 1_518], to(1));
    world.saturate(1, &[700], to(2));
    for number in 0..200 {
        for port in 2..5 {
            let destination = if number % 9 == 0 { Destination::Everyone } else { to(0) };
            let start = at(parameters, number * 7_001 * u64::from(port));
            world.offer(port, start, 64 + number % 1_400, destination);
        }
    }
    world.run_until_delivered(2_000);
    world
}

fn in_bits(world: &World) -> Vec<(u64, u32, What)> {
    world.lines().iter().map(|line| (world.bits(line.at), line.port, line.what)).collect()
}

#[test]
fn ten_times_the_rate_is_the_same_trace_in_bits() {
    let slow = in_bits(&mixed(Parameters::of_rate(10_000_000), 3));
    assert_eq!(slow, in_bits(&mixed(Parameters::of_rate(100_000_000), 3)));
    let collisions = slow.iter().filter(|(_, _, what)| *what == What::Collided).count();
    assert!(collisions > 500, "{collisions}");
}

#[test]
fn a_seed_gives_the_same_trace_and_another_seed_another() {
    let first = in_bits(&mixed(ten_megabit(), 3));
    assert_eq!(first, in_bits(&mixed(ten_megabit(), 3)));
    assert_ne!(first, in_bits(&mixed(ten_megabit(), 4)));
}

/// Stations on a star, seat p being the station with the number `order[p]` in all but its port.
fn seated(order: [u32; 6]) -> Vec<Line> {
    let parameters = ten_megabit();
    let legs = order.map(|number| parameters.pace.span(10 + 3 * u64::from(number))).to_vec();
    let seats = order.map(|number| Seat { stream: number, ..Seat::of_station(Station(0)) });
    let seats: Vec<Seat> =
        (0..).zip(seats).map(|(port, seat)| Seat { station: Some(Station(port)), ..seat }).collect();
    let mut world = World::new(parameters, Delays::star(legs, Span::ZERO), &seats, 5).keep_lines();
    let port_of = |number: u32| order.iter().position(|one| *one == number).expect("each has a seat") as u32;
    for port in 0..6 {
        let number = order[port as usize];
        world.saturate(port, &[64 + 200 * u64::from(number)], to(port_of((number + 1) % 6)));
    }
    world.run_until(at(parameters, 10_000_000));
    let named = |line: &Line| {
        let what = match line.what {
            What::Received(from) => What::Received(order[from as usize]),
            what => what,
        };
        Line { port: order[line.port as usize], what, ..*line }
    };
    let mut lines: Vec<Line> = world.lines().iter().map(named).collect();
    // What happens at one instant at several ports has no order.
    lines.sort_by_key(|line| (line.at, line.port, format!("{:?}", line.what)));
    lines
}

#[test]
fn where_stations_sit_changes_nothing() {
    let lines = seated([0, 1, 2, 3, 4, 5]);
    assert!(lines.len() > 3_000, "{}", lines.len());
    assert_eq!(lines, seated([5, 3, 1, 4, 2, 0]));
    assert_eq!(lines, seated([2, 0, 1, 5, 3, 4]));
}

#[derive(Clone, Debug)]
struct Case {
    parameters: Parameters,
    /// Unit: bits.
    delays: Vec<u64>,
    seats: Vec<Seat>,
    /// Port, start in bits, length, destination.
    offers: Vec<(u32, u64, u64, Destination)>,
    seed: u64,
    /// When it is looked at first. Unit: bits.
    look: u64,
}

fn case() -> impl Strategy<Value = Case> {
    (1_u32..9).prop_flat_map(|count| {
        let parameters = prop_oneof![
            Just(ten_megabit()),
            Just(gigabit()),
            Just(gigabit().without_bursting()),
            Just(gigabit().without_extension())
        ];
        let kinds =
            prop::collection::vec((prop::bool::weighted(0.2), prop::bool::weighted(0.2)), count as usize);
        let delays = prop::collection::vec(prop_oneof![0_u64..100, 0_u64..3_000], (count * count) as usize);
        let destination = prop_oneof![8 => (0..count + 1).prop_map(to), 1 => Just(Destination::Everyone)];
        let length = prop_oneof![Just(64_u64), 64_u64..1_519];
        let offers = prop::collection::vec((0..count, 0_u64..60_000, length, destination), 0..60);
        (parameters, delays, kinds, offers, any::<u64>(), 0_u64..100_000).prop_map(
            |(parameters, delays, kinds, mut offers, seed, look)| {
                offers.sort_by_key(|offer| offer.1);
                let seat = |(port, (full, promiscuous)): (u32, (bool, bool))| {
                    let seat = Seat { promiscuous, ..Seat::of_station(Station(port)) };
                    if full { seat.full_duplex() } else { seat }
                };
                let seats = (0..).zip(kinds).map(seat).collect();
                Case { parameters, delays, seats, offers, seed, look }
            },
        )
    })
}

/// Delivered or lost, once for each seat that was to get it; or given up, once.
fn check_fate(fate: &Fate, seats: &[Seat]) -> Result<(), TestCaseError> {
    let Fate { frame, delivered, arrived, lost, given_up } = *fate;
    if given_up > 0 {
        prop_assert_eq!((given_up, delivered, lost), (1, 0, 1), "{:?}", fate);
        return Ok(());
    }
    let others = seats.iter().filter(|seat| seat.station != Some(frame.source));
    let listen = others.filter(|seat| seat.promiscuous).count() as u32;
    let [ends, owed] = match frame.destination {
        _ if is_here(&frame, seats.len()) => [arrived + lost, 1],
        Destination::Everyone => [delivered + lost, seats.len() as u32 - 1],
        // Whoever sends to itself is owed nothing.
        destination if destination == to(frame.source.0) => [lost, 0],
        _ => [delivered + lost, listen],
    };
    prop_assert_eq!(ends, owed, "{:?}", fate);
    Ok(())
}

/// Whether a frame is for one other station of the domain.
fn is_here(frame: &Frame, count: usize) -> bool {
    matches!(frame.destination, Destination::Station(station)
        if station.index() < count && station != frame.source)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_frame_has_exactly_one_fate(case in case()) {
        let count = case.seats.len();
        let delays = case.delays.iter().map(|bits| case.parameters.pace.span(*bits)).collect();
        let delays = Delays::matrix(count, delays);
        let mut world = World::new(case.parameters, delays, &case.seats, case.seed);
        for (port, start, length, destination) in &case.offers {
            world.offer(*port, at(case.parameters, *start), *length, *destination);
        }
        world.run_until(at(case.parameters, case.look));
        let open = world.stations.fates.iter().filter(|fate| is_here(&fate.frame, count) && fate.arrived + fate.lost == 0);
        prop_assert!(open.count() as u64 <= world.segment.held());

        world.run();
        prop_assert_eq!(world.stations.taken, case.offers.len() as u64);
        prop_assert_eq!(world.segment.held(), 0);
        for fate in &world.stations.fates {
            check_fate(fate, &case.seats)?;
        }
        let sum = |value: fn(&MacCounters) -> u64| -> u64 {
            (0..count as u32).map(|port| value(&world.counters(port))).sum()
        };
        prop_assert_eq!(sum(|counters| counters.received), world.stations.delivered);
        prop_assert_eq!(sum(|counters| counters.excessive_collisions), world.stations.losses[0]);
        if !case.parameters.retry_late {
            prop_assert_eq!(sum(|counters| counters.late_collisions), world.stations.losses[1]);
        }
        let given_up = world.stations.losses[0] + world.stations.losses[1];
        prop_assert_eq!(sum(|counters| counters.sent) + given_up, world.stations.taken);
        prop_assert!(world.kernel.now() > Time::ZERO || world.stations.taken == 0);
    }
}
