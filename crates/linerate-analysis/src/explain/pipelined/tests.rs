//! Built situations of messages that overlap.

use super::super::tests::{LARGE, MESSAGES, Passed, SMALL, bands, point, run, tcp, us, verdict};
use super::super::{Bound, Cost, Which, explain_curve};
use super::*;
use linerate_core::pattern::Pattern;
use linerate_core::series::Series;

#[test]
fn messages_without_pause_are_bound_by_the_slowest_stage() {
    let run = run(Pattern::OneWay, Some(1_000), None);
    let of = |passed: Passed| verdict(&run, Pattern::OneWay, &SMALL, |_| passed).0;
    let sender = Passed { time: 1.0, cpu: [0.98, 0.5], turns: 0.0, ..Passed::default() };
    assert_eq!(of(sender), Some(Bound::Processor(Which::Sender, Cost::Message)));
    let receiver = Passed { cpu: [0.5, 0.97], ..sender };
    assert_eq!(of(receiver), Some(Bound::Processor(Which::Receiver, Cost::Message)));
    let window = TcpEffort { rwnd_limited: us(900.0), busy: Some(us(1_000.0)), ..tcp() };
    let held = Passed { cpu: [0.2; 2], tcp: window, ..sender };
    assert_eq!(of(held), Some(Bound::ReceiverWindow));
    let unread = TcpEffort { unread: 3 << 20, ..window };
    assert_eq!(of(Passed { tcp: unread, ..held }), Some(Bound::Reader));
    let buffer = TcpEffort { sndbuf_limited: us(900.0), busy: Some(us(1_000.0)), ..tcp() };
    assert_eq!(of(Passed { tcp: buffer, ..held }), Some(Bound::SendBuffer));
    let crowded = Passed { cpu: [0.5, 0.2], waited: 0.96, ..sender };
    assert_eq!(of(crowded), Some(Bound::Others));
    let queue = TcpEffort {
        rtt: Span::from_ms(25),
        min_rtt: Span::from_us(40),
        unacked: 800,
        busy: Some(us(1_000.0)),
        ..tcp()
    };
    assert_eq!(of(Passed { tcp: queue, ..held }), Some(Bound::PathRate));
    let lossy = TcpEffort {
        cwnd: 12,
        unacked: 12,
        retransmits: 30,
        rtt: Span::from_ms(21),
        min_rtt: Span::from_ms(20),
        busy: Some(us(1_000.0)),
        ..tcp()
    };
    assert_eq!(of(Passed { tcp: lossy, ..held }), Some(Bound::CongestionWindow));
    let full = |size: u64| Passed { time: size as f64 * 8.0 / 930.0, cpu: [0.0; 2], ..Passed::default() };
    let (found, _) = verdict(&run, Pattern::OneWay, &LARGE, full);
    assert_eq!(found, Some(Bound::Link));
}

/// Behind a shaper what was sent is under way for longer than a path takes whose hosts are not late, however short that is; between
/// fast hosts it is not, or waits for their threads.
#[test]
fn a_queue_shorter_than_a_millisecond_is_told_from_hosts_that_are_late() {
    let run = run(Pattern::OneWay, None, None);
    for seed in 0..200_u64 {
        // A message of 64 KiB at 0.3 to 10 Gb/s, and 0.05 to 0.9 ms of queue.
        let mut place = seed;
        let mut share = || {
            place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (place >> 40) as f64 / f64::from(1_u32 << 24)
        };
        let time = 65_536.0 * 8.0 / (300.0 * 33_f64.powf(share()));
        let queue_us = 50.0 + 850.0 * share();
        let segments = (queue_us / time * 65_536.0 / 1_448.0) as u64 + 1;
        let tcp = TcpEffort {
            rtt: us(queue_us + 8.0),
            min_rtt: Span::from_us(8),
            unacked: segments,
            cwnd: segments * 3,
            busy: None,
            ..tcp()
        };
        let sends = 0.2 + 0.3 * share();
        // Each turn waits for so much of the queue.
        let passed = |waits: f64, tcp: TcpEffort| Passed {
            time,
            cpu: [time * sends, time * 0.4],
            waited: time * 0.2,
            turns: time * 0.1 / (queue_us * waits),
            tcp,
        };
        // Turns are counted in thousands of messages.
        if time * 0.1 / queue_us < 0.01 {
            continue;
        }
        let of = |passed: Passed| verdict(&run, Pattern::OneWay, &[1 << 16], |_| passed).0;
        assert_eq!(of(passed(0.1, tcp)), Some(Bound::PathRate), "seed {seed}");
        assert_ne!(of(passed(0.9, tcp)), Some(Bound::PathRate), "seed {seed}: hosts may take it");
        let gone = TcpEffort { unacked: segments / 3, ..tcp };
        assert_ne!(of(passed(0.1, gone)), Some(Bound::PathRate), "seed {seed}: it does not stand");
        let window = TcpEffort { cwnd: segments, ..tcp };
        assert_ne!(of(passed(0.1, window)), Some(Bound::PathRate), "seed {seed}: its window is full");
    }
}

/// Two ends on one host that work for 90 % of one processor's time together share it if one of them never idles.
#[test]
fn ends_that_idle_share_no_processor() {
    let mut run = run(Pattern::OneWay, None, None);
    run.nodes[1].environment.boot_id = run.nodes[0].environment.boot_id.clone();
    let shared = |waited: f64| {
        let passed = Passed { time: 10.0, cpu: [4.5; 2], waited, turns: 0.5, tcp: tcp() };
        let bands = bands(&run, Pattern::OneWay, &[1 << 16], |_| passed);
        let is = |it: &Candidate| matches!(it.bound, Bound::Processor(Which::Shared, _));
        bands[0].candidates.iter().any(is)
    };
    assert!(shared(11.0), "each waits for the other's turn: 5.5 of 10 us");
    assert!(!shared(5.0), "each waits for 2.5 of 10 us, and idles for 3");
    // A sender that has filled its buffer is done long before the receiver has it all, and had a processor of its own.
    let mut early = point(1 << 16, Passed { time: 10.0, cpu: [4.5; 2], waited: 5.0, turns: 0.5, tcp: tcp() });
    early.effort.iter_mut().for_each(|ends| ends[0].span = ends[0].cpu + us(2.5) * MESSAGES);
    let mut series = Series::new(Pattern::OneWay, &[]);
    series.points = vec![early];
    let curve = explain_curve(&run, &series).expect("it was timed");
    let is = |it: &Candidate| matches!(it.bound, Bound::Processor(Which::Shared, _));
    assert!(!curve.bands[0].candidates.iter().any(is), "the receiver idles");
}
