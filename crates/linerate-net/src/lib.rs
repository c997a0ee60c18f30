//! The operating system's side of linerate: sockets, the measurement server, the control
//! protocol, and what a host says of itself.

pub mod observe;
