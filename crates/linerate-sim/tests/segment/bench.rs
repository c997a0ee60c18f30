//! Stations that always have a frame, or have frames at given times, and what became of them.

use std::collections::VecDeque;

use linerate_core::units::Time;
use linerate_sim::ethernet::parameters::{HEADER_AND_FCS_BYTES, frame_bytes};
use linerate_sim::ethernet::segment::{self, Delays, Parameters, Seat, Segment};
use linerate_sim::fabric::{Client, Fabric, Loss, MacCounters, Seen};
use linerate_sim::frame::{Content, Destination, Frame, Port, Station};
use linerate_sim::kernel::{Class, Includes, Kernel};

/// What was seen, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) at: Time,
    pub(crate) port: u32,
    pub(crate) what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The last bit of this port's frame left.
    Sent,
    /// A frame of this station was delivered to this port.
    Received(u32),
    Lost(Loss),
    /// The jam of this port's collision has ended; by the counters, when lines are kept.
    Collided,
}

/// The client: all stations of the domain.
#[derive(Debug, Default)]
pub(crate) struct Stations {
    sources: Vec<Source>,
    pub(crate) taken: u64,
    pub(crate) delivered: u64,
    /// Unit: bytes of MAC frames.
    pub(crate) delivered_bytes: u64,
    /// By source port.
    pub(crate) delivered_from: Vec<u64>,
    pub(crate) lost: u64,
    /// By cause, in the order of `Loss::ALL`.
    pub(crate) losses: [u64; 4],
    /// What became of each frame, by its number in the order of taking.
    pub(crate) fates: Vec<Fate>,
    /// Kept if it was asked for.
    pub(crate) lines: Option<Vec<Line>>,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fate {
    pub(crate) frame: Frame,
    pub(crate) delivered: u32,
    /// To the station that it was for.
    pub(crate) arrived: u32,
    pub(crate) lost: u32,
    /// Lost before anybody could hear it whole.
    pub(crate) given_up: u32,
}

#[derive(Debug, Default)]
struct Source {
    offered: VecDeque<Frame>,
    /// Lengths of MAC frames, over and over; none: only what was offered.
    saturated: Option<(Vec<u64>, Destination)>,
    sent: u64,
}

impl Stations {
    fn fate(&mut self, frame: Frame) -> &mut Fate {
        let Content::Load(number) = frame.content else { panic!("{frame:?} is no load") };
        &mut self.fates[number as usize]
    }

    fn note(&mut self, port: Port, what: What, now: Time) {
        if let Some(lines) = &mut self.lines {
            lines.push(Line { at: now, port: port.0, what });
        }
    }
}

/// What happens: in the collision domain, or a station has something to send.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Segment(segment::Event),
    Offer(u32),
}

impl Includes<segment::Event> for Event {
    fn of(event: segment::Event) -> Self {
        Self::Segment(event)
    }
}

impl<E> Client<E> for Stations {
    fn next(&mut self, port: Port, kernel: &mut Kernel<E>) -> Option<Frame> {
        let source = &mut self.sources[port.index()];
        let frame = if let Some((lengths, destination)) = &source.saturated {
            let length = lengths[source.sent as usize % lengths.len()];
            Some(frame(port.0, *destination, length))
        } else if source.offered.front().is_some_and(|frame| frame.offered <= kernel.now()) {
            source.offered.pop_front()
        } else {
            None
        };
        source.sent += u64::from(frame.is_some());
        let frame = Frame { content: Content::Load(self.taken), ..frame? };
        self.taken += 1;
        self.fates.push(Fate { frame, delivered: 0, arrived: 0, lost: 0, given_up: 0 });
        Some(frame)
    }

    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<E>) {
        self.delivered += 1;
        self.delivered_bytes += frame_bytes(frame.data_bytes);
        self.delivered_from[frame.source.index()] += 1;
        let fate = self.fate(frame);
        fate.delivered += 1;
        fate.arrived += u32::from(frame.destination == to(port.0));
        self.note(port, What::Received(frame.source.0), kernel.now());
    }

    fn lost(&mut self, port: Port, frame: Frame, loss: Loss, kernel: &mut Kernel<E>) {
        self.lost += 1;
        let fate = self.fate(frame);
        fate.lost += 1;
        fate.given_up += u32::from(loss != Loss::Error);
        self.losses[loss as usize] += 1;
        self.note(port, What::Lost(loss), kernel.now());
    }

    fn observe(&mut self, port: Port, _: &Frame, seen: Seen, kernel: &mut Kernel<E>) {
        if seen == Seen::Sent {
            self.note(port, What::Sent, kernel.now());
        }
    }
}

/// A frame of this many bytes from destination address to check sequence.
pub(crate) fn frame(source: u32, destination: Destination, length: u64) -> Frame {
    let data_bytes = (length - HEADER_AND_FCS_BYTES) as u32;
    Frame { source: Station(source), destination, data_bytes, content: Content::Load(0), offered: Time::ZERO }
}

pub(crate) fn to(station: u32) -> Destination {
    Destination::Station(Station(station))
}

/// A domain, its clock and its stations: station n sits at port n.
pub(crate) struct World {
    pub(crate) kernel: Kernel<Event>,
    pub(crate) segment: Segment,
    pub(crate) stations: Stations,
}

impl World {
    pub(crate) fn new(parameters: Parameters, delays: Delays, seats: &[Seat], seed: u64) -> Self {
        let mut stations = Stations { delivered_from: vec![0; seats.len()], ..Stations::default() };
        stations.sources.resize_with(seats.len(), Source::default);
        Self { kernel: Kernel::new(), segment: Segment::new(0, parameters, delays, seats, seed), stations }
    }

    /// Half-duplex stations, as far from each other as given.
    pub(crate) fn of_stations(parameters: Parameters, count: u32, delay_bits: u64, seed: u64) -> Self {
        let delays = Delays::equal(count as usize, parameters.pace.span(delay_bits));
        Self::new(parameters, delays, &seats(count), seed)
    }

    pub(crate) fn keep_lines(mut self) -> Self {
        self.stations.lines = Some(Vec::new());
        self
    }

    /// The port always has a frame, of these lengths over and over, from the start.
    pub(crate) fn saturate(&mut self, port: u32, lengths: &[u64], destination: Destination) {
        self.stations.sources[port as usize].saturated = Some((lengths.to_vec(), destination));
        self.kernel.at(Time::ZERO, Class::Offer, Event::Offer(port));
    }

    /// Every station is saturated, and sends to the next.
    pub(crate) fn saturate_all(&mut self, lengths: &[u64]) {
        let count = self.segment.ports() as u32;
        for port in 0..count {
            self.saturate(port, lengths, to((port + 1) % count));
        }
    }

    /// The port gets a frame; to be said in the order of time for each port.
    pub(crate) fn offer(&mut self, port: u32, at: Time, length: u64, destination: Destination) {
        let frame = Frame { offered: at, ..frame(port, destination, length) };
        self.stations.sources[port as usize].offered.push_back(frame);
        self.kernel.at(at, Class::Offer, Event::Offer(port));
    }

    /// Lets the next event happen; false if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let Some(event) = self.kernel.advance() else { return false };
        let collisions = match event {
            Event::Offer(port) => {
                self.segment.wake(Port(port), &mut self.kernel, &mut self.stations);
                return true;
            }
            Event::Segment(event) => {
                let before = self.stations.lines.is_some().then(|| self.collisions());
                self.segment.handle(event, &mut self.kernel, &mut self.stations);
                before
            }
        };
        for (port, before) in (0_u32..).zip(collisions.unwrap_or_default()) {
            if self.counters(port).collisions > before {
                self.stations.note(Port(port), What::Collided, self.kernel.now());
            }
        }
        true
    }

    fn collisions(&self) -> Vec<u64> {
        (0..self.segment.ports() as u32).map(|port| self.counters(port).collisions).collect()
    }

    pub(crate) fn run(&mut self) {
        while self.step() {}
    }

    pub(crate) fn run_until(&mut self, limit: Time) {
        while self.kernel.next_time().is_some_and(|next| next <= limit) {
            self.step();
        }
    }

    pub(crate) fn run_until_delivered(&mut self, frames: u64) {
        while self.stations.delivered < frames && self.step() {}
    }

    pub(crate) fn counters(&self, port: u32) -> MacCounters {
        self.segment.counters(Port(port))
    }

    pub(crate) fn segment_held(&self) -> u64 {
        self.segment.held()
    }

    pub(crate) fn lines(&self) -> &[Line] {
        self.stations.lines.as_deref().expect("lines are kept")
    }

    /// The lines as the port and time, in bits, of one kind.
    pub(crate) fn times(&self, what: impl Fn(What) -> bool) -> Vec<(u32, u64)> {
        let kept = self.lines().iter().filter(|line| what(line.what));
        kept.map(|line| (line.port, self.bits(line.at))).collect()
    }

    pub(crate) fn bits(&self, at: Time) -> u64 {
        at.as_ps() / self.segment.pace().span(1).as_ps()
    }

    /// Share of the time in which bits of delivered MAC frames were on the medium.
    pub(crate) fn efficiency(&self) -> f64 {
        let bit = self.segment.pace().span(1);
        (self.stations.delivered_bytes * 8 * bit.as_ps()) as f64 / self.kernel.now().as_ps() as f64
    }
}

pub(crate) fn seats(count: u32) -> Vec<Seat> {
    (0..count).map(|number| Seat::of_station(Station(number))).collect()
}

pub(crate) fn ten_megabit() -> Parameters {
    Parameters::of_rate(10_000_000)
}

pub(crate) fn gigabit() -> Parameters {
    Parameters::of_rate(1_000_000_000)
}

/// An instant by bits at the pace of the parameters.
pub(crate) fn at(parameters: Parameters, bits: u64) -> Time {
    Time::ZERO + parameters.pace.span(bits)
}
