//! Which processor a thread runs on, and for how long.

#[cfg(not(on_linux))]
#[path = "cpu/absent.rs"]
mod affinity;
#[cfg(on_linux)]
mod affinity;

use std::time::Duration;

use linerate_core::units::Time;
use rustix::time::{ClockId, clock_gettime};

pub use affinity::{current_cpu, pin_to};
pub(crate) use affinity::{may_use, usable_cpus};

/// Looks for others: who is gone by the last is no other.
const LOOKS: u32 = 10;
/// How long they are apart.
const APART: Duration = Duration::from_millis(10);

/// Whether what runs at `pin`, or else anywhere, has this host's processors to itself: its user chose the place, or other threads
/// were not running at every one of a few looks. Takes 0.1 s on a busy host.
///
/// Source: proc_loadavg(5), the entities that are runnable now.
pub(crate) fn is_free(pin: Option<u32>) -> bool {
    let running = || {
        let text = std::fs::read_to_string("/proc/loadavg").ok()?;
        text.split_whitespace().nth(3)?.split('/').next()?.parse::<u32>().ok()
    };
    let others_run = || {
        (0..LOOKS).all(|_| {
            let more = running().is_some_and(|threads| threads > 1);
            if more {
                std::thread::sleep(APART);
            }
            more
        })
    };
    pin.is_some() || !others_run()
}

/// For how long the calling thread has run: a clock that stands still while it does not.
///
/// Source: clock_gettime(2), `CLOCK_THREAD_CPUTIME_ID`.
pub(crate) fn thread_time() -> Time {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let ns = time.tv_sec * 1_000_000_000 + time.tv_nsec;
    Time::from_ps(ns.max(0).unsigned_abs().saturating_mul(1_000))
}

#[cfg(test)]
mod tests {
    use std::io;

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
