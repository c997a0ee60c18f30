//! Linux 2.0.35 acknowledges by its timer only: a message that does not fit the window waits for the next tick
//! (F038 to F041; D4 of the reference). The quantum is HZ's, not fitted.

use linerate_core::pattern::Pattern;
use linerate_core::units::Span;
use rstest::rstest;

use super::lab::{Lab, paper};

/// 1/HZ.
const TICK: Span = Span::from_ms(10);
/// The window of 2.0.35: 31 KiB (D4).
const WINDOW: u64 = 31_744;
/// Whole segments of 1460 B in it leave 1084 B, where only the end of a message may go (RFC 9293, 3.8.6.2.1).
const WHOLE: u64 = 21 * 1460;

/// By how many ticks a message takes longer than the line through two smaller ones says.
fn extra_ticks(size: u64) -> f64 {
    let mut lab = Lab::new(&paper("kernel-2.0.35"));
    let [low, high] = [8 << 10, WINDOW].map(|size| lab.one_way(size).as_seconds());
    let slope = (high - low) / (WINDOW - (8 << 10)) as f64;
    let expected = low + slope * (size as f64 - f64::from(8 << 10));
    let times = lab.times(Pattern::PingPong, size, 12);
    // The first messages find their place among the ticks.
    let mean = times[4..].iter().map(|time| time.as_seconds()).sum::<f64>() / 8.0;
    let extra = (mean - expected) / TICK.as_seconds();
    println!("{size} B: {extra:.3} ticks more than {:.1} us", expected * 1e6);
    extra
}

#[rstest]
#[case(WINDOW + 1)]
#[case(33_000)]
#[case(36_000)]
#[case(40_000)]
#[case(48_000)]
#[case(56_000)]
#[case(60_000)]
#[case(WHOLE + WINDOW)]
fn a_message_beyond_the_window_waits_for_a_tick(#[case] size: u64) {
    assert!((0.5..=1.5).contains(&extra_ticks(size)));
}

/// A window later it waits for another one: so it does at 63 and 64 KB, where F040 ends.
#[rstest]
#[case(WHOLE + WINDOW + 1)]
#[case(64 << 10)]
fn a_message_beyond_two_windows_waits_for_two(#[case] size: u64) {
    assert!((1.5..=2.5).contains(&extra_ticks(size)));
}

#[rstest]
fn a_message_within_the_window_waits_for_none(
    #[values(10_000, 16_384, 20_000, 24_576, 30_000, 31_000, WINDOW)] size: u64,
) {
    assert!(extra_ticks(size).abs() < 0.01);
}
