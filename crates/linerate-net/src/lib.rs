//! The operating system's side of linerate: sockets, the measurement server, the control
//! protocol, and what a host says of itself.

pub mod channel;
pub mod control;
pub mod flow;
pub mod host_limits;
pub mod io;
pub mod lab;
pub mod line;
pub mod memory;
mod netlink;
pub mod observe;
pub mod pair;
mod place;
pub mod probe;
pub mod ranks;
pub mod serve;
pub mod settings;
mod stages;
mod sys;
mod trace;
pub mod traffic;
pub mod transport;
pub mod wait;
mod watchdog;

pub use control::DEFAULT_PORT;
