//! A rank, and what it tells of itself when the mesh has been measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comm::Segments;
use crate::environment::Environment;
use crate::observation::Observation;

/// A rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rank {
    /// What people call it: its host, with a number if several ranks are there. No two have the same.
    pub name: String,
    /// Its host, by its index in the run's nodes.
    pub node: u32,
    /// Its address. Empty if that is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub address: String,
    /// Processors on which it was seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<u32>,
    /// What passed between it and ranks on other hosts.
    #[serde(default, skip_serializing_if = "Moved::is_nothing")]
    pub far: Moved,
    /// What passed between it and ranks on its own host.
    #[serde(default, skip_serializing_if = "Moved::is_nothing")]
    pub near: Moved,
    /// What it sent to the other ranks in the whole mesh, visits and everything else. Absent if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<Segments>,
}

/// Payload that passed, without what goes before each message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// Unit: bytes.
    pub sent_bytes: u64,
    /// Unit: bytes.
    pub received_bytes: u64,
}

impl Moved {
    /// Both ways together. Unit: bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.sent_bytes.saturating_add(self.received_bytes)
    }

    const fn is_nothing(&self) -> bool {
        self.sent_bytes == 0 && self.received_bytes == 0
    }
}

impl std::ops::AddAssign for Moved {
    fn add_assign(&mut self, more: Self) {
        self.sent_bytes += more.sent_bytes;
        self.received_bytes += more.received_bytes;
    }
}

/// What a rank tells of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RankAccount {
    /// What its host reports.
    pub environment: Environment,
    /// What it saw.
    pub observation: Observation,
    /// Its address.
    pub address: String,
    /// What passed between it and ranks on other hosts.
    pub far: Moved,
    /// What passed between it and ranks on its own host.
    pub near: Moved,
    /// What it sent to the other ranks, if its carrier says so.
    pub segments: Option<Segments>,
}
