//! Goodput and latency, from the framing alone.

use linerate_core::units::Span;
use linerate_sim::ethernet::link::Parameters;
use linerate_sim::ethernet::phy::{Cable, Phy};
use linerate_sim::fabric::Fabric as _;
use linerate_sim::pace::Pace;
use rstest::rstest;

use super::bench::{A, B, World, data, gigabit, period, ps};

/// Runs port A saturated with this much data a frame until at least `frames` have come in.
fn saturated(parameters: Parameters, data_bytes: u32, frames: u64) -> World {
    let mut world = World::new(parameters);
    world.saturate(A, data_bytes, ps(0));
    while world.desks[1].arrived.len() < frames as usize {
        assert!(world.step(ps(u64::MAX)));
    }
    world
}

/// Bits of payload per bit time from the end of the first frame to the end of the last: the
/// fraction of the line rate.
fn fraction(world: &World, payload: u32, pace: Pace) -> f64 {
    let arrived = &world.desks[1].arrived;
    let (first, last) = (arrived[0].0, arrived[arrived.len() - 1].0);
    let bits = (arrived.len() - 1) as f64 * f64::from(payload) * 8.0;
    bits / last.since(first).as_seconds() / pace.bits_per_second()
}

/// MTU; UDP, TCP, and TCP with timestamps.
#[rstest]
#[case(512, [0.880_000, 0.858_182, 0.836_364])]
#[case(1_500, [0.957_087, 0.949_285, 0.941_482])]
#[case(3_500, [0.981_345, 0.977_954, 0.974_562])]
#[case(8_160, [0.991_949, 0.990_485, 0.989_022])]
#[case(9_000, [0.992_697, 0.991_370, 0.990_042])]
#[case(16_000, [0.995_885, 0.995_137, 0.994_388])]
fn goodput_is_what_the_framing_leaves(#[case] mtu: u32, #[case] published: [f64; 3]) {
    let world = saturated(Parameters::new(gigabit(), Span::from_ns(500)), mtu, 2_000);
    for (header, published) in [28, 40, 52].into_iter().zip(published) {
        let measured = fraction(&world, mtu - header, gigabit());
        let exact = f64::from(mtu - header) / f64::from(mtu + 38);
        assert!((measured - exact).abs() <= 1e-9, "MTU {mtu}, {header} B: {measured}");
        assert!((measured - published).abs() <= 5e-7, "MTU {mtu}, {header} B: {measured}");
    }
    let step = Span::from_ns(u64::from(mtu + 38) * 8);
    for pair in world.desks[0].begun.windows(2) {
        assert_eq!(pair[1].since(pair[0]), step, "MTU {mtu}");
    }
}

#[rstest]
#[case(64, 1_488_095)]
#[case(1_518, 81_274)]
fn a_gigabit_carries_so_many_whole_frames_a_second(#[case] frame_bytes: u64, #[case] frames: u64) {
    let world = saturated(Parameters::new(gigabit(), Span::ZERO), data(frame_bytes), 20_001);
    let arrived = &world.desks[1].arrived;
    let took = arrived[20_000].0.since(arrived[0].0);
    assert_eq!(took, Span::from_ps(20_000 * period(frame_bytes) * 1_000));
    assert_eq!(20_000 * 1_000_000_000_000 / took.as_ps(), frames);
}

#[test]
fn data_below_46_bytes_is_padded() {
    let world = saturated(Parameters::new(gigabit(), Span::ZERO), 1, 3);
    assert_eq!(world.desks[0].begun[1], ps(84 * 8 * 1_000));
}

#[test]
fn the_wan_phy_gives_its_share_of_10_gigabit_and_every_frame_begins_where_it_should() {
    let wan = Phy::BASE_10G_W.pace;
    let world = saturated(Parameters::new(wan, Span::ZERO), 1_500, 20_000);
    for (number, begun) in world.desks[0].begun.iter().enumerate() {
        // Never a picosecond is gained or lost by rounding each frame.
        assert_eq!(*begun, ps(0) + wan.span(number as u64 * 1_538 * 8), "frame {number}");
    }
    let of_ten = fraction(&world, 1_460, Pace::of_bits_per_second(10_000_000_000));
    assert!((of_ten - 0.949_285 * 104.0 / 112.0).abs() < 1e-6, "{of_ten}");
}

#[test]
fn one_frame_takes_its_wire_time_and_the_delay_on_every_phy() {
    for phy in Phy::ALL {
        for frame_bytes in [64, 65, 1_518, 9_018] {
            let delay = Cable::CATEGORY_5.delay(100);
            let mut world = World::new(Parameters::new(phy.pace, delay));
            world.saturate(A, data(frame_bytes), ps(12_345));
            world.run_until(ps(12_345) + phy.pace.span(frame_bytes * 8 + 64) + delay);
            // To the picosecond: it has just come in, and it had not one picosecond before.
            let when = ps(12_345) + phy.pace.span(frame_bytes * 8 + 64) + delay;
            assert_eq!(world.desks[1].arrived, [(when, 0)], "{phy}, {frame_bytes} B");
        }
    }
}

#[test]
fn a_frame_costs_two_events() {
    let world = saturated(Parameters::new(gigabit(), Span::from_us(3)), 1_500, 1_000);
    let (taken, events) = (world.desks[0].taken, world.kernel.happened());
    assert!(events <= 2 * taken + 1, "{events} events for {taken} frames");
}

#[test]
fn many_frames_travel_at_once_on_a_long_link_and_arrive_in_order() {
    // 5 ms are 7440 frames of 64 bytes.
    let world = saturated(Parameters::new(gigabit(), Span::from_ms(5)), 46, 20_000);
    assert!(world.link.held() > 7_400, "{}", world.link.held());
    for (place, (_, number)) in world.desks[1].arrived.iter().enumerate() {
        assert_eq!(place as u64, *number);
    }
    let [sent, received] = [world.link.counters(A).sent, world.link.counters(B).received];
    assert_eq!((sent, received), (received + world.link.held(), 20_000));
}

#[test]
fn the_two_directions_do_not_disturb_each_other() {
    let alone = saturated(Parameters::new(gigabit(), Span::from_us(1)), 1_500, 1_000);
    let mut both = World::new(Parameters::new(gigabit(), Span::from_us(1)));
    both.saturate(A, 1_500, ps(0));
    both.saturate(B, 46, ps(777));
    both.run_until(alone.kernel.now());
    assert_eq!(both.desks[0].begun, alone.desks[0].begun);
    assert_eq!(both.desks[1].arrived, alone.desks[1].arrived);
}
