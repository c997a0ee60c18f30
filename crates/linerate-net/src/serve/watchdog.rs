//! The end of a measurement that would otherwise never end.

use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Shuts connections down at a time limit, unless it is dropped before.
///
/// A thread that blocks in a transfer wakes when its socket is shut down, so the transfer itself
/// needs no time limit and pays for none.
#[derive(Debug)]
pub(super) struct Watchdog {
    _called_off: Sender<()>,
}

impl Watchdog {
    /// Shuts `streams` down after `span`.
    pub(super) fn set(span: Duration, streams: Vec<TcpStream>) -> std::io::Result<Self> {
        let (called_off, wait) = channel::<()>();
        std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            if wait.recv_timeout(span) == Err(RecvTimeoutError::Timeout) {
                for stream in streams {
                    stream.shutdown(Shutdown::Both).unwrap_or(());
                }
            }
        })?;
        Ok(Self { _called_off: called_off })
    }
}
