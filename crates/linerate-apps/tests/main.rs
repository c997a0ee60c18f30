//! The tests of the applications, as one program.

mod hint;
mod support;
mod work;
