//! Offered load: who sends what to whom, and the result.

mod delays;
mod generator;
mod meter;
mod outcome;

pub use delays::Delays;
pub use generator::{Arrivals, Generator, Mix, Targets};
pub use meter::{Meter, StationTally};
pub use outcome::{Delay, LoadOutcome, StationOutcome};
