//! Activity of a host during a run: counters of the kernel before and after it.

use std::thread::{self, ThreadId};

use linerate_core::environment::Fact;
use linerate_core::observation::Activity;
use linerate_core::units::{Span, Time};

use super::Unread;
use super::clock::HostClock;
use super::proc_text::{field, number, read};
use super::quota::Quotas;

/// Watches the activity of the host and of the calling thread from [`start`](Self::start) to
/// [`finish`](Self::finish).
#[derive(Debug)]
pub struct ActivityWatch {
    thread: ThreadId,
    before: Snapshot,
    started: Time,
}

impl ActivityWatch {
    /// Starts to watch the calling thread.
    #[must_use]
    pub fn start(clock: &HostClock) -> Self {
        Self { thread: thread::current().id(), before: Snapshot::take(), started: clock.now() }
    }

    /// What happened since the start. Call it in the thread that started: from another, the
    /// thread's own facts are unknown. `clock` is the one it was started with.
    #[must_use]
    pub fn finish(&self, clock: &HostClock) -> Activity {
        let span = clock.now().since(self.started);
        let mut after = Snapshot::take();
        if thread::current().id() != self.thread {
            after.run_delay_ns = Fact::unknown("finished in another thread");
            after.switches = after.run_delay_ns.clone();
        }
        self.before.until(&after, span, rustix::param::clock_ticks_per_second())
    }
}

/// The counters at one moment.
#[derive(Debug)]
struct Snapshot {
    pressure_us: Fact<u64>,
    run_delay_ns: Fact<u64>,
    switches: Fact<u64>,
    steal_ticks: Fact<u64>,
    quotas: Quotas,
}

impl Snapshot {
    fn take() -> Self {
        let file = |path, parse: fn(&str) -> Result<u64, Unread>| {
            Fact::from(read(path).and_then(|text| parse(&text)))
        };
        Self {
            pressure_us: file("/proc/pressure/cpu", pressure_us),
            run_delay_ns: file("/proc/thread-self/schedstat", run_delay_ns),
            switches: file("/proc/thread-self/status", involuntary_switches),
            steal_ticks: file("/proc/stat", steal_ticks),
            quotas: Quotas::read(),
        }
    }

    fn until(&self, after: &Self, span: Span, ticks_per_second: u64) -> Activity {
        let of_ticks = |ticks: u64| Span::from_us(ticks.saturating_mul(1_000_000 / ticks_per_second.max(1)));
        Activity {
            span,
            cpu_pressure: growth(&self.pressure_us, &after.pressure_us, Span::from_us),
            run_delay: growth(&self.run_delay_ns, &after.run_delay_ns, Span::from_ns),
            involuntary_switches: growth(&self.switches, &after.switches, |switches| switches),
            steal: growth(&self.steal_ticks, &after.steal_ticks, of_ticks),
            throttled: after.quotas.since(&self.quotas),
        }
    }
}

/// From one reading to the next in its unit; unknown if either is, or if it fell.
fn growth<T>(before: &Fact<u64>, after: &Fact<u64>, unit: impl Fn(u64) -> T) -> Fact<T> {
    match (before, after) {
        (Fact::Known(before), Fact::Known(after)) => match after.checked_sub(*before) {
            Some(difference) => Fact::Known(unit(difference)),
            None => Fact::unknown("the counter fell"),
        },
        (Fact::Unknown { unknown }, _) | (_, Fact::Unknown { unknown }) => Fact::unknown(unknown),
    }
}

/// `total` of the line `some` of `/proc/pressure/cpu`. Unit: microseconds.
///
/// Source: kernel documentation, accounting/psi.
pub(super) fn pressure_us(text: &str) -> Result<u64, Unread> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "));
    let total = some.and_then(|line| line.split_whitespace().find_map(|word| word.strip_prefix("total=")));
    number(total.ok_or_else(|| Unread::Field("some total".to_owned()))?)
}

/// Time spent ready but not running: the second field of `schedstat`. Unit: nanoseconds.
///
/// Source: kernel documentation, scheduler/sched-stats.
pub(super) fn run_delay_ns(text: &str) -> Result<u64, Unread> {
    number(text.split_whitespace().nth(1).ok_or_else(|| Unread::Field("run delay".to_owned()))?)
}

/// Involuntary context switches of the thread.  Source: proc_pid_status(5).
pub(super) fn involuntary_switches(text: &str) -> Result<u64, Unread> {
    number(field(text, "nonvoluntary_ctxt_switches")?)
}

/// Time that the hypervisor gave to other guests (steal): the eighth number of the line `cpu`,
/// which sums all processors. Unit: clock ticks (`sysconf(_SC_CLK_TCK)`).  Source: proc_stat(5).
pub(super) fn steal_ticks(text: &str) -> Result<u64, Unread> {
    let all = text.lines().find_map(|line| line.strip_prefix("cpu "));
    let steal = all.and_then(|line| line.split_whitespace().nth(7));
    number(steal.ok_or_else(|| Unread::Field("cpu steal".to_owned()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_gives_its_number() {
        let psi = "some avg10=0.00 avg60=0.35 avg300=0.80 total=22641061\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(pressure_us(psi).expect("psi"), 22_641_061);
        assert_eq!(run_delay_ns("2513563 4100 12\n").expect("schedstat"), 4_100);
        let status = "voluntary_ctxt_switches:\t9\nnonvoluntary_ctxt_switches:\t3\n";
        assert_eq!(involuntary_switches(status).expect("status"), 3);
        let stat = "cpu  62534 0 6001 334572 580 0 52 18 0 0\ncpu0 30658 0 2636 168452 90 0 9 6 0 0\n";
        assert_eq!(steal_ticks(stat).expect("stat"), 18);
    }

    #[test]
    fn each_text_without_its_number_says_so() {
        assert_eq!(pressure_us("full total=7").expect_err("psi").to_string(), "no `some total` in it");
        assert_eq!(run_delay_ns("7").expect_err("schedstat").to_string(), "no `run delay` in it");
        assert_eq!(steal_ticks("cpu  1 2 3\ncpu0 1").expect_err("stat").to_string(), "no `cpu steal` in it");
    }

    #[test]
    fn activity_is_after_less_before_in_its_unit() {
        let at = |value: u64, steal_ticks: Fact<u64>| Snapshot {
            pressure_us: Fact::Known(value),
            run_delay_ns: Fact::Known(value),
            switches: Fact::Known(100 - value),
            steal_ticks,
            quotas: Quotas::read(),
        };
        let before = at(10, Fact::Known(1));
        let activity = before.until(&at(15, Fact::Known(3)), Span::from_ms(1), 100);
        assert_eq!(activity.cpu_pressure, Fact::Known(Span::from_us(5)));
        assert_eq!(activity.run_delay, Fact::Known(Span::from_ns(5)));
        assert_eq!(activity.steal, Fact::Known(Span::from_ms(20)));
        assert_eq!(activity.involuntary_switches, Fact::unknown("the counter fell"));
        let activity = before.until(&at(15, Fact::unknown("no such file")), Span::ZERO, 100);
        assert_eq!(activity.steal, Fact::unknown("no such file"));
    }

    #[test]
    fn this_host_is_watched_in_one_thread_only() {
        let clock = HostClock::start();
        let activity = ActivityWatch::start(&clock).finish(&clock);
        assert!(activity.span > Span::ZERO, "{activity:?}");
        assert!(activity.involuntary_switches.known().is_some(), "{activity:?}");
        let watch = ActivityWatch::start(&clock);
        let activity = std::thread::spawn(move || watch.finish(&clock)).join().expect("the thread ends");
        assert_eq!(activity.run_delay, Fact::unknown("finished in another thread"));
        assert_eq!(activity.involuntary_switches, Fact::unknown("finished in another thread"));
    }
}
