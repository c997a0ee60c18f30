//! Where messages are on their way, and when: programs at tracepoints of the kernel (eBPF), or its timestamps.
//!
//! Both ends trace by themselves, each its own end of one connection, and put a name to what they saw: the point of a
//! message, not the event of a packet, goes to the other end.

#[cfg(feature = "bpf")]
mod assign;
#[cfg(feature = "bpf")]
mod layout;
#[cfg(feature = "bpf")]
mod packets;
#[cfg(feature = "bpf")]
mod programs;
mod tracer;

pub(crate) use tracer::{Block, Role, Tracer};
