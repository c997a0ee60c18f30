//! The closed forms: how a message is cut, what is acknowledged, what lines and switches take.

use linerate_core::measure::Ended;
use linerate_core::pattern::Pattern;
use linerate_core::units::Span;
use linerate_sim::bench::ModelBench;
use linerate_sim::ethernet::parameters::{PREAMBLE_BITS, frame_bytes, occupied_bytes};
use linerate_sim::model;
use linerate_sim::pace::Pace;

use crate::support::measured::measured;
use crate::support::plans::plan;

/// IPv4 and TCP header: also the length of an acknowledgement. Unit: bytes.
pub(crate) const HEADER: u32 = 40;

/// The payloads of a message's segments. Unit: bytes.
pub(crate) fn segments(size: u64, mss: u64) -> Vec<u64> {
    let full = (0..size / mss).map(|_| mss);
    full.chain((!size.is_multiple_of(mss)).then_some(size % mss)).collect()
}

/// The packets that one end sends as its message. What it acknowledges of the other's travels with
/// the first of them. Unit: bytes of the IP packet.
pub(crate) fn packets(size: u64, mtu: u32) -> Vec<u32> {
    let data = segments(size, u64::from(mtu - HEADER));
    data.into_iter().map(|payload| u32::try_from(payload).expect("an MSS") + HEADER).collect()
}

/// One cable: the time of a bit, and the delay.
#[derive(Clone, Copy)]
pub(crate) struct Hop {
    pub(crate) pace: Pace,
    pub(crate) delay: Span,
}

/// When the last of `packets`, all there at time zero, has crossed `hops` with a store-and-forward
/// switch between any two: each begins when it is there whole and the one before it is out.
pub(crate) fn ethernet(packets: &[u32], hops: &[Hop]) -> Span {
    let mut free = vec![Span::ZERO; hops.len()];
    let mut arrived = Span::ZERO;
    for packet in packets {
        arrived = Span::ZERO;
        for (hop, free) in hops.iter().zip(&mut free) {
            let begins = arrived.max(*free);
            *free = begins + hop.pace.span(occupied_bytes(*packet) * 8);
            arrived = begins + hop.pace.span(PREAMBLE_BITS + frame_bytes(*packet) * 8) + hop.delay;
        }
    }
    arrived
}

/// The bench of the plan in `text`.
pub(crate) fn bench(text: &str) -> ModelBench {
    model::curve(&plan(text), None).unwrap_or_else(|error| panic!("{error} in {text}")).bench
}

/// Holds the one-way times of the plan in `text` to `expected`, to the picosecond.
pub(crate) fn holds(text: &str, pattern: Pattern, sizes: &[u64], expected: impl Fn(u64) -> Span) {
    let outcome = measured(text, pattern, sizes);
    assert!(matches!(outcome.ended, Ended::Complete), "{:?}", outcome.ended);
    for point in &outcome.series.points {
        let size = point.size;
        assert_eq!((point.rounds.len(), point.verified), (1, true), "{size} B");
        assert_eq!(point.rounds[0].median, expected(size), "{size} B of {text}");
    }
}
