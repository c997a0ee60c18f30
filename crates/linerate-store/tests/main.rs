//! All integration tests of this crate: one program, so that they are linked once.

mod conformance;
mod damage;
mod lost;
mod processes;
mod support;
mod tls;
