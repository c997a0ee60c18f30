//! The whole method, from patterns to the run file, over a link in virtual time whose every number
//! is known.

#[path = "../support/conformance.rs"]
mod conformance;
#[path = "../support/kernel.rs"]
mod kernel;
#[path = "../support/link.rs"]
mod link;
#[path = "../support/virtual_bench.rs"]
mod virtual_bench;
#[path = "../support/watch.rs"]
mod watch;

mod campaign;
mod exact;
mod findings;
mod once;
mod run_file;
mod statistics;
