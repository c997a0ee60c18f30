//! What a modelled host costs: its processors, its bus, its adaptor, its memory.
//!
//! A [`Machine`] is one host. Work is a [`Job`] that takes a processor for a while; frames pass a
//! bus and an adaptor with rings of descriptors, and what comes in raises interrupts. It knows no
//! protocol: what a job does when its time is over is its owner's business ([`crate::hosts`]).

mod adaptor;
mod bus;
mod machine;
mod processor;
mod profile;
mod shipped;
mod times;

pub use adaptor::AdaptorCounters;
pub use machine::{End, Event, Job, Machine, Wire};
pub use processor::{Level, Usage};
pub use profile::{Adaptor, Bus, Costs, Memory, Processor, Profile};
pub use shipped::{SHIPPED, Shipped};
pub use times::Times;
