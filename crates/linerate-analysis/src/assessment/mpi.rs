//! What is doubtful about a curve between ranks of an MPI. Meshes have rules of their own.

use std::collections::BTreeSet;

use linerate_core::caution::Caution;
use linerate_core::environment::Environment;
use linerate_core::run::Run;

/// Whether ranks share a host, and whether they share its processors too. Every node is a rank.
///
/// Ranks of an MPI poll while they wait, so two on one processor wait for the scheduler at every message: a tick (1 to
/// 10 ms) where a message takes microseconds.
pub(super) fn ends(run: &Run, cautions: &mut Vec<Caution>) {
    let ranks: Vec<&Environment> = run.nodes.iter().map(|node| &node.environment).collect();
    let on = |host: &Environment| -> Vec<&Environment> {
        ranks.iter().filter(|other| host.same_host(other) == Some(true)).copied().collect()
    };
    let sharing = ranks.iter().filter(|host| on(host).len() > 1).count() as u64;
    if sharing > 0 {
        cautions.push(Caution::RanksShareHost { ranks: sharing, of: ranks.len() as u64 });
    }
    let crowded = ranks.iter().filter_map(|host| {
        let there = on(host);
        // Each may be bound to others.
        let usable: BTreeSet<u32> =
            there.iter().filter_map(|rank| rank.cpus.known()).flatten().copied().collect();
        let (ranks, processors) = (there.len() as u64, usable.len() as u64);
        let name = host.hostname.known().cloned().unwrap_or_else(|| "one host".to_owned());
        (ranks > processors && processors > 0).then_some((ranks, processors, name))
    });
    if let Some((ranks, processors, host)) = crowded.max() {
        cautions.push(Caution::MoreRanksThanProcessors { host, ranks, processors });
    }
}
