//! How much stock a port needs at its low watermark so that its drain never waits.

use linerate_core::units::Span;
use linerate_sim::ethernet::link::Parameters;
use linerate_sim::ethernet::pause::{FlowControl, Gauge, Headroom, Watermarks, refresh_interval};
use linerate_sim::fabric::Fabric as _;
use rstest::rstest;

use super::bench::{A, B, World, data, gigabit, period, ps};

const FRAME: u64 = 1_518;

/// Times at which the drain had nothing to do, once it had begun, for any phase of the port's own
/// frames. The drain takes a frame in `slowness` / 8 of its wire time.
fn bubbles(low: u64, metres: u64, slowness: u64) -> usize {
    let frame = gigabit().span(period(FRAME));
    let parameters = Parameters::new(gigabit(), Span::from_ns(5 * metres));
    let parameters = parameters.with_flow_control([FlowControl::OBEYS, FlowControl::SENDS]);
    (0..16)
        .map(|phase| {
            let mut world = World::new(parameters);
            let high = low + 4 * FRAME;
            world.desks[1].gauge = Gauge::new(high + 40 * FRAME, Watermarks { high, low }).expect("they fit");
            world.service = frame * slowness / 8;
            world.saturate(A, data(FRAME), ps(0));
            world.saturate(B, data(FRAME), ps(frame.as_ps() * phase / 16));
            world.run_until(ps(0) + frame * 600);
            assert!(
                world.link.counters(B).pause_sent > 20,
                "it stopped and went on only {} times",
                world.link.counters(B).pause_sent
            );
            assert_eq!(world.desks[1].gauge.overflows(), 0);
            world.idle_from.len()
        })
        .sum()
}

#[rstest]
fn a_low_watermark_of_drain_rate_times_resume_latency_leaves_no_bubble_and_a_frame_less_does(
    #[values(2, 550, 5_000)] metres: u64,
    #[values(10, 16)] slowness: u64,
) {
    let headroom = Headroom::at_reaction_limit(FRAME, gigabit(), Span::from_ns(5 * metres));
    // The drain works in whole frames.
    let service = period(FRAME) * slowness / 8;
    let frames = headroom.resume_bits().div_ceil(service);
    assert_eq!(bubbles(frames * FRAME, metres, slowness), 0);
    assert!(bubbles((frames - 1) * FRAME, metres, slowness) > 0, "{} frames are enough too", frames - 1);
}

/// The drain takes 300 times as long as the line for a frame, and the quanta last for 2.
#[test]
fn a_buffer_that_stays_full_loses_nothing_if_it_asks_again_in_time_and_something_if_it_does_not() {
    let frame = gigabit().span(period(FRAME));
    let headroom = Headroom::at_reaction_limit(FRAME, gigabit(), Span::from_ns(2_750));
    let every = refresh_interval(49, FRAME, gigabit());
    for (refresh_every, loses) in [(every, false), (None, true)] {
        let parameters = Parameters::new(gigabit(), headroom.delay);
        let mut world = World::new(parameters.with_flow_control([FlowControl::OBEYS, FlowControl::SENDS]));
        let high = 6 * FRAME + 700;
        let watermarks = Watermarks { high, low: 2 * FRAME };
        let gauge = Gauge::new(high + headroom.bytes_by_frame(), watermarks).expect("they fit");
        world.desks[1].gauge = gauge.asking(49, refresh_every);
        world.service = frame * 300;
        world.saturate(A, data(FRAME), ps(0));
        world.saturate(B, data(FRAME), ps(0));
        world.run_until(ps(0) + frame * 6_000);
        assert_eq!(world.desks[1].gauge.overflows() > 0, loses, "refresh {refresh_every:?}");
        assert!(world.desks[1].drained_bytes >= 18 * FRAME, "it is drained all the while");
    }
}
