//! Which processor a thread runs on.

use std::io;
use std::time::Duration;

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

/// Looks for others: who is gone by the last is no other.
const LOOKS: u32 = 10;
/// How long they are apart.
const APART: Duration = Duration::from_millis(10);

/// Whether other threads of this host use its processors: at every one of a few looks, more than this
/// thread was running. Takes 0.1 s on a busy host.
///
/// Source: proc_loadavg(5), the entities that are runnable now.
pub(crate) fn others_run() -> bool {
    let running = || {
        let text = std::fs::read_to_string("/proc/loadavg").ok()?;
        text.split_whitespace().nth(3)?.split('/').next()?.parse::<u32>().ok()
    };
    (0..LOOKS).all(|_| {
        let more = running().is_some_and(|threads| threads > 1);
        if more {
            std::thread::sleep(APART);
        }
        more
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_runs_where_it_was_pinned() {
        let seen = std::thread::spawn(|| {
            let cpus = usable_cpus().expect("an affinity");
            cpus.into_iter()
                .map(|cpu| (cpu, pin_to(cpu).ok().and_then(|()| current_cpu())))
                .collect::<Vec<_>>()
        });
        for (asked, seen) in seen.join().expect("the thread ends") {
            assert_eq!(seen, Some(asked));
        }
    }

    #[test]
    fn a_processor_that_is_not_there_is_refused() {
        for cpu in [1_023, 1_024, u32::MAX] {
            assert_eq!(pin_to(cpu).expect_err("no such processor").kind(), io::ErrorKind::InvalidInput);
        }
    }
}
