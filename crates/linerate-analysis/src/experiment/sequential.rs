//! Looking at results before all are there, without more false alarms.

mod mixture;
mod spending;

pub use mixture::{Anytime, Mixture};
pub use spending::{Boundaries, BoundaryError, Sides, Spending};
