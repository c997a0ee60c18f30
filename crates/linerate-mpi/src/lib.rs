//! linerate over an MPI: message-size curves, windows of messages, collectives and meshes of its ranks.
#![cfg(feature = "mpi")]

pub mod bench;
pub mod cli;
pub mod comm;
pub mod command;
pub mod endpoint;
pub mod host;
pub mod library;
pub mod sys;
pub mod talk;
