//! Runs of models: a load at every point of a grid, published claims compared with the model, and a
//! calibrated host's predictions beside measurements.
//!
//! It runs and computes; it prints nothing and opens no file. The plans and the claims that come with
//! linerate are part of it.

pub mod claims;
mod error;
mod grid;
mod keys;
pub mod parallel;
pub mod prediction;
pub mod result_file;
mod runs;
mod shard;
pub mod shipped;
mod study;

pub use error::GridError;
pub use grid::{Cell, Grid, changed};
pub use runs::{Orders, run_all, run_each};
pub use shard::{Shard, ShardError};
pub use study::{Estimate, MEASURES, Measure, Named, PLAN, Point, Study, value_text};
