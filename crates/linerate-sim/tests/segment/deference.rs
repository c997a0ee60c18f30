//! Deference in a whole domain: who begins when, to the bit.

use linerate_core::units::Time;
use linerate_sim::ethernet::segment::Delays;
use rstest::rstest;

use super::bench::{What, World, at, seats, ten_megabit, to};

#[test]
fn carrier_that_arrives_as_the_gap_ends_does_not_defer() {
    let mut world = World::of_stations(ten_megabit(), 2, 25, 1).keep_lines();
    world.saturate(0, &[1_518], to(1));
    world.offer(1, at(ten_megabit(), 200), 1_518, to(0));
    while world.counters(1).collisions == 0 {
        assert!(world.step());
    }
    // 0 began its second frame a gap after its first; 1 a gap after it heard the end.
    let end = 64 + 1_518 * 8;
    let collided = world.times(|what| what == What::Collided);
    assert_eq!(collided, [(0, end + 96 + 96), (1, end + 25 + 96 + 96)]);
}

#[rstest]
#[case::in_the_frame(1, 100, 576 + 25 + 96)]
#[case::in_part_1(1, 576 + 25 + 10, 576 + 25 + 96)]
#[case::in_part_2(1, 576 + 25 + 80, 576 + 25 + 96)]
#[case::as_the_gap_ends(1, 576 + 25 + 96, 576 + 25 + 96)]
#[case::after_the_gap(1, 576 + 25 + 97, 576 + 25 + 97)]
#[case::in_the_own_gap(0, 576 + 50, 576 + 96)]
#[case::after_the_own_gap(0, 576 + 500, 576 + 500)]
fn a_frame_waits_for_the_rest_of_the_gap(#[case] port: u32, #[case] offered: u64, #[case] start: u64) {
    let mut world = World::of_stations(ten_megabit(), 2, 25, 1).keep_lines();
    world.offer(0, Time::ZERO, 64, to(1));
    world.offer(port, at(ten_megabit(), offered), 64, to(1 - port));
    world.run();
    assert_eq!(world.times(|what| what == What::Sent), [(0, 576), (port, start + 576)]);
}

/// Station 1 hears 0 until 676: part 1 of its gap ends at 740 and the gap at 772. Station 2 sends
/// from 682 for 576 bits, which 1 hears `delay` later.
#[rstest]
#[case::restarted_in_part_1(57, 300, 682 + 576 + 57 + 96)]
#[case::too_late_for_part_1(58, 300, 772)]
#[case::ignored_in_part_2(60, 300, 772)]
#[case::a_frame_that_comes_in_part_2(60, 750, 772)]
#[case::as_the_gap_ends(60, 772, 772)]
#[case::one_that_comes_after_the_gap(60, 773, 682 + 576 + 60 + 96)]
fn carrier_restarts_part_1_and_is_ignored_in_part_2(
    #[case] delay: u64,
    #[case] offered: u64,
    #[case] start: u64,
) {
    let rows = [0, 100, 10, 100, 0, delay, 10, delay, 0];
    let delays = Delays::matrix(3, rows.map(|bits| ten_megabit().pace.span(bits)).to_vec());
    let mut world = World::new(ten_megabit(), delays, &seats(3), 1).keep_lines();
    world.offer(0, Time::ZERO, 64, to(1));
    world.offer(2, at(ten_megabit(), 300), 64, to(0));
    world.offer(1, at(ten_megabit(), offered), 64, to(0));
    while world.counters(1).collisions + world.counters(1).sent == 0 {
        assert!(world.step());
    }
    // Where it begins in spite of carrier it collides at once.
    let length = if start == 772 { 96 } else { 576 };
    let ends = world.times(|what| matches!(what, What::Sent | What::Collided));
    assert_eq!(ends.last(), Some(&(1, start + length)));
}
