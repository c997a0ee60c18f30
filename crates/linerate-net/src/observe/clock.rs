//! The clock that times everything on a real host.

use linerate_core::observation::Clock;
use linerate_core::units::{Span, Time};
use rustix::time::{ClockId, clock_gettime};

/// The host's steady clock, `CLOCK_MONOTONIC_RAW`, which NTP does not slew.
///
/// Its zero is the moment it was started, so its picoseconds last 213 days; then it stops. Clocks
/// of two hosts, or started apart, are not comparable. It does not run while the host sleeps.
///
/// Source: clock_gettime(2). It is read in the vDSO, without a system call.
#[derive(Clone, Copy, Debug)]
pub struct HostClock {
    origin_ns: i64,
}

impl HostClock {
    /// What Linux calls it.
    pub const NAME: &str = "CLOCK_MONOTONIC_RAW";

    /// Starts a clock at zero.
    #[must_use]
    pub fn start() -> Self {
        Self { origin_ns: raw_ns() }
    }

    /// The time since the clock was started.
    #[inline]
    #[must_use]
    pub fn now(&self) -> Time {
        Time::from_ps(self.reading_ns().max(0).unsigned_abs().saturating_mul(1_000))
    }

    /// A raw reading: less than the one before if the kernel's clock went backwards.
    ///
    /// Unit: nanoseconds since the start.
    #[inline]
    pub(super) fn reading_ns(&self) -> i64 {
        raw_ns() - self.origin_ns
    }
}

/// It is never slewed, where there is such a clock.
#[cfg(on_linux)]
const CLOCK: ClockId = ClockId::MonotonicRaw;
#[cfg(not(on_linux))]
const CLOCK: ClockId = ClockId::Monotonic;

/// Nanoseconds since the host booted; an `i64` of them lasts 292 years.
#[inline]
fn raw_ns() -> i64 {
    // rustix reads the vDSO as fast as libc does (18 ns both, 136 ns for a system call, on the
    // host this was chosen on), and needs no unsafe here.
    let time = clock_gettime(CLOCK);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Readings in one batch, with nothing in between.
const BATCH: usize = 64;

/// More readings than this add no information. Their costs take 2 MiB.
const MOST_READS: u64 = 1 << 24;

/// Reads the clock `reads` times; returns its cost, its resolution and how often it went back.
///
/// `reads` is rounded up to a multiple of 64 and limited to 2^24; the result says how many there were.
/// The cost is the median over batches of 64 reads. The resolution is the smallest step that was
/// seen, so it is never less than a read takes.
#[must_use]
pub fn check_clock(clock: &HostClock, reads: u64) -> Clock {
    study(|| clock.reading_ns(), reads)
}

fn study(mut read_ns: impl FnMut() -> i64, reads: u64) -> Clock {
    let batches = reads.clamp(1, MOST_READS).div_ceil(BATCH as u64);
    let mut steps = Steps::from(read_ns());
    let mut costs_ps: Vec<u64> = Vec::new();
    let mut batch = [0; BATCH];
    for _ in 0..batches {
        let before = read_ns();
        for reading in &mut batch {
            *reading = read_ns();
        }
        steps.add(before);
        batch.iter().for_each(|reading| steps.add(*reading));
        let took_ns = (batch[BATCH - 1] - before).max(0).unsigned_abs();
        costs_ps.push(took_ns.saturating_mul(1_000) / BATCH as u64);
    }
    Clock {
        name: HostClock::NAME.to_owned(),
        reads: batches * BATCH as u64,
        cost: Span::from_ps(typical(&mut costs_ps)),
        resolution: Span::from_ns(steps.smallest_ns.unwrap_or(0)),
        backwards: steps.backwards,
    }
}

/// The median; the mean if the clock is so coarse that the median is zero.
fn typical(costs_ps: &mut [u64]) -> u64 {
    costs_ps.sort_unstable();
    match costs_ps.get(costs_ps.len() / 2) {
        Some(0) => costs_ps.iter().sum::<u64>() / costs_ps.len() as u64,
        Some(median) => *median,
        None => 0,
    }
}

/// The steps between one raw reading and the next.
struct Steps {
    last_ns: i64,
    smallest_ns: Option<u64>,
    backwards: u64,
}

impl Steps {
    fn from(first_ns: i64) -> Self {
        Self { last_ns: first_ns, smallest_ns: None, backwards: 0 }
    }

    fn add(&mut self, reading_ns: i64) {
        let step_ns = reading_ns - self.last_ns;
        self.last_ns = reading_ns;
        if step_ns < 0 {
            self.backwards += 1;
        } else if step_ns > 0 {
            let step_ns = step_ns.unsigned_abs();
            self.smallest_ns = Some(self.smallest_ns.map_or(step_ns, |least| least.min(step_ns)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that advances by `step_ns` of the number of the call.
    fn scripted(step_ns: impl Fn(u64) -> i64) -> impl FnMut() -> i64 {
        let (mut calls, mut now) = (0, 0);
        move || {
            now += step_ns(calls);
            calls += 1;
            now
        }
    }

    #[test]
    fn a_steady_clock_costs_its_step() {
        let clock = study(scripted(|_| 25), 100);
        assert_eq!(clock.reads, 128, "rounded up to whole batches");
        assert_eq!((clock.cost, clock.resolution), (Span::from_ns(25), Span::from_ns(25)));
        assert_eq!(clock.backwards, 0);
    }

    #[test]
    fn steps_back_are_counted_and_do_not_hide_in_zeroes() {
        let clock = study(scripted(|call| if call % 10 == 9 { -5 } else { 20 }), 640);
        assert_eq!(clock.backwards, 65, "one in ten of 651 calls");
        assert_eq!(clock.resolution, Span::from_ns(20));
    }

    #[test]
    fn a_coarse_clock_shows_its_tick_and_still_a_cost() {
        let clock = study(scripted(|call| if call % 1_000 == 999 { 4_000_000 } else { 0 }), 100_000);
        assert_eq!(clock.resolution, Span::from_ms(4));
        assert!(clock.cost > Span::from_us(3) && clock.cost < Span::from_us(5), "{clock:?}");
    }

    #[test]
    fn a_clock_that_stands_still_has_no_step() {
        let clock = study(scripted(|_| 0), 1_000);
        assert_eq!((clock.cost, clock.resolution, clock.backwards), (Span::ZERO, Span::ZERO, 0));
    }

    #[test]
    fn this_hosts_clock_does_not_go_back() {
        let clock = HostClock::start();
        let check = check_clock(&clock, 200_000);
        assert_eq!(check.backwards, 0, "{check:?}");
        assert!(check.cost > Span::ZERO && check.resolution > Span::ZERO, "{check:?}");
        let earlier = clock.now();
        assert!(clock.now() >= earlier && earlier > Time::ZERO);
    }
}
