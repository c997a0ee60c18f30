//! Who refines what: the range of x is cut into equal chunks, and every rank has some of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Chunks of a decomposition that does not depend on the ranks.
const FIXED_CHUNKS: u32 = 64;
/// Chunks for each rank of the other one.  Source: HINT's rule for scatter decomposition.
const CHUNKS_EACH: usize = 4;

/// Ways to share the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decomposition {
    /// HINT's own: four interleaved chunks for each rank, which refines all of its subintervals in one queue. Bounds depend a
    /// little on the number of ranks.
    #[default]
    Interleaved,
    /// 64 chunks, each refined in a queue of its own: the bounds are the same for any number of ranks up to 64.
    Fixed,
}

/// A decomposition for a number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) how: Decomposition,
    pub(crate) ranks: usize,
    /// A power of two.
    pub(crate) chunks: u32,
}

/// Chunks that one queue holds, and how many subintervals they become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) chunks: Vec<u32>,
    pub(crate) subintervals: u64,
}

impl Cut {
    /// If `chunks` is absent: 64 fixed ones, or the power of two from four for each rank on; one on one rank, which is the
    /// serial algorithm.
    pub(crate) fn new(how: Decomposition, ranks: usize, chunks: Option<u32>) -> Self {
        let usual = match how {
            Decomposition::Fixed => FIXED_CHUNKS,
            Decomposition::Interleaved if ranks == 1 => 1,
            Decomposition::Interleaved => {
                let least = (CHUNKS_EACH * ranks).next_power_of_two();
                u32::try_from(least).unwrap_or(1 << 31)
            }
        };
        Self { how, ranks, chunks: chunks.unwrap_or(usual) }
    }

    /// The fewest subintervals: one in each chunk, and two in all.
    pub(crate) fn fewest(&self) -> u64 {
        u64::from(self.chunks.max(2))
    }

    /// The number of subintervals nearest to `wanted` that can be shared: for fixed chunks a multiple of them.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    pub(crate) fn nearest(&self, wanted: f64) -> u64 {
        let step = match self.how {
            Decomposition::Interleaved => 1,
            Decomposition::Fixed => u64::from(self.chunks),
        };
        (((wanted / step as f64).round() as u64) * step).max(self.fewest())
    }

    /// What `rank` refines of `subintervals` in all.
    pub(crate) fn share(&self, rank: usize, subintervals: u64) -> Vec<Group> {
        let own = (0..self.chunks).skip(rank).step_by(self.ranks);
        match self.how {
            Decomposition::Interleaved => {
                let subintervals = part(subintervals, self.ranks as u64, rank as u64);
                vec![Group { chunks: own.collect(), subintervals }]
            }
            Decomposition::Fixed => {
                let of = |chunk: u32| part(subintervals, self.chunks.into(), chunk.into());
                own.map(|chunk| Group { chunks: vec![chunk], subintervals: of(chunk) }).collect()
            }
        }
    }
}

/// Part `index` of `all` in `parts`: the first ones are longer by at most one.
const fn part(all: u64, parts: u64, index: u64) -> u64 {
    all / parts + (index < all % parts) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_has_one_owner_and_every_subinterval_one_place() {
        for how in [Decomposition::Interleaved, Decomposition::Fixed] {
            for ranks in 1..=16 {
                let cut = Cut::new(how, ranks, None);
                for subintervals in [cut.fewest(), 200, 1_000, 1_025] {
                    let shares: Vec<Group> =
                        (0..ranks).flat_map(|rank| cut.share(rank, subintervals)).collect();
                    let sum: u64 = shares.iter().map(|group| group.subintervals).sum();
                    assert_eq!(sum, subintervals, "{cut:?}");
                    let mut chunks: Vec<u32> = shares.iter().flat_map(|group| group.chunks.clone()).collect();
                    chunks.sort_unstable();
                    assert_eq!(chunks, (0..cut.chunks).collect::<Vec<_>>(), "{cut:?}");
                    let fits = |group: &Group| group.chunks.len() as u64 <= group.subintervals;
                    assert!(shares.iter().all(fits), "{cut:?}, {subintervals}");
                }
            }
        }
    }

    #[test]
    fn chunks_are_the_power_of_two_from_four_a_rank_on() {
        let of = |ranks| Cut::new(Decomposition::Interleaved, ranks, None).chunks;
        assert_eq!([1, 2, 3, 4, 5, 8].map(of), [1, 8, 16, 16, 32, 32]);
    }
}
