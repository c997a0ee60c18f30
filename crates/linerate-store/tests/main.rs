//! All integration tests of this crate: one program, so that they are linked once.

mod conformance;
mod damage;
#[cfg(feature = "postgres")]
mod lost;
mod processes;
mod support;
#[cfg(feature = "postgres")]
mod tls;
#[cfg(not(feature = "postgres"))]
mod without_postgres;
