//! Which rank has the bins of which patch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scene::Scene;
use super::stream::Streams;
use super::trace::Tracer;

/// Ways to deal patches to ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Owners {
    /// In turn: patch i belongs to rank i mod P.
    #[default]
    InTurn,
    /// By the hits of a few photons that every rank traces first: the patch with the most goes to the rank that has the fewest
    /// so far.
    Packed,
}

/// How many photons every rank traces to see which patches are hit.
pub(crate) const PILOT: u64 = 1_000;

/// The owner of each patch in turn.
pub(crate) fn in_turn(patches: usize, ranks: usize) -> Vec<usize> {
    (0..patches).map(|patch| patch % ranks).collect()
}

/// The owner of each patch by the hits of the pilot: the same at every rank, because photons do not depend on who traces them.
pub(crate) fn packed(scene: &Scene, tracer: &Tracer, seed: u64, ranks: usize) -> Vec<usize> {
    let mut hits = vec![0; scene.patches.len()];
    let mut streams = Streams::from(seed, 0);
    for _ in 0..PILOT {
        tracer.trace(&mut streams.next(), |record| hits[record.patch as usize] += 1);
    }
    pack(&hits, ranks)
}

/// The largest first, each to whoever has the least.
fn pack(hits: &[u64], ranks: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..hits.len()).collect();
    // Stable: of equal ones the first.
    order.sort_by_key(|patch| std::cmp::Reverse(hits[*patch]));
    let mut loads = vec![(0, 0); ranks];
    let mut owners = vec![0; hits.len()];
    for patch in order {
        let least = (0..ranks).min_by_key(|rank| loads[*rank]).unwrap_or(0);
        loads[least].0 += hits[patch];
        loads[least].1 += 1;
        owners[patch] = least;
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_patch_goes_to_the_rank_with_the_least() {
        // 7 | 5, 7 | 5 + 4, 7 + 3 | 9, 10 | 9 + 1.
        assert_eq!(pack(&[1, 7, 3, 5, 4], 2), [1, 0, 0, 1, 1]);
        assert_eq!(pack(&[0, 0, 0, 0], 2), [0, 1, 0, 1]);
        assert_eq!(pack(&[2, 1], 4), [0, 1]);
        assert_eq!(in_turn(5, 2), [0, 1, 0, 1, 0]);
    }
}
