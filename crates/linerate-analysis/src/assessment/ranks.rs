//! What is doubtful about many ranks: each finding once, however many hosts there are.

use std::collections::BTreeMap;

use linerate_core::caution::Caution;
use linerate_core::environment::Environment;
use linerate_core::mesh::matrix::Matrix;
use linerate_core::mesh::{Mesh, Moved, Phase, Rank};
use linerate_core::observation::Grade;
use linerate_core::pattern::Pattern;
use linerate_core::plan::MeshSchedule;
use linerate_core::run::{Node, Run};
use linerate_core::units::Rate;

use super::THROTTLED;

/// The share of the payload that an interface must have counted. Its counters are read before the last messages are
/// through, and after the first.
const COUNTED: f64 = 0.95;
/// What passes unseen before and after the counters are read. Unit: bytes.
const UNSEEN: u64 = 1 << 16;
/// No path carries small messages at so many times the rate of the largest for long. Larger ones may be faster by a
/// cache.
const IN_BURSTS: f64 = 1.1;
const SMALL: u64 = 1 << 16;

/// Cautions about the ranks of a run and their hosts.
pub(super) fn ranks(run: &Run, cautions: &mut Vec<Caution>) {
    let Some(ranks) = run.ranks() else { return };
    shared_hosts(ranks, cautions);
    processors(run, ranks, cautions);
    paths(run, ranks, cautions);
    noise(run, ranks, cautions);
    throttled(run, cautions);
    if let Some(mesh) = &run.mesh {
        bursts(mesh, cautions);
    }
}

/// What people call a node.
fn called(node: &Node, number: usize) -> String {
    node.environment.hostname.known().cloned().unwrap_or_else(|| format!("host {}", number + 1))
}

fn of_node(ranks: &[Rank], number: usize) -> impl Iterator<Item = &Rank> {
    ranks.iter().filter(move |rank| rank.node as usize == number)
}

fn shared_hosts(all: &[Rank], cautions: &mut Vec<Caution>) {
    let mut on: BTreeMap<u32, u64> = BTreeMap::new();
    all.iter().for_each(|rank| *on.entry(rank.node).or_default() += 1);
    let ranks = on.values().filter(|ranks| **ranks > 1).sum();
    if ranks > 0 {
        cautions.push(Caution::RanksShareHost { ranks, of: all.len() as u64 });
    }
}

/// Namespaces of one host share its processors.
fn processors(run: &Run, all: &[Rank], cautions: &mut Vec<Caution>) {
    let mut hosts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, Node { environment, .. }) in run.nodes.iter().enumerate() {
        if let Some(boot) = environment.boot_id.known() {
            hosts.entry(boot).or_default().push(number);
        }
    }
    for nodes in hosts.into_values() {
        let host = called(&run.nodes[nodes[0]], nodes[0]);
        let ranks: Vec<&Rank> = nodes.iter().flat_map(|number| of_node(all, *number)).collect();
        let Environment { cpus, .. } = &run.nodes[nodes[0]].environment;
        let count = ranks.len() as u64;
        if let Some(processors) = cpus.known().map(|cpus| cpus.len() as u64)
            && count > processors
        {
            cautions.push(Caution::MoreRanksThanProcessors { host, ranks: count, processors });
            continue;
        }
        let mut only: BTreeMap<u32, u64> = BTreeMap::new();
        for rank in ranks {
            if let [cpu] = rank.cpus[..] {
                *only.entry(cpu).or_default() += 1;
            }
        }
        if let Some((cpu, ranks)) = only.into_iter().find(|(_, ranks)| *ranks > 1) {
            cautions.push(Caution::RanksShareProcessor { host, ranks, cpu });
        }
    }
}

/// Compares each host's counters with what its ranks exchanged with other hosts.
fn paths(run: &Run, all: &[Rank], cautions: &mut Vec<Caution>) {
    let mut found: Option<(String, u64, String, u64, u64)> = None;
    for (number, node) in run.nodes.iter().enumerate() {
        let Some(counters) = node.observation.interface.known() else { continue };
        let mut far = Moved::default();
        of_node(all, number).for_each(|rank| far += rank.far);
        let ways = [(far.sent_bytes, counters.tx_bytes), (far.received_bytes, counters.rx_bytes)];
        let missed = |(payload, counted): &(u64, u64)| {
            (*counted as f64) < COUNTED * payload.saturating_sub(UNSEEN) as f64
        };
        let Some((payload, counted)) = ways.into_iter().find(missed) else { continue };
        match &mut found {
            Some((_, more, ..)) => *more += 1,
            None => {
                found = Some((called(node, number), 0, counters.interface.clone(), payload, counted));
            }
        }
    }
    if let Some((host, more, interface, payload, counted)) = found {
        cautions.push(Caution::RanksTookAnotherWay { host, more, interface, payload, counted });
    }
}

/// Ranks that are more than the processors of their host disturb each other: that is another finding.
fn noise(run: &Run, all: &[Rank], cautions: &mut Vec<Caution>) {
    let boot = |node: &Node| node.environment.boot_id.known().cloned();
    let beside = |node: &Node| {
        let same = run.nodes.iter().enumerate().filter(|(_, other)| boot(other) == boot(node));
        let ranks: usize = same.map(|(number, _)| of_node(all, number).count()).sum();
        node.environment.cpus.known().is_some_and(|cpus| ranks > cpus.len())
    };
    let share = |node: &Node| {
        let noise = node.observation.noise.known().filter(|noise| noise.grade() > Grade::B)?;
        Some(noise.share())
    };
    let noisy: Vec<(usize, f64)> = run
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(number, node)| Some((number, share(node)?)))
        .filter(|(number, _)| !beside(&run.nodes[*number]))
        .collect();
    if let Some((worst, share)) = worst(run, &noisy) {
        let (hosts, of) = (noisy.len() as u64, run.nodes.len() as u64);
        cautions.push(Caution::NoisyHosts { hosts, of, worst, share });
    }
}

/// Hosts whose quota stopped a rank.
fn throttled(run: &Run, cautions: &mut Vec<Caution>) {
    let share = |node: &Node| node.observation.load.throttled().share_of(node.observation.load.span);
    let shares = run.nodes.iter().map(share).enumerate();
    let stopped: Vec<(usize, f64)> = shares.filter(|(_, share)| *share > THROTTLED).collect();
    if let Some((worst, share)) = worst(run, &stopped) {
        let (hosts, of) = (stopped.len() as u64, run.nodes.len() as u64);
        cautions.push(Caution::ThrottledHosts { hosts, of, worst, share });
    }
}

/// The name of the host with the largest share, and that share.
fn worst(run: &Run, shares: &[(usize, f64)]) -> Option<(String, f64)> {
    let (number, share) = shares.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some((called(&run.nodes[*number], *number), *share))
}

/// Compares the sizes of messages one way, of pairs that were visited.
fn bursts(mesh: &Mesh, cautions: &mut Vec<Caution>) {
    let visits = [MeshSchedule::Pairs, MeshSchedule::Serial];
    let phases: Vec<&Phase> = mesh.phases.iter().filter(|phase| visits.contains(&phase.schedule)).collect();
    let one_way = mesh.probes.iter().enumerate().filter(|(_, probe)| probe.pattern == Pattern::OneWay);
    let rates = one_way.filter_map(|(number, probe)| {
        let times = Matrix::of(mesh, number, phases.iter().copied());
        // The median of rates, as the report has it.
        let rate = times.map(|seconds| probe.size as f64 * 8.0 / seconds).median()?;
        Some((probe.size, Rate::from_bits_per_second(rate)))
    });
    let mut rates: Vec<(u64, Rate)> = rates.collect();
    rates.sort_by_key(|(size, _)| *size);
    let Some((largest, largest_rate)) = rates.pop() else { return };
    let fast = |(size, rate): &(u64, Rate)| *size < SMALL && rate.share_of(largest_rate) >= IN_BURSTS;
    if let Some((size, rate)) = rates.into_iter().find(fast) {
        cautions.push(Caution::MeshInBursts { size, rate, largest, largest_rate });
    }
}

#[cfg(test)]
mod tests;
