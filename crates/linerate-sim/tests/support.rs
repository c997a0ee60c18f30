//! What several files of tests use.

#[path = "../../linerate-core/tests/support/carrier_conformance.rs"]
pub(crate) mod carrier_conformance;
#[path = "../../linerate-core/tests/support/comm_conformance.rs"]
pub(crate) mod comm_conformance;
#[path = "../../linerate-core/tests/support/conformance.rs"]
pub(crate) mod conformance;
pub(crate) mod measured;
pub(crate) mod models;
pub(crate) mod plans;
pub(crate) mod stations;
