//! A frame's time through ring, bus and FIFO, and who waits for whom.

use linerate_core::units::{Size, Span, Time};
use linerate_sim::machine::{Bus, Profile};
use rstest::rstest;

use super::bench::{Bench, free, on_round_bus, round_bus, us};

const LATENCY: Span = Span::from_us(5);

fn on(bus: Bus) -> Profile {
    let mut profile = free();
    profile.bus = bus;
    profile.adaptor.latency = LATENCY;
    profile
}

/// 4 GB/s each way; 24 B around each 256 B.
fn lanes() -> Bus {
    Bus::Pcie { lane_mbps: 8000.0, lanes: 4, payload: Size(256), overhead: 24, setup: Span::from_ns(300) }
}

/// When each of some frames, handed over at once, was ready for the wire.
fn sent(profile: &Profile, sizes: &[u32]) -> Vec<Time> {
    let mut bench = Bench::new(profile);
    for (number, size) in (0..).zip(sizes) {
        bench.transmit(us(1), number, *size);
    }
    bench.run();
    bench.ready
}

/// When each of some frames, which came at once, had its interrupt.
fn received(profile: &Profile, sizes: &[u32]) -> Vec<Time> {
    let mut bench = Bench::new(profile);
    for (number, size) in (0..).zip(sizes) {
        bench.receive(us(1), number, *size);
    }
    bench.run();
    bench.received.into_iter().map(|(at, _)| at).collect()
}

#[rstest]
fn a_frame_takes_its_transfer_and_the_adaptors_latency_each_way(
    #[values(1, 53, 256, 257, 512, 1500, 9000)] bytes: u32,
) {
    let there = us(1) + on_round_bus(bytes.into()) + LATENCY;
    assert_eq!(sent(&on(round_bus()), &[bytes]), [there]);
    assert_eq!(received(&on(round_bus()), &[bytes]), [there]);
}

/// 0.25 ns a byte, headers included.
#[rstest]
#[case(1, 25)]
#[case(256, 280)]
#[case(257, 257 + 48)]
#[case(1500, 1500 + 6 * 24)]
#[case(9000, 9000 + 36 * 24)]
fn lanes_carry_a_header_with_each_packet(#[case] bytes: u32, #[case] carried: u64) {
    let there = us(1) + Span::from_ns(300) + Span::from_ps(250) * carried + LATENCY;
    assert_eq!(sent(&on(lanes()), &[bytes]), [there]);
    assert_eq!(received(&on(lanes()), &[bytes]), [there]);
}

/// The latency is no time of the bus: the next transfer does not wait for it.
#[test]
fn transfers_follow_each_other_and_latencies_overlap() {
    let sizes = [1500, 40, 9000];
    let mut expected = Vec::new();
    let mut end = us(1);
    for size in sizes {
        end = end + on_round_bus(size.into());
        expected.push(end + LATENCY);
    }
    assert_eq!(sent(&on(round_bus()), &sizes), expected);
    assert_eq!(received(&on(round_bus()), &sizes), expected);
}

/// A frame out and one in at the same instant: when each is through.
fn both_ways(bus: Bus) -> [Time; 2] {
    let mut bench = Bench::new(&on(bus));
    bench.transmit(us(1), 0, 1500);
    bench.receive(us(1), 1, 1000);
    bench.run();
    [bench.ready[0], bench.received[0].0]
}

#[test]
fn a_parallel_bus_serialises_both_directions() {
    let out = us(1) + on_round_bus(1500);
    assert_eq!(both_ways(round_bus()), [out + LATENCY, out + on_round_bus(1000) + LATENCY]);
}

#[test]
fn lanes_carry_both_directions_at_once() {
    let [out, into] = both_ways(lanes());
    assert_eq!([out], sent(&on(lanes()), &[1500])[..]);
    assert_eq!([into], received(&on(lanes()), &[1000])[..]);
}

#[test]
fn a_bus_is_busy_for_its_transfers_and_no_longer() {
    let mut bench = Bench::new(&on(round_bus()));
    bench.transmit(us(1), 0, 1500);
    bench.receive(us(1), 1, 1000);
    bench.transmit(us(500), 2, 64);
    bench.run();
    let spans = [1500, 1000, 64].map(on_round_bus);
    assert_eq!(bench.machine.bus_busy(), spans.into_iter().sum());
}

/// Two frames fit; the third's transfer begins when the wire takes the first.
#[test]
fn the_fifo_holds_back_what_has_no_room_in_it() {
    let mut profile = on(round_bus());
    profile.adaptor.fifo = Size(3000);
    let mut bench = Bench::new(&profile);
    bench.wire_is_free = false;
    for number in 0..3 {
        bench.transmit(us(1), number, 1500);
    }
    for at in [200, 300, 400] {
        bench.take(us(at));
    }
    bench.run();
    let transfer = on_round_bus(1500);
    let expected = [us(1) + transfer + LATENCY, us(1) + transfer * 2 + LATENCY, us(200) + transfer + LATENCY];
    assert_eq!(bench.ready, expected);
    assert_eq!(bench.taken, [(us(200), 0), (us(300), 1), (us(400), 2)]);
}

#[test]
fn one_frame_always_has_room_in_the_fifo() {
    let mut profile = on(round_bus());
    profile.adaptor.fifo = Size(100);
    let first = us(1) + on_round_bus(1500) + LATENCY;
    // The second begins only when the wire has taken the first.
    assert_eq!(sent(&profile, &[1500, 1500]), [first, first + on_round_bus(1500) + LATENCY]);
}

#[test]
fn memory_to_memory_takes_no_time() {
    let mut profile = free();
    profile.bus = Bus::Memory;
    assert_eq!(sent(&profile, &[1500, 9000]), [us(1); 2]);
    assert_eq!(received(&profile, &[1500, 9000]), [us(1); 2]);
}
