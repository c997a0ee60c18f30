//! The exact link: closed form against patterns, to the picosecond.

use std::fmt::Write as _;

use linerate_core::bench::Bench;
use linerate_core::endpoint::Endpoint;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::schedule::{Bounds, Schedule};
use linerate_core::trial::Trial;
use linerate_core::units::{Size, Span};
use rstest::rstest;

use crate::support::conformance;
use crate::support::link::{End, Link};
use crate::support::virtual_bench::{VirtualBench, VirtualPair};

fn times(link: &Link, pattern: Pattern, size: u64, samples: u32, batch: u32) -> Vec<Span> {
    let trial = Trial { pattern, size, samples, batch, lead: 0, seed: 7, check: Check::Full };
    VirtualBench::new(link.clone(), 1).run(&trial).expect("an exact link carries all").times
}

fn sizes(to: u64) -> Vec<u64> {
    let bounds = Bounds { to: Some(Size(to)), ..Bounds::default() };
    Schedule::Netpipe.sizes(bounds).expect("NetPIPE's schedule")
}

#[test]
fn a_ping_pong_takes_latency_and_cost_one_way() {
    let link = Link::default();
    for size in sizes(4 << 20) {
        let expected = link.latency + link.per_byte * size;
        assert_eq!(times(&link, Pattern::PingPong, size, 3, 2), [expected; 3], "{size} B");
    }
}

#[test]
fn messages_one_way_come_at_the_rate_of_the_link() {
    let link = Link::default();
    for size in sizes(1 << 20) {
        assert_eq!(times(&link, Pattern::OneWay, size, 4, 3), [link.per_byte * size; 4], "{size} B");
    }
}

#[test]
fn an_exchange_takes_as_long_as_one_direction_alone() {
    let link = Link::default();
    for size in sizes(1 << 20) {
        let expected = link.latency + link.per_byte * size;
        assert_eq!(times(&link, Pattern::Exchange, size, 3, 2), [expected; 3], "{size} B");
    }
}

#[test]
fn messages_one_way_through_a_small_window_come_at_a_window_a_turn() {
    // 1000 B fill the window; the next byte leaves when they are taken, a latency after their last.
    let link = Link { window: 1000, ..Link::default() };
    let turn = link.per_byte * 1000 + link.latency;
    assert_eq!(times(&link, Pattern::OneWay, 1000, 4, 5), [turn; 4]);
}

#[test]
fn every_promise_of_an_endpoint_is_kept() {
    conformance::endpoints(|| VirtualPair::new(&Link::default()));
    conformance::endpoints(|| VirtualPair::new(&Link { window: 100, ..Link::default() }));
}

#[test]
fn every_promise_of_a_bench_is_kept() {
    conformance::bench(&mut VirtualBench::new(Link::default(), 1));
}

/// Both ends send first, `len` bytes.
fn send_then_receive(len: usize) -> (Option<()>, Option<()>) {
    let program = async |mut end: End| {
        end.send(&vec![1; len]).await.expect("open");
        end.recv(&mut vec![0; len]).await.expect("open");
        // The end is dropped only now, so that the other never sees it closed.
    };
    VirtualPair::new(&Link { window: 1000, ..Link::default() }).try_run(program, program)
}

#[test]
fn two_ends_that_both_send_first_deadlock_beyond_the_window_and_exchange_does_not() {
    assert_eq!(send_then_receive(1000), (Some(()), Some(())));
    assert_eq!(send_then_receive(1001), (None, None));
    let program = async |mut end: End| end.exchange(&[1; 5000], &mut [0; 5000]).await.is_ok();
    let pair = VirtualPair::new(&Link { window: 1000, ..Link::default() });
    assert_eq!(pair.try_run(program, program), (Some(true), Some(true)));
}

#[rstest]
#[case(Pattern::PingPong)]
#[case(Pattern::OneWay)]
#[case(Pattern::Exchange)]
fn one_way_times_of_three_links(#[case] pattern: Pattern) {
    let mut table =
        format!("{:>8} {:>14} {:>14} {:>14}\n", "bytes", "10 Mb/s us", "100 Mb/s us", "1000 Mb/s us");
    for size in sizes(65_536).into_iter().chain([1_048_576]) {
        write!(table, "{size:>8}").expect("a String takes all");
        for mbps in [10, 100, 1000] {
            let time = times(&Link::of_mbps(mbps), pattern, size, 1, 1)[0];
            write!(table, " {:>14.3}", time.as_us()).expect("a String takes all");
        }
        table.push('\n');
    }
    insta::assert_snapshot!(format!("one_way_times_{pattern}"), table);
}
