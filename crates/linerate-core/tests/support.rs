//! What every carrier of ranks promises. The other bodies beside it are those of the crates that have endpoints,
//! benches and carriers of loads.

pub(crate) mod comm_conformance;
