//! Searches among ordered settings for the highest that passes and the smallest that is enough.
//!
//! Both are pure: `next` says what to measure, `told` takes the result, and what comes next depends on the
//! results alone. A search is resumed from its stored form, or by telling it the results again.

mod error;
mod highest;
mod places;
mod smallest;

pub use error::SearchError;
pub use highest::{Highest, HighestPass, Passing};
pub use places::Places;
pub use smallest::{Enough, Smallest, SmallestEnough};

#[cfg(test)]
mod tests;
