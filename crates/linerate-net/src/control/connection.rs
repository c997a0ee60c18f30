//! A control connection after its greeting: frames with time limits, and with codes once the key is proved.

use std::net::TcpStream;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::frame::{FrameError, read_sealed, write_sealed};
use super::seal::{Seal, Seals};
use super::{Deadline, TimedStream};

/// A control connection. Several threads may use it: each frame is whole, and in the order of the codes.
#[derive(Debug)]
pub(crate) struct Control {
    stream: TcpStream,
    version: u16,
    says: Mutex<Option<Seal>>,
    hears: Mutex<Option<Seal>>,
}

impl Control {
    /// One on which nothing is agreed yet.
    pub(crate) const fn new(stream: TcpStream) -> Self {
        Self { stream, version: 0, says: Mutex::new(None), hears: Mutex::new(None) }
    }

    /// From the next frame on, both ends speak this `version`, and with these codes.
    pub(crate) fn agree(&mut self, version: u16, seals: Option<Seals>) {
        self.version = version;
        let (says, hears) = seals.map(|Seals { says, hears }| (says, hears)).unzip();
        (self.says, self.hears) = (Mutex::new(says), Mutex::new(hears));
    }

    /// What both ends speak.
    pub(crate) const fn version(&self) -> u16 {
        self.version
    }

    /// What it is made of, to look at its state or to end it.
    pub(crate) const fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// What it was made of, for what comes after the last frame.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.stream
    }

    /// Sends a message.
    ///
    /// # Errors
    ///
    /// When it is too long, or the peer does not take it `within` this time.
    pub(crate) fn say<T: Serialize>(&self, message: &T, within: Duration) -> Result<(), FrameError> {
        let mut seal = self.says.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stream = TimedStream::new(&self.stream, Deadline::after(within));
        write_sealed(&mut stream, message, self.version, seal.as_mut())
    }

    /// Receives a message.
    ///
    /// # Errors
    ///
    /// When none comes `within` this time, or not one of these, or not from the peer.
    pub(crate) fn hear<T: DeserializeOwned>(&self, within: Duration) -> Result<T, FrameError> {
        let mut seal = self.hears.lock().unwrap_or_else(PoisonError::into_inner);
        read_sealed(&mut TimedStream::new(&self.stream, Deadline::after(within)), seal.as_mut())
    }
}
