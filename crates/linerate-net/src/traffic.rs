//! Loads on a path: what one end of a bulk flow sends and receives, at what pace, and what it
//! counts meanwhile.

mod ends;
mod flow_set;
mod gate;
pub(crate) mod rr;
mod sampler;
mod shared;
mod threads;

pub(crate) use ends::{bulk, bulk_flows, channels, last_word, patience};
pub(crate) use flow_set::{Carried, FlowEnd, FlowReport, FlowSet};
pub use sampler::{LEAST_PERIOD, Look, Looks, OnLook, Sampler, Watched};
