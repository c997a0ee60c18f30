//! How wide the collision domains of a network are.

use linerate_core::caution::Caution;
use linerate_core::units::Span;

use crate::ethernet::phy::{Duplex, Phy};
use crate::ethernet::topology::{Node, Relay, Topology};

/// Cautions for collision domains whose longest way there and back takes longer than their slot:
/// there collisions are late, or the senders do not hear them. `topology` is a tree.
///
/// Source: IEEE 802.3, 29.4 and 42.3: the path delay value is at most the slot time.
pub(super) fn doubts(topology: &Topology) -> Vec<Caution> {
    let mut domains = Domains::of(topology);
    (0..topology.cables.len()).filter_map(|cable| domains.doubt(cable)).collect()
}

/// The cables of a topology, by the hubs that join them to collision domains.
struct Domains<'a> {
    topology: &'a Topology,
    /// By relay: its delay and its cables, if it is a hub. Other relays end a domain.
    hubs: Vec<Option<(Span, Vec<usize>)>>,
    /// By cable: its domain was checked.
    seen: Vec<bool>,
}

/// A place in a domain: a node, the cable by which one comes there, and how far it is.
#[derive(Clone, Copy)]
struct Place {
    node: Node,
    cable: usize,
    far: Span,
}

impl<'a> Domains<'a> {
    fn of(topology: &'a Topology) -> Self {
        let hub = |kind| if let Relay::Hub { delay } = kind { Some((delay, Vec::new())) } else { None };
        let mut hubs: Vec<_> = topology.relays.iter().map(|relay| hub(relay.kind)).collect();
        for (number, cable) in topology.cables.iter().enumerate() {
            for node in cable.ends {
                if let Node::Relay(relay) = node
                    && let Some((_, cables)) = &mut hubs[relay]
                {
                    cables.push(number);
                }
            }
        }
        Self { topology, hubs, seen: vec![false; topology.cables.len()] }
    }

    /// The caution about the domain of `cable`, reported only once for a domain.
    fn doubt(&mut self, cable: usize) -> Option<Caution> {
        let wire = self.topology.cables[cable].wire;
        let half = wire.sides.iter().any(|side| side.duplex == Duplex::Half);
        if self.seen[cable] || !half {
            return None;
        }
        // In a tree, what is farthest from anywhere is an end of the longest path.
        let end = self.farthest(self.topology.cables[cable].ends[0], cable);
        let one_way = self.farthest(end.node, end.cable).far;
        let slot_bits = Phy::ALL.iter().find(|phy| phy.pace == wire.pace)?.slot_bits?;
        let there_and_back = (one_way * 2).as_seconds() * wire.pace.bits_per_second();
        let round_trip_bits = there_and_back.round() as u64;
        (round_trip_bits > slot_bits).then_some(Caution::IllegalDiameter { round_trip_bits, slot_bits })
    }

    /// The place that is farthest from `node`, which is an end of `cable`.
    fn farthest(&mut self, node: Node, cable: usize) -> Place {
        let mut most = self.beyond(Place { node, cable, far: Span::ZERO }, cable);
        let mut open = vec![most];
        if matches!(node, Node::Relay(relay) if self.hubs[relay].is_some()) {
            open.push(Place { node, cable, far: Span::ZERO });
        }
        while let Some(place) = open.pop() {
            if place.far > most.far {
                most = place;
            }
            let Node::Relay(relay) = place.node else { continue };
            let Some((delay, cables)) = &self.hubs[relay] else { continue };
            let through = Place { far: place.far + *delay, ..place };
            let onward: Vec<usize> = cables.iter().copied().filter(|next| *next != place.cable).collect();
            open.extend(onward.into_iter().map(|next| self.beyond(through, next)));
        }
        most
    }

    /// The other end of `cable`, seen from `here`.
    fn beyond(&mut self, here: Place, cable: usize) -> Place {
        self.seen[cable] = true;
        let crossed = &self.topology.cables[cable];
        let node = if crossed.ends[0] == here.node { crossed.ends[1] } else { crossed.ends[0] };
        Place { node, cable, far: here.far + crossed.wire.delay }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ethernet::topology::Wire;
    use crate::pace::Pace;

    fn wire(mbps: u64, metres: u64) -> Wire {
        Wire::half(Pace::of_bits_per_second(mbps * 1_000_000), Span::from_ns(5 * metres))
    }

    /// Two stations on a hub, which hangs on a second hub with a third station, at 100 Mb/s; that
    /// hub has a switch, with a gigabit link of 5 km and another hub of 10 Mb/s behind it.
    fn joined(middle_m: u64) -> Topology {
        let mut topology = Topology::new();
        let hub = Relay::Hub { delay: Span::ZERO };
        let stations: Vec<Node> = (0..5).map(|number| topology.add_station(format!("s{number}"))).collect();
        let [near, far, slow] = ["near", "far", "slow"].map(|name| topology.add_relay(name, hub));
        let plain = crate::ethernet::topology::SwitchParameters::plain(100_000);
        let switch = topology.add_relay("switch", Relay::Switch(plain));
        let gigabit = Wire::full(Pace::of_bits_per_second(1_000_000_000), Span::from_us(25));
        topology.connect(stations[3], switch, gigabit);
        topology.connect(near, far, wire(100, middle_m));
        topology.connect(stations[0], near, wire(100, 50));
        topology.connect(stations[1], near, wire(100, 10));
        topology.connect(stations[2], far, wire(100, 100));
        topology.connect(far, switch, wire(100, 20));
        topology.connect(slow, switch, wire(10, 100));
        topology.connect(stations[4], slow, wire(10, 100));
        topology
    }

    #[test]
    fn the_longest_path_between_two_seats_decides_and_what_a_switch_parts_does_not_count() {
        // 50 + 362 + 100 m there and back are 512 bit times of 10 ns: just the slot.
        assert_eq!(doubts(&joined(362)), []);
        let wide = Caution::IllegalDiameter { round_trip_bits: 513, slot_bits: 512 };
        assert_eq!(doubts(&joined(363)), [wide]);
    }
}
