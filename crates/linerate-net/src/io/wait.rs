//! Calls that a signal interrupts, and waiting for a socket.

use std::os::fd::BorrowedFd;

use linerate_core::units::Span;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use crate::channel::Interest;

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

/// Waits until the socket takes or has bytes, for `within` at most; whether it does.
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
    let patience = timespec(within);
    retry(|| rustix::event::poll(all, Some(&patience))).map(|ready| ready > 0)
}

fn timespec(span: Span) -> Timespec {
    let whole = span.to_duration();
    Timespec { tv_sec: whole.as_secs().cast_signed(), tv_nsec: i64::from(whole.subsec_nanos()) }
}
