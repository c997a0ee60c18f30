//! A client that lets the server know that it is there.

use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use linerate_core::units::Span;

use super::super::conversation::say;
use super::PairError;
use crate::control::{Ask, Control, SettingAsk};

/// So many messages fit into the time that the server waits for one: some may be lost or late.
const MESSAGES: u64 = 4;
/// What a server may ask for at most, and where it stays, whatever the server says.
const OFTEN: Duration = Duration::from_millis(50);
const SELDOM: Duration = Duration::from_secs(10);

/// A control connection on which a thread says, again and again, that the client is there.
#[derive(Debug)]
pub(super) struct Presence {
    pub(super) control: Arc<Control>,
    /// Nothing is ever sent: dropping it ends the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Presence {
    /// Begins on `control`, for a server that waits for `patience`.
    pub(super) fn of(control: Control, patience: Span) -> io::Result<Self> {
        let control = Arc::new(control);
        let (end, ended) = channel();
        let every = (patience / MESSAGES).to_duration().clamp(OFTEN, SELDOM);
        let theirs = Arc::clone(&control);
        let spawned = std::thread::Builder::new()
            .name("settings of the peer".to_owned())
            .spawn(move || stay(&theirs, &ended, every));
        let thread = spawned?;
        Ok(Self { control, end: Some(end), thread: Some(thread) })
    }

    pub(super) fn say(&self, ask: &Ask) -> Result<(), PairError> {
        say(&self.control, ask)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // A thread that writes wakes. It may be closed already.
        self.control.stream().shutdown(Shutdown::Both).unwrap_or(());
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap_or(());
        }
    }
}

/// Says that the client is there, until `ended`. A message that cannot be written ends it too: whoever asks next sees
/// why.
fn stay(control: &Control, ended: &Receiver<()>, every: Duration) {
    while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        if say(control, &Ask::Setting(SettingAsk::Stay)).is_err() {
            return;
        }
    }
}
