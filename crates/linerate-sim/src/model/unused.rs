//! Keys of a plan that its network or its load does not use, though they have a value of their own.
//!
//! They are not refused: a sweep over topologies gives every point the keys of all.

use linerate_core::caution::Caution;

use crate::plan::{Arrival, AtmPlan, EthernetPlan, LoadPlan, Offer, Pause, RelayKind, Shape};

/// A key of a plan that has no effect on it, or `None` where all is as it should be.
type Finding = Option<(&'static str, &'static str)>;

/// Those of an Ethernet; `shared` says whether any cable of it is half duplex.
pub(super) fn of_ethernet(plan: &EthernetPlan, shared: bool, extends: bool) -> Vec<Caution> {
    let usual = EthernetPlan::default();
    let has = |kind: RelayKind, shapes: &[Shape]| {
        let drawn = plan.topology == Shape::Graph && plan.relay.iter().any(|relay| relay.kind == kind);
        drawn || shapes.contains(&plan.topology)
    };
    let switches = has(RelayKind::Switch, &[Shape::Switch, Shape::Line]);
    let queues = switches || has(RelayKind::Distributor, &[Shape::Distributor]);
    let hubs = has(RelayKind::Hub, &[Shape::Hub]);
    let no_queue = "no relay of this network has queues";
    let full = "no cable of this network is half duplex";
    let watermarks = queues && plan.pause != Pause::Off;
    collect([
        found("network.uplink-phy", "only a line has cables between relays of its own", {
            plan.uplink_phy.is_some() && plan.topology != Shape::Line
        }),
        found("network.latency", "it is that of a switch", plan.latency != usual.latency && !switches),
        found("network.queue", no_queue, plan.queue != usual.queue && !queues),
        found("network.marking", "no relay is a switch", plan.marking.is_some() && !switches),
        found("network.high-watermark", "no relay sends PAUSE", {
            plan.high_watermark.is_some() && !watermarks
        }),
        found("network.low-watermark", "no relay sends PAUSE", plan.low_watermark.is_some() && !watermarks),
        found("network.extension", "only half duplex at 1 Gb/s extends", !plan.extension && !extends),
        found("network.bursting", "only half duplex at 1 Gb/s sends bursts", !plan.bursting && !extends),
        found("network.station-delay-bits", full, plan.station_delay_bits.is_some() && !shared),
        found("network.repeater-delay-bits", "there is no hub", {
            plan.repeater_delay_bits.is_some() && !hubs
        }),
    ])
}

/// That of a station's links, where only the first one is used.
pub(super) fn of_links(links: u32, why: &'static str) -> Vec<Caution> {
    collect([found("network.links", why, links > 1)])
}

/// Those of ATM: two stations are back to back, without a switch.
pub(super) fn of_atm(plan: &AtmPlan) -> Vec<Caution> {
    let alone = plan.stations == 2;
    let why = "it is of a switch, which two stations do not have; give network.stations";
    let changed = plan.queue_cells != AtmPlan::default().queue_cells;
    collect([
        found("network.queue-cells", why, alone && changed),
        found("network.early-discard-cells", why, alone && plan.early_discard_cells.is_some()),
    ])
}

/// Those of the load of this many stations.
pub(super) fn of_load(load: &LoadPlan, stations: u32) -> Vec<Caution> {
    let usual = LoadPlan::default();
    let offers = load.offers(stations);
    let some = |arrivals: Arrival| offers.iter().any(|offer| offer.arrivals == arrivals);
    let saturated = |offer: &Offer<'_>| offer.share.is_none() && offer.arrivals != Arrival::Burst;
    let all_saturated = offers.iter().all(saturated);
    let on_off = "no sender is on-off";
    let bursts = "no sender sends bursts";
    let always = "saturated senders always have a frame; give load.station-load";
    collect([
        found("load.frame", "load.packet gives the sizes", {
            load.packet.is_some() && load.frame != usual.frame
        }),
        found("load.on", on_off, load.on != usual.on && !some(Arrival::OnOff)),
        found("load.off", on_off, load.off != usual.off && !some(Arrival::OnOff)),
        found("load.periods", on_off, load.periods != usual.periods && !some(Arrival::OnOff)),
        found("load.burst", bursts, load.burst != usual.burst && !some(Arrival::Burst)),
        found("load.every", bursts, load.every != usual.every && !some(Arrival::Burst)),
        found("load.arrivals", always, load.arrivals != usual.arrivals && all_saturated),
        found("load.queue-frames", always, load.queue_frames != usual.queue_frames && all_saturated),
    ])
}

fn found(key: &'static str, why: &'static str, unused: bool) -> Finding {
    unused.then_some((key, why))
}

fn collect<const N: usize>(findings: [Finding; N]) -> Vec<Caution> {
    let caution =
        |(key, why): (&str, &str)| Caution::WithoutEffect { key: key.to_owned(), why: why.to_owned() };
    findings.into_iter().flatten().map(caution).collect()
}
