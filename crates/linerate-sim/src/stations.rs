//! The stations of a model: what sits at the ports of its medium.
//!
//! A station has ends of flows, whose applications are tasks outside, and at most one generator of
//! load. Flows go first, in turn. Plain flows cost their station nothing; TCP runs on the station's
//! machine.

mod call;
mod connection;
mod counted;
mod impair;
mod noted;
mod offload;
mod payload;
mod place;
mod plain;
mod tcp;
mod tcp_flow;

use std::collections::BTreeSet;

use linerate_core::units::{Span, Time};

use crate::fabric::{Client, Loss, Seen};
use crate::frame::{Content, Destination, Frame, Port, SegmentNumber, Station};
use crate::kernel::{Class, Includes, Kernel};
use crate::load::{Generator, Meter};
use crate::machine::{self, End, Machine};
use crate::points::Passed;
use crate::slab::Slab;
use crate::stack::{Parameters, Side};
use crate::tcp::Segment;
use crate::trace::{Passage, Trace};

pub use connection::Broken;
use connection::Connection;
pub use impair::Impairment;
use impair::{Fate, Impairing};
use tcp_flow::TcpFlow;

/// What happens at a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The generator of a station offers its next frame.
    Offer(Station),
    /// The alarm of an application has gone off.
    Alarm {
        /// Which flow.
        flow: u32,
        /// Which end.
        side: Side,
    },
    /// A stream retransmits what the network lost.
    Resend {
        /// Which flow.
        flow: u32,
        /// The end whose packet it was.
        side: Side,
    },
    /// A timer of the protocol at an end of a TCP flow may have run out.
    Timer(End),
    /// A thread that was woken at an end of a TCP flow is known to its processor.
    Woken(End),
    /// Something happens in a station's machine.
    Machine(machine::Event),
    /// A frame that a path delayed arrives.
    Late {
        /// Where.
        port: Port,
        /// Where it is kept.
        number: u32,
    },
}

/// Whatever includes the events of stations includes those of their machines.
impl<E: Includes<Event>> Includes<machine::Event> for E {
    #[inline]
    fn of(event: machine::Event) -> Self {
        E::of(Event::Machine(event))
    }
}

/// A flow of one kind or another.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "flows are few, and found by one step less")]
enum Flow {
    /// A plain flow, without costs to its stations.
    Plain(Connection),
    /// TCP, on machines.
    Tcp(TcpFlow),
}

/// The stations of a model.
#[derive(Debug)]
pub struct Stations {
    stations: Vec<Attached>,
    /// How many hosts they belong to: the first so many are a host each, by its first link, the next so many the same
    /// hosts by their second, and so on.
    hosts: usize,
    flows: Vec<Flow>,
    /// TCP segments that are on their way.
    segments: Slab<Segment>,
    /// Frames that a path delays.
    late: Slab<Late>,
    /// Those of them that a load offered, copies not counted.
    late_loads: u64,
    /// Ports with something to send that the medium does not know of yet, in order.
    wakes: Vec<Port>,
    /// How many of those the medium knows by now.
    woken: usize,
    /// Ends at which an application may go on, for an executor that follows all of them.
    stirs: Option<Vec<End>>,
    /// What passed of the offered load.
    pub meter: Meter,
    /// The points that bytes passed, if messages are traced.
    pub points: Option<Vec<Passed>>,
    /// The recorded frames, if a trace is on.
    pub trace: Option<Trace>,
}

/// A frame that a path delays.
#[derive(Clone, Copy, Debug)]
struct Late {
    frame: Frame,
    /// The path made it: the frame itself comes as well.
    copy: bool,
}

/// What is attached to the network at one station.
#[derive(Debug, Default)]
struct Attached {
    ends: Vec<(u32, Side)>,
    /// Those that may have a packet, by their places in `ends`: a station may have flows with thousands of others.
    ready: BTreeSet<usize>,
    /// Which of them sends next.
    turn: usize,
    generator: Option<Generator>,
    machine: Option<Machine>,
    impairing: Option<Impairing>,
}

impl Stations {
    /// This many stations without flows or load; `meter` counts their load.
    #[must_use]
    pub fn new(stations: usize, meter: Meter) -> Self {
        Self {
            stations: (0..stations).map(|_| Attached::default()).collect(),
            hosts: stations,
            flows: Vec::new(),
            segments: Slab::new(),
            late: Slab::new(),
            late_loads: 0,
            wakes: Vec::new(),
            woken: 0,
            stirs: None,
            meter,
            points: None,
            trace: None,
        }
    }

    /// The same as the links of fewer hosts: host h has the stations h, h + `hosts`, h + 2 `hosts`, and so on.
    ///
    /// # Panics
    ///
    /// If not every host has as many.
    #[must_use]
    pub fn of_hosts(self, hosts: usize) -> Self {
        assert!(hosts > 0 && self.len().is_multiple_of(hosts), "{hosts} hosts, {} stations", self.len());
        Self { hosts, ..self }
    }

    /// The host of a station, by the number of its first one.
    fn host(&self, station: Station) -> usize {
        host(station, self.hosts)
    }

    /// How many stations there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stations.len()
    }

    /// Whether there are no stations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stations.is_empty()
    }

    /// Adds an impairment to the path into a station.
    ///
    /// # Panics
    ///
    /// If the station does not exist.
    pub fn impair(&mut self, station: Station, law: Impairment, seed: u64) {
        self.stations[station.index()].impairing = Some(Impairing::new(law, seed, station.0));
    }

    /// Adds a plain flow between two stations; returns its number.
    ///
    /// # Panics
    ///
    /// If a station does not exist.
    pub fn connect(&mut self, stations: [Station; 2], parameters: Parameters) -> u32 {
        let number = u32::try_from(self.flows.len()).expect("fewer than 2^32 flows");
        let mut places = [0; 2];
        for (station, side) in stations.into_iter().zip([Side::First, Side::Second]) {
            let ends = &mut self.stations[station.index()].ends;
            places[side as usize] = ends.len();
            ends.push((number, side));
        }
        self.flows.push(Flow::Plain(Connection::new(stations, places, parameters)));
        number
    }

    /// Adds a source of load to a station.
    ///
    /// # Panics
    ///
    /// If the station does not exist.
    pub fn generate(&mut self, generator: Generator, kernel: &mut Kernel<impl Includes<Event>>) {
        let station = generator.station();
        let attached = &mut self.stations[station.index()];
        match attached.generator.insert(generator).next_arrival(kernel.now()) {
            Some(when) => {
                kernel.at(when, Class::Offer, Event::Offer(station));
            }
            None => self.wakes.push(Port(station.0)),
        }
    }

    /// The generators of the stations that have one.
    pub fn generators(&self) -> impl Iterator<Item = &Generator> {
        self.stations.iter().filter_map(|attached| attached.generator.as_ref())
    }

    /// Frames of the load that a path delays: out of the medium and not arrived.
    #[must_use]
    pub const fn held(&self) -> u64 {
        self.late_loads
    }

    /// A port that has something to send and has not been woken.
    pub fn next_wake(&mut self) -> Option<Port> {
        let port = self.wakes.get(self.woken).copied();
        self.woken += 1;
        if port.is_none() {
            self.wakes.clear();
            self.woken = 0;
        }
        port
    }

    /// Handles an event of a station.
    pub fn handle(&mut self, event: Event, kernel: &mut Kernel<impl Includes<Event>>) {
        match event {
            Event::Offer(station) => {
                let now = kernel.now();
                let Some(generator) = &mut self.stations[station.index()].generator else { return };
                if let Err(frame) = generator.offer(now) {
                    self.meter.lost(&frame, Loss::Overflow);
                }
                if let Some(when) = generator.next_arrival(now) {
                    kernel.at(when, Class::Offer, Event::Offer(station));
                }
                self.wakes.push(Port(station.0));
            }
            Event::Alarm { flow, side } => {
                self.ends_mut(flow).0[side as usize] = true;
                self.tell(End { flow, side });
            }
            Event::Resend { flow, side } => self.resend(flow, side),
            Event::Timer(end) => self.tcp_timer(end, kernel),
            Event::Woken(end) => self.tcp_woken(end, kernel),
            Event::Machine(event) => self.machine_event(event, kernel),
            Event::Late { port, number } => {
                let late = self.late.remove(number);
                self.late_arrives(port, late, kernel);
            }
        }
    }

    /// Whether a flow keeps no state between messages: neither timers nor a window that grew.
    #[must_use]
    pub fn forgets(&self, flow: u32) -> bool {
        matches!(self.flows[flow as usize], Flow::Plain(_))
    }

    /// Which ends were stirred and which applications have gone, by side.
    fn ends_mut(&mut self, flow: u32) -> (&mut [bool; 2], &mut [bool; 2]) {
        match &mut self.flows[flow as usize] {
            Flow::Plain(connection) => (&mut connection.stirred, &mut connection.closed),
            Flow::Tcp(flow) => (&mut flow.stirred, &mut flow.closed),
        }
    }

    /// Whether a flow is ready for its applications: TCP's after the handshake.
    #[must_use]
    pub fn is_settled(&self, flow: u32) -> bool {
        match &self.flows[flow as usize] {
            Flow::Plain(_) => true,
            Flow::Tcp(flow) => flow.is_settled(),
        }
    }

    /// Sets an alarm for the application at an end of a flow.
    pub fn alarm(&mut self, flow: u32, side: Side, when: Time, kernel: &mut Kernel<impl Includes<Event>>) {
        kernel.at(when, Class::Expire, Event::Alarm { flow, side });
    }

    /// Whether anything changed that the applications at its ends may wait for, since last asked.
    pub fn take_stirred(&mut self, flow: u32) -> [bool; 2] {
        std::mem::take(self.ends_mut(flow).0)
    }

    /// Accepts data from the application at an end of a flow; returns how many bytes.
    ///
    /// # Errors
    ///
    /// When nothing of it can arrive any more.
    pub fn write(
        &mut self,
        flow: u32,
        side: Side,
        data: &[u8],
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Result<usize, Broken> {
        match self.flows[flow as usize] {
            Flow::Plain(_) => self.plain_write(flow, side, data),
            Flow::Tcp(_) => self.tcp_write(End { flow, side }, data, kernel),
        }
    }

    /// Passes what has arrived to the application at an end of a flow; returns how many bytes.
    ///
    /// # Errors
    ///
    /// When everything that can arrive was taken.
    pub fn read(
        &mut self,
        flow: u32,
        side: Side,
        data: &mut [u8],
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Result<usize, Broken> {
        match self.flows[flow as usize] {
            Flow::Plain(_) => self.plain_read(flow, side, data),
            Flow::Tcp(_) => self.tcp_read(End { flow, side }, data, kernel),
        }
    }

    /// The application at an end closes its flow: what it wrote still arrives.
    pub fn close(&mut self, flow: u32, side: Side) {
        let (stirred, closed) = self.ends_mut(flow);
        closed[side as usize] = true;
        stirred[side.other() as usize] = true;
    }

    /// Attaches new applications to both ends.
    pub fn open(&mut self, flow: u32) {
        let (stirred, closed) = self.ends_mut(flow);
        *closed = [false; 2];
        *stirred = [true; 2];
    }

    /// A frame arrives at its station.
    fn take_in(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<impl Includes<Event>>) {
        match frame.content {
            Content::Load(_) => self.meter.delivered(&frame, kernel.now()),
            Content::Packet(packet) => self.packet_arrived(&packet),
            Content::Segment { .. } => self.segment_arrived(Station(port.0), frame, kernel),
            Content::Pause { .. } => {}
        }
    }

    fn late_arrives(&mut self, port: Port, late: Late, kernel: &mut Kernel<impl Includes<Event>>) {
        match (late.frame.content, late.copy) {
            (Content::Load(_), true) => return self.meter.repeated(),
            (Content::Load(_), false) => self.late_loads -= 1,
            _ => {}
        }
        self.take_in(port, late.frame, kernel);
    }

    fn hold_up(&mut self, port: Port, late: Late, after: Span, kernel: &mut Kernel<impl Includes<Event>>) {
        self.late_loads += u64::from(matches!(late.frame.content, Content::Load(_)) && !late.copy);
        let number = self.late.insert(late);
        kernel.at(kernel.now() + after, Class::Arrive, Event::Late { port, number });
    }

    /// The same frame again, with a segment of its own.
    fn copy(&mut self, frame: Frame) -> Frame {
        match frame.content {
            Content::Segment { flow, forward, number, ecn } => {
                let segment = self.segments[number.0];
                let number = SegmentNumber(self.segments.insert(segment));
                Frame { content: Content::Segment { flow, forward, number, ecn }, ..frame }
            }
            _ => frame,
        }
    }
}

fn host(station: Station, hosts: usize) -> usize {
    let index = station.index();
    if index < hosts { index } else { index % hosts }
}

impl<E: Includes<Event>> Client<E> for Stations {
    fn next(&mut self, port: Port, kernel: &mut Kernel<E>) -> Option<Frame> {
        let station = Station(port.0);
        let frame = self.machine_frame(station, kernel);
        frame.or_else(|| self.next_packet(station, kernel.now())).or_else(|| {
            let generator = self.stations[station.index()].generator.as_mut()?;
            generator.next(kernel.now())
        })
    }

    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<E>) {
        if frame.destination != Destination::Station(Station(port.0)) {
            return;
        }
        let impairing = self.stations[port.index()].impairing.as_mut();
        match impairing.map(|impairing| impairing.fate(frame.data_bytes)) {
            None => self.take_in(port, frame, kernel),
            Some(Fate::Lost) => self.lost(port, frame, Loss::Error, kernel),
            Some(Fate::Comes { after, twice }) => {
                if twice {
                    let frame = self.copy(frame);
                    self.hold_up(port, Late { frame, copy: true }, after, kernel);
                }
                self.hold_up(port, Late { frame, copy: false }, after, kernel);
            }
        }
    }

    fn lost(&mut self, _port: Port, frame: Frame, loss: Loss, kernel: &mut Kernel<E>) {
        match frame.content {
            Content::Load(_) => self.meter.lost(&frame, loss),
            Content::Packet(packet) => self.packet_lost(&packet, loss, kernel),
            Content::Segment { .. } => self.drop_segment(&frame),
            Content::Pause { .. } => {}
        }
    }

    fn left(&mut self, port: Port, frame: &Frame, at: Time) {
        let generator = self.stations[port.index()].generator.as_mut();
        if let (Content::Load(_), Some(generator)) = (frame.content, generator) {
            generator.left(at);
        }
    }

    fn observe(&mut self, port: Port, frame: &Frame, seen: Seen, kernel: &mut Kernel<E>) {
        if let Some(trace) = &mut self.trace {
            let segment = tcp::segment_of(frame, &self.segments).copied();
            trace.record(Passage { time: kernel.now(), port, seen, frame: *frame, segment });
        }
        if self.points.is_some() {
            self.note_passage(frame, seen, kernel.now());
        }
    }
}
