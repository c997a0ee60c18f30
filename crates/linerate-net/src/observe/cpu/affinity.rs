//! The processors of a thread.

use std::io;

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
/// (`InvalidInput`).  Source: sched_setaffinity(2).
pub fn pin_to(cpu: u32) -> Result<(), io::Error> {
    let number = cpu as usize;
    if number >= CpuSet::MAX_CPU {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    let mut only = CpuSet::new();
    only.set(number);
    Ok(sched_setaffinity(None, &only)?)
}

/// Checks that the calling thread may use a processor, without pinning it there.
///
/// Errors: as [`pin_to`].
pub(crate) fn may_use(cpu: u32) -> Result<(), io::Error> {
    let usable = usable_cpus()?.contains(&cpu);
    if usable { Ok(()) } else { Err(io::Error::from(io::ErrorKind::InvalidInput)) }
}

/// The processors that the calling thread may use, in order.
pub(crate) fn usable_cpus() -> Result<Vec<u32>, io::Error> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .filter_map(|cpu| u32::try_from(cpu).ok())
        .collect())
}
