//! A part of a run measured again with one thing changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::series::Series;
use crate::traffic::Transfer;

/// A part of a run measured again, in turns as the plan says and with one thing changed, each over new connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Changed {
    /// What was changed, as flags say it, such as `--wait spin`.
    pub change: String,
    /// As the plan says.
    pub usual: Turns,
    /// With the change.
    pub changed: Turns,
    /// Why it ended before its time. Absent if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// What came of the turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Turns {
    /// Of a curve: a few sizes, a pass for each turn.
    Sizes(Series),
    /// Of bulk or requests: the load of each turn, without its course.
    Loads(Vec<Transfer>),
}

impl Turns {
    /// Adds what came of turn number `turn`. What is of another kind than the turns before is left out.
    pub fn add(&mut self, turn: u32, of_turn: Self) {
        match (self, of_turn) {
            (Self::Sizes(all), Self::Sizes(series)) => all.add_pass(turn, series),
            (Self::Loads(all), Self::Loads(loads)) => all.extend(loads),
            (Self::Sizes(_), Self::Loads(_)) | (Self::Loads(_), Self::Sizes(_)) => {}
        }
    }
}
