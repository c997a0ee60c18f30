//! What is no network, and why.

use linerate_core::units::Span;
use linerate_sim::ethernet::network::Network;
use linerate_sim::ethernet::pause::FlowControl;
use linerate_sim::ethernet::topology::{
    Buffer, Node, ReceiveSide, Relay, SwitchParameters, Topology, TopologyError, Wire,
};
use linerate_sim::fabric::Fabric as _;
use proptest::prelude::*;
use rstest::rstest;

use super::harness::{GIGABIT, GIGABIT_10, MEGABIT_100};

const SWITCH: Relay = Relay::Switch(SwitchParameters::plain(1 << 20));
const DISTRIBUTOR: Relay = Relay::Distributor(Buffer::without_watermarks(1 << 20));
const HUB: Relay = Relay::Hub { delay: Span::ZERO };

fn full() -> Wire {
    Wire::full(GIGABIT, Span::ZERO)
}

fn half() -> Wire {
    Wire::half(MEGABIT_100, Span::ZERO)
}

fn no_cables() -> Topology {
    let mut topology = Topology::new();
    topology.add_station("alone");
    topology
}

fn two_cables() -> Topology {
    let mut topology = Topology::direct(full());
    let third = topology.add_station("third");
    topology.connect(third, Node::Station(0), full());
    topology
}

fn unknown() -> Topology {
    let mut topology = Topology::star(2, SWITCH, full());
    topology.connect(Node::Relay(0), Node::Relay(4), full());
    topology
}

fn looped() -> Topology {
    let mut topology = Topology::line(4, 1, SWITCH, full(), full());
    topology.connect(Node::Relay(3), Node::Relay(1), full());
    topology
}

fn to_itself() -> Topology {
    let mut topology = Topology::star(2, SWITCH, full());
    topology.connect(Node::Relay(0), Node::Relay(0), full());
    topology
}

fn twice() -> Topology {
    let mut topology = Topology::line(2, 1, SWITCH, full(), full());
    topology.connect(Node::Relay(0), Node::Relay(1), full());
    topology
}

fn unreachable() -> Topology {
    let mut topology = Topology::star(2, SWITCH, full());
    let other = topology.add_relay("other", SWITCH);
    topology.attach_stations(1, other, full());
    topology
}

fn mixed(relay: Relay, wires: [Wire; 2]) -> Topology {
    let mut topology = Topology::new();
    let centre = topology.add_relay("centre", relay);
    for wire in wires {
        topology.attach_stations(1, centre, wire);
    }
    topology
}

fn with_flow(wire: Wire) -> Topology {
    Topology::direct(wire.with_flow([FlowControl::OBEYS, FlowControl::SENDS]))
}

fn slow_receiver(buffer: Buffer) -> Topology {
    let mut topology = Topology::direct(full());
    topology.stations[1].receive = Some(ReceiveSide { buffer, drain: GIGABIT });
    topology
}

fn limited_switch(input: Buffer) -> Topology {
    let parameters = SwitchParameters { input: Some(input), ..SwitchParameters::plain(9) };
    Topology::star(2, Relay::Switch(parameters), full())
}

#[rstest]
#[case(Topology::new(), "it has no stations; at least one is needed")]
#[case(no_cables(), "alone has 0 cables; a station has exactly 1")]
#[case(two_cables(), "station 0 has 2 cables; a station has exactly 1")]
#[case(
    unknown(),
    "cable 2 ends at relay 4, which does not exist; there are 2 stations and 1 relays, counted from 0"
)]
#[case(
    looped(),
    "switch 3, switch 2, switch 1 form a loop; there is no spanning tree, so exactly 1 path is allowed \
     between two nodes"
)]
#[case(
    to_itself(),
    "switch 0 form a loop; there is no spanning tree, so exactly 1 path is allowed between two nodes"
)]
#[case(
    twice(),
    "switch 0, switch 1 form a loop; there is no spanning tree, so exactly 1 path is allowed between two nodes"
)]
#[case(unreachable(), "no path leads from station 0 to station 2; every station must be reachable")]
#[case(
    Topology::star(2, DISTRIBUTOR, half()),
    "the cable between station 0 and distributor 0 is half duplex; a distributor is full duplex only"
)]
#[case(
    Topology::direct(Wire::half(GIGABIT_10, Span::ZERO)),
    "the cable between station 0 and station 1 is half duplex; that is allowed up to 1 Gb/s"
)]
#[case(
    with_flow(half()),
    "the cable between station 0 and station 1 has PAUSE and is half duplex; PAUSE is for full duplex"
)]
#[case(
    Topology::star(2, HUB, full()),
    "the cable between station 0 and hub 0 is full duplex; a hub is half duplex only"
)]
#[case(
    mixed(HUB, [half(), Wire::half(GIGABIT, Span::ZERO)]),
    "centre has cables of more than one rate; a hub or distributor has one rate"
)]
#[case(
    mixed(DISTRIBUTOR, [full(), Wire::full(MEGABIT_100, Span::ZERO)]),
    "centre has cables of more than one rate; a hub or distributor has one rate"
)]
#[case(
    Topology::line(2, 1, HUB, Wire::half(GIGABIT, Span::ZERO), Wire::half(GIGABIT, Span::ZERO)),
    "hub 0 and hub 1 are joined at 1 Gb/s; a collision domain has at most 1 hub there"
)]
#[case(
    Topology::star(2, Relay::Distributor(Buffer::new(100, 80, 90)), full()),
    "distributor 0 has watermarks of 90 and 80 bytes do not fit a buffer of 100 bytes: low < high <= size is needed"
)]
#[case(
    slow_receiver(Buffer::new(100, 101, 90)),
    "station 1 has watermarks of 90 and 101 bytes do not fit a buffer of 100 bytes: low < high <= size is needed"
)]
#[case(
    limited_switch(Buffer::new(100, 20, 20)),
    "switch 0 has watermarks of 20 and 20 bytes do not fit a buffer of 100 bytes: low < high <= size is needed"
)]
fn what_is_no_network_is_refused_by_name(#[case] topology: Topology, #[case] reason: &str) {
    let error = Network::new(&topology, 1).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some(reason));
}

#[rstest]
#[case(Topology::direct(full()), 2)]
#[case(Topology::direct(half()), 2)]
#[case(Topology::star(1, SWITCH, full()), 1)]
#[case(Topology::star(1, HUB, half()), 1)]
#[case(Topology::star(0, DISTRIBUTOR, full()), 0)]
#[case(mixed(SWITCH, [half(), Wire::full(GIGABIT_10, Span::ZERO)]), 2)]
#[case(Topology::line(3, 2, HUB, half(), half()), 6)]
#[case(Topology::tree(&[3, 2, 4], SWITCH, full(), full()), 24)]
#[case(Topology::star(1_000, SWITCH, full()), 1_000)]
fn what_is_a_network_has_a_port_for_each_station(#[case] topology: Topology, #[case] stations: usize) {
    match Network::new(&topology, 1) {
        Ok(network) => assert_eq!(network.ports(), stations),
        Err(error) => assert_eq!((error, stations), (TopologyError::NoStations, 0)),
    }
}

proptest! {
    /// Against a search that is as plain as can be: take away leaves until none is left.
    #[test]
    fn a_loop_is_found_exactly_where_one_is(
        relays in 1..9_usize,
        cables in prop::collection::vec((0..9_usize, 0..9_usize), 0..12),
    ) {
        let cables: Vec<_> = cables.into_iter().map(|(a, b)| (a % relays, b % relays)).collect();
        let mut topology = Topology::new();
        for number in 0..relays {
            let relay = topology.add_relay(format!("{number}"), SWITCH);
            topology.attach_stations(1, relay, full());
        }
        for (a, b) in &cables {
            topology.connect(Node::Relay(*a), Node::Relay(*b), full());
        }
        let mut left = cables.clone();
        loop {
            let degree = |node: usize, left: &[(usize, usize)]| {
                left.iter().map(|(a, b)| usize::from(*a == node) + usize::from(*b == node)).sum::<usize>()
            };
            let leaf = left.iter().position(|(a, b)| degree(*a, &left) == 1 || degree(*b, &left) == 1);
            let Some(leaf) = leaf else { break };
            left.swap_remove(leaf);
        }
        match Network::new(&topology, 1) {
            Err(TopologyError::Loop { nodes }) => {
                prop_assert!(!left.is_empty(), "{nodes:?} of {cables:?} is no loop");
                // The nodes are joined in their order, and the last to the first.
                let next = nodes.iter().cycle().skip(1);
                for (a, b) in nodes.iter().zip(next) {
                    let joined = |(c, d): &(usize, usize)| {
                        let [c, d] = [c.to_string(), d.to_string()];
                        (a, b) == (&c, &d) || (a, b) == (&d, &c)
                    };
                    prop_assert!(cables.iter().any(joined), "{a} and {b} are not joined");
                }
            }
            Err(TopologyError::Unreachable { .. }) => {
                prop_assert!(left.is_empty() && cables.len() + 1 < relays, "{cables:?}");
            }
            other => {
                prop_assert!(other.is_ok() && left.is_empty() && cables.len() + 1 == relays, "{other:?}");
            }
        }
    }
}
