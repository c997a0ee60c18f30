//! A thread that runs only where nobody else wants to.
#![expect(unsafe_code, reason = "no safe crate wraps sched_setscheduler")]

use std::io;

/// Puts the calling thread in the scheduling class for very low priority: a thread of another class that wakes on its
/// processor runs at once.
///
/// Errors: the kernel, or a filter of system calls, refuses. No privilege is needed.
///
/// Source: sched(7), `SCHED_IDLE`.
pub(crate) fn enter() -> io::Result<()> {
    // SAFETY: all fields of sched_param are integers, for which zero is a value; SCHED_IDLE asks for priority 0.
    let parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: the call reads one sched_param, which outlives it; 0 is the calling thread.
    let status = unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
