//! The two ends of a conversation.

/// Which end of the conversation this is. Sent on the wire, because both ends may have the same
/// address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Side {
    /// The initiator.
    Beginning = 0,
    /// The responder.
    Answering = 1,
}

impl Side {
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Beginning => Self::Answering,
            Self::Answering => Self::Beginning,
        }
    }
}
