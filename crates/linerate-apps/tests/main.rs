//! The tests of the applications, as one program.

mod md;
mod ranks;
mod schema;
mod tbmd;
mod work;
