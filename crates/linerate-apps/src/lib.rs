//! Applications that show what a cluster's network is worth to a calculation.
//!
//! Each is a program of ranks over a [`Comm`](linerate_core::comm::Comm): the same code runs on processes over TCP, on an
//! MPI, on the ideal network of the closed forms and on a modelled cluster. They are ours, built from the literature, and
//! not the codes of any laboratory. Pure: no clock, no socket, no file.

pub mod application;
pub mod atoms;
pub mod catalogue;
pub mod gather;
pub mod hint;
pub mod md;
pub mod photon;
mod report;
pub mod run;
pub mod tbmd;
pub mod watch;
pub mod work;
