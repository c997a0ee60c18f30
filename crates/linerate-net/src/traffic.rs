//! Loads on a path: what one end of a bulk flow sends and receives, at what pace, and what it
//! counts meanwhile.

mod counter;
mod incoming;
mod outgoing;
mod pace;

pub use counter::Counter;
pub use incoming::Incoming;
pub use outgoing::Outgoing;
pub use pace::Pace;
