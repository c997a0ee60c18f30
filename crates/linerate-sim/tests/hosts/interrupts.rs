//! When interrupts come, and how many.

use linerate_core::units::{Span, Time};
use linerate_sim::machine::Profile;
use proptest::prelude::*;
use rstest::rstest;

use super::bench::{Bench, call, free, on_round_bus, round_bus, us};

fn coalescing(time: Span, frames: u32) -> Profile {
    let mut profile = free();
    (profile.adaptor.coalesce_time, profile.adaptor.coalesce_frames) = (time, frames);
    profile
}

/// When interrupts came, for frames that come so far apart.
fn interrupts(profile: &Profile, frames: u64, apart: Span) -> Vec<Time> {
    let mut bench = Bench::new(profile);
    for number in 0..frames {
        bench.receive(us(1) + apart * number, number, 1500);
    }
    bench.run();
    assert_eq!(bench.received.len() as u64, frames, "none is lost");
    assert_eq!(bench.machine.adaptor().interrupts, bench.interrupts().len() as u64);
    bench.interrupts()
}

/// It counts from memory: bus and latency come before.
#[rstest]
#[case::timer(100, 2, 100)]
#[case::no_timer(0, 2, 0)]
#[case::count_of_one(100, 1, 0)]
fn a_lone_frame_waits_for_the_timer_and_no_longer(
    #[case] time_us: u64,
    #[case] frames: u32,
    #[case] waits_us: u64,
) {
    let mut profile = coalescing(Span::from_us(time_us), frames);
    profile.bus = round_bus();
    profile.adaptor.latency = Span::from_us(5);
    profile.costs.interrupt = Span::from_us(7);
    let expected = us(1) + on_round_bus(1500) + Span::from_us(5 + waits_us + 7);
    assert_eq!(interrupts(&profile, 1, Span::ZERO), [expected]);
}

#[test]
fn the_count_brings_the_interrupt_forward() {
    let profile = coalescing(Span::from_us(100), 4);
    // Frames at 1, 11, 21 and 31 us: the fourth.
    assert_eq!(interrupts(&profile, 4, Span::from_us(10)), [us(31)]);
    // Three only: 100 us after the first, not after the last.
    assert_eq!(interrupts(&profile, 3, Span::from_us(10)), [us(101)]);
}

/// The fifth frame begins a wait of its own: the timer of the first four is gone.
#[test]
fn a_count_that_is_reached_takes_its_timer_back() {
    let profile = coalescing(Span::from_us(100), 4);
    assert_eq!(interrupts(&profile, 5, Span::from_us(10)), [us(31), us(141)]);
}

/// Frames at 1, 11, 21 us and so on: a pause of 25 us, 105 us after the first, or the count, whichever is earliest.
#[rstest]
#[case::alone(1, 10, 100, &[26])]
#[case::after_the_last(3, 10, 100, &[46])]
#[case::apart(2, 30, 100, &[26, 56])]
#[case::no_pause(12, 10, 100, &[106, 136])]
#[case::count(3, 10, 2, &[11, 46])]
fn a_pause_brings_the_interrupt_forward(
    #[case] frames: u64,
    #[case] apart_us: u64,
    #[case] count: u32,
    #[case] expected_us: &[u64],
) {
    let mut profile = coalescing(Span::from_us(105), count);
    profile.adaptor.coalesce_gap = Span::from_us(25);
    let expected: Vec<Time> = expected_us.iter().copied().map(us).collect();
    assert_eq!(interrupts(&profile, frames, Span::from_us(apart_us)), expected);
}

/// A call holds the handler up until 50 us; what comes before it looks is its.
#[test]
fn no_second_interrupt_comes_before_the_handler_has_looked() {
    let mut bench = Bench::new(&free());
    bench.work(us(0), call(0), Span::from_us(50));
    for number in 0..20 {
        bench.receive(us(1 + number), number, 1500);
    }
    bench.receive(us(60), 20, 1500);
    bench.run();
    assert_eq!(bench.interrupts(), [us(50), us(60)]);
}

/// Frames 10 us apart, each 15 us of protocol: the queue is never empty from the first to the last.
/// Without polling a handler of 1 us runs before each piece of protocol as long as frames come: they
/// have looked at 1, 17, 33.. us, and the last, for the frame at 290 us, at 1 + 19 x 16 us.
#[rstest]
#[case::polling(true, 1)]
#[case::interrupts(false, 20)]
fn a_driver_that_polls_takes_one_interrupt_while_the_protocol_has_work(
    #[case] polling: bool,
    #[case] interrupts: u64,
) {
    let mut profile = free();
    profile.adaptor.polling = polling;
    profile.costs.interrupt = Span::from_us(1);
    let mut bench = Bench::new(&profile);
    bench.protocol = Span::from_us(15);
    for number in 0..30 {
        bench.receive(us(10 * number), number, 1500);
    }
    bench.run();
    let looked: Vec<Time> = (0..interrupts).map(|number| us(1 + 16 * number)).collect();
    assert_eq!(bench.interrupts(), looked);
    // All the work, and 1 us of it for each interrupt: nothing idles in between.
    let last = bench.received.last().map(|(at, _)| *at);
    assert_eq!(last, Some(us(30 * 15 + interrupts)));
}

/// After the work is done an interrupt is needed again.
#[test]
fn a_driver_that_polls_stops_when_the_protocol_is_idle() {
    let mut profile = free();
    profile.adaptor.polling = true;
    let mut bench = Bench::new(&profile);
    bench.protocol = Span::from_us(15);
    for (number, at) in [(0, 0), (1, 10), (2, 40)] {
        bench.receive(us(at), number, 1500);
    }
    bench.run();
    assert_eq!(bench.interrupts(), [us(0), us(40)]);
    assert_eq!(bench.received, [(us(15), 0), (us(30), 1), (us(55), 2)]);
}

proptest! {
    /// Frames `apart`, a handler that takes no time: an interrupt takes those that come within the
    /// timer, or as many as the count.
    #[test]
    fn an_interrupt_takes_what_comes_within_timer_and_count(
        frames in 1..200_u64, apart in 1..50_u64, time in 1..400_u64, count in 1..20_u32,
    ) {
        // No frame comes just when the timer runs out.
        prop_assume!(time % apart != 0);
        let (apart, time) = (Span::from_us(apart), Span::from_us(time));
        let within = time.as_ps() / apart.as_ps() + 1;
        let batch = within.min(count.into());
        let expected: Vec<Time> = (0..frames.div_ceil(batch)).map(|number| {
            let first = us(1) + apart * (number * batch);
            let left = frames - number * batch;
            // The count is reached, if this many come in time.
            if u64::from(count) <= within.min(left) { first + apart * (u64::from(count) - 1) } else { first + time }
        }).collect();
        prop_assert_eq!(interrupts(&coalescing(time, count), frames, apart), expected);
    }
}
