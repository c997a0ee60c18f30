//! What a run found out about its own correctness.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that must be true of a run, and whether it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What must be true, such as `no atom is lost`.
    pub what: String,
    /// Whether it was.
    pub holds: bool,
    /// The numbers that decided it.
    pub seen: String,
}

impl Check {
    /// Whether `value`, which is `what` says it is, is at most `bound`. NaN never is.
    #[must_use]
    pub fn at_most(what: &str, value: f64, bound: f64) -> Self {
        Self { what: what.to_owned(), holds: value <= bound, seen: format!("{value:.3e}, at most {bound:.3e}") }
    }

    /// Whether two counts are the same.
    #[must_use]
    pub fn equal(what: &str, found: u64, expected: u64) -> Self {
        Self { what: what.to_owned(), holds: found == expected, seen: format!("{found} of {expected}") }
    }
}
