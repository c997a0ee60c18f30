//! Collectives that all ranks of a mesh call at once: what was measured of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Tail;
use crate::units::Span;

/// The algorithm of [`CollectiveTimes`] that is the choice of an MPI library.
pub const LIBRARY: &str = "library";

/// A collective at one size, called by all ranks again and again, each time after a barrier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectiveTimes {
    /// Which, such as `allreduce`.
    pub collective: String,
    /// By which algorithm, such as `ring`; [`LIBRARY`] is that of an MPI.
    pub algorithm: String,
    /// The whole vector of a broadcast, allreduce or reduce-scatter, and the block of one rank of an allgather, of one
    /// pair of an alltoall. Unit: bytes.
    pub bytes: u64,
    /// The mean time of a call of each rank, by rank. Absent for a rank that has no part in it, or is lost.
    #[serde(rename = "means_ps")]
    pub means: Vec<Option<Span>>,
    /// The slowest rank of each call: how long the call took for all.
    pub slowest: Tail,
    /// Messages that all ranks together sent for one call, and their payload. Absent if a library sent them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<SentInAll>,
}

/// What all ranks together sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SentInAll {
    /// Messages, empty ones too.
    pub messages: u64,
    /// Payload. Unit: bytes.
    pub bytes: u64,
}

impl CollectiveTimes {
    /// Mean, least and greatest of the means of the ranks. If absent, no rank has one.
    #[must_use]
    pub fn over_ranks(&self) -> Option<[Span; 3]> {
        let means: Vec<Span> = self.means.iter().flatten().copied().collect();
        let sum: Span = means.iter().copied().sum();
        Some([sum / (means.len() as u64).max(1), *means.iter().min()?, *means.iter().max()?])
    }

    /// What the wire of a rank must carry for the call in its time, by the rule of each collective: the rate that can be
    /// held against a link's. Unit: Mb/s (10^6 bit/s). If absent, the collective carries nothing.
    ///
    /// Source: docs of nccl-tests, "bus bandwidth": 2 (P - 1) / P n / t of an allreduce, n / t of a broadcast, (P - 1) / P
    /// n / t of a reduce-scatter, and (P - 1) m / t of an allgather or alltoall with blocks of m.
    #[must_use]
    pub fn bus_mbps(&self) -> Option<f64> {
        let ranks = self.means.iter().flatten().count() as f64;
        let others = (ranks - 1.0) / ranks;
        let bytes = self.bytes as f64
            * match self.collective.as_str() {
                "allreduce" => 2.0 * others,
                "broadcast" => 1.0,
                "reduce-scatter" => others,
                "allgather" | "alltoall" => ranks - 1.0,
                _ => return None,
            };
        let seconds = self.slowest.mean.as_seconds();
        (ranks > 1.0 && seconds > 0.0 && bytes > 0.0).then(|| bytes * 8.0 / 1e6 / seconds)
    }
}
