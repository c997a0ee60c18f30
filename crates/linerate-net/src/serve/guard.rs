//! The end of what is done for a client and would otherwise never end: at a time limit, or when the client has vanished.

use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[cfg(on_linux)]
use linerate_core::units::Span;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::channel::ChannelHandle;
#[cfg(on_linux)]
use crate::wait::await_events;

/// Cancels a conversation and its channels at a time limit or when its client has left: closed the connection, reset it, or
/// does not answer keep-alives; unless it is dropped before.
///
/// A thread that blocks in a transfer wakes when its channel is cancelled, so the transfer itself
/// needs no time limit, which would cost time.
pub(super) struct Guard {
    guarded: Arc<Mutex<Guarded>>,
    // Nothing is ever sent: closing it is the message.
    _called_off: UnixStream,
}

#[derive(Default)]
struct Guarded {
    over: bool,
    channels: Vec<Box<dyn ChannelHandle>>,
}

impl Guard {
    /// Cancels `control` after `span`, and all channels that it guards by then.
    pub(super) fn set(span: Duration, control: TcpStream) -> std::io::Result<Self> {
        let guarded: Arc<Mutex<Guarded>> = Arc::default();
        let watched = Arc::clone(&guarded);
        let (called_off, wait) = UnixStream::pair()?;
        let limit = Instant::now() + span;
        std::thread::Builder::new().name("guard".to_owned()).spawn(move || {
            if is_called_off(&control, &wait, limit) {
                return;
            }
            control.shutdown(Shutdown::Both).unwrap_or(());
            let mut watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
            watched.over = true;
            watched.channels.iter().for_each(|channel| channel.cut());
        })?;
        Ok(Self { guarded, _called_off: called_off })
    }

    /// Guards this channel too; if it is over already, cancels it at once.
    pub(super) fn add(&self, channel: Box<dyn ChannelHandle>) {
        let mut guarded = self.guarded.lock().unwrap_or_else(PoisonError::into_inner);
        if guarded.over {
            channel.cut();
        }
        guarded.channels.push(channel);
    }
}

/// Waits until `wait` is closed; false if `control` is dead or the time is over before.
fn is_called_off(control: &TcpStream, wait: &UnixStream, limit: Instant) -> bool {
    loop {
        // Errors and the end of both directions are reported unasked (poll(2)).
        let mut both = [PollFd::new(wait, PollFlags::IN), PollFd::new(control, LEFT)];
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

/// What says that the client sends no more, behind whatever it has said before.
#[cfg(on_linux)]
const LEFT: PollFlags = PollFlags::RDHUP;
#[cfg(not(on_linux))]
const LEFT: PollFlags = PollFlags::empty();

/// Whether the client closed the conversation, behind whatever it has said before.
#[cfg(on_linux)]
pub(super) fn has_left(control: &TcpStream) -> bool {
    await_events(&mut [PollFd::new(control, LEFT)], Span::ZERO).unwrap_or(true)
}

/// Whether the client closed the conversation, as far as it has said nothing before.
#[cfg(not(on_linux))]
pub(super) fn has_left(control: &TcpStream) -> bool {
    use rustix::net::RecvFlags;
    let mut byte = [0_u8; 1];
    let peeked = rustix::net::recv(control, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT);
    !matches!(peeked, Ok((_, 1..)) | Err(Errno::AGAIN | Errno::INTR))
}
