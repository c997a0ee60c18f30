//! Rings of descriptors: what they hold, and what is lost beyond.

use linerate_core::units::{Size, Span};
use linerate_sim::frame::{Frame, Station};
use linerate_sim::kernel::Kernel;
use linerate_sim::machine::{self, Machine, Profile, Wire};
use rstest::rstest;

use super::bench::{Bench, call, frame, free, on_round_bus, round_bus, us};

fn with_rings(transmit: u32, receive: u32) -> Profile {
    let mut profile = free();
    (profile.adaptor.transmit_ring, profile.adaptor.receive_ring) = (transmit, receive);
    profile
}

/// A call that is not pre-empted keeps the driver from looking.
#[rstest]
fn a_full_receive_ring_loses_exactly_the_frames_beyond_it(
    #[values(1, 32, 64)] ring: u64,
    #[values(0, 1, 7)] beyond: u64,
) {
    let mut bench = Bench::new(&with_rings(1, ring as u32));
    bench.work(us(0), call(0), Span::from_us(1000));
    for number in 0..ring + beyond {
        bench.receive(us(1 + number), number, 1500);
    }
    // The driver has looked by then, and every descriptor is free again.
    for number in 1000..1000 + ring {
        bench.receive(us(1001), number, 1500);
    }
    bench.run();
    let lost: Vec<u64> = (ring..ring + beyond).collect();
    assert_eq!(bench.refused, lost);
    let kept: Vec<u64> = (0..ring).chain(1000..1000 + ring).collect();
    assert_eq!(bench.received.into_iter().map(|(_, number)| number).collect::<Vec<_>>(), kept);
    let counters = bench.machine.adaptor();
    assert_eq!((counters.received, counters.ring_overflows), (2 * ring, beyond));
}

/// A descriptor is taken when the frame begins to come in, not when it is in memory.
#[test]
fn a_frame_that_waits_for_the_bus_has_its_descriptor() {
    let mut profile = with_rings(1, 2);
    profile.bus = round_bus();
    let mut bench = Bench::new(&profile);
    for number in 0..3 {
        bench.receive(us(1), number, 1500);
    }
    bench.run();
    assert_eq!((bench.refused, bench.dropped), (vec![2], vec![]));
}

/// One frame every 10 us while the interrupt takes 95 us: frames 0 to 9 have come when its handler
/// looks, so ten descriptors are enough and nine lose one frame each time.
#[rstest]
#[case(10, vec![])]
#[case(9, vec![9])]
#[case(4, vec![4, 5, 6, 7, 8, 9])]
fn a_ring_must_hold_what_comes_until_the_driver_looks(#[case] ring: u32, #[case] lost: Vec<u64>) {
    let mut profile = with_rings(1, ring);
    profile.costs.interrupt = Span::from_us(95);
    let mut bench = Bench::new(&profile);
    for number in 0..10 {
        bench.receive(us(10 * number), number, 1500);
    }
    bench.run();
    assert_eq!(bench.refused, lost);
}

#[test]
fn what_finds_no_room_in_the_protocols_queue_is_lost() {
    let mut profile = with_rings(1, 64);
    profile.adaptor.backlog = 5;
    let mut bench = Bench::new(&profile);
    bench.protocol = Span::from_us(1);
    bench.work(us(0), call(0), Span::from_us(100));
    for number in 0..8 {
        bench.receive(us(1), number, 1500);
    }
    bench.run();
    assert_eq!((bench.refused, bench.dropped), (vec![], vec![5, 6, 7]));
    assert_eq!(bench.machine.adaptor().backlog_overflows, 3);
}

/// The next event, which is the machine's.
fn step(machine: &mut Machine, kernel: &mut Kernel<machine::Event>) -> Wire {
    let Some(event) = kernel.advance() else { panic!("only the machine has events") };
    machine.handle(event, kernel)
}

/// A descriptor is free when its frame is in the FIFO, whether or not the wire takes it: that the
/// wire takes a frame frees none.
#[test]
fn a_transmit_descriptor_is_free_when_its_frame_is_in_the_fifo() {
    let mut profile = with_rings(2, 1);
    profile.bus = round_bus();
    profile.adaptor.fifo = Size(1500);
    let (mut machine, mut kernel) = (Machine::new(Station(0), &profile, 1500), Kernel::new());
    machine.transmit(frame(0, 1500), &mut kernel);
    assert!(machine.has_room(Station(0)));
    machine.transmit(frame(1, 1500), &mut kernel);
    assert!(!machine.has_room(Station(0)), "two descriptors, two frames");
    assert_eq!(step(&mut machine, &mut kernel), Wire::Ready);
    assert!(machine.has_room(Station(0)), "the first is in the FIFO");
    machine.transmit(frame(2, 1500), &mut kernel);
    assert!(!machine.has_room(Station(0)), "the second waits for room in the FIFO, the third behind it");
    assert_eq!(machine.take(Station(0), &mut kernel), Some(frame(0, 1500)));
    assert!(!machine.has_room(Station(0)), "the second is on the bus now");
    assert_eq!(step(&mut machine, &mut kernel), Wire::Ready);
    assert!(machine.has_room(Station(0)));
}

/// Two links: each has its rings, and its frames take turns on the one bus.
#[test]
fn the_links_of_a_host_have_rings_of_their_own_and_one_bus() {
    let mut profile = with_rings(1, 1);
    profile.bus = round_bus();
    let mut machine = Machine::new(Station(3), &profile, 1500).with_links(2, 10);
    let mut kernel = Kernel::new();
    let at = |station: Station, number| Frame { source: station, ..frame(number, 1500) };
    let [first, second] = [Station(3), Station(13)];
    machine.transmit(at(first, 0), &mut kernel);
    assert!(!machine.has_room(first) && machine.has_room(second));
    machine.transmit(at(second, 1), &mut kernel);
    assert!(!machine.has_room(second));
    let mut ended = Vec::new();
    while let Some(event) = kernel.advance() {
        assert_eq!(machine.handle(event, &mut kernel), Wire::Ready);
        ended.push((event.station, kernel.now()));
    }
    let one = on_round_bus(1500);
    assert_eq!(ended, [(first, us(0) + one), (second, us(0) + one * 2)]);
    assert!(machine.take_starved(first) && machine.take_starved(second) && !machine.take_starved(first));
    assert_eq!(machine.take(second, &mut kernel), Some(at(second, 1)));
    assert_eq!(machine.take(second, &mut kernel), None);
    assert!(machine.receive(first, frame(2, 1500), &mut kernel));
    assert!(!machine.receive(first, frame(3, 1500), &mut kernel), "its ring has one descriptor");
    assert!(machine.receive(second, frame(4, 1500), &mut kernel));
    assert_eq!((machine.adaptor().sent, machine.adaptor().ring_overflows), (1, 1));
}
