//! The learning switch.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::network::Network;
use linerate_sim::ethernet::pause::FlowControl;
use linerate_sim::ethernet::topology::{Buffer, Relay, SwitchParameters, Topology, Wire};
use linerate_sim::fabric::{Fabric as _, Loss};
use linerate_sim::frame::{Destination, Port};
use rstest::rstest;

use super::harness::{Bench, GIGABIT, MEGABIT_100, period, to};

const ROOM: u64 = 1 << 20;

fn wire() -> Wire {
    Wire::full(GIGABIT, Span::from_ns(50))
}

fn star(stations: usize) -> Topology {
    Topology::star(stations, Relay::Switch(SwitchParameters::plain(ROOM)), wire())
}

fn sent_by_port(network: &Network) -> Vec<u64> {
    (0..network.relay_ports(0)).map(|port| network.relay_counters(0, port).sent).collect()
}

#[test]
fn an_unknown_address_is_flooded_a_known_one_goes_by_its_port_and_everyone_by_all() {
    let mut bench = Bench::new(&star(4));
    let at = |number: u64| Time::from_ps(number * 100_000_000);
    bench.offer(at(0), 0, to(2), 100);
    bench.run();
    assert_eq!(sent_by_port(&bench.network), [0, 1, 1, 1], "2 is unknown");
    bench.offer(at(1), 2, to(0), 100);
    bench.run();
    assert_eq!(sent_by_port(&bench.network), [1, 1, 1, 1], "0 was learned from its frame");
    bench.offer(at(2), 0, to(2), 100);
    bench.run();
    assert_eq!(sent_by_port(&bench.network), [1, 1, 2, 1], "and 2 from its answer");
    bench.offer(at(3), 3, Destination::Everyone, 100);
    bench.run();
    assert_eq!(sent_by_port(&bench.network), [2, 2, 3, 1]);
    let receivers: Vec<u32> = bench.stations.arrivals.iter().map(|arrival| arrival.station).collect();
    assert_eq!(receivers, [2, 0, 2, 0, 1, 2]);
    assert_eq!((bench.network.held(), bench.stations.losses.len()), (0, 0), "copies are no losses");
    assert_eq!(bench.network.counters(Port(1)).received, 1, "what passed by was not received");
}

#[test]
fn a_switch_that_was_taught_floods_no_frame_for_a_station_that_is_there() {
    let taught = SwitchParameters { taught: true, ..SwitchParameters::plain(ROOM) };
    let mut bench = Bench::new(&Topology::line(2, 2, Relay::Switch(taught), wire(), wire()));
    bench.offer(Time::ZERO, 0, to(3), 100);
    bench.run();
    // Ports in the order of the cables: two stations and the trunk, the trunk and two stations.
    assert_eq!(sent_by_port(&bench.network), [0, 0, 1]);
    assert_eq!((bench.stations.arrivals.len(), bench.network.held()), (1, 0));
}

#[test]
fn a_frame_for_the_port_that_it_came_by_is_filtered() {
    // Stations 0 and 1 are on a full-duplex repeater, which sends the switch all that they say.
    let mut topology = Topology::new();
    let switch = topology.add_relay("switch 0", Relay::Switch(SwitchParameters::plain(ROOM)));
    let repeater = topology.add_relay("distributor 1", Relay::Distributor(Buffer::without_watermarks(ROOM)));
    topology.connect(repeater, switch, wire());
    topology.attach_stations(2, repeater, wire());
    topology.attach_stations(2, switch, wire());
    let mut bench = Bench::new(&topology);
    bench.offer(Time::ZERO, 0, to(1), 100);
    bench.run();
    assert_eq!(sent_by_port(&bench.network), [0, 1, 1], "1 is unknown");
    bench.offer(bench.kernel.now(), 1, to(0), 100);
    bench.offer(bench.kernel.now(), 0, to(0), 100);
    bench.run();
    assert_eq!(sent_by_port(&bench.network), [0, 1, 1], "0 is known to be where the frames came from");
    assert_eq!((bench.stations.arrivals.len(), bench.network.held()), (2, 0));
}

#[test]
fn a_frame_for_a_station_that_is_not_there_is_flooded_and_neither_delivered_nor_lost() {
    let mut bench = Bench::new(&star(3));
    bench.offer(Time::ZERO, 0, to(7), 100);
    bench.run();
    assert_eq!(sent_by_port(&bench.network), [0, 1, 1]);
    assert_eq!((bench.network.held(), bench.stations.losses.len(), bench.stations.arrivals.len()), (0, 0, 0));
}

#[rstest]
fn pairs_get_the_whole_rate_each_both_ways(#[values(64, 512, 1518)] bytes: u64) {
    let mut bench = Bench::new(&star(6));
    for station in 0..6 {
        bench.saturate(station, to(station ^ 1), bytes);
    }
    bench.run_for(Span::from_us(2_500));
    let warm = Time::from_ps(100_000_000);
    for station in 0..6 {
        let times: Vec<Time> = bench.arrivals_at(station, warm).map(|arrival| arrival.at).collect();
        assert!(times.len() > 190);
        assert!(times.windows(2).all(|pair| pair[1].since(pair[0]) == period(bytes)), "station {station}");
    }
}

#[test]
fn what_finds_no_room_in_an_output_queue_is_lost_and_counted() {
    let frames = 4;
    let room = frames * 1518;
    let relay = Relay::Switch(SwitchParameters::plain(room));
    let mut bench = Bench::new(&Topology::star(3, relay, wire()));
    // Station 2 becomes known, then two stations send to it at once.
    bench.offer(Time::ZERO, 2, to(0), 64);
    for number in 0..20 {
        for from in [0, 1] {
            bench.offer(Time::from_ps(1_000_000 + number), from, to(2), 1518);
        }
    }
    bench.run();
    let queue = bench.queue("switch 0 port 2 out");
    let arrived = bench.arrivals_at(2, Time::ZERO).count();
    // Two arrive for each one that leaves: the first leaves at once, 4 wait, and from then on one
    // of each two is lost, less the one that leaves in step.
    assert_eq!((queue.capacity, queue.peak), (room, room));
    assert_eq!(queue.overflow, 40 - arrived as u64);
    assert_eq!(bench.stations.losses.len() as u64, queue.overflow);
    assert!(bench.stations.losses.iter().all(|(_, loss)| *loss == Loss::Overflow));
    assert_eq!(arrived, 20 + 4, "one for each frame time of the senders, and what was queued then");
    assert_eq!(bench.network.held(), 0);
}

#[test]
fn the_mean_level_of_a_queue_is_over_time() {
    let mut bench = Bench::new(&star(3));
    bench.offer(Time::ZERO, 2, to(0), 64);
    let start = Time::from_ps(10_000_000);
    for from in [0, 1] {
        bench.offer(start, from, to(2), 1518);
    }
    bench.run();
    // The second waits for the first and its gap.
    let queue = bench.queue("switch 0 port 2 out");
    let area = 1518.0 * period(1518).as_ps() as f64;
    let expected = area / bench.kernel.now().as_ps() as f64;
    assert!((queue.mean - expected).abs() < 1e-9 * expected, "{} and {expected}", queue.mean);
    assert_eq!(queue.peak, 1518);
}

/// Stations 0 and 1 with `flow`, 2 on a free port, 3 on a slow one; 2 and 3 are known.
fn congested(flow: [FlowControl; 2], input: Buffer) -> Bench {
    let mut topology = Topology::new();
    let parameters = SwitchParameters { input: Some(input), ..SwitchParameters::plain(ROOM) };
    let switch = topology.add_relay("switch 0", Relay::Switch(parameters));
    topology.attach_stations(2, switch, wire().with_flow(flow));
    topology.attach_stations(1, switch, wire());
    topology.attach_stations(1, switch, Wire::full(MEGABIT_100, Span::from_ns(50)));
    let mut bench = Bench::new(&topology);
    bench.offer(Time::ZERO, 2, Destination::Everyone, 64);
    bench.offer(Time::ZERO, 3, Destination::Everyone, 64);
    bench.run();
    bench
}

#[test]
fn a_switch_with_pause_loses_nothing_and_one_without_does() {
    let input = Buffer::new(40_000, 20_000, 8_000);
    for (flow, lossless) in
        [([FlowControl::OBEYS, FlowControl::SENDS], true), ([FlowControl::NONE; 2], false)]
    {
        let mut bench = congested(flow, input);
        bench.saturate(0, to(3), 1518);
        bench.saturate(1, to(3), 1518);
        bench.run_for(Span::from_ms(20));
        let lost = bench.stations.losses.len();
        assert_eq!(lost == 0, lossless, "{lost} lost with {flow:?}");
        let start = Time::from_ps(5_000_000_000);
        let times: Vec<Time> = bench.arrivals_at(3, start).map(|arrival| arrival.at).collect();
        let slow = MEGABIT_100.span((1518 + 20) * 8);
        assert!(times.windows(2).all(|pair| pair[1].since(pair[0]) == slow), "the slow port is never idle");
        let paused = bench.network.relay_counters(0, 0).pause_sent;
        assert_eq!(paused > 0, lossless);
    }
}

#[test]
fn a_pause_from_a_switch_holds_up_what_goes_to_free_ports_too() {
    let input = Buffer::new(40_000, 20_000, 8_000);
    let mut bench = congested([FlowControl::OBEYS, FlowControl::SENDS], input);
    // In turns to the slow port and to the free one.
    bench.saturate(0, to(3), 1518);
    bench.saturate(0, to(2), 1518);
    bench.run_for(Span::from_ms(40));
    let since = Time::from_ps(10_000_000_000);
    let free = bench.rate(since, |arrival| arrival.station == 2);
    let slow = bench.rate(since, |arrival| arrival.station == 3);
    assert!((slow - 0.1 * 1518.0 / 1538.0).abs() < 0.002, "{slow}");
    assert!((free - slow).abs() < 0.01, "the free port gets no more than the slow one: {free} and {slow}");
    assert_eq!(bench.stations.losses.len(), 0);
}
