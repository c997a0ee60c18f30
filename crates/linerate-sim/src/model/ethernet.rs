//! An Ethernet from its plan: cables, relays, what is negotiated on them.

mod buffers;
mod delays;
mod diameter;
mod ends;
mod marking;

use std::collections::BTreeMap;

use linerate_core::caution::Caution;
use linerate_core::units::{Rate, Span};

use self::ends::Place;
use super::{Built, unused};
use crate::ethernet::link::{Link, Parameters};
use crate::ethernet::network::Network;
use crate::ethernet::parameters::{HEADER_AND_FCS_BYTES, MIN_FRAME_BYTES, frame_bytes, occupied_bytes};
use crate::ethernet::phy::Phy;
use crate::ethernet::topology::{GigabitHalfDuplex, Node, Topology, Wire};
use crate::framing::Framing;
use crate::medium::Medium;
use crate::medium_plan::latency;
use crate::plan::{Cable, End, EthernetPlan, ModelError, RelayKind, Shape, require};

/// The largest IP packet on Ethernet: the most for a 16-bit frame length. Unit: bytes.
const LARGEST_MTU: u32 = 65_517;
/// The most nodes of one network.
const MOST_STATIONS: u32 = 10_000;
/// The most links of a station.
const MOST_LINKS: u32 = 16;
/// The most entries of all switches' address tables.
const MOST_ENTRIES: u64 = 1_000_000;
/// The most stations of a graph with several hubs: the delay between any two of a collision domain
/// of several hubs is kept.
const MOST_BETWEEN_HUBS: u32 = 2_000;

pub(super) fn build(plan: &EthernetPlan, seed: u64) -> Result<Built, ModelError> {
    let phy = phy("network.phy", &plan.phy)?;
    check(plan)?;
    let mut draft = Draft { plan, phy, topology: Topology::new(), cautions: Vec::new(), half_duplex: false };
    draft.topology.gigabit = GigabitHalfDuplex { extend: plan.extension, burst: plan.bursting };
    match plan.topology {
        Shape::Direct => draft.direct()?,
        Shape::Hub => draft.star(RelayKind::Hub)?,
        Shape::Switch => draft.star(RelayKind::Switch)?,
        Shape::Distributor => draft.star(RelayKind::Distributor)?,
        Shape::Line => draft.line()?,
        Shape::Graph => draft.graph()?,
    }
    draft.slow_receivers()?;
    draft.finish(seed)
}

fn phy(key: &'static str, name: &str) -> Result<&'static Phy, ModelError> {
    Phy::find(name).ok_or_else(|| {
        let names: Vec<&str> = Phy::ALL.iter().map(|phy| phy.name).collect();
        ModelError::value(key, name, format!("it must be one of {}", names.join(", ")))
    })
}

fn check(plan: &EthernetPlan) -> Result<(), ModelError> {
    let stations = plan.stations;
    let some = (1..=MOST_STATIONS).contains(&stations);
    require(some, "network.stations", stations, "it must be from 1 to 10000")?;
    let pair = plan.topology != Shape::Direct || stations == 2;
    require(
        pair,
        "network.stations",
        stations,
        "a direct topology has exactly 2; choose hub, switch, distributor or line",
    )?;
    let links = (1..=MOST_LINKS).contains(&plan.links);
    require(links, "network.links", plan.links, "it must be from 1 to 16")?;
    let reason = "several links go to a switch each: choose topology = \"switch\"";
    require(plan.links == 1 || plan.topology == Shape::Switch, "network.links", plan.links, reason)?;
    let reason = "a slow receiver has one link: leave network.receive out";
    require(plan.links == 1 || plan.receive.is_none(), "network.links", plan.links, reason)?;
    let relays = (1..=1000).contains(&plan.relays);
    require(relays, "network.relays", plan.relays, "it must be from 1 to 1000")?;
    let one = plan.topology == Shape::Line || plan.relays == 1;
    require(one, "network.relays", plan.relays, "only a line has more than one")?;
    let relays = u64::from(plan.relays).max(plan.relay.len() as u64) * u64::from(plan.links).pow(2);
    let reason = "times network.stations it must be at most 1000000: each switch knows every station";
    require(relays * u64::from(stations) <= MOST_ENTRIES, "network.relays", relays, reason)?;
    latency("network.latency", plan.latency)?;
    let queue = plan.queue.bytes();
    require(queue <= 1 << 30, "network.queue", plan.queue, "it must be at most 1 GiB")?;
    if let Some(uplink) = &plan.uplink_phy {
        phy("network.uplink-phy", uplink)?;
    }
    let mtu = (68..=LARGEST_MTU).contains(&plan.mtu);
    require(mtu, "network.mtu", plan.mtu, "it must be from 68 B, IPv4's smallest, to 65517 B")?;
    let drawn = plan.topology == Shape::Graph || (plan.relay.is_empty() && plan.cable.is_empty());
    require(drawn, "network.topology", "not graph", "relays and cables by name need topology = \"graph\"")?;
    delays::check(plan)?;
    if let Some(bits) = plan.diameter_bits {
        let shaped = matches!(plan.topology, Shape::Direct | Shape::Hub);
        require(
            shaped,
            "network.diameter-bits",
            bits,
            "only a single collision domain has a diameter: choose direct or hub",
        )?;
    }
    Ok(())
}

/// A network that is being put together.
struct Draft<'a> {
    plan: &'a EthernetPlan,
    phy: &'static Phy,
    topology: Topology,
    cautions: Vec<Caution>,
    half_duplex: bool,
}

impl Draft<'_> {
    fn direct(&mut self) -> Result<(), ModelError> {
        let ends = [0, 1].map(|number| self.topology.add_station(format!("station {number}")));
        let place = Place { relayed: false, stations: 2 };
        let wire = self.wire("the cable", self.phy, self.delay()?, self.plan.ends(), place)?;
        self.topology.connect(ends[0], ends[1], wire);
        Ok(())
    }

    fn star(&mut self, kind: RelayKind) -> Result<(), ModelError> {
        let relay = self.relay(kind, self.phy)?;
        let place = Place { relayed: true, stations: if kind == RelayKind::Hub { 1 } else { 2 } };
        let wire = self.wire("each cable", self.phy, self.delay()?, self.plan.ends(), place)?;
        let mut before = None;
        for link in 0..self.plan.links {
            let centre = self.topology.add_relay(relay.default_name(link as usize), relay);
            self.topology.attach_stations(self.plan.stations as usize, centre, wire);
            // A network is one tree. Nothing passes here: a station sends to the link of the same number.
            if let Some(before) = before.replace(centre) {
                self.topology.connect(before, centre, Wire::full(self.phy.pace, Span::ZERO));
            }
        }
        Ok(())
    }

    fn line(&mut self) -> Result<(), ModelError> {
        let relay = self.relay(RelayKind::Switch, self.phy)?;
        let (stations, relays) = (self.plan.stations, self.plan.relays);
        let trunk_phy = match &self.plan.uplink_phy {
            Some(name) => phy("network.uplink-phy", name)?,
            None => self.phy,
        };
        let place = Place { relayed: true, stations: 2 };
        let edge = self.wire("each cable", self.phy, self.delay()?, self.plan.ends(), place)?;
        let length = self.length(trunk_phy, None)?;
        let place = Place { relayed: false, stations: 2 };
        let trunk = self.wire("each cable between switches", trunk_phy, length, [End::Full; 2], place)?;
        let nodes: Vec<Node> = (0..relays)
            .map(|number| self.topology.add_relay(relay.default_name(number as usize), relay))
            .collect();
        for pair in nodes.windows(2) {
            self.topology.connect(pair[0], pair[1], trunk);
        }
        for number in 0..stations {
            let station = self.topology.add_station(format!("station {number}"));
            // The first stations sit at the first switch and the last at the last.
            let at = u64::from(number) * u64::from(relays) / u64::from(stations);
            self.topology.connect(station, nodes[at as usize], edge);
        }
        Ok(())
    }

    fn graph(&mut self) -> Result<(), ModelError> {
        let hubs = self.plan.relay.iter().filter(|relay| relay.kind == RelayKind::Hub).count();
        require(
            hubs <= 1 || self.plan.stations <= MOST_BETWEEN_HUBS,
            "network.stations",
            self.plan.stations,
            "with several hubs there are at most 2000",
        )?;
        let mut nodes = BTreeMap::new();
        for number in 0..self.plan.stations {
            let name = format!("s{number}");
            let node = self.topology.add_station(name.clone());
            nodes.insert(name, node);
        }
        for described in &self.plan.relay {
            let fresh = !nodes.contains_key(&described.name);
            require(fresh, "network.relay.name", &described.name, "another node has that name")?;
            let relay = self.relay(described.kind, self.phy_at(described)?)?;
            let node = self.topology.add_relay(described.name.clone(), relay);
            nodes.insert(described.name.clone(), node);
        }
        for cable in &self.plan.cable {
            self.cable(cable, &nodes)?;
        }
        Ok(())
    }

    fn cable(&mut self, cable: &Cable, nodes: &BTreeMap<String, Node>) -> Result<(), ModelError> {
        let find = |wanted: &String| {
            let node = nodes.get(wanted).copied();
            let stations = self.plan.stations;
            let reason = format!(
                "there is no such node; stations are s0 to s{}, relays have names of their own",
                stations - 1
            );
            node.ok_or_else(|| ModelError::value("network.cable.between", wanted, reason))
        };
        let mut ends = [find(&cable.between[0])?, find(&cable.between[1])?];
        let phy = self.phy_of(cable)?;
        let delay = self.length(phy, cable.length_m)?;
        let mut duplex = cable.duplex;
        if matches!(ends, [Node::Relay(_), Node::Station(_)]) {
            // The station comes first, as in the other topologies: PAUSE and duplex depend on it.
            ends.reverse();
            duplex = duplex.map(|[first, second]| [second, first]);
        }
        let is_hub = |end: &&Node| match end {
            Node::Relay(number) => self.topology.relays[*number].kind.is_hub(),
            Node::Station(_) => false,
        };
        let hubs = ends.iter().filter(is_hub).count();
        let usual = if hubs > 0 { [End::Half; 2] } else { self.plan.ends() };
        let name = format!("the cable between {} and {}", cable.between[0], cable.between[1]);
        let relayed = matches!(ends, [Node::Station(_), Node::Relay(_)]);
        let place = Place { relayed, stations: 2 - hubs as u64 };
        let wire = self.wire(&name, phy, delay, duplex.unwrap_or(usual), place)?;
        self.topology.connect(ends[0], ends[1], wire);
        Ok(())
    }

    fn phy_of(&self, cable: &Cable) -> Result<&'static Phy, ModelError> {
        cable.phy.as_ref().map_or(Ok(self.phy), |name| phy("network.cable.phy", name))
    }

    fn finish(mut self, seed: u64) -> Result<Built, ModelError> {
        let plan = self.plan;
        let pace = self.phy.pace;
        let full = plan.topology == Shape::Direct && !self.half_duplex && plan.receive.is_none();
        let medium = if full {
            // Nobody sends PAUSE back to back where both take every frame: a bare link does.
            let wire = self.topology.cables[0].wire;
            Medium::Link(Link::new(0, Parameters::new(wire.pace, wire.delay)))
        } else {
            let refused = |error: crate::ethernet::topology::TopologyError| {
                ModelError::value("network.topology", name(plan.topology), error.to_string())
            };
            let network = Network::new(&self.topology, seed).map_err(refused)?;
            self.cautions.extend(diameter::doubts(&self.topology));
            Medium::Ethernet(network)
        };
        let extends = self.half_duplex
            && self.topology.cables.iter().any(|cable| cable.wire.pace == Phy::BASE_1000_T.pace);
        self.cautions.extend(unused::of_ethernet(plan, self.half_duplex, extends));
        Ok(Built {
            medium,
            line_rate: Rate::from_bits_per_second(pace.bits_per_second()),
            framing: Framing::new(frame_bytes, occupied_bytes),
            header_bytes: HEADER_AND_FCS_BYTES as u32,
            least_frame: MIN_FRAME_BYTES as u32,
            half_duplex: self.half_duplex,
            shares_line: match plan.topology {
                Shape::Hub | Shape::Distributor => true,
                Shape::Direct => self.half_duplex && plan.ends()[0] == plan.ends()[1],
                Shape::Switch | Shape::Line | Shape::Graph => false,
            },
            cautions: self.cautions,
        })
    }
}

const fn name(shape: Shape) -> &'static str {
    match shape {
        Shape::Direct => "direct",
        Shape::Hub => "hub",
        Shape::Switch => "switch",
        Shape::Distributor => "distributor",
        Shape::Line => "line",
        Shape::Graph => "graph",
    }
}
