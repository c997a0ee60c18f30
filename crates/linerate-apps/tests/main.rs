//! The tests of the applications, as one program.

mod work;
