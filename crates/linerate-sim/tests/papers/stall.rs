//! Linux 2.0.35 acknowledges by its timer only: a message that does not fit the window waits once for the next tick
//! of the host that it goes to (F038 to F041; D4 of the reference). The quantum is HZ's, not fitted.

use linerate_core::pattern::Pattern;
use linerate_core::units::Span;
use rstest::rstest;

use super::lab::{Lab, paper};

/// 1/HZ.
const TICK: Span = Span::from_ms(10);
/// The window of 2.0.35: 31 KiB (D4).
const WINDOW: u64 = 31_744;

/// By how many ticks a message there and one back take longer than the line through two smaller ones says.
fn extra_ticks(size: u64, seed: u64) -> f64 {
    let mut plan = paper("kernel-2.0.35");
    plan.seed = seed;
    let mut lab = Lab::new(&plan);
    let [low, high] = [8 << 10, WINDOW].map(|size| lab.one_way(size).as_seconds());
    let slope = (high - low) / (WINDOW - (8 << 10)) as f64;
    let expected = low + slope * (size as f64 - f64::from(8 << 10));
    let times = lab.times(Pattern::PingPong, size, 12);
    // The first messages find their place among the ticks. A time is half of a round trip.
    let mean = times[4..].iter().map(|time| time.as_seconds()).sum::<f64>() / 8.0;
    let extra = 2.0 * (mean - expected) / TICK.as_seconds();
    println!("{size} B, seed {seed}: {extra:.3} ticks more than {:.1} us", expected * 1e6);
    extra
}

/// The ticks of the two hosts lie anywhere to each other. There and back take one tick, or two where one host's tick
/// comes too soon after the other's: less the time of the transfers, which goes on meanwhile.
#[rstest]
fn a_message_beyond_the_window_waits_for_a_tick(
    #[values(WINDOW + 1, 36_000, 48_000, 60_000, 64 << 10)] size: u64,
) {
    let extra: Vec<f64> = (1..=8).map(|seed| extra_ticks(size, seed)).collect();
    assert!(extra.iter().all(|&extra| extra > 0.5 && extra <= 2.0), "{extra:?}");
    let mean = extra.iter().sum::<f64>() / 8.0;
    assert!(extra.iter().any(|&extra| extra <= 1.0) && mean < 1.5, "{extra:?}");
}

/// After the acknowledgement of the tick the window is raised as it is used. A megabyte has 33 windows, and waits for
/// a few ticks, not for one in each.
#[rstest]
fn a_long_message_waits_no_longer_than_a_short_one(#[values(1, 2, 3)] seed: u64) {
    let extra = extra_ticks(1 << 20, seed);
    assert!(extra > 0.0 && extra <= 4.0, "{extra}");
}

#[rstest]
fn a_message_within_the_window_waits_for_none(
    #[values(10_000, 16_384, 20_000, 24_576, 30_000, 31_000, WINDOW)] size: u64,
) {
    assert!(extra_ticks(size, 1).abs() < 0.01);
}
