//! Builds a network from its description.

mod domains;

use std::collections::BTreeSet;

use super::Network;
use super::accounts::Accounts;
use super::distributor::Distributor;
use super::input::Input;
use super::interface::{Interface, Line, Outbox};
use super::marking::Marker;
use super::nodes::{Attached, Kind, Nodes, Placed};
use super::receiver::Receiver;
use super::switch::Switch;
use crate::ethernet::link::{Link, Parameters};
use crate::ethernet::phy::Duplex;
use crate::ethernet::segment::Segment;
use crate::ethernet::topology::{Buffer, Node, Plug, Relay, Topology, TopologyError, Tree, Wire};

/// Puts the parts of a network together.
struct Wiring<'a> {
    topology: &'a Topology,
    tree: Tree,
    links: Vec<Link>,
    link_ends: Vec<[Interface; 2]>,
    segments: Vec<Segment>,
    segment_ends: Vec<Vec<Interface>>,
    /// For each cable and end of it: what is plugged in there. Absent at a hub.
    lines: Vec<[Option<Line>; 2]>,
    /// Hubs whose collision domains are built.
    hubs_laid: BTreeSet<usize>,
    /// Relay ports in collision domains, so far.
    bridges: u32,
}

impl Network {
    /// The network of `topology`, idle. `seed` is that of the backoff in its collision domains, and of
    /// the marks of its queues.
    ///
    /// # Errors
    ///
    /// What is wrong with the topology, with the name of the node.
    pub fn new(topology: &Topology, seed: u64) -> Result<Self, TopologyError> {
        let tree = topology.check()?;
        let lines = vec![[None; 2]; topology.cables.len()];
        let mut wiring = Wiring {
            topology,
            tree,
            links: Vec::new(),
            link_ends: Vec::new(),
            segments: Vec::new(),
            segment_ends: Vec::new(),
            lines,
            hubs_laid: BTreeSet::new(),
            bridges: 0,
        };
        wiring.lay_cables(seed);
        let nodes = Nodes {
            stations: (0..topology.stations.len()).map(|number| wiring.station(number)).collect(),
            relays: (0..topology.relays.len()).map(|number| wiring.relay(number, seed)).collect(),
            accounts: wiring.accounts(),
            outbox: Outbox::default(),
        };
        let Wiring { links, link_ends, segments, segment_ends, .. } = wiring;
        Ok(Self { links, link_ends, segments, segment_ends, nodes })
    }
}

impl Wiring<'_> {
    /// Gives every end of every cable its line.
    fn lay_cables(&mut self, seed: u64) {
        for number in 0..self.topology.cables.len() {
            let cable = &self.topology.cables[number];
            let hub = cable.ends.iter().find_map(|end| match end {
                Node::Relay(relay) if self.topology.relays[*relay].kind.is_hub() => Some(*relay),
                _ => None,
            });
            let is_half = cable.wire.sides.iter().any(|side| side.duplex == Duplex::Half);
            match hub {
                // The first cable of a domain builds all of it.
                Some(hub) if !self.hubs_laid.contains(&hub) => self.lay_hubs(hub, seed),
                Some(_) => {}
                None if is_half => self.lay_half_duplex(number, seed),
                None => self.lay_link(number),
            }
        }
    }

    fn lay_link(&mut self, cable: usize) {
        let link = self.links.len();
        let Wire { pace, delay, sides } = self.topology.cables[cable].wire;
        let parameters = Parameters::new(pace, delay).with_flow_control(sides.map(|side| side.flow));
        self.links.push(Link::new(link as u32, parameters));
        self.link_ends.push([0, 1].map(|side| self.interface(cable, side)));
        self.lines[cable] = [0, 1].map(|side| Some(Line::Link { link, side }));
    }

    /// Which interface the end `side` of a cable is plugged into.
    fn interface(&self, cable: usize, side: usize) -> Interface {
        let end = self.topology.cables[cable].ends[side];
        match end {
            Node::Station(station) => Interface::Station(station as u32),
            Node::Relay(relay) => {
                let port = self.tree.port(end, cable);
                Interface::Relay { relay: relay as u32, port: port as u32 }
            }
        }
    }

    fn station(&self, number: usize) -> Attached {
        let node = &self.topology.stations[number];
        let plug = self.tree.ports(Node::Station(number))[0];
        let interface = Interface::Station(number as u32);
        let receiver = node.receive.map(|receive| {
            Receiver::new(number as u32, self.input(interface, receive.buffer, plug), receive.drain)
        });
        Attached { name: node.name.clone(), line: self.line(plug), receiver, received: 0 }
    }

    fn relay(&self, number: usize, seed: u64) -> Placed {
        let node = &self.topology.relays[number];
        let plugs = self.tree.ports(Node::Relay(number));
        let inputs = |buffer: Buffer| {
            plugs.iter().enumerate().map(move |(port, plug)| {
                self.input(Interface::Relay { relay: number as u32, port: port as u32 }, buffer, *plug)
            })
        };
        let kind = match node.kind {
            Relay::Switch(parameters) => {
                let inputs: Vec<Option<Input>> = match parameters.input {
                    Some(buffer) => inputs(buffer).map(Some).collect(),
                    None => plugs.iter().map(|_| None).collect(),
                };
                let markers = plugs.iter().map(|plug| {
                    let marking = parameters.marking?;
                    // Each end of each cable has a stream of its own.
                    let end = (2 * plug.cable + plug.side) as u32;
                    Some(Marker::new(marking, self.topology.cables[plug.cable].wire.pace, (seed, end)))
                });
                let ports = inputs.into_iter().zip(markers).collect();
                let table = if parameters.taught {
                    self.tree.routes(number)
                } else {
                    vec![None; self.topology.stations.len()]
                };
                Kind::Switch(Switch::new(number as u32, parameters, ports, table))
            }
            // A repeater without cables has nothing to do.
            Relay::Distributor(buffer) if !plugs.is_empty() => {
                let pace = self.topology.cables[plugs[0].cable].wire.pace;
                Kind::Distributor(Distributor::new(number as u32, pace, inputs(buffer).collect()))
            }
            Relay::Distributor(_) | Relay::Hub { .. } => Kind::Hub,
        };
        let lines = match node.kind {
            Relay::Hub { .. } => Vec::new(),
            Relay::Switch(_) | Relay::Distributor(_) => plugs.iter().map(|plug| self.line(*plug)).collect(),
        };
        Placed { name: node.name.clone(), lines, kind }
    }

    fn input(&self, interface: Interface, buffer: Buffer, plug: Plug) -> Input {
        Input::new(interface, buffer, &self.topology.cables[plug.cable].wire, plug.side)
    }

    fn line(&self, plug: Plug) -> Line {
        self.lines[plug.cable][plug.side].expect("every end that is not at a hub has its line")
    }

    fn accounts(&self) -> Accounts {
        let relays = 0..self.topology.relays.len();
        let routes = relays.clone().map(|relay| self.tree.routes(relay)).collect();
        let ports: Vec<_> = relays.map(|relay| self.tree.ports(Node::Relay(relay)).len()).collect();
        Accounts::new(self.topology.stations.len(), routes, &ports)
    }
}
