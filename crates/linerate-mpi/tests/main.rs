//! linerate over the MPI that it was built with. Each test starts ranks on this host with `mpirun`; the whole takes about
//! 20 s, and it asserts no speed.

mod conformance;
mod output;
mod program;
mod support;
