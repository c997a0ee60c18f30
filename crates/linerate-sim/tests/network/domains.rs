//! Hubs and half-duplex cables as parts of a network.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::phy::Duplex;
use linerate_sim::ethernet::topology::{Node, Relay, Side, SwitchParameters, Topology, Wire};
use linerate_sim::fabric::{Fabric as _, Loss};
use linerate_sim::frame::{Destination, Port};

use super::harness::{Bench, GIGABIT, MEGABIT_100, Poisson, data, to};

const SWITCH: Relay = Relay::Switch(SwitchParameters::plain(1 << 20));
const NS: Span = Span::from_ns(1);

/// Two stations on a hub, the hub and two more stations on a switch.
fn hub_and_switch() -> Topology {
    let mut topology = Topology::new();
    let hub = topology.add_relay("hub 0", Relay::Hub { delay: NS * 400 });
    let switch = topology.add_relay("switch 1", SWITCH);
    topology.connect(hub, switch, Wire::half(MEGABIT_100, NS * 30));
    topology.attach_stations(1, hub, Wire::half(MEGABIT_100, NS * 50));
    topology.attach_stations(1, hub, Wire::half(MEGABIT_100, NS * 70));
    topology.attach_stations(2, switch, Wire::full(GIGABIT, NS * 90));
    topology
}

#[test]
fn through_a_hub_a_frame_takes_its_time_once_and_the_delays_of_cables_and_hub() {
    let mut bench = Bench::new(&hub_and_switch());
    bench.offer(Time::ZERO, 0, to(1), 700);
    bench.run();
    let expected = MEGABIT_100.span(708 * 8) + NS * (50 + 400 + 70);
    assert_eq!(bench.stations.arrivals[0].at, Time::ZERO + expected);
    let start = bench.kernel.now() + Span::from_us(100);
    bench.offer(start, 0, to(3), 700);
    bench.run();
    let expected = MEGABIT_100.span(708 * 8) + NS * (50 + 400 + 30) + GIGABIT.span(708 * 8) + NS * 90;
    assert_eq!(bench.stations.arrivals[1].at.since(start), expected);
}

#[test]
fn a_switch_filters_what_stations_of_one_hub_say_to_each_other() {
    let mut bench = Bench::new(&hub_and_switch());
    let ports = |bench: &Bench| [0, 1, 2].map(|port| bench.network.relay_counters(1, port).sent);
    bench.offer(Time::ZERO, 0, to(1), 100);
    bench.run();
    assert_eq!(ports(&bench), [0, 1, 1], "1 is unknown");
    bench.offer(bench.kernel.now(), 1, to(0), 100);
    bench.run();
    bench.offer(bench.kernel.now(), 0, to(1), 100);
    bench.run();
    assert_eq!(ports(&bench), [0, 1, 1], "both are known to be at the hub");
    bench.offer(bench.kernel.now(), 2, Destination::Everyone, 100);
    bench.run();
    assert_eq!(ports(&bench), [1, 1, 2]);
    assert_eq!(bench.stations.arrivals.len(), 3 + 3);
    assert_eq!((bench.network.held(), bench.stations.losses.len()), (0, 0));
}

#[test]
fn hubs_that_are_cabled_together_are_one_collision_domain() {
    let hub = Relay::Hub { delay: NS * 400 };
    let mut topology =
        Topology::line(3, 1, hub, Wire::half(MEGABIT_100, NS * 50), Wire::half(MEGABIT_100, NS * 30));
    let far = topology.add_station("far");
    topology.connect(Node::Relay(2), far, Wire::half(MEGABIT_100, NS * 70));
    let mut bench = Bench::new(&topology);
    let frame = MEGABIT_100.span(708 * 8);
    let mut start = Time::ZERO;
    for (from, station, delay) in [
        (0, 1, 50 + 400 + 30 + 400 + 50),
        (0, 3, 50 + 400 + 30 + 400 + 30 + 400 + 70),
        (3, 0, 50 + 400 + 30 + 400 + 30 + 400 + 70),
        (3, 2, 70 + 400 + 50),
    ] {
        bench.offer(start, from, to(station), 700);
        bench.run();
        let arrival = bench.stations.arrivals.last().expect("it arrived");
        assert_eq!((arrival.station, arrival.at.since(start)), (station, frame + NS * delay));
        start = bench.kernel.now() + Span::from_us(100);
    }
    for (from, station) in [(0, 3), (3, 0)] {
        bench.saturate(from, to(station), 64);
    }
    bench.run_for(Span::from_ms(10));
    assert!(bench.network.counters(Port(0)).collisions > 10);
}

#[test]
fn a_duplex_mismatch_damages_what_the_half_duplex_side_sends() {
    let mut wire = Wire::half(MEGABIT_100, NS * 50);
    wire.sides[1] = Side::new(Duplex::Full);
    let mut topology = Topology::star(1, SWITCH, wire);
    topology.attach_stations(1, Node::Relay(0), Wire::full(MEGABIT_100, NS * 50));
    let mut bench = Bench::new(&topology);
    for (from, other) in [(0, 1), (1, 0)] {
        let mean = Span::from_us(250);
        let poisson = Poisson { destination: to(other), mean, size: |_| data(1000), left: 1_000 };
        bench.offer_at_random(from, poisson);
    }
    bench.run();
    let half = bench.network.counters(Port(0));
    let full = bench.network.relay_counters(0, 0);
    assert!(half.late_collisions > 10 && full.errors > 10, "{half:?} {full:?}");
    assert_eq!(full.collisions, 0);
    let up = bench.arrivals_at(1, Time::ZERO).count();
    let down = bench.arrivals_at(0, Time::ZERO).count();
    assert!(2 * up > 3 * down, "{up} up, {down} down");
    assert!(bench.stations.losses.iter().any(|(_, loss)| *loss != Loss::Overflow));
}

#[test]
fn relay_ports_of_one_collision_domain_draw_different_backoffs() {
    // Equal draws would collide again and again until both frames are given up.
    let wire = Wire::half(MEGABIT_100, NS * 50);
    let mut topology = Topology::new();
    let hub = topology.add_relay("hub 0", Relay::Hub { delay: NS * 400 });
    for number in 1..3 {
        let switch = topology.add_relay(format!("switch {number}"), SWITCH);
        topology.connect(hub, switch, wire);
        topology.attach_stations(1, switch, Wire::full(MEGABIT_100, NS * 50));
    }
    let mut bench = Bench::new(&topology);
    for (from, other) in [(0, 1), (1, 0)] {
        bench.saturate(from, to(other), 1000);
    }
    bench.run_for(Span::from_ms(100));
    let ports = [1, 2].map(|switch| bench.network.relay_counters(switch, 0));
    let collisions: u64 = ports.iter().map(|port| port.collisions).sum();
    let sent: u64 = ports.iter().map(|port| port.sent).sum();
    assert!(collisions > 100, "{ports:?}");
    assert!(sent > 1_100, "more than nine tenths of what the medium can carry: {ports:?}");
}

/// A hub with a station on a short cable, and two cables of this many microseconds each.
fn wide(far: [u64; 2], at_ends: Option<Relay>) -> Topology {
    let mut topology = Topology::new();
    let hub = topology.add_relay("hub 0", Relay::Hub { delay: Span::ZERO });
    topology.attach_stations(1, hub, Wire::half(MEGABIT_100, Span::ZERO));
    for microseconds in far {
        let wire = Wire::half(MEGABIT_100, Span::from_us(microseconds));
        let Some(relay) = at_ends else {
            topology.attach_stations(1, hub, wire);
            continue;
        };
        let switch = topology.add_relay("switch", relay);
        topology.connect(hub, switch, wire);
        topology.attach_stations(1, switch, Wire::full(MEGABIT_100, Span::ZERO));
    }
    topology
}

/// The second of the far ends begins a long frame before it hears the short one that comes to it.
#[test]
fn in_a_domain_too_wide_a_broadcast_is_lost_just_for_those_where_it_is_damaged() {
    let mut bench = Bench::new(&wide([0, 20], None));
    bench.offer(Time::ZERO, 0, Destination::Everyone, 64);
    bench.offer(Time::ZERO + Span::from_us(1), 2, to(1), 1518);
    bench.run();
    let got: Vec<_> = bench.stations.arrivals.iter().map(|one| (one.frame.source.0, one.station)).collect();
    assert_eq!(got, [(0, 1), (2, 1)], "the long one the second time");
    let lost: Vec<_> = bench.stations.losses.iter().map(|(frame, loss)| (frame.source.0, *loss)).collect();
    assert_eq!(lost, [(0, Loss::Error)]);
    assert_eq!(bench.network.held(), 0);
}

/// The same, with a switch at each of the far ends.
#[test]
fn a_frame_that_several_relays_hear_is_lost_if_it_is_damaged_at_the_one_on_its_way() {
    for (destination, lost) in [(1, 0), (2, 1)] {
        let mut bench = Bench::new(&wide([0, 20], Some(SWITCH)));
        // The second switch sends from 150 us to 273 us, and hears the short one at 190 us.
        bench.offer(Time::ZERO + Span::from_us(26), 2, to(1), 1518);
        bench.offer(Time::ZERO + Span::from_us(166), 0, to(destination), 64);
        bench.run();
        let errors = bench.stations.losses.iter().filter(|(_, loss)| *loss == Loss::Error);
        assert_eq!(errors.count(), lost, "to {destination}");
        assert_eq!(bench.stations.arrivals.len(), 2 - lost, "to {destination}");
        assert_eq!(bench.network.held(), 0);
    }
}

/// A station on a hub, the hub on a switch, 1 Gb/s everywhere: the gaps between arrivals behind the
/// switch, which forwards each frame before the next has come.
fn gaps_behind_a_switch(bytes: u64, burst: bool) -> Vec<u64> {
    let mut topology = Topology::new();
    topology.gigabit.burst = burst;
    let hub = topology.add_relay("hub 0", Relay::Hub { delay: NS * 400 });
    let switch = topology.add_relay("switch 1", SWITCH);
    topology.connect(hub, switch, Wire::half(GIGABIT, NS * 30));
    topology.attach_stations(1, hub, Wire::half(GIGABIT, NS * 50));
    topology.attach_stations(1, switch, Wire::full(GIGABIT, NS * 90));
    let mut bench = Bench::new(&topology);
    bench.saturate(0, to(1), bytes);
    bench.run_for(Span::from_us(400));
    assert_eq!(bench.stations.losses, []);
    let arrivals: Vec<Time> = bench.stations.arrivals.iter().map(|arrival| arrival.at).collect();
    arrivals.windows(2).map(|pair| pair[1].since(pair[0]).as_ps() / 1_000).collect()
}

#[test]
fn a_bridge_port_gets_the_frames_of_a_burst_one_by_one_and_without_their_extension() {
    // 64 bytes: 520 on the wire with extension and preamble, else 72; a gap of 12.
    assert!(gaps_behind_a_switch(64, false).iter().all(|gap| *gap == 520 * 8 + 96));
    let gaps = gaps_behind_a_switch(64, true);
    let bursts: Vec<usize> = gaps.split(|gap| *gap == 520 * 8 + 96).map(<[_]>::len).collect();
    assert_eq!(bursts[..5], [92; 5], "93 frames in a burst");
    assert!(gaps.iter().all(|gap| [72 * 8 + 96, 520 * 8 + 96].contains(gap)));
    // A jumbo frame is longer than a burst may last: each is sent alone, and is never too short.
    assert!(gaps_behind_a_switch(9018, true).iter().all(|gap| *gap == 9026 * 8 + 96));
}

#[test]
fn a_frame_of_a_switch_that_collides_too_late_at_gigabit_is_lost_to_its_source() {
    let mut topology = Topology::new();
    let switch = topology.add_relay("switch 0", SWITCH);
    // 6 us of cable: a collision is heard 12 us after the start, the slot is 4.1 us.
    topology.attach_stations(1, switch, Wire::half(GIGABIT, Span::from_us(6)));
    topology.attach_stations(1, switch, Wire::full(GIGABIT, Span::ZERO));
    let mut bench = Bench::new(&topology);
    // Both are on the far cable from about 13 us on, and neither hears the other before 19 us.
    bench.offer(Time::ZERO, 1, to(0), 1518);
    bench.offer(Time::ZERO + Span::from_us(13), 0, to(1), 1518);
    bench.run();
    let mut lost: Vec<_> =
        bench.stations.losses.iter().map(|(frame, loss)| (frame.source.0, *loss)).collect();
    lost.sort_unstable();
    assert_eq!(lost, [(0, Loss::LateCollision), (1, Loss::LateCollision)]);
    let late = [bench.network.relay_counters(0, 0), bench.network.counters(Port(0))];
    assert_eq!(late.map(|counters| (counters.late_collisions, counters.sent)), [(1, 0); 2]);
    assert_eq!((bench.stations.arrivals.len(), bench.network.held()), (0, 0));
}
