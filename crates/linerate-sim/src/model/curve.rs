//! A model in which a curve is measured between the first and the last station.

use linerate_core::caution::Caution;
use linerate_core::measure::{Exact, Method};
use linerate_core::options::Granted;
use linerate_core::plan::{Common, CurvePlan, PlanError};
use linerate_core::run::EndState;
use linerate_core::units::{Rate, Span, Time};

use super::loaded::{Offered, beside};
use super::{ends, impairments, medium, unused};
use crate::bench::ModelBench;
use crate::frame::Station;
use crate::load::Meter;
use crate::machine::{Machine, Profile};
use crate::plan::{HostPlan, ImpairPlan, ModelError, ModelPlan, TcpPlan, require};
use crate::stack::Side;
use crate::stations::Stations;
use crate::trace::Trace;
use crate::world::World;

/// A model, ready to be measured.
#[derive(Debug)]
pub struct Curve {
    /// The bench.
    pub bench: ModelBench,
    /// The two stations.
    pub stations: [Station; 2],
    /// What a run records about them.
    pub ends: [EndState; 2],
    /// Rate of their lines.
    pub link: Rate,
    /// The most payload that framing leaves of that, one direction, the other free.
    pub payload: Rate,
    /// The trial that is enough for a size. Absent where something is random, so that no single
    /// trial is enough.
    pub exact: Option<Exact>,
    /// Cautions about the network.
    pub cautions: Vec<Caution>,
}

impl Curve {
    /// The method that a curve asks for, on this bench: reading its clock takes no time.
    ///
    /// # Errors
    ///
    /// When its schedule has no sizes.
    pub fn method(&self, common: &Common, curve: &CurvePlan) -> Result<Method, PlanError> {
        Ok(Method { exact: self.exact, ..Method::of(common, curve, Span::ZERO)? })
    }
}

/// The plan's network with a flow between its first and its last station. It records this many
/// passages of frames, from the first on.
///
/// # Errors
///
/// When the plan cannot be built.
pub fn curve(plan: &ModelPlan, trace: Option<usize>) -> Result<Curve, ModelError> {
    let count = plan.network.stations();
    require(count >= 2, "network.stations", count, "it must be at least 2")?;
    let built = medium::build(&plan.network, plan.seed)?;
    let pair = [Station(0), Station(count - 1)];
    let links = plan.network.links();
    let meter = Meter::new(count as usize, Time::ZERO, built.framing.clone());
    let hosts = if on_one_host(plan) { 1 } else { count };
    if hosts == 1 {
        require_bare_path(plan, trace)?;
    }
    let mut stations = Stations::new((count * links) as usize, meter).of_hosts(hosts as usize);
    stations.trace = trace.map(Trace::new);
    require_tcp_for_disorder(plan)?;
    impairments::put(plan, &mut stations)?;
    let offered = Offered::of(plan, &built);
    let mut world = World::new(built.medium, stations);
    beside(plan, &offered, &mut world)?;
    let interface = ends::interface(built.line_rate, built.half_duplex, plan.network.mtu());
    let (bench, granted, exact) = match &plan.tcp {
        None => plain(plan, world, pair)?,
        Some(tcp) => over_tcp(plan, tcp, world, pair)?,
    };
    let payload_bytes = granted[0].mss.known().copied().unwrap_or(0);
    let share = payload_bytes as f64 * 8.0 / (built.framing.line_bytes(plan.network.mtu()) as f64 * 8.0);
    let chance = built.half_duplex || plan.load.beside || plan.impair.iter().any(ImpairPlan::is_random);
    let [first, last] = granted;
    Ok(Curve {
        bench,
        stations: pair,
        ends: [
            ends::end(pair[0], ends::of_host(interface.clone(), plan.host.as_ref()), first),
            ends::end(pair[1], ends::of_host(interface, plan.peer.as_ref().or(plan.host.as_ref())), last),
        ],
        link: built.line_rate,
        payload: Rate::from_bits_per_second(built.line_rate.bits_per_second() * share),
        exact: (!chance).then_some(exact),
        cautions: [built.cautions, unused::of_links(links, "a curve has one flow, on the first link")]
            .concat(),
    })
}

/// A bench, what its two ends were granted, and the trial that is enough on it.
type Between = (ModelBench, [Granted; 2], Exact);

/// A plain flow between two stations, without costs to them.
fn plain(plan: &ModelPlan, world: World, pair: [Station; 2]) -> Result<Between, ModelError> {
    for (table, host) in [("host", &plan.host), ("peer", &plan.peer)] {
        require(host.is_none(), table, "given", "a host's costs need TCP: give a table [tcp] too")?;
    }
    let parameters = plan.transport.parameters(plan.network.mtu())?;
    let granted = [ends::plainly(&parameters), ends::plainly(&parameters)];
    Ok((ModelBench::new(world, pair, parameters), granted, Exact::AT_ONCE))
}

/// A TCP connection between the machines of two stations, its handshake done.
fn over_tcp(
    plan: &ModelPlan,
    tcp: &TcpPlan,
    mut world: World,
    pair: [Station; 2],
) -> Result<Between, ModelError> {
    let mtu = plan.network.mtu();
    let settings = tcp.settings(mtu)?;
    let first = host("host", plan.host.as_ref())?;
    if on_one_host(plan) {
        world.stations.equip(pair[0], Machine::new(pair[0], &first, mtu).started(plan.seed));
    } else {
        let last = if plan.peer.is_some() { host("peer", plan.peer.as_ref())? } else { first.clone() };
        for (station, profile) in pair.into_iter().zip([first, last]) {
            world.stations.equip(station, Machine::new(station, &profile, mtu).started(plan.seed));
        }
    }
    let World { kernel, stations, .. } = &mut world;
    let flow = stations.connect_tcp(pair, [settings.clone(), settings], kernel);
    while !world.stations.is_settled(flow) && world.step() {}
    let ends = [Side::First, Side::Second]
        .map(|side| world.stations.connection(flow, side).expect("it was just made"));
    let window = ends.iter().map(|end| end.usable_window()).max().unwrap_or(0);
    let granted = ends.map(ends::by_tcp);
    Ok((ModelBench::over(world, flow), granted, Exact::settling(window)))
}

/// Whether both ends are on the plan's host.
fn on_one_host(plan: &ModelPlan) -> bool {
    plan.host.as_ref().is_some_and(|HostPlan(profile)| profile.processor.ends.is_some())
}

/// Between two ends on one host there is nothing but the host.
fn require_bare_path(plan: &ModelPlan, trace: Option<usize>) -> Result<(), ModelError> {
    let key = "host.processor.ends";
    let bare = plan.network.stations() == 2 && plan.network.links() == 1;
    require(bare, key, "given", "there are two stations and one link between them on one host")?;
    require(plan.peer.is_none(), key, "given", "both ends are on [host]: leave [peer] out")?;
    require(
        plan.impair.is_empty(),
        key,
        "given",
        "no path is between ends on one host: leave [[impair]] out",
    )?;
    require(
        !plan.load.beside,
        key,
        "given",
        "no load passes between ends on one host: set load.beside = false",
    )?;
    require(
        trace.is_none(),
        key,
        "given",
        "no frame is on a wire between ends on one host: leave --trace out",
    )
}

/// A host of the plan, or one that costs nothing.
pub(super) fn host(table: &'static str, plan: Option<&HostPlan>) -> Result<Profile, ModelError> {
    let Some(HostPlan(profile)) = plan else { return Ok(Profile::free()) };
    profile.check(table)?;
    let reason = "both ends on one host are those of [host]: leave it out";
    require(table == "host" || profile.processor.ends.is_none(), "peer.processor.ends", "given", reason)?;
    Ok(profile.clone())
}

/// A plain flow discards what arrives after a gap, and resends only what the network reports as
/// lost.
pub(super) fn require_tcp_for_disorder(plan: &ModelPlan) -> Result<(), ModelError> {
    let disorder = plan.impair.iter().any(ImpairPlan::reorders);
    let reason = "reordered frames need TCP: give a table [tcp] too";
    require(!disorder || plan.tcp.is_some(), "impair", "reorder or jitter", reason)
}
