//! The whole method, from patterns to the run file, over a link in virtual time whose every number
//! is known.

mod budget;
mod campaign;
mod exact;
mod findings;
mod once;
mod passes;
pub(crate) mod run_file;
mod statistics;
