//! Inference from two sets of repetitions: whether they differ, by how much, whether they are the same
//! within a margin, and the smallest change that could have been seen. Pure functions of numbers.
//!
//! The unit of repetition is a whole run, never a round of it: rounds share host state, placement and
//! route, and taken for units they raise false alarms from 5 % to 39 to 66 %. Positive quantities come
//! here as natural logarithms, so that a difference is the logarithm of a ratio.

mod adjust;
mod bootstrap;
mod permutation;
mod power;
mod relevance;
mod welch;

pub use adjust::{benjamini_hochberg, holm};
pub use bootstrap::{Unit, hierarchical};
pub use permutation::{Permutation, joint_limit, permute};
pub use power::{MOST_RUNS, Wanted, runs_needed, visible};
pub use relevance::Relevance;
pub use welch::{Prior, Welch};

/// The share of false alarms that a family of tests may have, and what an interval leaves out.
pub const ALPHA: f64 = 0.05;
