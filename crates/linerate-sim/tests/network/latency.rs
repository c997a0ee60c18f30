//! How long one frame takes through relays: exact, to the picosecond.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::topology::{Buffer, Relay, SwitchParameters, Topology, Wire};
use linerate_sim::pace::Pace;
use rstest::rstest;

use super::harness::{Bench, GIGABIT, GIGABIT_10, MEGABIT_10, MEGABIT_100, to};

/// Stations at the ends of a row of relays; the delay of cable i is i + 1 microseconds.
fn row(relay: Relay, paces: &[Pace]) -> Topology {
    let mut topology = Topology::new();
    let delay = |cable: usize| Span::from_us(cable as u64 + 1);
    let first = topology.add_station("first");
    let mut previous = first;
    for (cable, pace) in paces[..paces.len() - 1].iter().enumerate() {
        let node = topology.add_relay(relay.default_name(cable), relay);
        topology.connect(previous, node, Wire::full(*pace, delay(cable)));
        previous = node;
    }
    let last = topology.add_station("last");
    topology.connect(previous, last, Wire::full(paces[paces.len() - 1], delay(paces.len() - 1)));
    topology
}

fn one_way(topology: &Topology, frame_bytes: u64) -> Span {
    let mut bench = Bench::new(topology);
    let offered = Time::from_ps(12_345);
    bench.offer(offered, 0, to(1), frame_bytes);
    bench.run();
    assert_eq!(bench.stations.arrivals.len(), 1);
    bench.stations.arrivals[0].at.since(offered)
}

#[rstest]
#[case::one(&[GIGABIT, GIGABIT])]
#[case::two(&[GIGABIT, MEGABIT_100, GIGABIT])]
#[case::three(&[MEGABIT_10, GIGABIT, GIGABIT_10, MEGABIT_100])]
#[case::four(&[GIGABIT, GIGABIT_10, MEGABIT_10, MEGABIT_100, GIGABIT])]
fn store_and_forward_takes_the_sum_of_frame_times_delays_and_latencies(
    #[case] paces: &[Pace],
    #[values(64, 65, 512, 1518, 9018)] frame_bytes: u64,
    #[values(0, 3_700)] latency_ps: u64,
) {
    let latency = Span::from_ps(latency_ps);
    let switch = Relay::Switch(SwitchParameters { latency, ..SwitchParameters::plain(1 << 20) });
    let mut expected = Span::ZERO;
    for (cable, pace) in paces.iter().enumerate() {
        expected += pace.span((frame_bytes + 8) * 8) + Span::from_us(cable as u64 + 1);
    }
    expected += latency * (paces.len() as u64 - 1);
    assert_eq!(one_way(&row(switch, paces), frame_bytes), expected);
}

#[test]
fn a_full_duplex_repeater_on_its_way_takes_as_long_as_a_switch_without_latency() {
    let paces = [GIGABIT; 3];
    let switch = one_way(&row(Relay::Switch(SwitchParameters::plain(1 << 20)), &paces), 700);
    let distributor = Relay::Distributor(Buffer::without_watermarks(1 << 20));
    assert_eq!(one_way(&row(distributor, &paces), 700), switch);
}

#[test]
fn two_stations_back_to_back_take_one_frame_time_and_the_delay() {
    let direct = Topology::direct(Wire::full(GIGABIT, Span::from_ns(500)));
    assert_eq!(one_way(&direct, 1518), Span::from_ns((1518 + 8) * 8 + 500));
}
