//! The two ends of a conversation.

/// Which end of the conversation this is; on the wire where both may have one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Side {
    /// The end that began.
    Beginning = 0,
    /// The end that answers.
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
