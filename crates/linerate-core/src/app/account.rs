//! What a rank did with its time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of a recorded step in which a rank calculated; between two of them it communicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// What was calculated, such as `forces`.
    pub what: String,
    /// When it began, from the beginning of the first recorded step on this rank's clock. Unit: picoseconds.
    pub begin_ps: u64,
    /// When it ended. Unit: picoseconds.
    pub end_ps: u64,
}

/// A rank's account of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    /// From the first instruction of the application to the last. Unit: picoseconds.
    pub total_ps: u64,
    /// How much of it the rank calculated, in the phases that have names. Unit: picoseconds.
    pub computed_ps: u64,
    /// How much of it was in calls that send and receive: communication, and waiting for others. The rest is packing of
    /// messages, and what has no name. Unit: picoseconds.
    #[serde(default)]
    pub communicated_ps: u64,
    /// Units of work.
    pub units: u64,
    /// Messages that it sent to each rank, by number.
    pub messages: Vec<u64>,
    /// Payload that it sent to each rank, by number. Unit: bytes.
    pub bytes: Vec<u64>,
    /// The phases of the recorded step.
    pub phases: Vec<Phase>,
    /// How long the recorded step took. Absent if none was. Unit: picoseconds.
    pub step_ps: Option<u64>,
}
