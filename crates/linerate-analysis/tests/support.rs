//! A bench in virtual time, and what every endpoint and bench promises.

#[path = "../../linerate-core/tests/support/conformance.rs"]
pub(crate) mod conformance;
#[path = "../../linerate-core/tests/support/guard.rs"]
pub(crate) mod guard;
pub(crate) mod kernel;
pub(crate) mod link;
pub(crate) mod virtual_bench;
pub(crate) mod watch;
