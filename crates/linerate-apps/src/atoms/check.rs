//! What both applications check of their results.

use crate::verified::Check;

/// Whether `value`, which is `what` says it is, is at most `bound`. NaN never is.
#[must_use]
pub fn at_most(what: &str, value: f64, bound: f64) -> Check {
    Check::new(what, value <= bound, format!("{value:.3e}, at most {bound:.3e}"))
}

/// Whether two counts are the same.
#[must_use]
pub fn equal(what: &str, found: u64, expected: u64) -> Check {
    Check::new(what, found == expected, format!("{found} of {expected}"))
}
