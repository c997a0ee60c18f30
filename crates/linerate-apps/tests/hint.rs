//! HINT on the ideal network: bounds, times, rules. 2 s.

mod bounds;
mod rules;
mod times;

use linerate_apps::hint::{Decomposition, Hint};

/// One size.
pub(crate) fn one(decomposition: Decomposition, subintervals: u64) -> Hint {
    Hint { decomposition, smallest: Some(subintervals), largest: Some(subintervals), ..Hint::default() }
}
