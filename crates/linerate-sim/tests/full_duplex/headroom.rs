//! How much room a port needs above its high watermark so that nothing is lost: the closed form
//! against the worst that a sender at its reaction limit can do.

use linerate_core::units::Span;
use linerate_sim::ethernet::link::Parameters;
use linerate_sim::ethernet::pause::{FlowControl, Gauge, Headroom, Watermarks};
use linerate_sim::pace::Pace;
use proptest::prelude::*;
use rstest::rstest;

use super::bench::{A, B, Order, Traffic, World, data, period, ps};

/// Frames below the high watermark.
const BEFORE: u64 = 4;
const PHASES: u64 = 48;

struct Case {
    pace: Pace,
    delay: Span,
    frame_bytes: u64,
}

impl Case {
    fn new(gigabits: u64, frame_bytes: u64, metres: u64) -> Self {
        let pace = Pace::of_bits_per_second(gigabits * 1_000_000_000);
        Self { pace, delay: Span::from_ns(5 * metres), frame_bytes }
    }

    fn headroom(&self) -> Headroom {
        Headroom::at_reaction_limit(self.frame_bytes, self.pace, self.delay)
    }

    fn world(&self, high: u64, capacity: u64) -> World {
        let parameters = Parameters::new(self.pace, self.delay);
        let mut world = World::new(parameters.with_flow_control([FlowControl::OBEYS, FlowControl::SENDS]));
        let watermarks = Watermarks { high, low: 0 };
        world.desks[1].gauge = Gauge::new(capacity, watermarks).expect("they fit");
        // The port's own frames are in the way of its PAUSE.
        world.saturate(B, data(self.frame_bytes), ps(0));
        world
    }

    /// A sends frames without end from a phase of B's own frames onwards; nothing is drained.
    /// Gives the peak and how many frames found no room.
    fn run(&self, high: u64, capacity: u64, phase: u64) -> (u64, u64) {
        let mut world = self.world(high, capacity);
        let frame = self.pace.span(period(self.frame_bytes));
        // Phase 0: the frame that reaches the watermark comes in just when B has begun its own.
        let gap = self.pace.span(96).as_ps() + frame.as_ps() * 1_000_000;
        let offset = (gap - self.delay.as_ps()) % frame.as_ps() + frame.as_ps() * phase / PHASES;
        world.saturate(A, data(self.frame_bytes), ps(offset));
        // All quanta but a few thousand pass before anything goes on.
        world.run_until(ps(0) + frame * 12 + self.delay * 4 + self.pace.span(60 * 512));
        assert_eq!(world.desks[0].paused_at().len(), 1, "it has been asked");
        (world.desks[1].gauge.peak(), world.desks[1].gauge.overflows())
    }

    fn worst(&self, high: u64, capacity: u64) -> (u64, u64) {
        let runs = (0..PHASES).map(|phase| self.run(high, capacity, phase));
        runs.fold((0, 0), |(peak, lost), run| (peak.max(run.0), lost.max(run.1)))
    }
}

/// 5 ns per metre, as in the published figures.
#[rstest]
fn the_headroom_of_the_closed_form_loses_nothing_and_a_frame_less_does(
    #[values(1, 10)] gigabits: u64,
    #[values(1_518, 9_018)] frame_bytes: u64,
    #[values(2, 100, 550, 5_000)] metres: u64,
) {
    let case = Case::new(gigabits, frame_bytes, metres);
    let room = case.headroom().bytes();
    let high = BEFORE * frame_bytes;
    let (peak, lost) = case.worst(high, high + room);
    assert_eq!(lost, 0, "of {room} B above the watermark {} were used", peak - high);
    // Frames that begin from a gap after the one that reached it: the port is busy for a frame,
    // then the PAUSE frame, the cable both ways and the reaction pass.
    let reaction = case.headroom().reaction_bits;
    let there_and_back = 10 * metres * gigabits;
    let begun = (period(frame_bytes) + 576 + there_and_back + reaction - 96).div_ceil(period(frame_bytes));
    assert_eq!(peak - high, begun * frame_bytes);
    let (_, lost) = case.worst(high, high + room - frame_bytes);
    assert!(lost > 0, "a frame less than {room} B is still enough");
}

/// The watermark may be passed by nearly a frame before a gauge that is told of whole frames sees
/// it: the closed form alone is too little then.
#[rstest]
fn a_gauge_that_sees_whole_frames_needs_one_more(
    #[values(1, 10)] gigabits: u64,
    #[values(1_518, 9_018)] frame_bytes: u64,
    #[values(2, 550)] metres: u64,
) {
    let case = Case::new(gigabits, frame_bytes, metres);
    // One byte above what four frames reach.
    let high = BEFORE * frame_bytes + 1;
    let headroom = case.headroom();
    assert_eq!(case.worst(high, high + headroom.bytes_by_frame()).1, 0);
    assert!(case.worst(high, high + headroom.bytes()).1 > 0);
}

#[test]
fn a_sender_that_reacts_later_than_the_limit_overruns_the_headroom() {
    let case = Case::new(1, 1_518, 2);
    let high = BEFORE * case.frame_bytes;
    let lost = |reaction_bits: u64| {
        let mut parameters = Parameters::new(case.pace, case.delay);
        parameters = parameters.with_flow_control([FlowControl::OBEYS, FlowControl::SENDS]);
        parameters.sides[0].reaction_bits = reaction_bits;
        let mut world = World::new(parameters);
        let gauge = Gauge::new(high + case.headroom().bytes(), Watermarks { high, low: 0 });
        world.desks[1].gauge = gauge.expect("they fit");
        world.saturate(B, data(1_518), ps(0));
        world.saturate(A, data(1_518), ps(86_000));
        world.run_until(ps(300_000_000));
        world.desks[1].gauge.overflows()
    };
    assert_eq!((lost(1_024), lost(20_000)), (0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any sizes and any phase, with the room for whole frames: nothing is lost.
    #[test]
    fn no_mixture_of_sizes_overruns_the_headroom(
        sizes in prop::collection::vec(46..=1_500_u32, 60),
        own in prop::collection::vec(46..=1_500_u32, 60),
        start in 0..13_000_000_u64,
        high in 2_000..9_000_u64,
        metres in 0..3_000_u64,
    ) {
        let case = Case::new(1, 1_518, metres);
        let mut world = case.world(high, high + case.headroom().bytes_by_frame());
        world.desks[1].traffic = Traffic::Listed(own.into());
        world.desks[0].traffic = Traffic::Listed(sizes.into());
        world.at(ps(start), Order::Wake(A));
        world.run_until(ps(3_000_000_000));
        prop_assert_eq!(world.desks[1].gauge.overflows(), 0);
    }
}
