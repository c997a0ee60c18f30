//! A window smaller than what fits on the way.

use linerate_core::bench::Bench as _;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::trial::Trial;
use linerate_core::units::Span;
use linerate_sim::ethernet::phy::Cable;
use rstest::rstest;

use super::forms::bench;

const MSS: u64 = 1460;
/// A segment and its gap.
const PERIOD: Span = Span::from_ns(12_304);

/// From a segment's first bit out to its acknowledgement's last bit in: the segment with preamble,
/// the acknowledgement, the delay there and back, through 1000BASE-T.
fn round_trip(delay: Span) -> Span {
    Span::from_ns(12_208 + 576) + delay * 2
}

/// The mean time of each sample's messages, once the window turns.
fn times(text: &str, size: u64, batch: u32) -> Vec<Span> {
    let trial =
        Trial { pattern: Pattern::OneWay, size, samples: 6, batch, lead: 0, seed: 1, check: Check::Full };
    bench(text).run(&trial).expect("it passes").times
}

fn text(kilometres: u64, segments: u64, every: u64) -> String {
    format!(
        "network = {{ medium = 'ethernet', length-m = {kilometres}e3 }}
         transport = {{ window = {}, acknowledge-every = {every} }}",
        segments * MSS
    )
}

/// The first segment of a window is acknowledged with the second, a period later. The application
/// has taken both by then, so that their room is told with it.
#[rstest]
fn a_window_of_whole_pairs_passes_once_in_a_round_trip_and_a_segment(
    #[values(4, 30, 32)] segments: u64,
    #[values(100, 2_000)] kilometres: u64,
) {
    let turn = round_trip(Cable::CATEGORY_5.delay(kilometres * 1000)) + PERIOD;
    assert_eq!(times(&text(kilometres, segments, 2), segments * MSS, 3), [turn; 6]);
}

#[rstest]
fn a_window_that_is_acknowledged_segment_by_segment_passes_once_in_a_round_trip(
    #[values(2, 5, 7, 20)] segments: u64,
    #[values(100, 2_000)] kilometres: u64,
) {
    let turn = round_trip(Cable::CATEGORY_5.delay(kilometres * 1000));
    assert_eq!(times(&text(kilometres, segments, 1), segments * MSS, 3), [turn; 6]);
}

/// The last segment of an odd window waits for the first of the next to be acknowledged with it.
#[rstest]
fn an_odd_window_passes_less_one_at_worst(#[values(15, 31, 33)] segments: u64) {
    let turn = round_trip(Cable::CATEGORY_5.delay(100_000)) + PERIOD;
    let times = times(&text(100, segments, 2), segments * MSS, segments as u32);
    let mean = times.iter().copied().sum::<Span>() / times.len() as u64;
    let slowest = turn * segments / (segments - 1);
    assert!((turn - PERIOD..=slowest).contains(&mean), "{mean} is not from {turn} to {slowest}");
}

#[test]
fn a_window_of_a_turn_is_enough_for_the_line() {
    let turn = round_trip(Cable::CATEGORY_5.delay(100_000)) + PERIOD;
    let needed = turn.as_ps().div_ceil(PERIOD.as_ps()).next_multiple_of(2);
    assert_eq!(times(&text(100, needed, 2), needed * MSS, 3), [PERIOD * needed; 6]);
    assert_eq!(times(&text(100, needed - 2, 2), (needed - 2) * MSS, 3), [turn; 6]);
}
