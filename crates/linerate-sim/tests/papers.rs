//! What the papers measured needs hosts: TCP on processors, buses and adaptors, held to locations,
//! orders and closed forms. Levels are not asserted.

mod buffers;
mod ceilings;
mod coalescing;
mod determinism;
mod dip;
mod draw;
mod ensemble;
mod fair;
mod forms;
pub(crate) mod lab;
mod mtu;
mod offload;
mod processor;
mod rings;
mod stall;
