//! What an FDDI ring does, against closed forms and against a model that walks the token from
//! station to station.

mod saturated;
mod walk;

use std::collections::VecDeque;

use linerate_core::units::{Span, Time};
use linerate_sim::fabric::{Client, Fabric, Loss, Seen};
use linerate_sim::fddi::parameters::{
    BYTE_PS, Error, OVERHEAD_BYTES, Parameters, StationParameters, TOKEN_BYTES, check_packet, frame_time,
    largest_data_bytes, line_time, longest_frame_time,
};
use linerate_sim::fddi::{self, Fddi};
use linerate_sim::frame::{Content, Destination, Frame, Port, Station};
use linerate_sim::kernel::{Class, Includes, Kernel};

/// Stations that send what is in their queues, or the same frame for ever.
struct Stations {
    queues: Vec<VecDeque<Frame>>,
    saturated: Vec<Option<Frame>>,
    taken: u64,
    sent: Vec<(Time, Port, Frame)>,
    delivered: Vec<(Time, Port, Frame)>,
    lost: Vec<Loss>,
}

impl Stations {
    fn new(count: usize) -> Self {
        Self {
            queues: vec![VecDeque::new(); count],
            saturated: vec![None; count],
            taken: 0,
            sent: Vec::new(),
            delivered: Vec::new(),
            lost: Vec::new(),
        }
    }
}

/// What happens: in the ring, or the offer of this number is due.
#[derive(Clone, Copy, Debug)]
enum Event {
    Fddi(fddi::Event),
    Offer(u32),
}

impl Includes<fddi::Event> for Event {
    fn of(event: fddi::Event) -> Self {
        Self::Fddi(event)
    }
}

impl<E> Client<E> for Stations {
    fn next(&mut self, port: Port, _: &mut Kernel<E>) -> Option<Frame> {
        let frame = self.saturated[port.index()].or_else(|| self.queues[port.index()].pop_front());
        self.taken += u64::from(frame.is_some());
        frame
    }

    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<E>) {
        self.delivered.push((kernel.now(), port, frame));
    }

    fn lost(&mut self, _: Port, _: Frame, loss: Loss, _: &mut Kernel<E>) {
        self.lost.push(loss);
    }

    fn observe(&mut self, port: Port, frame: &Frame, seen: Seen, kernel: &mut Kernel<E>) {
        if seen == Seen::Sent {
            self.sent.push((kernel.now(), port, *frame));
        }
    }
}

fn frame(source: usize, destination: Destination, data_bytes: u32) -> Frame {
    let source = Station(source as u32);
    Frame { source, destination, data_bytes, content: Content::Load(0), offered: Time::ZERO }
}

fn to(station: u32) -> Destination {
    Destination::Station(Station(station))
}

/// Lets things happen until `enough`, or until nothing is left to happen.
fn run(
    ring: &mut Fddi,
    kernel: &mut Kernel<Event>,
    stations: &mut Stations,
    mut enough: impl FnMut(&Stations, Time) -> bool,
) {
    while !enough(stations, kernel.now()) {
        match kernel.advance() {
            Some(Event::Fddi(event)) => ring.handle(event, kernel, stations),
            Some(Event::Offer(_)) => {}
            None => break,
        }
    }
}

/// A ring of `count` stations with this much latency each and no fibre.
fn ring_of(count: usize, latency: Span, ttrt: Span) -> Parameters {
    let station = StationParameters { latency, fibre_metres: 0, synchronous: Span::ZERO };
    Parameters { ttrt, stations: vec![station; count] }
}

#[test]
fn a_frame_on_an_idle_ring_waits_for_the_token_and_comes_when_its_last_bit_passes() {
    let mut parameters = ring_of(5, Span::from_us(1), Span::from_ms(8));
    parameters.stations[2].fibre_metres = 2_000;
    let ring_latency = 5_000_000 + 2_000 * 5_085;
    assert_eq!(parameters.ring_latency(), Span::from_ps(ring_latency));
    let (mut ring, mut kernel) = (Fddi::new(&parameters).expect("a ring"), Kernel::new());
    let mut stations = Stations::new(5);
    assert_eq!(kernel.pending(), 0, "an idle ring has no events");

    // Hours later: the token came to station 1 one microsecond after each time it left station 0.
    let offered = Time::from_ps(3_600_000_000_000_000);
    let past = (offered.as_ps() - 1_000_000) % ring_latency;
    kernel.at(offered, Class::Offer, Event::Offer(0));
    kernel.advance();
    stations.queues[1].push_back(frame(1, to(4), 1_000));
    ring.wake(Port(1), &mut kernel, &mut stations);
    run(&mut ring, &mut kernel, &mut stations, |_, _| false);

    let start = offered.as_ps() + (ring_latency - past) % ring_latency;
    let left = start + 1_036 * BYTE_PS;
    assert_eq!(stations.sent[0].0, Time::from_ps(left));
    let distance = 3_000_000 + 2_000 * 5_085;
    assert_eq!(stations.delivered[0].0, Time::from_ps(left + distance));
    assert_eq!((stations.delivered[0].1, ring.held(), kernel.pending()), (Port(4), 0, 0));
    assert_eq!((ring.counters(Port(1)).sent, ring.counters(Port(4)).received), (1, 1));
}

#[test]
fn a_broadcast_passes_every_station_but_its_sender() {
    let parameters = ring_of(4, Span::from_us(1), Span::from_ms(8));
    let (mut ring, mut kernel) = (Fddi::new(&parameters).expect("a ring"), Kernel::new());
    let mut stations = Stations::new(4);
    stations.queues[2].push_back(frame(2, Destination::Everyone, 100));
    ring.wake(Port(2), &mut kernel, &mut stations);
    run(&mut ring, &mut kernel, &mut stations, |stations, _| stations.delivered.len() == 2);
    assert_eq!(ring.held(), 1, "until the last is served");
    run(&mut ring, &mut kernel, &mut stations, |_, _| false);
    let left = 2_000_000 + 136 * BYTE_PS;
    let passed: Vec<_> = stations.delivered.iter().map(|(at, port, _)| (at.as_ps() - left, port.0)).collect();
    assert_eq!(passed, [(1_000_000, 3), (2_000_000, 0), (3_000_000, 1)]);
    assert_eq!(ring.held(), 0);
}

#[test]
fn a_frame_for_nobody_and_a_packet_above_the_mtu_are_lost() {
    let (mut ring, mut kernel) = (Fddi::new(&Parameters::of(3)).expect("a ring"), Kernel::new());
    let mut stations = Stations::new(3);
    stations.queues[0].extend([frame(0, to(7), 1), frame(0, to(1), 4_353), frame(0, to(0), 1)]);
    stations.queues[0].push_back(frame(0, Destination::Link, 4_352));
    ring.wake(Port(0), &mut kernel, &mut stations);
    run(&mut ring, &mut kernel, &mut stations, |_, _| false);
    assert_eq!(stations.lost, [Loss::Error; 3]);
    assert_eq!((stations.delivered.len(), stations.delivered[0].1, ring.held()), (1, Port(1), 0));
}

#[test]
fn a_ring_that_cannot_be_is_refused_by_the_value_that_is_wrong() {
    let error = |change: fn(&mut Parameters)| {
        let mut parameters = Parameters::of(10);
        change(&mut parameters);
        Fddi::new(&parameters).expect_err("outside the range").to_string()
    };
    let text = error(|ring| ring.ttrt = Span::from_us(3_999));
    assert_eq!(text, "run an FDDI ring with a TTRT of 3.999 ms: it must be 4 ms to 165 ms");
    assert!(error(|ring| ring.ttrt = Span::from_ms(166)).contains("TTRT of 166 ms"));
    assert!(error(|ring| ring.stations.clear()).contains("of 0 stations: there must be 2 to 500"));
    assert!(error(|ring| *ring = Parameters::of(501)).contains("of 501 stations"));
    assert!(error(|ring| ring.stations[3].latency = Span::ZERO).contains("station 3 has a latency of 0 ps"));
    assert!(error(|ring| ring.stations[0].fibre_metres = 1_600_000).contains("TTRT of 8 ms: ring latency"));
    assert_eq!(check_packet(largest_data_bytes()), Ok(()));
    let text = check_packet(largest_data_bytes() + 1).expect_err("too large").to_string();
    assert_eq!(text, "carry a packet of 4353 bytes over FDDI: the MTU is 4352 bytes");
    assert_eq!(longest_frame_time(), Span::from_ns(360_480));
    assert!(matches!(Parameters::of(2).check(), Ok::<(), Error>(())));
}

#[test]
fn the_token_is_as_long_as_the_standard_says() {
    assert_eq!(line_time(TOKEN_BYTES), Span::from_ns(880));
}
