//! A few sizes measured again with one thing changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::series::Series;

/// A few sizes of a curve measured again, in turns as the plan says and with one thing changed: each turn is a pass
/// over new connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Changed {
    /// What was changed, as flags say it, such as `--wait spin`.
    pub change: String,
    /// As the plan says.
    pub usual: Series,
    /// With the change.
    pub changed: Series,
    /// Why it ended before its time. Absent if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}
