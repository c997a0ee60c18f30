//! The machine of a host against closed forms, without a protocol: bus, rings, interrupts,
//! processors, and the way of a message through two of them.

mod bench;
mod bus;
mod interrupts;
mod message;
mod offload;
mod processors;
mod rings;
