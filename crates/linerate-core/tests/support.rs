//! A bench in virtual time, and what every endpoint, bench and carrier of ranks promises.

pub(crate) mod comm_conformance;
pub(crate) mod conformance;
pub(crate) mod kernel;
pub(crate) mod link;
pub(crate) mod virtual_bench;
pub(crate) mod watch;
