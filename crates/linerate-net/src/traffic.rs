//! Loads on a path: what one end of a bulk flow sends and receives, at what pace, and what it
//! counts meanwhile.

mod counter;
mod ends;
mod incoming;
mod outgoing;
mod pace;
mod party;
pub(crate) mod rr;
mod sampler;
mod shared;

pub use linerate_core::traffic::Pace;
use linerate_core::units::Span;

pub use counter::Counter;
pub(crate) use ends::{Side, bulk, channels, patience};
pub use incoming::Incoming;
pub(crate) use incoming::{LINE, touch};
pub use outgoing::{Outgoing, Piece};
pub(crate) use party::{Carried, FlowEnd, Party, Told};
pub use rr::{Answering, Asking, Schedule};
pub use sampler::{FlowLooks, Look, Looks, OnLook, Sampler, Watched};

/// How long a flow may move no byte before it is given up: longer than TCP needs to send again
/// after 15 seconds without a path (RFC 6298 doubles its timer each time).
pub(crate) const PATIENCE: Span = Span::from_ms(45_000);
