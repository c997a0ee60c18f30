//! Keys of a plan that its network or its load does not use, though they have a value of their own.
//!
//! They are not refused: a sweep over topologies gives every point the keys of all.

use linerate_core::caution::Caution;

use crate::medium_plan::without_effect;
use crate::plan::{Arrival, EthernetPlan, LoadPlan, Offer, Pause, RelayKind, Shape};

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
    without_effect([
        ("network.uplink-phy", "only a line has cables between relays of its own", {
            plan.uplink_phy.is_some() && plan.topology != Shape::Line
        }),
        ("network.latency", "it is that of a switch", plan.latency != usual.latency && !switches),
        ("network.queue", no_queue, plan.queue != usual.queue && !queues),
        ("network.marking", "no relay is a switch", plan.marking.is_some() && !switches),
        ("network.high-watermark", "no relay sends PAUSE", { plan.high_watermark.is_some() && !watermarks }),
        ("network.low-watermark", "no relay sends PAUSE", plan.low_watermark.is_some() && !watermarks),
        ("network.extension", "only half duplex at 1 Gb/s extends", !plan.extension && !extends),
        ("network.bursting", "only half duplex at 1 Gb/s sends bursts", !plan.bursting && !extends),
        ("network.station-delay-bits", full, plan.station_delay_bits.is_some() && !shared),
        ("network.repeater-delay-bits", "there is no hub", { plan.repeater_delay_bits.is_some() && !hubs }),
    ])
}

/// That of a station's links, where only the first one is used.
pub(super) fn of_links(links: u32, why: &'static str) -> Vec<Caution> {
    without_effect([("network.links", why, links > 1)])
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
    without_effect([
        ("load.frame", "load.packet gives the sizes", { load.packet.is_some() && load.frame != usual.frame }),
        ("load.on", on_off, load.on != usual.on && !some(Arrival::OnOff)),
        ("load.off", on_off, load.off != usual.off && !some(Arrival::OnOff)),
        ("load.periods", on_off, load.periods != usual.periods && !some(Arrival::OnOff)),
        ("load.burst", bursts, load.burst != usual.burst && !some(Arrival::Burst)),
        ("load.every", bursts, load.every != usual.every && !some(Arrival::Burst)),
        ("load.arrivals", always, load.arrivals != usual.arrivals && all_saturated),
        ("load.queue-frames", always, load.queue_frames != usual.queue_frames && all_saturated),
    ])
}
