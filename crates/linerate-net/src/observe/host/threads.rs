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

    /// The thread that slept least since `before`, and what it had; one that began since counts
    /// whole. `None` without any thread.
    pub(super) fn busiest_since(&self, before: &Self) -> Option<(u32, Awake)> {
        let since = self.0.iter().map(|(thread, now)| match before.0.get(thread) {
            Some(then) if then.ran <= now.ran => {
                (*thread, Awake { ran: now.ran - then.ran, waited: now.waited - then.waited })
            }
            // Less than before: it is another thread of the same number.
            _ => (*thread, *now),
        });
        since.max_by_key(|(_, awake)| awake.ran + awake.waited)
    }
}

/// The processor that `thread` of this process runs on, or ran on last. `None` if it has ended.
pub(super) fn processor_of(thread: u32) -> Option<u64> {
    last_processor(&read(format!("/proc/self/task/{thread}/stat")).ok()?)
}

/// The 39th word of a thread's line; its second, the name, is in brackets and may hold anything.
///
/// Source: proc_pid_stat(5).
fn last_processor(line: &str) -> Option<u64> {
    let (_, after_the_name) = line.rsplit_once(')')?;
    after_the_name.split_ascii_whitespace().nth(39 - 3)?.parse().ok()
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
        assert_eq!(busiest(&[(1, 905, 50), (2, 30, 0)]), Some((2, awake(20, 0))));
        assert_eq!(
            busiest(&[(1, 905, 90), (2, 30, 0)]),
            Some((1, awake(5, 40))),
            "it was ready all the time"
        );
        assert_eq!(busiest(&[(1, 905, 50), (3, 40, 1)]), Some((3, awake(40, 1))), "a new one");
        assert_eq!(busiest(&[(4, 7, 2)]), Some((4, awake(7, 2))), "another of the same number");
        assert_eq!(busiest(&[]), None);
    }

    #[test]
    fn a_thread_is_on_a_processor_whatever_its_name() {
        let line = format!("7 (a) b (c)) S{} 5 77 78\n", " 0".repeat(35));
        assert_eq!(last_processor(&line), Some(5));
        assert_eq!(last_processor("7 (a) S 1 2"), None);
        let here = std::process::id();
        assert!(processor_of(here).is_some(), "the first thread has the number of the process");
    }

    #[test]
    fn a_thread_of_this_process_is_seen_to_run() {
        let before = Threads::now();
        let mut rounds = 0_u32;
        while Threads::now().busiest_since(&before).is_none_or(|(_, awake)| awake.ran == Span::ZERO) {
            rounds += 1;
            assert!(rounds < 100_000, "no thread of a running process runs");
        }
    }
}
