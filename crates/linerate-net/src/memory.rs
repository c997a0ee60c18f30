//! Where the messages are in memory: in one place, or cycling through a working set that fits a
//! cache or does not.

mod message_rings;
mod reserved;
mod ring;
mod working_set;

pub use message_rings::MessageRings;
pub use reserved::Reserved;
pub use ring::{MemoryError, Ring, footprint};
pub use working_set::{WorkingSetError, working_set};
