//! Loads on a path: what one end of a bulk flow sends and receives, at what pace, and what it
//! counts meanwhile.

mod ends;
mod party;
pub(crate) mod rr;
mod sampler;
mod shared;

pub(crate) use ends::{Side, bulk, channels, patience};
pub(crate) use party::{Carried, FlowEnd, Party, Told};
pub use sampler::{FlowLooks, Look, Looks, OnLook, Sampler, Watched};
