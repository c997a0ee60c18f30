//! The end of measurements that would otherwise never end: at a time limit, or when the client has vanished.

use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::channel::ChannelHandle;

/// Cancels a conversation and its channels at a time limit or when its connection is dead (reset, or without an
/// answer to keep-alives), unless it is dropped before.
///
/// A thread that blocks in a transfer wakes when its channel is cancelled, so the transfer itself
/// needs no time limit, which would cost time.
pub(super) struct Guard {
    guarded: Arc<Mutex<Vec<Box<dyn ChannelHandle>>>>,
    // Nothing is ever sent: closing it is the message.
    _called_off: UnixStream,
}

impl Guard {
    /// Cancels `control` after `span`, and all channels that it guards by then.
    pub(super) fn set(span: Duration, control: TcpStream) -> std::io::Result<Self> {
        let guarded: Arc<Mutex<Vec<Box<dyn ChannelHandle>>>> = Arc::default();
        let channels = Arc::clone(&guarded);
        let (called_off, wait) = UnixStream::pair()?;
        let limit = Instant::now() + span;
        std::thread::Builder::new().name("guard".to_owned()).spawn(move || {
            if is_called_off(&control, &wait, limit) {
                return;
            }
            control.shutdown(Shutdown::Both).unwrap_or(());
            for channel in channels.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                channel.cut();
            }
        })?;
        Ok(Self { guarded, _called_off: called_off })
    }

    /// Guards this channel too.
    pub(super) fn add(&self, channel: Box<dyn ChannelHandle>) {
        self.guarded.lock().unwrap_or_else(PoisonError::into_inner).push(channel);
    }
}

/// Waits until `wait` is closed; false if `control` is dead or the time is over before.
fn is_called_off(control: &TcpStream, wait: &UnixStream, limit: Instant) -> bool {
    loop {
        // Errors and the end of both directions are reported unasked (poll(2)).
        let mut both = [PollFd::new(wait, PollFlags::IN), PollFd::new(control, PollFlags::empty())];
        let left = limit.saturating_duration_since(Instant::now());
        // What no time can hold is as good as for ever.
        let left = Timespec::try_from(left).ok();
        match poll(&mut both, left.as_ref()) {
            Err(Errno::INTR) => {}
            Ok(_) => return !both[0].revents().is_empty(),
            Err(_) => return false,
        }
    }
}
