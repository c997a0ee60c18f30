//! What is slow, in words.

use serde::Serialize;

use super::probe_name;
use linerate_core::comm::Segments;
use linerate_core::mesh::Mesh;
use linerate_core::mesh::suspects::{Measure, Place, Suspect, TooLong, Verdict};
use linerate_core::pattern::Pattern;
use linerate_core::run::Run;
use linerate_core::units::{Size, digits};

/// Something slow, unsteady or lossy, in words.
#[derive(Clone, Debug, Serialize)]
pub struct SuspectRow {
    /// Where, such as `n3, all it sends and receives`.
    pub place: String,
    /// Of what it was found, such as `throughput of 1 MiB`.
    pub probe: String,
    /// How many times as long as usual. Absent if it was found by what was lost.
    pub times_slower: Option<f64>,
    /// The same alone, if that was measured.
    pub alone: Option<f64>,
    /// The share of its packets that was lost, if that is known.
    pub lost_share: Option<f64>,
    /// The same of ordinary pairs.
    pub usual_lost_share: Option<f64>,
    /// `slow`, `loses packets`, `loses packets under load`, `loses messages above N`, `unsteady`, `congested` or `unconfirmed`.
    pub verdict: String,
    /// What it rests on, in a line.
    pub evidence: String,
    /// What to try.
    pub advice: &'static str,
    /// Whether it is a fault, and not what others do to it.
    #[serde(skip)]
    pub is_bad: bool,
}

/// A suspect in words; `name` gives the names of ranks.
pub(super) fn row(mesh: &Mesh, one: &Suspect, name: &dyn Fn(usize) -> String) -> SuspectRow {
    let is_bulk = mesh.probes.get(one.probe).is_some_and(|probe| probe.pattern == Pattern::OneWay);
    let verdict = match one.verdict {
        Verdict::Slow => "slow",
        Verdict::Lossy if is_bulk => "loses packets under load",
        Verdict::Lossy => "loses packets",
        Verdict::Unsteady => "unsteady",
        Verdict::Congested => "congested",
        Verdict::Unconfirmed => "unconfirmed",
    };
    let advice = match one.verdict {
        Verdict::Slow => "also alone: look at link speed, duplex, cable, port and processor load",
        Verdict::Lossy if is_bulk => {
            "also alone: look at drop counters, length of queue and ring, policer, flow control"
        }
        Verdict::Lossy => {
            "also alone: look at error and drop counters, cable, transceiver, length of queue and ring"
        }
        Verdict::Unsteady => {
            "slow at times, also alone: look for other work, a short queue, power saving, pause frames"
        }
        Verdict::Congested => "fine alone: look at what it shares with others, an uplink or a port",
        Verdict::Unconfirmed => "not measured alone often enough: raise --recheck or --repeat",
    };
    let mut evidence = Vec::new();
    if one.measure != Measure::Loss {
        evidence.push(format!("{} x while others talked", digits(one.times_slower)));
    }
    let alone = one.alone.map_or_else(String::new, |times| format!(" ({} x)", digits(times)));
    let visits = |[slow, of]: [usize; 2]| format!("slow in {slow} of {of} visits alone{alone}");
    evidence.extend(one.evidence.slow_alone.map(visits));
    evidence.extend(packets(one.evidence.here, one.evidence.elsewhere));
    let lost = |seen: Segments| (seen.sent > 0).then(|| seen.retransmitted as f64 / seen.sent as f64);
    SuspectRow {
        place: place(&one.place, name),
        probe: mesh.probes.get(one.probe).map(probe_name).unwrap_or_default(),
        times_slower: (one.measure != Measure::Loss).then_some(one.times_slower),
        alone: one.alone.filter(|_| one.measure != Measure::Loss),
        lost_share: lost(one.evidence.here),
        usual_lost_share: lost(one.evidence.elsewhere),
        verdict: verdict.to_owned(),
        evidence: evidence.join(", "),
        advice,
        is_bad: one.verdict.is_fault(),
    }
}

/// `lost 31 of 5248 packets (0.591 %), others 0.01 %`.
fn packets(here: Segments, elsewhere: Segments) -> Option<String> {
    let share =
        |seen: Segments| format!("{} %", digits(seen.retransmitted as f64 / seen.sent as f64 * 100.0));
    let others = match elsewhere {
        Segments { sent: 0, .. } => String::new(),
        Segments { retransmitted: 0, .. } => ", others none".to_owned(),
        some => format!(", others {}", share(some)),
    };
    match here {
        Segments { sent: 0, .. } => None,
        Segments { retransmitted: 0, sent } => Some(format!("lost none of {sent} packets")),
        some => {
            Some(format!("lost {} of {} packets ({}){others}", some.retransmitted, some.sent, share(some)))
        }
    }
}

/// A rank that loses long messages, in words, with the MTU of every host.
pub(super) fn too_long(run: &Run, one: &TooLong, name: &dyn Fn(usize) -> String) -> SuspectRow {
    let mesh = run.mesh.as_ref();
    let ranks = mesh.iter().flat_map(|mesh| mesh.ranks.iter().enumerate());
    let mtu = |node: u32| run.nodes.get(node as usize)?.environment.interface.known()?.mtu.known().copied();
    let mtus = ranks.filter_map(|(rank, it)| Some((rank, mtu(it.node)?)));
    let (own, others): (Vec<_>, Vec<_>) = mtus.partition(|(rank, _)| one.place.holds(*rank, *rank));
    let text = |mtus: &[(usize, u64)]| {
        let mut all: Vec<u64> = mtus.iter().map(|(_, mtu)| *mtu).collect();
        all.sort_unstable();
        all.dedup();
        all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let mtus = match [text(&own), text(&others)] {
        [own, others] if own.is_empty() || others.is_empty() => String::new(),
        [own, others] => format!("; MTU {own} there, {others} at the others"),
    };
    SuspectRow {
        place: place(&one.place, name),
        probe: format!("messages of {}", Size(one.lost_bytes)),
        times_slower: None,
        alone: None,
        lost_share: None,
        usual_lost_share: None,
        verdict: format!("loses messages above {}", Size(one.passed_bytes)),
        evidence: format!("{} pairs went silent{mtus}", one.pairs),
        advice: "set one MTU on every port and host of the network",
        is_bad: true,
    }
}

fn place(place: &Place, name: &dyn Fn(usize) -> String) -> String {
    match place {
        Place::Between(groups) => {
            let named = |group: &Vec<usize>| format!("{{{}}}", members(group, name));
            let groups: Vec<String> = groups.iter().map(named).collect();
            format!("between {}", groups.join(" and "))
        }
        Place::Rank(rank) => format!("{}: all it sends and receives", name(*rank)),
        Place::Sends(rank) => format!("{}: all it sends", name(*rank)),
        Place::Receives(rank) => format!("{}: all it receives", name(*rank)),
        Place::Link(a, b) => format!("{} - {}: both ways", name(*a), name(*b)),
        Place::OneWay { from, to } => format!("{} to {}", name(*from), name(*to)),
    }
}

/// `n0, n1, n2` or, of many, `n0, n1, .. n9`.
fn members(group: &[usize], name: &dyn Fn(usize) -> String) -> String {
    const SHOWN: usize = 6;
    let names: Vec<String> = group.iter().map(|rank| name(*rank)).collect();
    match &names[..] {
        all if all.len() <= SHOWN => all.join(", "),
        [first, second, .., last] => format!("{first}, {second}, .. {last}"),
        all => all.join(", "),
    }
}
