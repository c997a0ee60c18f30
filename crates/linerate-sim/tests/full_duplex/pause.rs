//! PAUSE frame by frame, to the picosecond, at 1 Gb/s (a bit is 1000 ps).

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::link::{Parameters, Side};
use linerate_sim::ethernet::pause::{FlowControl, refresh_interval};
use linerate_sim::fabric::{Fabric as _, Seen};
use rstest::rstest;

use super::bench::{A, B, Order, Traffic, World, data, gigabit, period, ps};

/// One way. Unit: bit times.
const DELAY: u64 = 700;

/// A link on which B may ask and A obeys, after this many bit times of reaction.
fn link(reaction_bits: u64) -> World {
    let sides = [
        Side { flow: FlowControl::OBEYS, reaction_bits },
        Side { flow: FlowControl::SENDS, reaction_bits: 0 },
    ];
    World::new(Parameters { sides, ..Parameters::new(gigabit(), Span::from_ns(DELAY)) })
}

fn bit(bits: u64) -> Time {
    ps(bits * 1_000)
}

/// When a PAUSE frame that begins at bit `start` has come in.
fn heard(start: u64) -> u64 {
    start + 576 + DELAY
}

/// Begins of data frames at A. Unit: bit times.
fn begun(world: &World) -> Vec<u64> {
    world.desks[0].begun.iter().map(|time| time.as_ps() / 1_000).collect()
}

/// A sends 1518-byte frames without end from bit 0; B asks at the given bits.
fn saturated(reaction_bits: u64, asks: &[(u64, u16)], until: u64) -> World {
    let mut world = link(reaction_bits);
    world.saturate(A, data(1_518), ps(0));
    for (at, quanta) in asks {
        world.at(bit(*at), Order::Pause(B, *quanta));
    }
    world.run_until(bit(until));
    world
}

const PERIOD: u64 = 12_304;

#[test]
fn a_frame_in_progress_is_finished_and_the_time_counts_from_the_end_of_the_pause_frame() {
    let world = saturated(0, &[(100, 100)], 80_000);
    let until = heard(100) + 100 * 512;
    assert_eq!(begun(&world), [0, until, until + PERIOD, until + 2 * PERIOD]);
    assert_eq!(world.desks[1].arrived[0].0, bit(12_208 + DELAY), "the first frame was not cut");
    assert_eq!(world.desks[0].paused_at(), [(bit(heard(100)), 100)]);
    assert_eq!(world.desks[1].pauses, [(bit(100), Seen::Sent, 100)]);
    let (a, b) = (world.link.counters(A), world.link.counters(B));
    assert_eq!((a.pause_received, a.pause_sent, b.pause_received, b.pause_sent), (1, 0, 0, 1));
    assert_eq!(a.paused, Span::from_ns(100 * 512));
    assert_eq!((a.sent, a.received, b.sent), (4, 0, 0), "PAUSE is no data");
}

#[test]
fn frames_still_begin_until_just_before_the_reaction_is_over() {
    // Heard at 11,804: with 500 bits of reaction the frame at 12,304 is just forbidden.
    for (reaction, frames) in [(500, 1), (501, 2), (500 + PERIOD, 2), (501 + PERIOD, 3)] {
        let world = saturated(reaction, &[(11_804 - 576 - DELAY, 100)], 11_804 + 51_000);
        assert_eq!(begun(&world).len(), frames, "{reaction}");
    }
    // The time counts from the arrival all the same.
    let world = saturated(501, &[(11_804 - 576 - DELAY, 100)], 11_804 + 51_200);
    assert_eq!(begun(&world), [0, PERIOD, 11_804 + 51_200]);
    assert_eq!(world.link.counters(A).paused, Span::from_ns(51_200 - 501));
}

#[test]
fn a_pause_shorter_than_the_reaction_has_no_effect() {
    let world = saturated(1_024, &[(11_804 - 576 - DELAY, 1)], 3 * PERIOD);
    assert_eq!(begun(&world), [0, PERIOD, 2 * PERIOD, 3 * PERIOD]);
    assert_eq!(world.link.counters(A).paused, Span::ZERO);
}

#[test]
fn pause_of_zero_while_paused_lets_the_transmitter_go_on_at_once() {
    let world = saturated(0, &[(100, 0xffff), (30_000, 0)], 60_000);
    let resumed = heard(30_000);
    assert_eq!(begun(&world), [0, resumed, resumed + PERIOD, resumed + 2 * PERIOD]);
    assert_eq!(world.link.counters(A).paused, Span::from_ns(30_000 - 100));
}

#[test]
fn pause_of_zero_while_a_frame_is_in_progress_or_without_a_pause_changes_nothing() {
    let undisturbed = saturated(0, &[], 60_000);
    for asks in [&[(100, 0)][..], &[(100, 0xffff), (3_000, 0)]] {
        assert_eq!(begun(&saturated(0, asks, 60_000)), begun(&undisturbed));
    }
}

#[test]
fn pause_of_zero_within_the_reaction_takes_the_pause_back() {
    let world = saturated(5_000, &[(10_000, 0xffff), (12_000, 0)], 3 * PERIOD);
    assert_eq!(begun(&world), [0, PERIOD, 2 * PERIOD, 3 * PERIOD]);
    assert_eq!(world.link.counters(A).paused, Span::ZERO);
}

#[rstest]
#[case::longer(20_000, 200)]
#[case::shorter(20_000, 30)]
#[case::shorter_than_the_frame_would_take(20_000, 1)]
#[case::just_before_the_first_runs_out(heard(100) + 51_200 - 577 - DELAY, 10)]
#[case::just_when_the_first_runs_out(heard(100) + 51_200 - 576 - DELAY, 10)]
fn a_newer_pause_overwrites_the_older(#[case] at: u64, #[case] quanta: u16) {
    // With a reaction too: who stands still already goes on standing still.
    for reaction in [0, 1_024] {
        let world = saturated(reaction, &[(100, 100), (at, quanta)], 140_000);
        let until = heard(at) + u64::from(quanta) * 512;
        assert_eq!(begun(&world)[..3], [0, until, until + PERIOD], "reaction {reaction}");
        let paused = world.link.counters(A).paused;
        assert_eq!(paused, Span::from_ns(until - heard(100) - reaction), "reaction {reaction}");
    }
}

#[test]
fn a_newer_pause_does_not_lengthen_the_reaction_to_the_older() {
    // Heard at 8,276 and 10,276; the frame at 12,304 is within 3000 bits of the second only.
    let world = saturated(3_000, &[(7_000, 100), (9_000, 100)], 50_000);
    assert_eq!(begun(&world), [0]);
    assert_eq!(begun(&saturated(3_000, &[(9_000, 100)], 50_000)), [0, PERIOD]);
}

#[test]
fn a_pause_heard_in_the_gap_holds_back_the_next_frame() {
    // The gap is from 12,208 to 12,304.
    for arrival in [12_208, 12_250, 12_303] {
        let world = saturated(0, &[(arrival - 576 - DELAY, 50)], 70_000);
        assert_eq!(begun(&world)[..2], [0, arrival + 50 * 512]);
    }
    // At the instant at which the gap ends the next frame has begun.
    let world = saturated(0, &[(12_304 - 576 - DELAY, 50)], 12_305);
    assert_eq!(begun(&world), [0, PERIOD]);
}

#[test]
fn a_pause_that_ends_while_its_frame_is_in_progress_or_in_the_gap_costs_nothing() {
    for quanta in [1, 20] {
        let world = saturated(0, &[(100, quanta)], 3 * PERIOD);
        assert_eq!(begun(&world), [0, PERIOD, 2 * PERIOD, 3 * PERIOD]);
    }
}

#[test]
fn what_is_offered_during_a_pause_begins_when_it_runs_out_and_not_before() {
    for (asks, resumed) in
        [(&[(100, 100)][..], heard(100) + 51_200), (&[(100, 100), (40_000, 0)], heard(40_000))]
    {
        let mut world = link(0);
        for (at, quanta) in asks {
            world.at(bit(*at), Order::Pause(B, *quanta));
        }
        world.run_until(bit(20_000));
        world.desks[0].traffic = Traffic::Listed([1_500, 46].into());
        world.at(bit(20_000), Order::Wake(A));
        world.at(bit(30_000), Order::Wake(A));
        world.run_until(bit(100_000));
        assert_eq!(begun(&world), [resumed, resumed + period(1_518)]);
    }
}

#[test]
fn a_pause_that_runs_out_with_nothing_to_send_leaves_the_line_usable() {
    let mut world = link(0);
    world.at(bit(100), Order::Pause(B, 10));
    world.run_until(bit(50_000));
    world.desks[0].traffic = Traffic::Listed([46].into());
    world.at(bit(60_000), Order::Wake(A));
    world.run_until(bit(70_000));
    assert_eq!(begun(&world), [60_000]);
}

#[test]
fn a_request_waits_for_the_frame_in_progress_and_its_gap_and_goes_before_data() {
    let mut world = link(0);
    world.saturate(B, data(1_518), ps(0));
    world.at(bit(500), Order::Pause(B, 9));
    world.run_until(bit(40_000));
    let sent = world.desks[1].pauses[0];
    assert_eq!(sent, (bit(PERIOD), Seen::Sent, 9));
    let begun: Vec<Time> = [0, PERIOD + 672, 2 * PERIOD + 672].map(bit).into();
    assert_eq!(world.desks[1].begun[..3], begun);
}

#[test]
fn a_newer_request_replaces_one_that_has_not_gone_out() {
    let mut world = link(0);
    world.saturate(B, data(1_518), ps(0));
    for (at, quanta) in [(500, 9), (600, 0xffff), (700, 3), (13_000, 0)] {
        world.at(bit(at), Order::Pause(B, quanta));
    }
    world.run_until(bit(40_000));
    let sent = [(bit(PERIOD), Seen::Sent, 3), (bit(2 * PERIOD + 672), Seen::Sent, 0)];
    assert_eq!(world.desks[1].pauses, sent);
}

#[test]
fn two_ends_that_have_stopped_each_other_still_send_pause_frames_and_can_go_on() {
    let parameters =
        Parameters::new(gigabit(), Span::from_ns(DELAY)).with_flow_control([FlowControl::BOTH; 2]);
    let mut world = World::new(parameters);
    for port in [A, B] {
        world.saturate(port, data(1_518), ps(0));
        world.at(bit(20_000), Order::Pause(port, 0xffff));
        world.at(bit(1_000_000), Order::Pause(port, 0xffff));
    }
    world.run_until(bit(2_000_000));
    for (port, desk) in [A, B].into_iter().zip(&world.desks.0) {
        assert_eq!(desk.begun.len(), 3, "the third began before the PAUSE was heard, and then none");
        assert_eq!(desk.paused_at(), [(bit(heard(24_608)), 0xffff), (bit(heard(1_000_000)), 0xffff)]);
        assert_eq!(world.link.counters(port).paused, Span::from_ns(1_000_000 - 24_608 - 1_024));
        assert!(world.link.held() == 0);
    }
    world.at(bit(2_000_000), Order::Pause(A, 0));
    world.at(bit(2_000_100), Order::Pause(B, 0));
    world.run_until(bit(2_010_000));
    assert_eq!(world.desks[1].begun.last(), Some(&bit(heard(2_000_000))));
    assert_eq!(world.desks[0].begun.last(), Some(&bit(heard(2_000_100))));
}

#[test]
fn a_side_that_may_not_send_pause_does_not_and_one_that_does_not_obey_goes_on() {
    let sides = [Side { flow: FlowControl::SENDS, reaction_bits: 0 }; 2];
    let mut world = World::new(Parameters { sides, ..Parameters::new(gigabit(), Span::ZERO) });
    world.saturate(A, data(1_518), ps(0));
    world.at(bit(100), Order::Pause(B, 0xffff));
    world.run_until(bit(3 * PERIOD));
    assert_eq!(begun(&world), [0, PERIOD, 2 * PERIOD, 3 * PERIOD]);
    assert_eq!(world.desks[0].paused_at(), [(bit(676), 0xffff)], "it is heard and counted");
    assert_eq!(world.link.counters(A).pause_received, 1);

    let mut plain = World::new(Parameters::new(gigabit(), Span::ZERO));
    plain.at(bit(100), Order::Pause(B, 0xffff));
    plain.run_until(bit(10_000));
    assert_eq!((plain.desks[1].pauses.len(), plain.link.counters(B).pause_sent), (0, 0));
}

#[rstest]
#[case(10, 3_355_392_000_000)]
#[case(100, 335_539_200_000)]
#[case(1_000, 33_553_920_000)]
#[case(10_000, 3_355_392_000)]
fn the_longest_pause_holds_for_exactly_its_quanta(#[case] megabits: u64, #[case] held_ps: u64) {
    let pace = linerate_sim::pace::Pace::of_bits_per_second(megabits * 1_000_000);
    let sides = [FlowControl::OBEYS, FlowControl::SENDS].map(|flow| Side { flow, reaction_bits: 0 });
    let mut world = World::new(Parameters { sides, ..Parameters::new(pace, Span::ZERO) });
    world.at(ps(0), Order::Pause(B, 0xffff));
    world.saturate(A, 46, ps(0) + pace.span(1_000));
    world.run_until(ps(held_ps) + pace.span(1_000));
    // 64 bytes began at bit 1000, after the PAUSE had been heard at bit 576.
    assert_eq!(world.desks[0].begun[0], ps(held_ps) + pace.span(576));
    assert_eq!(world.link.counters(A).paused, Span::from_ps(held_ps));
}

#[test]
fn a_pause_that_is_refreshed_in_time_never_lets_a_frame_through() {
    // B sends long frames itself, so each refresh waits for up to one of them.
    let quanta = 40;
    let every = refresh_interval(quanta, 1_518, gigabit()).expect("40 quanta are longer than a frame");
    for (spare, through) in [(Span::ZERO, false), (Span::from_ns(20_000), true)] {
        let mut world = link(0);
        world.saturate(B, data(1_518), ps(0));
        world.saturate(A, data(1_518), ps(0));
        for n in 0..2_000 {
            world.at(bit(500) + (every + spare) * n, Order::Pause(B, quanta));
        }
        world.run_until(bit(500) + (every + spare) * 2_000);
        let later = world.desks[0].begun.len() > 2;
        assert_eq!(later, through, "spare {spare}: {:?}", &begun(&world)[..2]);
    }
}
