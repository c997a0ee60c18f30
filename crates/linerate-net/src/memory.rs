//! Where the messages are in memory: in one place, or going round in so much of it that they fit a
//! cache or do not.

mod message_rings;
mod reserved;
mod ring;
mod working_set;

pub use message_rings::MessageRings;
pub use reserved::Reserved;
pub use ring::{MemoryError, Ring, footprint};
pub use working_set::{WorkingSetError, working_set};
