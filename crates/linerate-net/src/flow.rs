//! What one flow at one end has to move, when, and the result: bulk that is sent or received,
//! requests that are asked or answered. It knows no channel: the owner of a channel asks here what
//! comes next and reports what moved.

mod answering;
mod asking;
mod counter;
mod incoming;
mod outgoing;
mod pace;
mod tag;
mod under_way;

pub(crate) use answering::Answered;
pub use answering::Answering;
pub use asking::Asking;
pub(crate) use asking::{GIVE_UP, LOOK};
pub use counter::Counter;
pub use incoming::Incoming;
pub(crate) use linerate_core::traffic::PATIENCE;
pub use linerate_core::traffic::{Pace, Progress, ReaderPace, Schedule, SendProgress};
pub use outgoing::{Outgoing, Piece};

/// Seed of the bytes of every request and response.
const REQUEST_SEED: u64 = 0x7265_7175_6573_7473;
