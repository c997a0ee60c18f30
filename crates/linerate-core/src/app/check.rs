//! What an application checked about its own result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that must be so, and whether it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What must be so, such as `every photon was absorbed, escaped or given up`.
    pub what: String,
    /// Whether it was.
    pub held: bool,
    /// The numbers that were compared, such as `1000000 = 1000000 + 0 + 0`.
    pub found: String,
}

impl Check {
    /// A check and its numbers.
    pub fn new(what: impl Into<String>, held: bool, found: impl Into<String>) -> Self {
        Self { what: what.into(), held, found: found.into() }
    }

    /// Whether `value`, which is `what` says it is, is at most `bound`. NaN never is.
    #[must_use]
    pub fn at_most(what: &str, value: f64, bound: f64) -> Self {
        Self::new(what, value <= bound, format!("{value:.3e}, at most {bound:.3e}"))
    }

    /// Whether two counts are the same.
    #[must_use]
    pub fn equal(what: &str, found: u64, expected: u64) -> Self {
        Self::new(what, found == expected, format!("{found} of {expected}"))
    }
}
