//! The tests of the applications, as one program.

mod hint;
mod md;
mod photon;
mod ranks;
mod run;
mod schema;
mod support;
mod tbmd;
mod work;
