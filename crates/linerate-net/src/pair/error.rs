//! Why a measurement could not start or go on.

use std::io;

use linerate_core::endpoint::LinkError;
use linerate_core::units::Span;

use super::Target;
use crate::control::{FrameError, GreetingError, Reply, Unauthenticated, closed_by_peer};
use crate::memory::MemoryError;
use crate::place::TooFewFiles;
use crate::transport::{DialError, TransportError};

/// Why a measurement could not begin or go on. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    /// The text is not the address of a peer.
    #[error("parse the peer's address `{text}`")]
    Target {
        /// What was given.
        text: String,
    },
    /// The name has no address.
    #[error("find the host `{host}`: {source}")]
    Resolve {
        /// The name.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// No connection to the peer.
    #[error(transparent)]
    Dial(#[from] DialError),
    /// A channel under test could not be opened.
    #[error(transparent)]
    Transport(TransportError),
    /// The kernel could not stamp the messages.
    #[error("stamp messages: {0}")]
    Stamp(LinkError),
    /// Something accepts connections there and does not answer.
    #[error("receive a greeting from the peer: {source}")]
    Silent {
        /// How it ended.
        source: io::Error,
    },
    /// Something else answers there, or another version.
    #[error(transparent)]
    Greeting(#[from] GreetingError),
    /// The server requires a key.
    #[error("prove the key: the server requires one, and no key was given")]
    KeyWanted,
    /// The server is open.
    #[error("prove the key: the server is open, so it cannot prove that it has the key")]
    KeyUnwanted,
    /// The server has the key, and is too old to protect what it says.
    #[error(transparent)]
    Unauthenticated(#[from] Unauthenticated),
    /// The server does not know the key.
    #[error("trust the server: it does not know the key")]
    FalseServer,
    /// The server refuses, and says why.
    #[error("measure: the peer refused: {reason}")]
    Refused {
        /// Its reason.
        reason: String,
    },
    /// One of several servers is not free.
    #[error("start on all hosts at once: this one is busy")]
    Busy,
    /// The load ended, and the server was silent.
    #[error("receive the server's account of the load: none came within {}; what it last reported is shown", .0.exact())]
    NoAccount(Span),
    /// The user ended the wait for the server.
    #[error("wait for the server: interrupted")]
    Interrupted,
    /// The server sent a message that is not allowed here.
    #[error("understand the peer: it sent an unexpected `{said}`")]
    Unexpected {
        /// What kind of message.
        said: String,
    },
    /// The conversation failed.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The plan has no sizes.
    #[error("plan: {0}")]
    Plan(#[from] linerate_core::plan::PlanError),
    /// The host has too little memory for the messages, or not of the requested kind.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The process may not have enough files open.
    #[error("begin: {0}")]
    Files(#[from] TooFewFiles),
    /// The thread cannot be pinned to the processor.
    #[error("pin the measurement to processor {cpu}: {source}")]
    Pin {
        /// Which.
        cpu: u32,
        /// What the operating system said.
        source: io::Error,
    },
    /// An error with one of several peers.
    #[error("{source} ({host})")]
    At {
        /// Its host and port.
        host: String,
        /// What happened.
        source: Box<Self>,
    },
    /// The socket has no address.
    #[error("read the addresses of the connection: {0}")]
    Address(io::Error),
    /// The operating system has no random numbers.
    #[error("make a random challenge: {0}")]
    Random(io::Error),
}

impl PairError {
    /// Whether nothing answers there, or not in time: the host is absent, and another try may find it.
    #[must_use]
    pub fn is_absence(&self) -> bool {
        match self {
            Self::Resolve { .. } | Self::Dial(DialError::Connect { .. }) | Self::Silent { .. } => true,
            Self::Interrupted => true,
            Self::Frame(FrameError::Stream(_)) => true,
            Self::At { source, .. } => source.is_absence(),
            _ => false,
        }
    }
}

impl From<TransportError> for PairError {
    /// A data connection fails for the same reasons as the conversation's, and with the same names.
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Dial(error) => Self::Dial(error),
            error => Self::Transport(error),
        }
    }
}

impl PairError {
    /// Whether the peer may be there, but said nothing in time.
    pub(crate) fn is_late(&self) -> bool {
        match self {
            Self::Frame(FrameError::Stream(error)) => error.kind() == io::ErrorKind::TimedOut,
            Self::At { source, .. } => source.is_late(),
            _ => false,
        }
    }

    /// The same, with the peer's name.
    pub(crate) fn at(self, target: &Target) -> Self {
        Self::At { host: target.to_string(), source: Box::new(self) }
    }

    /// Whether the peer closed the connection instead of answering.
    pub(super) fn was_closed(&self) -> bool {
        let (Self::Silent { source } | Self::Frame(FrameError::Stream(source))) = self else { return false };
        closed_by_peer(source)
    }

    /// The unexpected message.
    pub(crate) fn unexpected(reply: Reply) -> Self {
        let said = match reply {
            Reply::Refused(reason) => return Self::Refused { reason },
            Reply::Proof(_) => "proof",
            Reply::Queued(_) => "queued",
            Reply::Admitted { .. } => "admitted",
            Reply::Rendezvous { .. } => "meet",
            Reply::Ready(_) => "ready",
            Reply::Go => "go",
            Reply::Half(_) => "half",
            Reply::Stages(_) => "stages",
            Reply::Tracer(_) => "tracer",
            Reply::Traced(..) => "traced",
            Reply::Packets(..) => "packets",
            Reply::Flow { .. } => "flow",
            Reply::Answered { .. } => "answered",
            Reply::Look { .. } => "look",
            Reply::More { .. } => "more",
            Reply::Hosts(_) => "hosts",
            Reply::Several(_) => "several",
            Reply::Told => "told",
            Reply::Observed(..) => "observed",
            Reply::Setting(_) => "setting",
            Reply::Rank => "rank",
        };
        Self::Unexpected { said: said.to_owned() }
    }
}
