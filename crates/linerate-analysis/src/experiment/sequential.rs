//! Looking at results before all are there, without more false alarms.

mod spending;

pub use spending::{Boundaries, BoundaryError, Sides, Spending};
