//! The network that loads are put on: bulk flows and requests between some of its stations.

use linerate_core::caution::Caution;
use linerate_core::options::{Granted, SocketOptions};
use linerate_core::run::{Answering, EndState, Path};
use linerate_core::units::{Rate, Size, Time};

use super::curve::{host, require_tcp_for_disorder};
use super::loaded::{Offered, beside};
use super::{ends, impairments, medium};
use crate::frame::Station;
use crate::load::Meter;
use crate::machine::Machine;
use crate::plan::{ModelError, ModelPlan, require};
use crate::stack::{Kind, Parameters, Side};
use crate::stations::Stations;
use crate::tcp::Settings;
use crate::trace::Trace;
use crate::world::World;

/// Between which stations loads run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The initiator.
    pub beginning: u32,
    /// The responders, in the order of their numbers in accounts.
    pub answering: Vec<u32>,
}

impl Ends {
    /// The first station of `plan`'s network, and the last, which is the responder.
    #[must_use]
    pub fn outermost(plan: &ModelPlan) -> Self {
        Self { beginning: 0, answering: vec![plan.network.stations().saturating_sub(1)] }
    }
}

/// What a run records about the network between the ends of its loads.
#[derive(Debug)]
pub(crate) struct Described {
    pub(crate) beginning: EndState,
    pub(crate) answering: Vec<Answering>,
    pub(crate) link: Rate,
    pub(crate) payload: Rate,
    pub(crate) cautions: Vec<Caution>,
}

/// Describes the plan's network between `stations`.
///
/// # Errors
///
/// When the plan cannot be built, has no such stations, or cannot carry loads.
pub(crate) fn describe(plan: &ModelPlan, stations: &Ends) -> Result<Described, ModelError> {
    check(plan, stations)?;
    let (network, facts) = Network::build(plan, stations, None)?;
    let Facts { line_rate, full_packet_bits, half_duplex, cautions } = facts;
    let (first, others) = network.granted();
    let interface = ends::interface(line_rate, half_duplex, plan.network.mtu());
    let named = |station: u32| format!("station {station}");
    let there = plan.peer.as_ref().or(plan.host.as_ref());
    let answering = stations.answering.iter().zip(others).map(|(station, granted)| Answering {
        end: ends::end(Station(*station), ends::of_host(interface.clone(), there), granted),
        path: Path {
            transport: "model".to_owned(),
            from_address: named(stations.beginning),
            to_address: named(*station),
            ..Path::default()
        },
    });
    let payload_bytes = first.mss.known().copied().unwrap_or(0);
    let share = payload_bytes as f64 * 8.0 / full_packet_bits;
    // Of all links of a station.
    let all = line_rate.bits_per_second() * f64::from(plan.network.links());
    Ok(Described {
        answering: answering.collect(),
        beginning: ends::end(
            Station(stations.beginning),
            ends::of_host(interface.clone(), plan.host.as_ref()),
            first,
        ),
        link: Rate::from_bits_per_second(all),
        payload: Rate::from_bits_per_second(all * share),
        cautions,
    })
}

/// Applies the requested socket options to the modelled hosts of `plan`, as far as they have them.
#[must_use]
pub fn asked(sockets: &SocketOptions, plan: &ModelPlan) -> ModelPlan {
    let mut plan = plan.clone();
    let mss = sockets.mss.map(|mss| Size(mss.into()));
    if let Some(tcp) = &mut plan.tcp {
        tcp.mss = mss.or(tcp.mss);
        tcp.receive_buffer = sockets.rcvbuf.or(tcp.receive_buffer);
        tcp.send_buffer = sockets.sndbuf.or(tcp.send_buffer);
        tcp.nodelay &= sockets.nodelay;
    } else {
        let transport = &mut plan.transport;
        transport.mss = mss.or(transport.mss);
        transport.window = sockets.rcvbuf.unwrap_or(transport.window);
        transport.send_buffer = sockets.sndbuf.or(transport.send_buffer);
    }
    plan
}

fn check(plan: &ModelPlan, stations: &Ends) -> Result<(), ModelError> {
    let count = plan.network.stations();
    require(count >= 2, "network.stations", count, "it must be at least 2")?;
    require(!stations.answering.is_empty(), "stations", "none", "name at least one responder")?;
    let there = format!("there is no such station; they are 0 to {}", count - 1);
    require(stations.beginning < count, "station", stations.beginning, &there)?;
    for (place, station) in stations.answering.iter().enumerate() {
        let refuse = |ok, reason: &str| require(ok, "station", station, reason);
        refuse(*station < count, &there)?;
        refuse(*station != stations.beginning, "it is the initiator; give another one")?;
        refuse(!stations.answering[..place].contains(station), "it is named twice")?;
    }
    let reason = "loads need a byte stream: leave transport.kind out, or give a table [tcp] \
                  (--set tcp.personality=linux-modern)";
    require(plan.tcp.is_some() || plan.transport.kind == Kind::Stream, "transport.kind", "datagram", reason)?;
    if plan.tcp.is_none() {
        for (table, host) in [("host", &plan.host), ("peer", &plan.peer)] {
            let reason =
                "a host's costs need TCP: give a table [tcp] too (--set tcp.personality=linux-modern)";
            require(host.is_none(), table, "given", reason)?;
        }
    }
    require_tcp_for_disorder(plan)
}

/// An idle network, with the hosts between which a load runs.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) world: World,
    /// The initiator's station, and then the responders'.
    pub(crate) stations: Vec<Station>,
    /// How many links each of them has.
    pub(crate) links: u32,
    /// How far the stations of two links of a host are apart.
    stride: u32,
    /// How many flows of a load were connected.
    joined: u32,
    /// Which of them have costs.
    pub(crate) priced: Vec<bool>,
    pub(crate) upper: Upper,
}

/// What a plan's medium is like.
pub(crate) struct Facts {
    line_rate: Rate,
    full_packet_bits: f64,
    half_duplex: bool,
    cautions: Vec<Caution>,
}

/// What the flows of a network are.
#[derive(Debug)]
pub(crate) enum Upper {
    /// Plain flows, without costs.
    Plain(Parameters),
    /// TCP, on machines.
    Tcp(Box<Settings>),
}

impl Network {
    /// The plan's network, with machines at `stations` if they speak TCP. It records this many
    /// passages.
    pub(crate) fn build(
        plan: &ModelPlan,
        stations: &Ends,
        trace: Option<usize>,
    ) -> Result<(Self, Facts), ModelError> {
        let built = medium::build(&plan.network, plan.seed)?;
        let (count, mtu) = (plan.network.stations() as usize, plan.network.mtu());
        let links = plan.network.links();
        let meter = Meter::new(count, Time::ZERO, built.framing.clone());
        let mut all = Stations::new(count * links as usize, meter).of_hosts(count);
        all.trace = trace.map(Trace::new);
        all.follow();
        impairments::put(plan, &mut all)?;
        let ours = std::iter::once(stations.beginning).chain(stations.answering.iter().copied());
        let stations: Vec<Station> = ours.map(Station).collect();
        let there = if plan.peer.is_some() { ("peer", &plan.peer) } else { ("host", &plan.host) };
        let mut priced = Vec::new();
        for (place, station) in stations.iter().enumerate() {
            let (table, given) = if place == 0 { ("host", &plan.host) } else { there };
            priced.push(given.is_some());
            if plan.tcp.is_some() {
                let profile = host(table, given.as_ref())?;
                let reason = "only a curve has both ends on one host: leave it out";
                require(profile.processor.ends.is_none(), "host.processor.ends", "given", reason)?;
                let machine = Machine::new(*station, &profile, mtu);
                let machine = machine.with_links(links as usize, plan.network.stations());
                all.equip(*station, machine.started(plan.seed));
            }
        }
        let upper = match &plan.tcp {
            None => Upper::Plain(plan.transport.parameters(mtu)?),
            Some(tcp) => Upper::Tcp(Box::new(tcp.settings(mtu)?)),
        };
        let offered = Offered::of(plan, &built);
        let facts = Facts {
            line_rate: built.line_rate,
            full_packet_bits: built.framing.line_bytes(mtu) as f64 * 8.0,
            half_duplex: built.half_duplex,
            cautions: built.cautions,
        };
        let mut world = World::new(built.medium, all);
        beside(plan, &offered, &mut world)?;
        let stride = plan.network.stations();
        Ok((Self { world, stations, links, stride, joined: 0, priced, upper }, facts))
    }

    /// A flow between the initiator's station and a responder's, on their links in turn; returns its number.
    pub(crate) fn connect(&mut self, peer: u32) -> u32 {
        let link = self.joined % self.links;
        self.joined += 1;
        self.join(0, 1 + peer as usize, link)
    }

    /// A flow on which nothing passes: a task at this station, by its place, has its alarm there.
    pub(crate) fn alarm_of(&mut self, station: usize) -> u32 {
        self.world.stations.connect([self.stations[station]; 2], Parameters::IDLE)
    }

    /// A flow between two stations, by their places, on this link of both; returns its number.
    pub(crate) fn join(&mut self, one: usize, other: usize, link: u32) -> u32 {
        let between = [one, other].map(|place| Station(self.stations[place].0 + link * self.stride));
        let World { kernel, stations, .. } = &mut self.world;
        match &self.upper {
            Upper::Plain(parameters) => stations.connect(between, *parameters),
            Upper::Tcp(settings) => {
                stations.connect_tcp(between, [(**settings).clone(), (**settings).clone()], kernel)
            }
        }
    }

    /// What an end of a flow has now.
    pub(crate) fn granted_of(&self, flow: u32, side: Side) -> Granted {
        match &self.upper {
            Upper::Plain(parameters) => ends::plainly(parameters),
            Upper::Tcp(_) => self.world.stations.connection(flow, side).map(ends::by_tcp).unwrap_or_default(),
        }
    }

    /// What the ends have after the handshake of a flow with each responder.
    fn granted(mut self) -> (Granted, Vec<Granted>) {
        let peers = u32::try_from(self.stations.len() - 1).unwrap_or(u32::MAX);
        let flows: Vec<u32> = (0..peers).map(|peer| self.connect(peer)).collect();
        for flow in &flows {
            while !self.world.stations.is_settled(*flow) && self.world.step() {}
        }
        let first = flows.first().map(|flow| self.granted_of(*flow, Side::First)).unwrap_or_default();
        (first, flows.into_iter().map(|flow| self.granted_of(flow, Side::Second)).collect())
    }
}
