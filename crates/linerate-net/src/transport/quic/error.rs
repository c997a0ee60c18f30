//! What quinn's errors mean for a channel.

use std::io;

use linerate_core::endpoint::LinkError;
use quinn::{ConnectionError, ReadError, WriteError};

use super::super::{TransportError, certificate};
use super::DONE;
use super::settings::IDLE;

/// What rustls answers to a certificate that its user does not believe: the alert `access_denied`,
/// in QUIC's space of codes. Source: RFC 8446, section 6.2; RFC 9001, section 4.8.
const DISBELIEVED: u64 = 0x100 + 49;

/// Why a piece could not be sent.
pub(super) fn unsent(error: WriteError) -> LinkError {
    match error {
        WriteError::Stopped(_) | WriteError::ClosedStream => LinkError::Closed,
        WriteError::ConnectionLost(ConnectionError::ApplicationClosed(close)) if close.error_code == DONE => {
            LinkError::Closed
        }
        WriteError::ConnectionLost(error) => lost("send", error),
        error @ WriteError::ZeroRttRejected => refused("send", error),
    }
}

/// Why nothing could be taken.
pub(super) fn unreceived(error: ReadError) -> LinkError {
    match error {
        ReadError::Reset(_) => LinkError::Reset,
        ReadError::ConnectionLost(error) => lost("receive", error),
        error => refused("receive", error),
    }
}

fn lost(operation: &'static str, error: ConnectionError) -> LinkError {
    match error {
        // The end of the stream did not come before, so something is missing.
        ConnectionError::ApplicationClosed(_) | ConnectionError::LocallyClosed | ConnectionError::Reset => {
            LinkError::Reset
        }
        ConnectionError::TimedOut => LinkError::Stalled(IDLE),
        error => refused(operation, error),
    }
}

fn refused(operation: &'static str, error: impl std::error::Error + Send + Sync + 'static) -> LinkError {
    LinkError::System { operation, source: io::Error::other(error) }
}

/// Why there is no connection.
pub(super) fn unconnected(error: ConnectionError) -> TransportError {
    match error {
        ConnectionError::TransportError(error) if u64::from(error.code) == DISBELIEVED => {
            certificate::disbelieved()
        }
        ConnectionError::TimedOut => TransportError::Late,
        error => TransportError::Secure(error.to_string()),
    }
}
