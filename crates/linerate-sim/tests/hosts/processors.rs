//! Who gets a processor, and when work is done.

use linerate_core::units::{Span, Time};
use linerate_sim::machine::{Job, Profile, Usage};
use proptest::prelude::*;

use super::bench::{Bench, call, free, segment, us};

const TEN: Span = Span::from_us(10);

fn with_processors(count: u32) -> Profile {
    let mut profile = free();
    profile.processor.count = count;
    profile
}

/// A call runs until 10 us; in the meantime a call, protocol and an interrupt come, in that order.
#[test]
fn interrupts_go_before_protocol_and_that_before_calls() {
    let mut profile = with_processors(1);
    profile.costs.interrupt = TEN;
    let mut bench = Bench::new(&profile);
    bench.work(us(0), call(0), TEN);
    bench.work(us(1), call(1), TEN);
    bench.work(us(2), segment(2), TEN);
    bench.receive(us(3), 9, 1500);
    bench.run();
    let expected = [(us(10), call(0)), (us(20), Job::Interrupt), (us(30), segment(2)), (us(40), call(1))];
    assert_eq!(bench.done, expected);
    // Its protocol waited behind the segment, which was first, and cost nothing.
    assert_eq!(bench.received, [(us(30), 9)]);
}

#[test]
fn what_has_begun_is_finished() {
    let mut profile = with_processors(1);
    profile.costs.interrupt = Span::from_us(7);
    let mut bench = Bench::new(&profile);
    bench.work(us(0), call(0), Span::from_us(100));
    bench.receive(us(1), 0, 1500);
    bench.run();
    assert_eq!(bench.interrupts(), [us(107)]);
}

#[test]
fn two_processors_take_calls_in_parallel() {
    let ends = |count| {
        let mut bench = Bench::new(&with_processors(count));
        for number in 0..3 {
            bench.work(us(0), call(number), TEN);
        }
        bench.run();
        bench.done.iter().map(|(at, _)| *at).collect::<Vec<_>>()
    };
    assert_eq!(ends(1), [us(10), us(20), us(30)]);
    assert_eq!(ends(2), [us(10), us(10), us(20)]);
    assert_eq!(ends(3), [us(10); 3]);
}

#[test]
fn protocol_and_interrupts_stay_on_the_first_processor() {
    let mut profile = with_processors(4);
    profile.costs.interrupt = TEN;
    let mut bench = Bench::new(&profile);
    for number in 0..2 {
        bench.work(us(0), segment(number), TEN);
    }
    bench.receive(us(1), 0, 1500);
    bench.run();
    assert_eq!(bench.interrupts(), [us(20)], "it waits for the segment that has begun");
    let segments: Vec<Time> = (0..2)
        .flat_map(|number| bench.done.iter().filter(move |(_, job)| *job == segment(number)))
        .map(|(at, _)| *at)
        .collect();
    assert_eq!(segments, [us(10), us(30)]);
}

#[test]
fn a_call_leaves_the_first_processor_to_the_protocol() {
    let mut bench = Bench::new(&with_processors(2));
    bench.work(us(0), call(0), TEN);
    bench.work(us(0), segment(1), TEN);
    bench.run();
    assert!(bench.done.iter().all(|(at, _)| *at == us(10)), "{:?}", bench.done);
}

#[test]
fn usage_is_what_the_work_took_by_level() {
    let mut profile = with_processors(2);
    profile.costs.interrupt = Span::from_us(7);
    let mut bench = Bench::new(&profile);
    bench.protocol = Span::from_us(9);
    bench.work(us(0), call(0), TEN);
    bench.work(us(1), segment(0), TEN);
    bench.receive(us(50), 0, 1500);
    bench.run();
    let expected =
        Usage { interrupt: Span::from_us(7), protocol: Span::from_us(10 + 9), process: Span::from_us(10) };
    assert_eq!(bench.machine.usage(), expected);
}

/// A piece of work of each level, known by a number; an interrupt has none.
const WORK: [fn(u32) -> Job; 3] = [|_| Job::Interrupt, segment, call];

/// When each piece of work ends on one processor: the first of the most urgent that waits, each
/// time that it is idle.
fn naively(work: &[(u64, usize, u64)]) -> Vec<u64> {
    let mut ends = vec![None; work.len()];
    let mut now = 0;
    while let Some(next) =
        (0..work.len()).filter(|index| ends[*index].is_none()).min_by_key(|index| work[*index].0)
    {
        let idle = work[next].0 >= now;
        // What comes in the instant in which another piece ends waits for the next turn.
        let waits = |index: &usize| ends[*index].is_none() && work[*index].0 < now;
        let chosen = if idle {
            next
        } else {
            (0..work.len())
                .filter(waits)
                .min_by_key(|index| (work[*index].1, work[*index].0, *index))
                .unwrap_or(next)
        };
        now = now.max(work[chosen].0) + work[chosen].2;
        ends[chosen] = Some(now);
    }
    ends.into_iter().flatten().collect()
}

proptest! {
    #[test]
    fn one_processor_does_what_the_naive_form_does(
        work in prop::collection::vec((0..100_u64, 0..3_usize, 1..20_u64), 1..40),
    ) {
        let mut bench = Bench::new(&with_processors(1));
        for (number, (at, level, cost)) in (0..).zip(&work) {
            bench.work(us(*at), WORK[*level](number), Span::from_us(*cost));
        }
        bench.run();
        // Interrupts are told apart by their order, in which they come and are done.
        let mut interrupts: Vec<usize> = (0..work.len()).filter(|index| work[*index].1 == 0).collect();
        interrupts.sort_by_key(|index| work[*index].0);
        let mut interrupts = interrupts.into_iter();
        let mut ends = vec![0; work.len()];
        for (at, job) in &bench.done {
            let index = match job {
                Job::Send(end) | Job::Transmit(end) => end.flow as usize,
                _ => interrupts.next().expect("no more than came"),
            };
            ends[index] = at.as_ps() / 1_000_000;
        }
        prop_assert_eq!(ends, naively(&work));
    }
}
