//! What the calling thread spends on a trial.

use linerate_core::kernel::{Effort, TcpEffort, TcpSample};
use linerate_core::trial::Tally;
use linerate_core::units::{Span, Time};

use super::Unread;
use super::activity::run_delay_ns;
use super::clock::HostClock;
use super::cpu::thread_time;
use super::proc_text::{number, read};

/// Counts what the calling thread and a connection do from [`start`](Self::start) to
/// [`finish`](Self::finish). Both are read outside of everything that is timed.
#[derive(Debug)]
pub(crate) struct EffortWatch {
    turns: Option<Turns>,
    tcp: Option<TcpSample>,
    cpu: Time,
    started: Time,
}

/// The kernel's account of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turns {
    /// Time spent ready but not running. Unit: nanoseconds.
    waited_ns: u64,
    /// How often it was given a processor.
    count: u64,
}

impl EffortWatch {
    /// Starts to count, with what TCP says now of the connection under test.
    #[must_use]
    pub(crate) fn start(clock: &HostClock, tcp: Option<TcpSample>) -> Self {
        let turns = Turns::of_this_thread();
        // The clock is read first here and last in `finish`: no thread computes for longer than the time that passes.
        let started = clock.now();
        Self { turns, tcp, cpu: thread_time(), started }
    }

    /// What was spent since the start, on messages of this `tally`. Call it in the thread that started, with
    /// its clock, and with a look at the same connection.
    #[must_use]
    pub(crate) fn finish(
        &self,
        clock: &HostClock,
        tally: &Tally,
        tcp: impl FnOnce() -> Option<TcpSample>,
    ) -> Effort {
        let cpu = thread_time().since(self.cpu);
        let span = clock.now().since(self.started);
        let turns = self.turns.zip(Turns::of_this_thread());
        let tcp = self.tcp.as_ref().and_then(|before| Some(TcpEffort::between(before, &tcp()?)));
        Effort {
            messages: tally.sent.saturating_add(tally.received),
            span,
            cpu,
            waited: turns
                .map(|(before, after)| Span::from_ns(after.waited_ns.saturating_sub(before.waited_ns))),
            turns: turns.map(|(before, after)| after.count.saturating_sub(before.count)),
            tcp,
        }
    }
}

impl Turns {
    fn of_this_thread() -> Option<Self> {
        read("/proc/thread-self/schedstat").and_then(|text| Self::parse(&text)).ok()
    }

    /// Source: kernel documentation, scheduler/sched-stats, `/proc/<pid>/schedstat`.
    fn parse(text: &str) -> Result<Self, Unread> {
        let count = text.split_whitespace().nth(2).ok_or_else(|| Unread::Field("timeslices".to_owned()))?;
        Ok(Self { waited_ns: run_delay_ns(text)?, count: number(count)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_of_a_thread_is_read() {
        let turns = Turns::parse("2513563 4100 12\n").expect("schedstat");
        assert_eq!(turns, Turns { waited_ns: 4_100, count: 12 });
        assert!(Turns::parse("7 8").is_err() && Turns::parse("").is_err() && Turns::parse("a b c").is_err());
    }

    #[test]
    fn a_thread_that_calculates_spends_its_time_and_one_that_sleeps_does_not() {
        let clock = HostClock::start();
        let spent = |work: &dyn Fn()| {
            let watch = EffortWatch::start(&clock, None);
            work();
            watch.finish(&clock, &Tally { sent: 2, received: 3, ..Tally::default() }, || None)
        };
        let calculates = spent(&|| {
            let began = thread_time();
            while thread_time().since(began) < Span::from_ms(20) {}
        });
        assert!(calculates.cpu >= Span::from_ms(20) && calculates.cpu <= calculates.span, "{calculates:?}");
        assert_eq!(calculates.messages, 5);
        let sleeps = spent(&|| std::thread::sleep(std::time::Duration::from_millis(20)));
        assert!(sleeps.span >= Span::from_ms(20) && sleeps.cpu < Span::from_ms(10), "{sleeps:?}");
        assert!(sleeps.turns.is_none_or(|turns| turns >= 1), "{sleeps:?}");
    }
}
