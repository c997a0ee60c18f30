//! What runs mean: key figures, comparison, changes over time, experiments, and what limits a path.
//!
//! Everything here is a pure function of stored runs ([`linerate_core::run::Run`]) and works as well on a
//! five-year-old file. No code in this crate uses a clock, a socket or a file.

pub mod assessment;
pub mod changes;
pub mod compare;
pub mod derive;
pub mod experiment;
pub mod explain;
pub mod facts;
pub mod figures;
pub mod identity;
pub mod inference;
pub mod netpipe_file;
pub mod report;
