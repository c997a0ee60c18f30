//! What a rank of a mesh is told before it joins.

use linerate_core::plan::Plan;
use serde::{Deserialize, Serialize};

/// The version since which a server may be asked to be a rank.
pub const RANKS_SINCE: u16 = 6;

/// Which rank a process is to be, of which mesh.
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankOrder {
    /// Which rank, from 0.
    pub rank: usize,
    /// Of how many.
    pub size: usize,
    /// The first rank that is measured: 1 if rank 0 only conducts.
    pub first: usize,
    /// What its host is called.
    pub name: String,
    /// What is measured.
    pub plan: Box<Plan>,
    /// How long the last rank may take to come. Unit: milliseconds.
    pub within_ms: u64,
    /// A rank that does not move a byte for so long is lost. Unit: milliseconds.
    pub patience_ms: u64,
}
