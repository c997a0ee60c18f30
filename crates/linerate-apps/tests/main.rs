//! The tests of the applications, as one program.

mod hint;
mod photon;
mod support;
mod work;
