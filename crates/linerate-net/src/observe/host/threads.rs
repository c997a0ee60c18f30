//! The processor time of each thread of this process.

use std::collections::BTreeMap;
use std::fs::read_dir;

use linerate_core::units::Span;

use super::super::proc_text::{number, read};

/// The time that each thread ran, by its number.
#[derive(Debug, Default)]
pub(super) struct Threads(BTreeMap<u32, Span>);

impl Threads {
    /// Its first field counts, in nanoseconds, up to the scheduler's last tick. A thread that ends
    /// meanwhile is left out.
    ///
    /// Source: kernel documentation, scheduler/sched-stats, `/proc/PID/schedstat`.
    pub(super) fn now() -> Self {
        let Ok(tasks) = read_dir("/proc/self/task") else { return Self::default() };
        let running = tasks.filter_map(|task| {
            let task = task.ok()?;
            let thread = task.file_name().to_str()?.parse().ok()?;
            let text = read(task.path().join("schedstat")).ok()?;
            Some((thread, Span::from_ns(number(&text).ok()?)))
        });
        Self(running.collect())
    }

    /// The largest time that one thread ran since `before`; one that began since counts whole.
    pub(super) fn busiest_since(&self, before: &Self) -> Span {
        let ran = self.0.iter().map(|(thread, now)| match before.0.get(thread) {
            // Less than before: it is another thread of the same number.
            Some(then) if then <= now => *now - *then,
            _ => *now,
        });
        ran.max().unwrap_or(Span::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_thread_is_the_one_that_ran_most_since() {
        let at =
            |times: &[(u32, u64)]| Threads(times.iter().map(|(id, ms)| (*id, Span::from_ms(*ms))).collect());
        let before = at(&[(1, 900), (2, 10), (4, 500)]);
        assert_eq!(at(&[(1, 905), (2, 30)]).busiest_since(&before), Span::from_ms(20));
        assert_eq!(at(&[(1, 905), (3, 40)]).busiest_since(&before), Span::from_ms(40), "a new one");
        assert_eq!(at(&[(4, 7)]).busiest_since(&before), Span::from_ms(7), "another of the same number");
        assert_eq!(at(&[]).busiest_since(&before), Span::ZERO);
    }

    #[test]
    fn a_thread_of_this_process_is_seen_to_run() {
        let before = Threads::now();
        let mut rounds = 0_u32;
        while Threads::now().busiest_since(&before) == Span::ZERO {
            rounds += 1;
            assert!(rounds < 100_000, "no thread of a running process runs");
        }
    }
}
