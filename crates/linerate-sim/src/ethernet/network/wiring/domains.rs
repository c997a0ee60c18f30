//! Which cables are one collision domain, and how far its seats are from each other.

use std::collections::BTreeMap;

use linerate_core::units::Span;

use super::Wiring;
use crate::ethernet::network::interface::{Interface, Line};
use crate::ethernet::phy::Duplex;
use crate::ethernet::segment::{Delays, Parameters, Seat, Segment};
use crate::ethernet::topology::{GigabitHalfDuplex, Node, Plug, Relay};
use crate::frame::Station;
use crate::pace::Pace;

impl Wiring<'_> {
    /// A half-duplex cable without a hub: a collision domain of two. Where its sides differ in
    /// duplex, one of them is the wrong half of a duplex mismatch.
    pub(super) fn lay_half_duplex(&mut self, cable: usize, seed: u64) {
        let wire = self.topology.cables[cable].wire;
        self.lay_segment(&[(cable, 0), (cable, 1)], Delays::equal(2, wire.delay), seed);
    }

    /// A hub with its cables, and with the hubs that it is cabled to: one collision domain.
    pub(super) fn lay_hubs(&mut self, hub: usize, seed: u64) {
        let hubs = self.joined_hubs(hub);
        self.hubs_laid.extend(&hubs);
        let plugs = hubs.iter().flat_map(|hub| self.tree.ports(Node::Relay(*hub)).iter().copied());
        let outward = |plug: &Plug| self.hub_delay(self.tree.neighbour(*plug)).is_none();
        let seats: Vec<_> = plugs.filter(outward).map(|plug| (plug.cable, 1 - plug.side)).collect();
        if seats.is_empty() {
            return;
        }
        let delays = if let [hub] = hubs[..] {
            let legs = seats.iter().map(|(cable, _)| self.topology.cables[*cable].wire.delay).collect();
            Delays::star(legs, self.hub_delay(Node::Relay(hub)).unwrap_or_default())
        } else {
            let seat_of = seats.iter().zip(0..).map(|((cable, _), seat)| (*cable, seat)).collect();
            let row = |seat: &(usize, usize)| self.distances(*seat, &seat_of);
            Delays::matrix(seats.len(), seats.iter().flat_map(row).collect())
        };
        self.lay_segment(&seats, delays, seed);
    }

    /// The hubs that are one collision domain with `hub`, itself first.
    fn joined_hubs(&self, hub: usize) -> Vec<usize> {
        let mut hubs = vec![hub];
        let mut looked = 0;
        while let Some(hub) = hubs.get(looked).copied() {
            looked += 1;
            for plug in self.tree.ports(Node::Relay(hub)) {
                match self.tree.neighbour(*plug) {
                    Node::Relay(next)
                        if self.topology.relays[next].kind.is_hub() && !hubs.contains(&next) =>
                    {
                        hubs.push(next);
                    }
                    _ => {}
                }
            }
        }
        hubs
    }

    /// The delay from one seat to each other: that of the cables and hubs between them. `seat_of`
    /// has the seat at the end of each cable that leads out of the hubs.
    fn distances(&self, (cable, side): (usize, usize), seat_of: &BTreeMap<usize, usize>) -> Vec<Span> {
        let mut distances = vec![Span::ZERO; seat_of.len()];
        // Cables on which the frame goes on, the end by which it enters them, and when it does.
        let mut found = vec![(cable, side, Span::ZERO)];
        while let Some((cable, side, before)) = found.pop() {
            let end = self.topology.cables[cable].ends[1 - side];
            let after = before + self.topology.cables[cable].wire.delay;
            let Some(hub) = self.hub_delay(end) else {
                distances[seat_of[&cable]] = after;
                continue;
            };
            let onward = self.tree.ports(end).iter().filter(|plug| plug.cable != cable);
            found.extend(onward.map(|plug| (plug.cable, plug.side, after + hub)));
        }
        distances
    }

    /// What a node adds to the delay, if it is a hub.
    fn hub_delay(&self, node: Node) -> Option<Span> {
        match node {
            Node::Relay(relay) => match self.topology.relays[relay].kind {
                Relay::Hub { delay } => Some(delay),
                Relay::Switch(_) | Relay::Distributor(_) => None,
            },
            Node::Station(_) => None,
        }
    }

    /// A collision domain whose seats are these ends of cables.
    fn lay_segment(&mut self, ends: &[(usize, usize)], delays: Delays, seed: u64) {
        let segment = self.segments.len();
        let pace = self.topology.cables[ends[0].0].wire.pace;
        let interfaces: Vec<_> = ends.iter().map(|(cable, side)| self.interface(*cable, *side)).collect();
        let mut seats = Vec::new();
        for (seat, (cable, side)) in ends.iter().enumerate() {
            seats.push(self.seat(interfaces[seat], self.topology.cables[*cable].wire.sides[*side].duplex));
            self.lines[*cable][*side] = Some(Line::Segment { segment, seat: seat as u32 });
        }
        self.segments.push(Segment::new(segment as u32, self.parameters(pace), delays, &seats, seed));
        self.segment_ends.push(interfaces);
    }

    fn seat(&mut self, interface: Interface, duplex: Duplex) -> Seat {
        let seat = match interface {
            Interface::Station(station) => Seat::of_station(Station(station)),
            Interface::Relay { .. } => {
                // Streams of random numbers after those of the stations.
                self.bridges += 1;
                Seat::of_bridge(self.topology.stations.len() as u32 + self.bridges)
            }
        };
        Seat { duplex, ..seat }
    }

    /// The rules at a pace, with the network's options.
    fn parameters(&self, pace: Pace) -> Parameters {
        let GigabitHalfDuplex { extend, burst } = self.topology.gigabit;
        let standard = Parameters::of_pace(pace);
        let extended = if extend { standard } else { standard.without_extension() };
        if burst { extended } else { extended.without_bursting() }
    }
}
