//! How an end sleeps until the other has done something, without missing a wake-up.
//!
//! The sleeper raises its flag and looks once more; the other end writes its count and looks at the
//! flag. Each has a full fence between the two, so at least one sees what the other did (Dekker).
//! The bell's number prevents a lost wake-up between the check and the sleep: the kernel does not
//! put a thread to sleep that expects an old number (futex(2)).

use std::io;
use std::sync::atomic::{Ordering, fence};
use std::time::Duration;

use linerate_core::units::Span;
use rustix::io::Errno;
use rustix::thread::futex;

use crate::sys::shared_ring::Seat;
use crate::wait::timespec;

/// The longest sleep: a killed peer rings no bell.
const LOOK: Duration = Duration::from_millis(50);

/// A sleep that is announced and not begun.
#[derive(Debug)]
pub(super) struct Sleep(u32);

impl Sleep {
    /// Announces that the end of `seat` is about to sleep; it looks once more before it does.
    pub(super) fn prepare(seat: &Seat) -> Self {
        let number = seat.bell.load(Ordering::Acquire);
        seat.sleeps.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        Self(number)
    }

    /// Takes the announcement back.
    pub(super) fn cancel(self, seat: &Seat) {
        seat.sleeps.store(0, Ordering::Relaxed);
    }

    /// Sleeps until the bell was rung after the announcement, but no longer than `within` or a
    /// look at the peer's health is due.
    pub(super) fn sleep(self, seat: &Seat, within: Span) -> io::Result<()> {
        let limit = timespec(within.to_duration().min(LOOK));
        let slept = futex::wait(&seat.bell, futex::Flags::empty(), self.0, Some(&limit));
        seat.sleeps.store(0, Ordering::Relaxed);
        match slept {
            Ok(()) | Err(Errno::AGAIN | Errno::INTR | Errno::TIMEDOUT) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// Wakes the end of `seat` if it sleeps, after this end has written what it looks for.
#[inline]
pub(super) fn ring_bell(seat: &Seat) {
    fence(Ordering::SeqCst);
    if seat.sleeps.load(Ordering::Relaxed) == 0 {
        return;
    }
    // First the flag, so that the calls until the sleeper runs cost nothing; then the number, so
    // that a sleeper who raised the flag again before this has an old one.
    seat.sleeps.store(0, Ordering::Relaxed);
    seat.bell.fetch_add(1, Ordering::AcqRel);
    // It cannot fail: the word is mapped and aligned.
    futex::wake(&seat.bell, futex::Flags::empty(), 1).map(drop).unwrap_or(());
}
