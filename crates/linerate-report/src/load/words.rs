//! A plan and a run in words.

use linerate_sim::load::{Delay, LoadOutcome};
use linerate_sim::model::Ceiling;
use linerate_sim::plan::{
    Arrival, End, EthernetPlan, FrameSizes, LoadPlan, ModelPlan, Network, Pause, Shape, To,
};
use linerate_study::{Measure, Named, PLAN, Study, value_text};

use super::super::text::{Key, count, digits, percent, plain};

/// The mark of an empty cell.
pub(super) const NOTHING: &str = "-";

/// The stations and what connects them; what is swept is said to be.
fn network(study: &Study, plan: &ModelPlan) -> String {
    let network = &plan.network;
    let stations = if study.sweeps("network.stations") {
        "stations as swept".to_owned()
    } else {
        count(u64::from(network.stations()), "station")
    };
    let medium = match network {
        Network::Ethernet(plan) => format!("Ethernet: {}", ethernet(study, plan)),
        other => other.words(),
    };
    format!("{stations}, {medium}")
}

/// Network and load: of one plan, or of each of several in one line with its name.
pub(super) fn described(study: &Study) -> Vec<[String; 2]> {
    let text = |plan: &ModelPlan| [plain(&network(study, plan)), load(study, plan)];
    if let [only] = &study.plans[..] {
        let [network, load] = text(&only.plan);
        return vec![["network".to_owned(), network], ["load".to_owned(), load]];
    }
    let one = |named: &Named| {
        [PLAN.to_owned(), format!("{}: {}", plain(&named.name), text(&named.plan).join("; "))]
    };
    study.plans.iter().map(one).collect()
}

/// What the ends of the cables are set to; a hub's are half duplex unless the plan says otherwise.
fn duplex_word(study: &Study, plan: &EthernetPlan) -> &'static str {
    if plan.duplex.is_none() && study.sweeps("network.topology") {
        return "duplex as each has it";
    }
    match plan.ends() {
        [End::Full, End::Full] => "full duplex",
        [End::Half, End::Half] => "half duplex",
        [End::Auto, End::Auto] => "duplex negotiated",
        _ => "ends set differently",
    }
}

fn ethernet(study: &Study, plan: &EthernetPlan) -> String {
    let shape = match plan.topology {
        Shape::Direct => "back to back".to_owned(),
        Shape::Hub => "one hub".to_owned(),
        Shape::Switch if study.sweeps("network.links") => {
            "switches, links of each station as swept".to_owned()
        }
        Shape::Switch if plan.links > 1 => format!("{0} links of each station, to {0} switches", plan.links),
        Shape::Switch => "one switch".to_owned(),
        Shape::Distributor => "one full-duplex repeater".to_owned(),
        Shape::Line => format!("{} switches in a line", plan.relays),
        Shape::Graph => format!("{} relays by name", plan.relay.len()),
    };
    let pause = match plan.pause {
        Pause::Off => "",
        Pause::Symmetric => ", PAUSE both ways",
        Pause::Asymmetric => ", PAUSE from relays",
    };
    let parts = [
        ("topology", "topology as swept", shape),
        ("phy", "phy as swept", plan.phy.clone()),
        ("duplex", "duplex as swept", duplex_word(study, plan).to_owned()),
        ("length-m", "cables as swept", format!("cables of {} m", plan.length_m)),
    ];
    let part = |(key, swept, text): (&str, &str, String)| {
        if study.sweeps(&format!("network.{key}")) { swept.to_owned() } else { text }
    };
    let pause = if study.sweeps("network.pause") { ", PAUSE as swept" } else { pause };
    format!("{}{pause}", parts.map(part).join(", "))
}

/// What the stations offer; what is swept is said to be.
fn load(study: &Study, plan: &ModelPlan) -> String {
    let load = &plan.load;
    let vary = ["network.stations", "load.senders", "load.to"].iter().any(|key| study.sweeps(key));
    let senders = if vary {
        "senders".to_owned()
    } else {
        count(load.sending(plan.network.stations()).len() as u64, "sender")
    };
    let arrivals = match load.arrivals {
        Arrival::Poisson => "at random times",
        Arrival::Periodic => "at equal times",
        Arrival::OnOff => "at equal times while it is on",
        Arrival::Burst => "in bursts at the same instant",
    };
    let swept = study.sweeps("load.station-load") || study.sweeps("load.total-load");
    let offered = match (load.station_load, load.total_load) {
        _ if swept => format!("offering as swept {arrivals}"),
        _ if load.arrivals == Arrival::Burst => {
            format!("each offering {} {arrivals}, every {}", load.burst, load.every)
        }
        (Some(share), _) => format!("each offering {} of a line {arrivals}", percent(share)),
        (None, Some(share)) => format!("together offering {} of a line {arrivals}", percent(share)),
        (None, None) => "saturated".to_owned(),
    };
    let sized = [("load.packet", "packets as swept"), ("load.frame", "frames as swept")];
    let swept = sized.into_iter().find(|(key, _)| study.sweeps(key));
    let frames = swept.map_or_else(|| frames(load), |(_, text)| text.to_owned());
    let targets = if study.sweeps("load.to") { "targets as swept".to_owned() } else { targets(load) };
    let own: usize = load.station.iter().map(|own| own.stations.len()).sum();
    let own = if own > 0 { format!("; {} of its own", count(own as u64, "station")) } else { String::new() };
    format!("{senders}, {offered}; {frames}, {targets}{own}")
}

fn frames(load: &LoadPlan) -> String {
    let (what, sizes) = match &load.packet {
        Some(packet) => ("packets", packet),
        None => ("frames", &load.frame),
    };
    match sizes {
        FrameSizes::One(size) => format!("{what} of {size} B"),
        FrameSizes::Mix(sizes) => {
            let sizes: Vec<String> =
                sizes.iter().map(|(size, weight)| format!("{size} B x {weight}")).collect();
            format!("{what} of {}", sizes.join(", "))
        }
    }
}

fn targets(load: &LoadPlan) -> String {
    match load.to {
        To::Random => "to any other".to_owned(),
        To::Pairs => "in pairs".to_owned(),
        To::Next => "to the next".to_owned(),
        To::Station(number) => format!("to station {number}"),
    }
}

/// What was swept, a line a key.
pub(super) fn swept(study: &Study) -> Vec<String> {
    let key = |(nth, key): (usize, &String)| {
        let mut values: Vec<String> = Vec::new();
        for point in &study.points {
            let value = value_text(&point.set[nth]);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        format!("{key} = {}", values.join(", "))
    };
    // Which plans there are is said of each by itself.
    study.keys.iter().enumerate().filter(|(_, key)| *key != PLAN).map(key).collect()
}

/// A run in numbers.
pub(super) fn summary(run: &LoadOutcome, ceiling: Option<Ceiling>) -> Vec<Key> {
    let macs = run.macs();
    let senders = run.stations.iter().filter(|station| station.sends).count();
    let mut lines = vec![
        Key {
            label: "throughput",
            value: format!("{} of frames, from header to check sequence", run.throughput()),
        },
        Key { label: "goodput", value: format!("{} of IP packets", run.goodput()) },
        Key {
            label: "efficiency",
            value: format!("{} of one line's {}", percent(run.efficiency()), run.line_rate),
        },
    ];
    lines.extend(ceiling.map(|ceiling| Key { label: "theory", value: theory(ceiling) }));
    lines.extend([
        Key {
            label: "fairness",
            value: format!("{:.4}, Jain's index of {}", run.fairness(), count(senders as u64, "sender")),
        },
        Key { label: "frames", value: frames_text(run) },
    ]);
    if macs.collisions > 0 || macs.late_collisions > 0 || macs.excessive_collisions > 0 {
        let each = Measure::named("collisions_per_frame");
        let each = (each.of)(run).map_or_else(|| NOTHING.to_owned(), digits);
        let value = format!(
            "{each} a delivered frame; {} in all, {} late, {} frames given up",
            macs.collisions, macs.late_collisions, macs.excessive_collisions
        );
        lines.push(Key { label: "collisions", value });
    }
    if macs.pause_sent > 0 || macs.pause_received > 0 {
        let value = format!(
            "{} frames sent by stations, {} received; stations were paused for {} in all",
            macs.pause_sent, macs.pause_received, macs.paused
        );
        lines.push(Key { label: "PAUSE", value });
    }
    let lost = if run.all_lost() > 0 { "; lost frames have none" } else { "" };
    lines.push(Key { label: "delay", value: delay_text(&run.delay) + lost });
    lines
}

/// What theory says of the efficiency.
fn theory(ceiling: Ceiling) -> String {
    let most = format!("{} at most, which is what framing leaves", percent(ceiling.framing));
    match ceiling.contention {
        Some(share) => format!("{most}; {} by Metcalfe and Boggs, each frame alone", percent(share)),
        None => most,
    }
}

fn frames_text(run: &LoadOutcome) -> String {
    let causes: Vec<String> =
        run.lost.iter().map(|(cause, frames)| format!("{} {frames}", cause.name())).collect();
    let causes = if causes.is_empty() { String::new() } else { format!(" ({})", causes.join(", ")) };
    let text = format!(
        "{} offered: {} delivered, {} lost{causes}, {} waiting or on their way at the end",
        run.offered,
        run.delivered,
        run.all_lost(),
        run.queued
    );
    match run.repeated {
        0 => text,
        copies => format!("{text}; {} repeated on the way besides", count(copies, "frame")),
    }
}

fn delay_text(delay: &Delay) -> String {
    let parts = [
        ("mean", delay.mean),
        ("p50", delay.p50),
        ("p90", delay.p90),
        ("p99", delay.p99),
        ("p99.9", delay.p999),
        ("max", delay.max),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter_map(|(name, span)| Some(format!("{name} {}", digits(span?.as_us()))))
        .collect();
    if parts.is_empty() { "none: no frame arrived".to_owned() } else { format!("{} us", parts.join(", ")) }
}

#[cfg(test)]
mod tests;
