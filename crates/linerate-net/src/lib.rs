//! The operating system's side of linerate: sockets, the measurement server, the control
//! protocol, and what a host says of itself.
//!
//! Everything of it is there on Linux. The others have TCP, UDP, TLS, QUIC and Unix sockets, with plain calls; what they
//! lack is refused, or unknown, with the words "only on Linux".
#![cfg_attr(not(on_linux), expect(dead_code, reason = "what only the engines of Linux use"))]

#[cfg(all(not(on_linux), any(feature = "xdp", feature = "bpf")))]
compile_error!("the features xdp and bpf are of Linux: build without them");

pub mod channel;
pub mod control;
pub mod flow;
#[cfg(on_linux)]
pub mod host_limits;
pub mod io;
#[cfg(on_linux)]
pub mod lab;
pub mod line;
pub mod memory;
#[cfg(on_linux)]
mod netlink;
pub mod observe;
pub mod pair;
pub mod peers;
mod place;
#[cfg(on_linux)]
pub mod probe;
pub mod ranks;
pub mod serve;
#[cfg(on_linux)]
pub mod settings;
mod stages;
mod sys;
mod trace;
pub mod traffic;
pub mod transport;
pub mod wait;
mod watchdog;

pub use control::DEFAULT_PORT;
