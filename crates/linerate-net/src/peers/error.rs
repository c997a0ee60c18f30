//! Why the server of another tool carried no load, or only a part of one.

use std::io;

use crate::pair::PairError;
use crate::transport::{DialError, TransportError};

/// Why the server of another tool carried no load, or only a part of one. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// Something at this end, or in finding the host.
    #[error(transparent)]
    Here(#[from] PairError),
    /// No connection to the server.
    #[error(transparent)]
    Dial(DialError),
    /// A flow could not be opened.
    #[error("open a flow to the server: {0}")]
    Flow(#[source] TransportError),
    /// It has another client.
    #[error("start: the server is busy with another test")]
    Busy,
    /// It closed the conversation.
    #[error("finish the test: the server closed the conversation{0}")]
    Closed(&'static str),
    /// It ends.
    #[error("finish the test: the server was ended there")]
    Terminated,
    /// It says that it failed, with its own number for the reason.
    #[error("finish the test: the server refused or failed{}", .0.map_or_else(String::new, |number| format!(" (its error {number})")))]
    Server(Option<i32>),
    /// It said something that is never said here.
    #[error("understand the server: it said {0}")]
    Unexpected(String),
    /// It announced a text that is too long. Unit: bytes.
    #[error("understand the server: it announced a text of {0} B")]
    Length(u32),
    /// What it sent is no JSON.
    #[error("understand the server: {0}")]
    Json(#[from] serde_json::Error),
    /// The conversation failed.
    #[error("exchange control messages with the server: {0}")]
    Stream(#[source] io::Error),
    /// It did not answer a datagram.
    #[error("open a flow to the server: it answers no datagram; does a firewall keep UDP out?")]
    Unanswered,
}

impl ToolError {
    /// Whether nothing answers there, or not in time: the host is absent, and another try may find it.
    #[must_use]
    pub fn is_absence(&self) -> bool {
        match self {
            Self::Here(error) => error.is_absence(),
            Self::Dial(DialError::Connect { .. }) | Self::Stream(_) => true,
            _ => false,
        }
    }

    /// Whether it may be free a little later.
    pub(super) const fn is_busy(&self) -> bool {
        matches!(self, Self::Busy)
    }
}
