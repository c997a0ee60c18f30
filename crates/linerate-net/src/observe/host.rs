//! What a host does between two samples: its processors, this process and its receiving stack.

mod processors;
mod softnet;
mod threads;

use linerate_core::kernel::HostSample;
use linerate_core::units::{Span, Time};
use nix::sys::resource::{UsageWho, getrusage};
use rustix::time::{ClockId, clock_gettime};

use super::proc_text::read;
pub(super) use processors::{Processors, load_average};
pub(super) use softnet::Softnet;
use threads::{Awake, Threads, processor_of};

/// Watches the host from [`start`](Self::start), one [`look`](Self::look) after the other.
///
/// A look costs some 0.05 ms and 5 us a thread of the process (2 processors, Linux 6.18). What the
/// host does not report is zero in the sample, never an error, so that a load also works on an
/// unusual host.
#[derive(Debug)]
pub struct HostWatch {
    ticks_per_second: u64,
    last: Moment,
}

impl HostWatch {
    /// Starts to watch, `at` this moment of the clock that times this end.
    #[must_use]
    pub fn start(at: Time) -> Self {
        let ticks_per_second = rustix::param::clock_ticks_per_second();
        Self { ticks_per_second, last: Moment::at(at) }
    }

    /// What the host did since the last look, or since the start, until now, which is `at` on the
    /// clock and `since_start` since the load began. The caller counts bytes at the same moment, so
    /// it reads the clock.
    pub fn look(&mut self, at: Time, since_start: Span) -> HostSample {
        let before = std::mem::replace(&mut self.last, Moment::at(at));
        self.last.after(&before, since_start, self.ticks_per_second)
    }
}

/// Everything that is counted, at one moment.
#[derive(Debug, Default)]
struct Moment {
    at: Option<Time>,
    processors: Processors,
    load_average: f64,
    process: Span,
    threads: Threads,
    switches: Switches,
    softnet: Softnet,
}

impl Moment {
    fn at(at: Time) -> Self {
        let used = clock_gettime(ClockId::ProcessCPUTime);
        let used_ns = used.tv_sec.saturating_mul(1_000_000_000).saturating_add(used.tv_nsec);
        Self {
            at: Some(at),
            processors: read("/proc/stat").map(|text| Processors::of(&text)).unwrap_or_default(),
            load_average: read("/proc/loadavg").and_then(|text| load_average(&text)).unwrap_or_default(),
            process: Span::from_ns(u64::try_from(used_ns).unwrap_or(0)),
            threads: Threads::now(),
            switches: Switches::now(),
            softnet: read("/proc/net/softnet_stat").map(|text| Softnet::of(&text)).unwrap_or_default(),
        }
    }

    /// From `before` to this moment.
    fn after(&self, before: &Self, until: Span, ticks_per_second: u64) -> HostSample {
        let busy = self.processors.since(&before.processors);
        let of_ticks = |ticks: u64| Span::from_us(ticks.saturating_mul(1_000_000 / ticks_per_second.max(1)));
        let softnet = self.softnet.since(&before.softnet);
        let busiest = self.threads.busiest_since(&before.threads);
        let its = busiest.and_then(|(thread, _)| processor_of(thread));
        let its = its.and_then(|processor| self.processors.of_one(&before.processors, processor));
        let (thread, [its_busy, its_interrupts]) =
            (busiest.map_or(Awake::default(), |(_, awake)| awake), its.unwrap_or_default());
        HostSample {
            until,
            span: self.at.zip(before.at).map_or(Span::ZERO, |(now, then)| now.since(then)),
            processors: self.processors.count(),
            user: of_ticks(busy.all.user),
            system: of_ticks(busy.all.system),
            irq: of_ticks(busy.all.irq),
            softirq: of_ticks(busy.all.softirq),
            steal: of_ticks(busy.all.steal),
            idle: of_ticks(busy.all.idle),
            busiest: busy.busiest,
            busiest_interrupts: busy.interrupts,
            load_average: self.load_average,
            process: self.process - before.process,
            busiest_thread: thread.ran,
            busiest_thread_waited: thread.waited,
            busiest_thread_processor: its_busy,
            busiest_thread_interrupts: its_interrupts,
            voluntary_switches: self.switches.asked.saturating_sub(before.switches.asked),
            involuntary_switches: self.switches.made.saturating_sub(before.switches.made),
            softnet_packets: softnet.packets,
            softnet_dropped: softnet.dropped,
            softnet_squeezed: softnet.squeezed,
            // Whoever counts bytes looks at the link.
            link_down: Span::ZERO,
        }
    }
}

/// Context switches of all threads of this process, also of those that have ended.
///
/// Source: getrusage(2), `ru_nvcsw` and `ru_nivcsw`.
#[derive(Debug, Default)]
struct Switches {
    asked: u64,
    made: u64,
}

impl Switches {
    fn now() -> Self {
        let count = |counted: i64| u64::try_from(counted).unwrap_or(0);
        getrusage(UsageWho::RUSAGE_SELF).map_or_else(
            |_| Self::default(),
            |usage| Self {
                asked: count(usage.voluntary_context_switches()),
                made: count(usage.involuntary_context_switches()),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::HostClock;
    use super::*;

    #[test]
    fn a_look_is_what_was_counted_since_the_last_one() {
        let moment = |at_ms: u64, stat: &str, switches: u64, softnet: &str| Moment {
            at: Some(Time::ZERO + Span::from_ms(at_ms)),
            processors: Processors::of(stat),
            load_average: 0.5,
            process: Span::from_ms(at_ms / 2),
            threads: Threads::default(),
            switches: Switches { asked: switches, made: 3 },
            softnet: Softnet::of(softnet),
        };
        let before = moment(100, "cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n", 7, "10 0 0\n0 0 0\n");
        let after = moment(200, "cpu0 1 1 3 5 0 0 0 0\ncpu1 0 0 0 8 1 0 1 0\n", 9, "1f 2 1\n1 0 0\n");
        let look = after.after(&before, Span::from_ms(150), 100);
        assert_eq!((look.until, look.span), (Span::from_ms(150), Span::from_ms(100)));
        assert_eq!((look.processors, look.busiest), (2, 0.5));
        assert_eq!(
            (look.user, look.system, look.softirq),
            (Span::from_ms(20), Span::from_ms(30), Span::from_ms(10))
        );
        assert_eq!(look.idle, Span::from_ms(140), "waiting for a disk is idle");
        assert_eq!((look.process, look.load_average), (Span::from_ms(50), 0.5));
        assert_eq!((look.voluntary_switches, look.involuntary_switches), (2, 0));
        assert_eq!((look.softnet_packets, look.softnet_dropped, look.softnet_squeezed), (16, 2, 1));
    }

    #[test]
    fn this_host_is_seen_at_work() {
        let clock = HostClock::start();
        let mut watch = HostWatch::start(clock.now());
        let mut look = watch.look(clock.now(), Span::ZERO);
        // Until the counters, whose tick may be 10 ms, have seen this thread work.
        while look.user + look.system == Span::ZERO || look.busiest_thread == Span::ZERO {
            assert!(look.until < Span::from_ms(20_000), "{look:?}");
            std::hint::black_box((0..100_000_u64).sum::<u64>());
            look.absorb(&watch.look(clock.now(), clock.now().since(Time::ZERO)));
        }
        assert!(look.processors >= 1 && (0.0..=1.0).contains(&look.busiest), "{look:?}");
        assert!(look.process > Span::ZERO && look.span > Span::ZERO, "{look:?}");
    }
}
