//! A model under load, from its plan to its outcome.

use std::collections::BTreeMap;

use linerate_core::caution::Caution;
use linerate_core::units::{Rate, Span, Time};

use super::{Built, impairments, medium, unused};
use crate::fabric::Loss;
use crate::frame::{Port, Station};
use crate::framing::Framing;
use crate::load::{
    Arrivals, Delay, Generator, LoadOutcome, Meter, Mix, StationOutcome, StationTally, Targets,
};
use crate::plan::{Arrival, LoadPlan, ModelError, ModelPlan, Offer, Periods, require};
use crate::stations::Stations;
use crate::trace::Trace;
use crate::world::World;

/// A run that loses this share of its frames says so.
const CONSIDERABLE: f64 = 0.01;

/// The result of a run under load.
#[derive(Debug)]
pub struct Loaded {
    /// Rates, delays and counts.
    pub outcome: LoadOutcome,
    /// The frames that passed, if they were requested.
    pub trace: Option<Trace>,
}

/// Runs the plan's load over its network with the plan's seed, and records this many passages of
/// frames.
///
/// # Errors
///
/// When the plan cannot be built.
pub fn load(plan: &ModelPlan, trace: Option<usize>) -> Result<Loaded, ModelError> {
    let built = medium::build(&plan.network, plan.seed)?;
    let offered = Offered::of(plan, &built);
    offered.check(plan)?;
    let count = plan.network.stations();
    let (line_rate, warm_up) = (built.line_rate, Time::ZERO + plan.load.warm_up);
    let meter = Meter::new(count as usize, warm_up, built.framing.clone());
    let links = plan.network.links();
    let mut stations = Stations::new((count * links) as usize, meter).of_hosts(count as usize);
    stations.trace = trace.map(Trace::new);
    impairments::put(plan, &mut stations)?;
    let mut cautions = built.cautions;
    cautions.extend(unused::of_load(&plan.load, count));
    cautions.extend(unused::of_links(links, "frames are offered to the first link"));
    let mut world = World::new(built.medium, stations);
    offer(plan, &offered, &mut world)?;
    let end = Time::ZERO + plan.load.time;
    world.run_until(end, plan.load.frames.unwrap_or(u64::MAX));
    let end = if plan.load.frames.is_some_and(|frames| world.stations.meter.all_delivered() >= frames) {
        world.kernel.now()
    } else {
        end
    };
    let trace = world.stations.trace.take();
    let outcome = outcome(&world, plan, line_rate, end.since(warm_up));
    cautions.extend(considerable_loss(&outcome));
    let outcome = LoadOutcome { cautions, ..outcome };
    Ok(Loaded { outcome, trace })
}

/// Checks that the plan's load can be offered to its network.
///
/// # Errors
///
/// [`ModelError`] with the key, the reason and what is allowed.
pub fn check_load(plan: &ModelPlan) -> Result<(), ModelError> {
    let built = medium::build(&plan.network, plan.seed)?;
    Offered::of(plan, &built).check(plan)
}

/// Starts the plan's senders.
pub(super) fn offer(plan: &ModelPlan, built: &Offered, world: &mut World) -> Result<(), ModelError> {
    let load = &plan.load;
    let stations = plan.network.stations();
    for offer in load.offers(stations) {
        let number = offer.station;
        let target = offer.to.target(number, stations);
        let targets = target.map_or(Targets::Random(stations), |target| Targets::One(Station(target)));
        let mix = built.mix(&offer)?;
        let arrivals = arrivals(load, &offer, built, &mix);
        let generator = Generator::new(Station(number), arrivals, mix, targets, load.queue_frames);
        world.stations.generate(generator.seeded(plan.seed, number), &mut world.kernel);
    }
    Ok(())
}

/// Starts the plan's load beside flows, if the plan says so. When this returns, the warm-up is
/// over.
pub(super) fn beside(plan: &ModelPlan, built: &Offered, world: &mut World) -> Result<(), ModelError> {
    if !plan.load.beside {
        return Ok(());
    }
    built.check(plan)?;
    offer(plan, built, world)?;
    world.run_until(Time::ZERO + plan.load.warm_up, u64::MAX);
    Ok(())
}

/// The properties of a medium that limit its load.
#[derive(Debug)]
pub(super) struct Offered {
    line_rate: Rate,
    framing: Framing,
    header_bytes: u32,
    least_frame: u32,
    mtu: u32,
}

impl Offered {
    pub(super) fn of(plan: &ModelPlan, built: &Built) -> Self {
        let Built { line_rate, header_bytes, least_frame, .. } = *built;
        let framing = built.framing.clone();
        Self { line_rate, framing, header_bytes, least_frame, mtu: plan.network.mtu() }
    }

    /// Checks that the plan's load can be offered.
    pub(super) fn check(&self, plan: &ModelPlan) -> Result<(), ModelError> {
        let stations = plan.network.stations();
        // Sizes first: how long a run takes follows from them.
        plan.load.offers(stations).iter().try_for_each(|offer| self.mix(offer).map(drop))?;
        plan.load.check(stations, self.line_rate.bits_per_second())
    }
    /// Frame sizes of a plan as client data.
    pub(super) fn mix(&self, offer: &Offer<'_>) -> Result<Mix, ModelError> {
        let [header, least] = if offer.of_packets() { [0, 1] } else { [self.header_bytes, self.least_frame] };
        let most = self.mtu + header;
        let reason = format!("it must be from {least} to {most} B on this network");
        let mut sizes = offer.sizes.weights();
        for (size, _) in &mut sizes {
            require((least..=most).contains(size), offer.sizes_key, *size, &reason)?;
            *size -= header;
        }
        let reason = "give a size, or sizes with weights such as [[64, 7], [1518, 1]]";
        Mix::new(&sizes).ok_or_else(|| ModelError::value(offer.sizes_key, "an empty mix", reason))
    }
}

/// When a sender offers its frames.
fn arrivals(load: &LoadPlan, offer: &Offer<'_>, built: &Offered, mix: &Mix) -> Arrivals {
    if offer.arrivals == Arrival::Burst {
        return Arrivals::Burst { bytes: load.burst.bytes(), every: load.every };
    }
    let Some(share) = offer.share else { return Arrivals::Saturated };
    let frame_bytes = mix.mean(|packet| built.framing.frame_bytes(packet) as f64);
    let mean = Span::from_seconds(frame_bytes * 8.0 / (share * built.line_rate.bits_per_second()));
    match offer.arrivals {
        Arrival::Poisson => Arrivals::Poisson(mean),
        Arrival::Periodic | Arrival::Burst => Arrivals::Periodic(mean),
        Arrival::OnOff => {
            let fixed = load.periods == Periods::Fixed;
            Arrivals::OnOff { step: mean, on: load.on, off: load.off, fixed }
        }
    }
}

fn outcome(world: &World, plan: &ModelPlan, line_rate: Rate, counted: Span) -> LoadOutcome {
    let meter = &world.stations.meter;
    let offered: BTreeMap<u32, u64> =
        world.stations.generators().map(|generator| (generator.station().0, generator.offered())).collect();
    let waiting: u64 = world.stations.generators().map(Generator::queued).sum();
    let station = |(number, tally): (u32, &StationTally)| StationOutcome {
        station: number,
        sends: offered.contains_key(&number),
        offered: offered.get(&number).copied().unwrap_or(0),
        delivered: tally.delivered,
        lost: lost(tally),
        throughput: rate(tally.counted_frame_bytes, counted),
        goodput: rate(tally.counted_data_bytes, counted),
        delay: (tally.counted > 0).then(|| tally.delay / tally.counted),
        mac: world.medium.counters(Port(number)),
    };
    let mut total = StationTally::default();
    for tally in meter.stations() {
        total.delivered += tally.delivered;
        total.counted += tally.counted;
        total.delay += tally.delay;
        total.lost.iter_mut().zip(tally.lost).for_each(|(sum, lost)| *sum += lost);
    }
    LoadOutcome {
        seed: plan.seed,
        line_rate,
        counted,
        events: world.kernel.happened(),
        offered: offered.values().sum(),
        delivered: total.delivered,
        lost: lost(&total),
        queued: waiting + world.medium.held() + world.stations.held(),
        repeated: meter.all_repeated(),
        delay: Delay::of(meter.delay(), total.delay, total.counted),
        delays: meter.delay().clone(),
        stations: (0..).zip(meter.stations()).map(station).collect(),
        queues: world.medium.queues(world.kernel.now()),
        cautions: Vec::new(),
    }
}

/// That a run lost so much that its delays, which lost frames do not have, look too good.
fn considerable_loss(outcome: &LoadOutcome) -> Option<Caution> {
    let (cause, _) = outcome.lost.iter().max_by_key(|(_, frames)| **frames)?;
    let (lost, offered) = (outcome.all_lost(), outcome.offered);
    let caution = Caution::FramesLost { lost, offered, cause: cause.name().to_owned() };
    (lost as f64 >= CONSIDERABLE * offered as f64).then_some(caution)
}

fn lost(tally: &StationTally) -> BTreeMap<Loss, u64> {
    Loss::ALL.into_iter().zip(tally.lost).filter(|(_, lost)| *lost > 0).collect()
}

fn rate(bytes: u64, span: Span) -> Rate {
    Rate::of(bytes, span).unwrap_or(Rate::from_bits_per_second(0.0))
}
