//! Why a setting of a server's host cannot be read or set.

use std::io;

use super::super::{PairError, Target};
use crate::control::{GreetingError, Versions};

/// Why a setting of a server's host cannot be read or set. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum RemoteSettingsError {
    /// The server is of a time before settings.
    #[error(
        "change settings of {host}: the peer is too old to change settings; use the same version of linerate on both hosts"
    )]
    TooOld {
        /// The server.
        host: String,
    },
    /// The server lets this client change nothing, and says why: somebody else changes settings, or nobody may.
    #[error("change settings of {host}: the peer refused: {reason}")]
    Refused {
        /// The server.
        host: String,
        /// Its reason.
        reason: String,
    },
    /// This setting is not among those that clients may read and set.
    #[error(
        "use {setting} of {host}: the server's operator does not allow it; start it with --allow-settings {setting}"
    )]
    NotAllowed {
        /// The server.
        host: String,
        /// The setting.
        setting: String,
    },
    /// The server could not do it, and says why.
    #[error("{what} (at {host})")]
    Failed {
        /// The server.
        host: String,
        /// What failed, and why.
        what: String,
    },
    /// The thread that lets the server know that this client is there cannot be started.
    #[error("start a thread: {0}")]
    Thread(io::Error),
    /// There is no connection, or it has ended: whatever was changed is put back.
    #[error(transparent)]
    Connection(PairError),
}

impl RemoteSettingsError {
    /// What `error` means where settings of the host at `target` are to be changed.
    pub(super) fn at(target: &Target, error: PairError) -> Self {
        let host = target.to_string();
        match error {
            PairError::Refused { reason } => Self::Refused { host, reason },
            PairError::Greeting(GreetingError::Version { theirs }) if is_older(theirs) => {
                Self::TooOld { host }
            }
            error => Self::Connection(error),
        }
    }
}

fn is_older(theirs: Versions) -> bool {
    theirs.newest < Versions::OURS.newest
}
