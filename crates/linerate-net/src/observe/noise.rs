//! How often a loop that only reads the clock loses the processor.

use linerate_core::observation::Noise;
use linerate_core::units::Span;

use super::clock::{HostClock, check_clock};
use super::quota::Quotas;

/// Enough readings for a median cost, in about 0.1 ms.
const CALIBRATION_READS: u64 = 4_096;

/// Shorter gaps are the processor's own: caches, counters, an interrupt that did nothing.
const LEAST_THRESHOLD: Span = Span::from_us(1);

/// A read that takes this many times the median is a gap.
const THRESHOLD_IN_READS: u64 = 20;

/// The longest that is watched.
const LONGEST: Span = Span::from_ms(60_000);

/// A clock that does not advance in this many reads in a row never will.
const STANDS_STILL: u32 = 1 << 24;

/// Reads the clock for `span` and does nothing else; returns how much time was lost in gaps.
///
/// It watches the processor it runs on, so pin the thread first ([`pin_to`](super::pin_to)). A gap
/// is a read that takes more than the larger of 1 us and 20 times the median read; the loss is the
/// gap less the median read. It takes `span`, at most one minute, and a gap at the end may lengthen it.
///
/// Source: the "selfish detour" benchmark of Beckman, Iskra, Yoshii, Coghlan, "The Influence of
/// Operating Systems on the Performance of Collective Operations at Extreme Scale", Cluster 2006.
#[must_use]
pub fn watch_noise(clock: &HostClock, span: Span) -> Noise {
    let cost = check_clock(clock, CALIBRATION_READS).cost;
    let threshold = (cost * THRESHOLD_IN_READS).max(LEAST_THRESHOLD);
    let quotas = Quotas::read();
    let noise = watch(
        || clock.reading_ns(),
        nanoseconds(span.min(LONGEST)),
        nanoseconds(cost),
        nanoseconds(threshold),
    );
    let throttled = Quotas::read().since(&quotas);
    // A group's time is the sum over processors, and this thread has one.
    let throttled = throttled.known().map_or(Span::ZERO, |quota| quota.throttled.min(noise.lost));
    Noise { throttled, ..noise }
}

fn watch(mut read_ns: impl FnMut() -> i64, span_ns: i64, cost_ns: i64, threshold_ns: i64) -> Noise {
    let start = read_ns();
    let (mut last, mut unmoved) = (start, 0);
    let (mut lost, mut gaps, mut longest) = (0, 0, 0);
    while last - start < span_ns && unmoved < STANDS_STILL {
        let now = read_ns();
        let step = now - last;
        unmoved = if step <= 0 { unmoved + 1 } else { 0 };
        if step > threshold_ns {
            gaps += 1;
            lost += step - cost_ns;
            longest = longest.max(step);
        }
        last = now;
    }
    Noise {
        watched: span_of(last - start),
        lost: span_of(lost),
        gaps,
        longest: span_of(longest),
        threshold: span_of(threshold_ns),
        throttled: Span::ZERO,
    }
}

fn nanoseconds(span: Span) -> i64 {
    i64::try_from(span.as_ps() / 1_000).unwrap_or(i64::MAX)
}

fn span_of(ns: i64) -> Span {
    Span::from_ns(ns.max(0).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock whose reads take 20 ns, but every thousandth `gap_ns`.
    fn with_gaps(gap_ns: i64) -> impl FnMut() -> i64 {
        let (mut calls, mut now) = (0_u64, 0);
        move || {
            calls += 1;
            now += if calls.is_multiple_of(1_000) { gap_ns } else { 20 };
            now
        }
    }

    #[test]
    fn every_gap_is_counted_once_with_its_loss() {
        // 1000 reads take 999 x 20 ns + 10 us = 29.98 us; so 10 ms hold 333 gaps.
        let noise = watch(with_gaps(10_000), 10_000_000, 20, 1_000);
        assert_eq!((noise.gaps, noise.longest), (333, Span::from_us(10)));
        assert_eq!(noise.lost, Span::from_ns(333 * 9_980));
        assert!((noise.share() - 0.333).abs() < 0.001, "{}", noise.share());
    }

    #[test]
    fn a_step_at_the_threshold_is_no_gap() {
        let noise = watch(with_gaps(1_000), 1_000_000, 20, 1_000);
        assert_eq!((noise.gaps, noise.lost, noise.longest), (0, Span::ZERO, Span::ZERO));
        assert_eq!(noise.watched, Span::from_ms(1));
    }

    #[test]
    fn a_clock_that_stands_still_or_runs_back_does_not_hold_the_loop() {
        assert_eq!(watch(|| 7, i64::MAX, 20, 1_000).watched, Span::ZERO);
        let mut now = 0_i64;
        let mut backwards = || {
            now -= 10;
            now
        };
        let noise = watch(&mut backwards, 1_000, 20, 1_000);
        assert_eq!((noise.gaps, noise.watched), (0, Span::ZERO));
    }

    #[test]
    fn this_host_is_watched_as_long_as_asked() {
        let noise = watch_noise(&HostClock::start(), Span::from_ms(20));
        assert!(noise.watched >= Span::from_ms(20), "{noise:?}");
        assert!(noise.lost <= noise.watched && noise.longest <= noise.watched, "{noise:?}");
        assert!(noise.threshold >= Span::from_us(1), "{noise:?}");
        assert_eq!(noise.gaps == 0, noise.longest == Span::ZERO, "{noise:?}");
    }
}
