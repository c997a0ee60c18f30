//! An Ethernet from its plan: cables, relays, what is negotiated on them.

mod diameter;

use linerate_core::caution::Caution;
use linerate_core::units::{Rate, Size, Span};

use super::{Built, media};
use crate::ethernet::link::{Link, Parameters};
use crate::ethernet::negotiation::{Abilities, Ability, End as Negotiator, negotiate};
use crate::ethernet::network::Network;
use crate::ethernet::parameters::{HEADER_AND_FCS_BYTES, MIN_FRAME_BYTES, frame_bytes, occupied_bytes};
use crate::ethernet::pause::{FlowControl, Headroom, PauseAbility, Watermarks};
use crate::ethernet::phy::{Duplex, Phy};
use crate::ethernet::topology::{
    Buffer, GigabitHalfDuplex, Node, ReceiveSide, Relay, Side, SwitchParameters, Topology, Wire,
};
use crate::medium::Medium;
use crate::pace::Pace;
use crate::plan::{Cable, End, EthernetPlan, ModelError, Pause, Receive, RelayKind, Shape, require};

/// The largest IP packet on Ethernet: what a frame's length of 16 bits leaves. Unit: bytes.
const LARGEST_MTU: u32 = 65_517;
/// The most nodes of one network.
const MOST_STATIONS: u32 = 10_000;

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
    let relays = (1..=1000).contains(&plan.relays);
    require(relays, "network.relays", plan.relays, "it must be from 1 to 1000")?;
    let one = plan.topology == Shape::Line || plan.relays == 1;
    require(one, "network.relays", plan.relays, "only a line has more than one")?;
    let mtu = (68..=LARGEST_MTU).contains(&plan.mtu);
    require(mtu, "network.mtu", plan.mtu, "it must be from 68 B, IPv4's smallest, to 65517 B")?;
    let drawn = plan.topology == Shape::Graph || (plan.relay.is_empty() && plan.cable.is_empty());
    require(drawn, "network.topology", "not graph", "relays and cables by name need topology = \"graph\"")?;
    if let Some(bits) = plan.diameter_bits {
        let ok = (0.0..=1e9).contains(&bits);
        require(ok, "network.diameter-bits", bits, "it must be from 0 to 1e9 bit times")?;
        let shaped = matches!(plan.topology, Shape::Direct | Shape::Hub);
        require(
            shaped,
            "network.diameter-bits",
            bits,
            "only one collision domain has it: choose direct or hub",
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
        let wire = self.wire("the cable", self.phy, self.delay()?, self.plan.ends(), false)?;
        self.topology.connect(ends[0], ends[1], wire);
        Ok(())
    }

    fn star(&mut self, kind: RelayKind) -> Result<(), ModelError> {
        let relay = self.relay(kind)?;
        let centre = self.topology.add_relay(relay.default_name(0), relay);
        let wire = self.wire("each cable", self.phy, self.delay()?, self.plan.ends(), true)?;
        self.topology.attach_stations(self.plan.stations as usize, centre, wire);
        Ok(())
    }

    fn line(&mut self) -> Result<(), ModelError> {
        let relay = self.relay(RelayKind::Switch)?;
        let (stations, relays) = (self.plan.stations, self.plan.relays);
        let trunk_phy = match &self.plan.uplink_phy {
            Some(name) => phy("network.uplink-phy", name)?,
            None => self.phy,
        };
        let edge = self.wire("each cable", self.phy, self.delay()?, self.plan.ends(), true)?;
        let length = self.length(trunk_phy, None)?;
        let trunk = self.wire("each cable between switches", trunk_phy, length, [End::Full; 2], false)?;
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
        let mut nodes: Vec<(String, Node)> = Vec::new();
        for number in 0..self.plan.stations {
            let name = format!("s{number}");
            let node = self.topology.add_station(name.clone());
            nodes.push((name, node));
        }
        for described in &self.plan.relay {
            let fresh = nodes.iter().all(|(name, _)| *name != described.name);
            require(fresh, "network.relay.name", &described.name, "another node has that name")?;
            let relay = self.relay(described.kind)?;
            let node = self.topology.add_relay(described.name.clone(), relay);
            nodes.push((described.name.clone(), node));
        }
        for cable in &self.plan.cable {
            self.cable(cable, &nodes)?;
        }
        Ok(())
    }

    fn cable(&mut self, cable: &Cable, nodes: &[(String, Node)]) -> Result<(), ModelError> {
        let find = |wanted: &String| {
            let node = nodes.iter().find(|(name, _)| name == wanted).map(|(_, node)| *node);
            let stations = self.plan.stations;
            let reason = format!(
                "there is no such node; stations are s0 to s{}, relays have their names",
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
        let at_hub = ends.iter().any(|end| match end {
            Node::Relay(number) => self.topology.relays[*number].kind.is_hub(),
            Node::Station(_) => false,
        });
        let usual = if at_hub { [End::Half; 2] } else { self.plan.ends() };
        let name = format!("the cable between {} and {}", cable.between[0], cable.between[1]);
        let relayed = matches!(ends, [Node::Station(_), Node::Relay(_)]);
        let wire = self.wire(&name, phy, delay, duplex.unwrap_or(usual), relayed)?;
        self.topology.connect(ends[0], ends[1], wire);
        Ok(())
    }

    /// What every cable delays a bit, one way.
    fn delay(&self) -> Result<Span, ModelError> {
        let by_length = self.length(self.phy, None)?;
        let Some(bits) = self.plan.diameter_bits else { return Ok(by_length) };
        let whole = Span::from_seconds(bits / self.phy.pace.bits_per_second());
        // Between two stations of a hub lie two cables.
        Ok(if self.plan.topology == Shape::Hub { whole / 2 } else { whole })
    }

    /// What a cable of `length_m`, or of the plan's length, delays a bit.
    fn length(&self, phy: &Phy, length_m: Option<f64>) -> Result<Span, ModelError> {
        media::delay(length_m.unwrap_or(self.plan.length_m), phy.cable.delay_per_metre_ps as f64)
    }

    fn phy_of(&self, cable: &Cable) -> Result<&'static Phy, ModelError> {
        cable.phy.as_ref().map_or(Ok(self.phy), |name| phy("network.cable.phy", name))
    }

    /// A cable whose ends are set so; `relayed` says that the second is a relay and the first is not.
    fn wire(
        &mut self,
        name: &str,
        phy: &'static Phy,
        delay: Span,
        ends: [End; 2],
        relayed: bool,
    ) -> Result<Wire, ModelError> {
        let [first, second] = self.settle(phy, ends, relayed)?;
        if first.duplex != second.duplex {
            self.cautions.push(Caution::DuplexMismatch { cable: name.to_owned() });
        }
        self.half_duplex |= [first, second].iter().any(|side| side.duplex == Duplex::Half);
        Ok(Wire { pace: phy.pace, delay, sides: [first, second] })
    }

    /// What the two ends of a cable come to.
    fn settle(&self, phy: &'static Phy, ends: [End; 2], relayed: bool) -> Result<[Side; 2], ModelError> {
        if ends.contains(&End::Auto) {
            return self.negotiated(phy, ends, relayed);
        }
        let duplexes = ends.map(|end| if end == End::Half { Duplex::Half } else { Duplex::Full });
        for duplex in duplexes {
            let (name, other) = match duplex {
                Duplex::Half => ("half", "it is full duplex only"),
                Duplex::Full => ("full", "it is half duplex only"),
            };
            let reason = format!("{} cannot: {other}", phy.name);
            require(phy.allows(duplex), "network.duplex", name, &reason)?;
        }
        if duplexes != [Duplex::Full; 2] {
            let off = self.plan.pause == Pause::Off;
            require(
                off,
                "network.pause",
                "on",
                "PAUSE is for full duplex only (IEEE 802.3, annex 31B); set it to \"off\"",
            )?;
            return Ok(duplexes.map(Side::new));
        }
        let flows = match self.plan.pause {
            Pause::Off => [FlowControl::NONE; 2],
            Pause::Symmetric => [FlowControl::BOTH; 2],
            Pause::Asymmetric if relayed => [FlowControl::OBEYS, FlowControl::SENDS],
            // Between equals each obeys and neither sends: nothing to resolve.
            Pause::Asymmetric => [FlowControl::NONE; 2],
        };
        Ok([0, 1].map(|side| Side { duplex: Duplex::Full, flow: flows[side] }))
    }

    fn negotiated(&self, phy: &'static Phy, ends: [End; 2], relayed: bool) -> Result<[Side; 2], ModelError> {
        let ability = |duplex| {
            Ability::ALL.into_iter().find(|one| one.phy().name == phy.name && one.duplex() == duplex)
        };
        let all = [Duplex::Full, Duplex::Half].into_iter().filter_map(ability);
        let abilities = all.fold(Abilities::NONE, Abilities::with);
        let said = |second: bool| match self.plan.pause {
            Pause::Off => PauseAbility::NONE,
            Pause::Symmetric => PauseAbility::SYMMETRIC,
            Pause::Asymmetric if second && relayed => PauseAbility::SEND_ONLY,
            Pause::Asymmetric => PauseAbility::SYMMETRIC_OR_OBEY,
        };
        let end = |end: End, second: bool| {
            let forced = |duplex, name| {
                let reason = format!("{} cannot be set to it", phy.name);
                ability(duplex)
                    .map(Negotiator::Forced)
                    .ok_or_else(|| ModelError::value("network.duplex", name, reason))
            };
            match end {
                End::Auto => Ok(Negotiator::Negotiates { abilities, pause: said(second) }),
                End::Full => forced(Duplex::Full, "full"),
                End::Half => forced(Duplex::Half, "half"),
            }
        };
        if abilities == Abilities::NONE {
            let reason = format!("{} does not negotiate; set full", phy.name);
            return Err(ModelError::value("network.duplex", "auto", reason));
        }
        let outcome = negotiate([end(ends[0], false)?, end(ends[1], true)?]);
        match outcome.ends {
            [Ok(first), Ok(second)] => {
                Ok([first, second].map(|linked| Side { duplex: linked.duplex(), flow: linked.flow }))
            }
            _ => Err(ModelError::value(
                "network.duplex",
                "auto",
                format!("the two ends come to no link ({outcome:?}); set both to auto"),
            )),
        }
    }

    fn relay(&self, kind: RelayKind) -> Result<Relay, ModelError> {
        Ok(match kind {
            RelayKind::Hub => Relay::Hub { delay: Span::ZERO },
            RelayKind::Distributor => Relay::Distributor(self.buffer()?),
            RelayKind::Switch => {
                let queue = self.plan.queue.bytes();
                let controlled = self.plan.pause != Pause::Off;
                // With PAUSE the inputs hold back what the outputs have no room for.
                let outputs =
                    if controlled { queue.saturating_mul(u64::from(self.plan.stations)) } else { queue };
                let input = controlled.then(|| self.buffer()).transpose()?;
                Relay::Switch(SwitchParameters { latency: self.plan.latency, output_bytes: outputs, input })
            }
        })
    }

    /// A port's buffer, with the plan's watermarks or those that leave the headroom for no loss.
    fn buffer(&self) -> Result<Buffer, ModelError> {
        let capacity = self.plan.queue.bytes();
        let longest = u64::from(self.plan.mtu) + HEADER_AND_FCS_BYTES;
        let least = format!("it must be at least one frame of {longest} B, and at most 1 GiB");
        require((longest..=1 << 30).contains(&capacity), "network.queue", capacity, &least)?;
        if self.plan.pause == Pause::Off {
            return Ok(Buffer::without_watermarks(capacity));
        }
        let headroom = self.headroom(longest)?;
        let high = match self.plan.high_watermark {
            Some(high) => high.bytes(),
            None => {
                let needed = headroom + longest;
                let reason = format!(
                    "PAUSE without loss needs {needed} B here; give that much, or network.high-watermark"
                );
                require(capacity >= needed, "network.queue", capacity, &reason)?;
                capacity - headroom
            }
        };
        let low = self.plan.low_watermark.map_or(high / 2, Size::bytes);
        watermarks("network.high-watermark", capacity, high, low)
    }

    /// The headroom of the cable that needs the most, for frames of `longest` bytes.
    fn headroom(&self, longest: u64) -> Result<u64, ModelError> {
        let mut cables = Vec::new();
        if self.plan.topology == Shape::Graph {
            for cable in &self.plan.cable {
                cables.push((self.phy_of(cable)?, cable.length_m));
            }
        } else {
            cables.push((self.phy, None));
        }
        if let Some(name) = &self.plan.uplink_phy {
            cables.push((phy("network.uplink-phy", name)?, None));
        }
        let mut most = 0;
        for (phy, length_m) in cables {
            let delay = self.length(phy, length_m)?;
            most = most.max(Headroom::at_reaction_limit(longest, phy.pace, delay).bytes_by_frame());
        }
        Ok(most)
    }

    fn slow_receivers(&mut self) -> Result<(), ModelError> {
        let Some(receive) = &self.plan.receive else { return Ok(()) };
        let Receive { buffer, drain_mbps, high_watermark, low_watermark, stations } = receive;
        let ok = *drain_mbps > 0.0 && *drain_mbps <= 1e6;
        require(ok, "network.receive.drain-mbps", *drain_mbps, "it must be above 0 and at most 1000000")?;
        let capacity = buffer.bytes();
        let high = high_watermark.map_or(capacity / 4 * 3, Size::bytes);
        let low = low_watermark.map_or(high / 2, Size::bytes);
        let buffer = watermarks("network.receive.high-watermark", capacity, high, low)?;
        let side = ReceiveSide { buffer, drain: Pace::of_bits_per_second((drain_mbps * 1e6) as u64) };
        let all = || (0..self.plan.stations).collect();
        for station in stations.clone().unwrap_or_else(all) {
            let there = station < self.plan.stations;
            require(
                there,
                "network.receive.stations",
                station,
                "there is no such station; they are counted from 0",
            )?;
            self.topology.stations[station as usize].receive = Some(side);
        }
        Ok(())
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
        Ok(Built {
            medium,
            line_rate: Rate::from_bits_per_second(pace.bits_per_second()),
            full_packet_bits: occupied_bytes(plan.mtu) as f64 * 8.0,
            frame_bytes,
            header_bytes: HEADER_AND_FCS_BYTES as u32,
            least_frame: MIN_FRAME_BYTES as u32,
            random: self.half_duplex,
            half_duplex: self.half_duplex,
            cautions: self.cautions,
        })
    }
}

fn watermarks(key: &'static str, capacity: u64, high: u64, low: u64) -> Result<Buffer, ModelError> {
    let fit = low < high && high <= capacity;
    let reason = format!("the watermarks must be low < high <= the buffer of {capacity} B, and low is {low}");
    require(fit, key, high, &reason)?;
    Ok(Buffer { capacity, watermarks: Some(Watermarks { high, low }) })
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
