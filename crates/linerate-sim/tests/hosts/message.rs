//! The way of a message of one segment from call to call, as docs/models/host.md sums it up, and what
//! bounds a receiver. The order of the work is written out here as TCP's owner does it.

use linerate_core::units::{Size, Span, Time};
use linerate_sim::ethernet::link::{Link, Parameters};
use linerate_sim::event::Event;
use linerate_sim::fabric::{Client, Fabric as _, Loss};
use linerate_sim::frame::{Frame, Port, Station};
use linerate_sim::kernel::Kernel;
use linerate_sim::machine::{Job, Machine, Profile, Times, Wire};
use linerate_sim::pace::Pace;
use linerate_sim::stations;
use rstest::rstest;

use super::bench::{Bench, call, frame, free, round_bus, segment, us};

/// The host in round numbers of docs/models/host.md.
fn round_host() -> Profile {
    let mut profile = free();
    profile.bus = round_bus();
    profile.costs.system_call = Span::from_us(3);
    profile.costs.transmit = Span::from_us(10);
    profile.costs.receive = Span::from_us(9);
    profile.costs.interrupt = Span::from_us(7);
    profile.costs.wake_up = Span::from_us(9);
    (profile.memory.copy_in_ns, profile.memory.copy_out_ns) = (5.0, 5.0);
    profile.memory.checksum_out_ns = 3.5;
    profile.memory.cache = Size(512 << 10);
    profile.memory.size = Size(64 << 20);
    profile.adaptor.latency = Span::from_us(5);
    profile.adaptor.checksum_receive = false;
    profile
}

/// Headers of IPv4 and TCP with timestamps (RFC 791, 9293, 7323). Unit: bytes.
const HEADERS: u32 = 52;

/// Two hosts at the ends of a cable; the second sleeps in a call of receive.
struct Pair {
    machines: [Machine; 2],
    payload: u32,
    returned: Option<Time>,
}

impl Client<Event> for Pair {
    fn next(&mut self, port: Port, kernel: &mut Kernel<Event>) -> Option<Frame> {
        self.machines[port.index()].take(Station(port.0), kernel)
    }

    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<Event>) {
        assert!(self.machines[port.index()].receive(Station(port.0), frame, kernel), "a descriptor is free");
    }

    fn lost(&mut self, _: Port, frame: Frame, loss: Loss, _: &mut Kernel<Event>) {
        panic!("{frame:?} was lost: {loss:?}");
    }
}

impl Pair {
    /// Work of a host is done: what follows from it.
    fn done(&mut self, job: Job, kernel: &mut Kernel<Event>) {
        let payload = u64::from(self.payload);
        let [first, second] = &mut self.machines;
        match job {
            Job::Send(end) if end.flow == 0 => {
                let copy = first.times().copy_in(payload, payload);
                first.submit(call(1), copy, kernel);
            }
            Job::Send(end) if end.flow == 1 => {
                let cost = first.times().transmit;
                first.submit(segment(0), cost, kernel);
            }
            Job::Transmit(_) => first.transmit(frame(0, self.payload + HEADERS), kernel),
            Job::Interrupt => {
                let bytes = self.payload;
                second.look(|times, _| times.receive_data(bytes), |_| panic!("there is room"));
                second.go_on(kernel);
            }
            Job::Send(end) if end.flow == 2 => {
                let copy = second.times().copy_out(payload, payload);
                second.submit(call(3), copy, kernel);
            }
            _ => self.returned = Some(kernel.now()),
        }
    }

    /// The second host's protocol has the segment: its sleeper wakes.
    fn wake(&mut self, kernel: &mut Kernel<Event>) {
        let cost = self.machines[1].times().wake_up;
        self.machines[1].submit(call(2), cost, kernel);
    }
}

/// From the call of send to the return of receive, over 10 m of fibre at 1 Gb/s.
fn one_way(profile: &Profile, payload: u32) -> Span {
    let machines = [0, 1].map(|station| Machine::new(Station(station), profile, 1500));
    let mut pair = Pair { machines, payload, returned: None };
    let mut kernel = Kernel::new();
    let pace = Pace::of_bits_per_second(1_000_000_000);
    let mut link = Link::new(0, Parameters::new(pace, Span::from_ns(50)));
    let cost = pair.machines[0].times().system_call;
    pair.machines[0].submit(call(0), cost, &mut kernel);
    while let Some(event) = kernel.advance() {
        match event {
            Event::Link(event) => link.handle(event, &mut kernel, &mut pair),
            Event::Station(stations::Event::Machine(event)) => {
                match pair.machines[event.station.index()].handle(event, &mut kernel) {
                    Wire::Quiet => {}
                    Wire::Ready => link.wake(Port(event.station.0), &mut kernel, &mut pair),
                    Wire::Received(_) => pair.wake(&mut kernel),
                    Wire::Done(job) => pair.done(job, &mut kernel),
                }
            }
            other => panic!("{other:?} is no event of two hosts and a link"),
        }
    }
    pair.returned.expect("the message arrives").since(Time::ZERO)
}

/// The two sums of the page, to the picosecond.
#[rstest]
#[case(1, 52_395_500)]
#[case(1448, 115_646_000)]
fn a_message_takes_the_sum_of_its_stages(#[case] payload: u32, #[case] sum_ps: u64) {
    assert_eq!(one_way(&round_host(), payload), Span::from_ps(sum_ps));
}

#[test]
fn coalescing_adds_its_timer_and_offload_takes_the_checksum_off() {
    let plain = one_way(&round_host(), 1448);
    let mut profile = round_host();
    (profile.adaptor.coalesce_time, profile.adaptor.coalesce_frames) = (Span::from_us(100), 2);
    assert_eq!(one_way(&profile, 1448), plain + Span::from_us(100));
    profile.adaptor.coalesce_frames = 1;
    assert_eq!(one_way(&profile, 1448), plain);
    profile.adaptor.checksum_receive = true;
    assert_eq!(one_way(&profile, 1448), plain - Span::from_ps(3_500 * 1448));
}

/// Every cost of a processor at 450 MHz is the same share of that at 350; bus, adaptor and wire stay.
#[test]
fn a_faster_clock_shortens_what_is_the_processors() {
    let mut profile = round_host();
    (profile.processor.clock_mhz, profile.processor.reference_mhz) = (350.0, 350.0);
    profile.processor.clock_share = 0.5;
    let slow = one_way(&profile, 1448);
    profile.processor.clock_mhz = 700.0;
    // 3 + 10 + 9 + 7 + 9 us, and 1448 B twice copied and once summed: a quarter less.
    let processor = Span::from_us(38) + Span::from_ps(13_500 * 1448);
    assert_eq!(slow - one_way(&profile, 1448), processor / 4);
}

/// Frames of 1448 B wait; the protocol takes one after the other, and nothing else happens. Gives
/// how long each takes.
fn receiver(profile: &Profile) -> Span {
    const FRAMES: u64 = 100;
    let mut bench = Bench::new(profile);
    bench.protocol = Times::of(profile, 1500).receive_data(1448);
    for number in 0..FRAMES {
        bench.receive(us(1), number, 1500);
    }
    bench.run();
    let ends: Vec<Time> = bench.received.iter().copied().map(|(at, _)| at).collect();
    ends[ends.len() - 1].since(ends[0]) / (FRAMES - 1)
}

/// 1/X' = 1/X - 8 k (reference notes, D2).
#[test]
fn a_receiver_bound_by_its_processor_gains_the_checksum_by_offload() {
    let mut profile = round_host();
    profile.bus = free().bus;
    let with = receiver(&profile);
    profile.adaptor.checksum_receive = true;
    assert_eq!((with, receiver(&profile)), (Span::from_ps(9_000_000 + 3_500 * 1448), Span::from_us(9)));
}

/// X(f2) / X(f1) = 1 / (1 - b + b f1 / f2) (reference notes, D2).
#[test]
fn a_receiver_bound_by_its_processor_gains_a_share_of_the_clock() {
    let mut profile = round_host();
    profile.bus = free().bus;
    (profile.processor.clock_mhz, profile.processor.reference_mhz) = (350.0, 350.0);
    profile.processor.clock_share = 0.345;
    let slow = receiver(&profile);
    profile.processor.clock_mhz = 450.0;
    let gain = slow.as_seconds() / receiver(&profile).as_seconds();
    let expected = 1.0 / (1.0 - 0.345 + 0.345 * 350.0 / 450.0);
    // Each cost is a whole number of picoseconds.
    assert!((gain - expected).abs() < 1e-6, "{gain} is not {expected}");
}
