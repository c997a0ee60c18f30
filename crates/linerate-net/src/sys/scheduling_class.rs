//! Threads that run only where nobody else wants to, and threads that run before all others.
#![expect(unsafe_code, reason = "no safe crate wraps sched_setscheduler")]

use std::io;

/// Puts the calling thread in the scheduling class for very low priority: a thread of another class that wakes on its
/// processor runs at once.
///
/// Errors: the kernel, or a filter of system calls, refuses. No privilege is needed.
///
/// Source: sched(7), `SCHED_IDLE`.
pub(crate) fn enter_idle() -> io::Result<()> {
    // It asks for priority 0.
    enter(libc::SCHED_IDLE, 0)
}

/// Puts the calling thread in the class of real time, with its lowest priority: it runs at once when it wakes, until it
/// sleeps.
///
/// Errors: the process has no privilege (`CAP_SYS_NICE`), or its group no share of real time.
///
/// Source: sched(7), `SCHED_FIFO`.
pub(crate) fn enter_real_time() -> io::Result<()> {
    enter(libc::SCHED_FIFO, 1)
}

fn enter(class: libc::c_int, priority: libc::c_int) -> io::Result<()> {
    // SAFETY: all fields of sched_param are integers, for which zero is a value.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = priority;
    // SAFETY: the call reads one sched_param, which outlives it; 0 is the calling thread.
    let status = unsafe { libc::sched_setscheduler(0, class, &raw const parameters) };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
