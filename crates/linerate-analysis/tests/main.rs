//! All integration tests of this crate: one program, so that they are linked once.

mod changes;
mod comparison;
mod netpipe_file;
mod nptcp;
mod schema;
mod support;
mod virtual_bench;
