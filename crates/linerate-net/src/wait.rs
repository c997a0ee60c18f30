//! What a call that moves bytes may wait for, and its result; waiting for a socket; calls that a
//! signal interrupts.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use linerate_core::units::Span;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

/// How long a call may move no byte before the channel counts as stalled, unless told otherwise.
pub const PATIENCE: Span = Span::from_ms(10_000);

/// Whether a call waits until a byte can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// For as long as the channel's patience lasts; then the call fails with
    /// [`Stalled`](linerate_core::endpoint::LinkError::Stalled).
    Patiently,
    /// Not at all: it moves what can be moved now, which may be nothing.
    Never,
}

/// What [`Channel::ready`](crate::channel::Channel::ready) waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// A byte can be sent.
    Send,
    /// A byte, or the end, can be received.
    Receive,
    /// Either.
    Either,
}

/// Bytes that arrived, and where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// This many, at the start of the caller's buffer. 0 is the end of what the peer sent.
    Delivered(usize),
    /// This many, which the engine has in memory of its own, or has discarded.
    Elsewhere(usize),
}

/// What [`Engine::take`](crate::io::Engine::take) does with bytes that arrive in memory of the
/// engine's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// Copies them to the caller's buffer.
    Deliver,
    /// Reads a byte of every cache line.
    Touch,
    /// Leaves them.
    Leave,
}

/// Repeats a call that a signal interrupted.
#[inline]
pub(crate) fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            answer => return answer,
        }
    }
}

/// Waits until the socket can send or receive, for `within` at most; returns whether it can.
pub(crate) fn poll(socket: BorrowedFd<'_>, interest: Interest, within: Span) -> Result<bool, Errno> {
    await_events(&mut [PollFd::from_borrowed_fd(socket, events(interest))], within)
}

/// What `poll` is asked for.
pub(crate) const fn events(interest: Interest) -> PollFlags {
    match interest {
        Interest::Send => PollFlags::OUT,
        Interest::Receive => PollFlags::IN,
        Interest::Either => PollFlags::IN.union(PollFlags::OUT),
    }
}

/// Waits until something has happened to one of the descriptors; whether it has.
pub(crate) fn await_events(all: &mut [PollFd<'_>], within: Span) -> Result<bool, Errno> {
    let patience = timespec(within.to_duration());
    retry(|| rustix::event::poll(all, Some(&patience))).map(|ready| ready > 0)
}

/// A time limit as the kernel wants it.
pub(crate) fn timespec(limit: Duration) -> Timespec {
    Timespec { tv_sec: limit.as_secs().cast_signed(), tv_nsec: i64::from(limit.subsec_nanos()) }
}
