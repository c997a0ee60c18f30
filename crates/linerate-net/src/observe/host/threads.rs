//! The processor time of each thread of this process, and its wait for a processor.

use std::collections::BTreeMap;
use std::fs::read_dir;

use linerate_core::units::Span;

use super::super::activity::run_delay_ns;
use super::super::proc_text::{number, read};

/// What each thread has had, by its number.
#[derive(Debug, Default)]
pub(super) struct Threads(BTreeMap<u32, Awake>);

/// The time in which a thread did not sleep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Awake {
    /// On a processor.
    pub(super) ran: Span,
    /// Ready, while others had the processor.
    pub(super) waited: Span,
}

impl Threads {
    /// Both times count up to the scheduler's last tick. A thread that ends meanwhile is left out.
    ///
    /// Source: kernel documentation, scheduler/sched-stats, `/proc/PID/schedstat`.
    pub(super) fn now() -> Self {
        let Ok(tasks) = read_dir("/proc/self/task") else { return Self::default() };
        let awake = tasks.filter_map(|task| {
            let task = task.ok()?;
            let thread = task.file_name().to_str()?.parse().ok()?;
            let text = read(task.path().join("schedstat")).ok()?;
            let ran = Span::from_ns(number(&text).ok()?);
            Some((thread, Awake { ran, waited: Span::from_ns(run_delay_ns(&text).ok()?) }))
        });
        Self(awake.collect())
    }

    /// What the thread had since `before` that slept least; one that began since counts whole.
    pub(super) fn busiest_since(&self, before: &Self) -> Awake {
        let since = self.0.iter().map(|(thread, now)| match before.0.get(thread) {
            Some(then) if then.ran <= now.ran => {
                Awake { ran: now.ran - then.ran, waited: now.waited - then.waited }
            }
            // Less than before: it is another thread of the same number.
            _ => *now,
        });
        since.max_by_key(|awake| awake.ran + awake.waited).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn awake(ran_ms: u64, waited_ms: u64) -> Awake {
        Awake { ran: Span::from_ms(ran_ms), waited: Span::from_ms(waited_ms) }
    }

    #[test]
    fn the_busiest_thread_is_the_one_that_slept_least_since() {
        let at = |times: &[(u32, u64, u64)]| {
            Threads(times.iter().map(|(id, ran, waited)| (*id, awake(*ran, *waited))).collect())
        };
        let before = at(&[(1, 900, 50), (2, 10, 0), (4, 500, 0)]);
        let busiest = |now: &[(u32, u64, u64)]| at(now).busiest_since(&before);
        assert_eq!(busiest(&[(1, 905, 50), (2, 30, 0)]), awake(20, 0));
        assert_eq!(busiest(&[(1, 905, 90), (2, 30, 0)]), awake(5, 40), "it was ready all the time");
        assert_eq!(busiest(&[(1, 905, 50), (3, 40, 1)]), awake(40, 1), "a new one");
        assert_eq!(busiest(&[(4, 7, 2)]), awake(7, 2), "another of the same number");
        assert_eq!(busiest(&[]), Awake::default());
    }

    #[test]
    fn a_thread_of_this_process_is_seen_to_run() {
        let before = Threads::now();
        let mut rounds = 0_u32;
        while Threads::now().busiest_since(&before).ran == Span::ZERO {
            rounds += 1;
            assert!(rounds < 100_000, "no thread of a running process runs");
        }
    }
}
