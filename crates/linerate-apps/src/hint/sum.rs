//! The one thing that ranks say to each other in HINT: their bounds, summed for all.

use linerate_core::comm::algorithm::{Allreduce, Broadcast};
use linerate_core::comm::collective::{Combine, allreduce, broadcast, reduce};
use linerate_core::comm::{Comm, CommError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Algorithms of the global sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GlobalSum {
    /// An allreduce by exchanges over growing distances: log2 P steps.
    #[default]
    RecursiveDoubling,
    /// Up a tree to rank 0, and down again: 2 ceil(log2 P) steps.
    ReduceBroadcast,
    /// An allreduce round a ring: 2 (P - 1) steps.
    Ring,
    /// Rabenseifner's allreduce: 2 log2 P steps.
    Rabenseifner,
}

/// The sum of whole numbers of 64 bits, little-endian.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumOfWholes;

impl Combine for SumOfWholes {
    const ELEMENT: usize = 8;

    fn combine(&self, into: &mut [u8], other: &[u8]) {
        let (into, _) = into.as_chunks_mut::<8>();
        let (other, _) = other.as_chunks::<8>();
        for (sum, more) in into.iter_mut().zip(other) {
            // What a rank sent is not trusted: it may overflow.
            *sum = u64::from_le_bytes(*sum).wrapping_add(u64::from_le_bytes(*more)).to_le_bytes();
        }
    }
}

impl GlobalSum {
    /// The sums over all ranks, at every rank.
    pub(crate) async fn of<const N: usize>(
        self,
        comm: &mut impl Comm,
        mine: [u64; N],
    ) -> Result<[u64; N], CommError> {
        let mut numbers = mine.map(u64::to_le_bytes);
        let data = numbers.as_flattened_mut();
        match self {
            Self::RecursiveDoubling => {
                allreduce(comm, Allreduce::RecursiveDoubling, data, &SumOfWholes).await?;
            }
            Self::Ring => allreduce(comm, Allreduce::Ring, data, &SumOfWholes).await?,
            Self::Rabenseifner => allreduce(comm, Allreduce::Rabenseifner, data, &SumOfWholes).await?,
            Self::ReduceBroadcast => {
                reduce(comm, 0, data, &SumOfWholes).await?;
                broadcast(comm, Broadcast::Binomial, 0, data).await?;
            }
        }
        Ok(numbers.map(u64::from_le_bytes))
    }
}
