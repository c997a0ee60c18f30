//! Rings of descriptors that are too small, and messages that are too large, with TCP above.

use linerate_core::pattern::Pattern;
use linerate_core::units::Size;
use linerate_sim::stack::Side;
use rstest::rstest;

use super::lab::{Lab, host, mbps, paper};

#[test]
fn one_transmit_descriptor_is_enough_to_go_on() {
    let rate = |ring| {
        let mut plan = paper("gnic-ii");
        host(&mut plan).adaptor.transmit_ring = ring;
        let mut lab = Lab::new(&plan);
        let times = lab.verified(Pattern::PingPong, 1 << 18, 2);
        assert_eq!(lab.connection(Side::First, |end| end.counters().retransmitted), 0);
        mbps(1 << 18, times[1])
    };
    let [one, usual] = [1, 32].map(rate);
    println!("{one:.1} Mb/s with one descriptor, {usual:.1} with 32");
    assert!(one < usual && one > usual / 2.0);
}

/// A window is 22 segments. What finds no descriptor is lost and comes again.
#[rstest]
fn a_receive_ring_smaller_than_a_window_loses_frames_and_tcp_recovers(#[values(1, 2, 4)] ring: u32) {
    let mut plan = paper("gnic-ii");
    host(&mut plan).adaptor.receive_ring = ring;
    let mut lab = Lab::new(&plan);
    lab.verified(Pattern::PingPong, 1 << 18, 3);
    let lost: u64 = [0, 1].map(|station| lab.adaptor(station).ring_overflows).iter().sum();
    let again: u64 = [Side::First, Side::Second]
        .map(|side| lab.connection(side, |end| end.counters().retransmitted))
        .iter()
        .sum();
    println!("ring of {ring}: {lost} frames lost, {again} segments sent again");
    assert!(lost > 0 && again > 0);
}

#[test]
fn a_receive_ring_of_a_window_loses_nothing() {
    let mut plan = paper("gnic-ii");
    host(&mut plan).adaptor.receive_ring = 22;
    let mut lab = Lab::new(&plan);
    lab.verified(Pattern::PingPong, 1 << 18, 3);
    assert_eq!([0, 1].map(|station| lab.adaptor(station).ring_overflows), [0; 2]);
}

/// F067: on a host with 64 MB throughput falls beyond 64 MB. The cliff moves with the memory, here 1 MiB.
#[test]
fn a_message_larger_than_memory_falls_off_a_cliff() {
    const MEMORY: u64 = 1 << 20;
    let at = |memory: u64, message: u64| {
        let mut plan = paper("gnic-ii");
        host(&mut plan).memory.size = Size(memory);
        Lab::new(&plan).times(Pattern::PingPong, message, 1)[0]
    };
    let (within, beyond) = (at(MEMORY, MEMORY), at(MEMORY, 2 * MEMORY));
    assert_eq!(within, at(2 * MEMORY, MEMORY), "what fits costs nothing more");
    assert!(mbps(2 * MEMORY, beyond) < mbps(MEMORY, within) / 2.0, "{beyond} after {within}");
    let memory = host(&mut paper("gnic-ii")).memory.clone();
    // What does not fit pages on both hosts, at once for the most part.
    let copies = memory.copy_out_ns * 1e-9 * (2 * MEMORY) as f64;
    let paging = memory.paging_ns * 1e-9 * MEMORY as f64;
    println!("{beyond}, of which one host's copies {copies:.4} s and its paging {paging:.4} s");
    assert!((copies + paging..=2.0 * (copies + paging)).contains(&beyond.as_seconds()));
}
