//! All integration tests of this crate: one program, so that they are linked once.

mod comm;
mod layers;
mod mesh;
mod passes;
mod support;
