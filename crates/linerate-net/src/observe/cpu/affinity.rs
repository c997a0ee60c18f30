//! The processors of a thread.

use std::io;

use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The processor that the calling thread runs on now, or `None` if the system does not report it.
///
/// Source: getcpu(2), read in the vDSO.
#[must_use]
pub fn current_cpu() -> Option<u32> {
    u32::try_from(sched_getcpu()).ok()
}

/// Pins the calling thread, and threads it starts later, to one processor.
///
/// Errors: a number that no processor of this host has, or that this process may not use
/// (`InvalidInput`); a host that does not let threads be pinned (`PermissionDenied`).
/// Source: sched_setaffinity(2).
pub fn pin_to(cpu: u32) -> Result<(), io::Error> {
    let number = cpu as usize;
    if number >= CpuSet::MAX_CPU {
        return Err(not_usable());
    }
    let mut only = CpuSet::new();
    only.set(number);
    sched_setaffinity(None, &only).map_err(|error| match error {
        Errno::INVAL => not_usable(),
        Errno::PERM | Errno::ACCESS => {
            io::Error::new(io::ErrorKind::PermissionDenied, "this host forbids sched_setaffinity (seccomp)")
        }
        other => other.into(),
    })
}

/// Checks that threads of this process can be pinned to a processor, and leaves the calling one where it was.
///
/// Errors: as [`pin_to`].
pub(crate) fn may_use(cpu: u32) -> Result<(), io::Error> {
    let all = sched_getaffinity(None)?;
    if cpu as usize >= CpuSet::MAX_CPU || !all.is_set(cpu as usize) {
        return Err(not_usable());
    }
    pin_to(cpu)?;
    Ok(sched_setaffinity(None, &all)?)
}

fn not_usable() -> io::Error {
    let why = "it is offline, or not one of those that this process may use";
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// The processors that the calling thread may use, in order.
pub(crate) fn usable_cpus() -> Result<Vec<u32>, io::Error> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .filter_map(|cpu| u32::try_from(cpu).ok())
        .collect())
}
