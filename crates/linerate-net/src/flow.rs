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

use linerate_core::units::Span;

pub(crate) use answering::Answered;
pub use answering::Answering;
pub use asking::Asking;
pub(crate) use asking::{GIVE_UP, LOOK, ended_as};
pub use counter::Counter;
pub use incoming::Incoming;
pub use linerate_core::traffic::{Pace, Schedule};
pub use outgoing::{Outgoing, Piece};

/// How long a flow may move no byte before it is given up: longer than TCP needs to retransmit
/// after 15 seconds without a path (RFC 6298 doubles its timer each time).
pub(crate) const PATIENCE: Span = Span::from_ms(45_000);
/// Seed of the bytes of every request and response.
const REQUEST_SEED: u64 = 0x7265_7175_6573_7473;
