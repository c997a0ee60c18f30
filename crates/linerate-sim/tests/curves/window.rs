//! A window smaller than what fits on the way.

use linerate_core::bench::Bench as _;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::trial::Trial;
use linerate_core::units::Span;
use linerate_sim::ethernet::phy::Cable;
use rstest::rstest;

use crate::forms::bench;

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
    let trial = Trial { pattern: Pattern::Stream, size, samples: 6, batch, seed: 1, check: Check::Full };
    bench(text).run(&trial).expect("it passes").times
}

fn text(kilometres: u64, segments: u64, every: u64) -> String {
    format!(
        "network = {{ medium = 'ethernet', length-m = {kilometres}e3 }}
         transport = {{ window = {}, acknowledge-every = {every} }}",
        segments * MSS
    )
}

/// The application has taken nothing of the segment that calls for an acknowledgement when that
/// leaves, so it tells of the room of the segments before. Of every three full segments the second
/// is acknowledged, which tells of one, and the third when it has been taken, which tells of all
/// three: their room is worth telling then. So a window of a multiple of three segments is told of
/// whole, and its first segment by the acknowledgement of the second, a period later.
#[rstest]
fn a_window_of_whole_threes_passes_once_in_a_round_trip_and_a_segment(
    #[values(3, 30, 33)] segments: u64,
    #[values(100, 2_000)] kilometres: u64,
) {
    let turn = round_trip(Cable::CATEGORY_5.delay(kilometres * 1000)) + PERIOD;
    assert_eq!(times(&text(kilometres, segments, 2), segments * MSS, 3), [turn; 6]);
}

/// With an acknowledgement for each segment the room of the last is always untold: one segment
/// less than the window is on its way in a round trip.
#[rstest]
fn a_window_that_is_acknowledged_segment_by_segment_passes_less_one_in_a_round_trip(
    #[values(5, 7, 20)] segments: u64,
    #[values(100, 2_000)] kilometres: u64,
) {
    let turn = round_trip(Cable::CATEGORY_5.delay(kilometres * 1000));
    let fewer = segments - 1;
    let times = times(&text(kilometres, segments, 1), segments * MSS, fewer as u32);
    assert_eq!(times, [turn * segments / fewer; 6]);
}

/// Half a window is worth telling of: each segment is acknowledged when it comes, and its room is
/// told when it has been taken, by a second frame of 84 B with its gap.
#[test]
fn a_window_of_two_segments_is_told_of_at_once() {
    let turn = round_trip(Cable::CATEGORY_5.delay(100_000)) + Span::from_ns(672);
    assert_eq!(times(&text(100, 2, 1), 2 * MSS, 3), [turn; 6]);
}

#[rstest]
fn any_other_window_passes_less_two_at_worst(#[values(20, 31, 32)] segments: u64) {
    let turn = round_trip(Cable::CATEGORY_5.delay(100_000)) + PERIOD;
    let times = times(&text(100, segments, 2), segments * MSS, segments as u32);
    let mean = times.iter().copied().sum::<Span>() / times.len() as u64;
    let slowest = turn * segments / (segments - 2);
    assert!((turn - PERIOD..=slowest).contains(&mean), "{mean} is not from {turn} to {slowest}");
}

#[test]
fn a_window_of_a_turn_is_enough_for_the_line() {
    let turn = round_trip(Cable::CATEGORY_5.delay(100_000)) + PERIOD;
    let needed = turn.as_ps().div_ceil(PERIOD.as_ps()).next_multiple_of(3);
    assert_eq!(times(&text(100, needed, 2), needed * MSS, 3), [PERIOD * needed; 6]);
    assert_eq!(times(&text(100, needed - 3, 2), (needed - 3) * MSS, 3), [turn; 6]);
}
