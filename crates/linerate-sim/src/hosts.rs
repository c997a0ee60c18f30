//! The stations of a model: what sits at the ports of its medium.
//!
//! A station has ends of flows, whose applications are tasks outside, and at most one generator of
//! load. Flows go first, in turn.

mod connection;

use linerate_core::units::Time;

use crate::event;
use crate::fabric::{Client, Loss, Seen};
use crate::frame::{Content, Destination, Frame, Packet, Port, Station};
use crate::kernel::{Class, Kernel};
use crate::load::{Generator, Meter};
use crate::stack::{Parameters, Side};
use crate::trace::Trace;

pub use connection::Broken;
use connection::Connection;

/// What happens at a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The generator of a station offers its next frame.
    Offer(Station),
    /// An application of a flow has waited as long as it wanted.
    Alarm {
        /// Which flow.
        flow: u32,
        /// Which end.
        side: Side,
    },
    /// What a network lost of a stream is to be sent again.
    Resend {
        /// Which flow.
        flow: u32,
        /// The end whose packet it was.
        side: Side,
    },
}

/// The stations of a model.
#[derive(Debug)]
pub struct Hosts {
    stations: Vec<Host>,
    flows: Vec<Connection>,
    /// Ports that have something to send and whose medium does not know it yet, in the order in
    /// which they had it.
    wakes: Vec<Port>,
    /// How many of those the medium knows by now.
    woken: usize,
    /// What passed of the offered load.
    pub meter: Meter,
    /// What a capture shows, if one is taken.
    pub trace: Option<Trace>,
}

#[derive(Debug, Default)]
struct Host {
    ends: Vec<(u32, Side)>,
    /// Which of them sends next.
    turn: usize,
    generator: Option<Generator>,
}

impl Hosts {
    /// So many stations without flows or load, whose load `meter` counts.
    #[must_use]
    pub fn new(stations: usize, meter: Meter) -> Self {
        Self {
            stations: (0..stations).map(|_| Host::default()).collect(),
            flows: Vec::new(),
            wakes: Vec::new(),
            woken: 0,
            meter,
            trace: None,
        }
    }

    /// How many stations there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stations.len()
    }

    /// Whether there is no station at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stations.is_empty()
    }

    /// Adds a flow between two stations; gives its number.
    ///
    /// # Panics
    ///
    /// If a station does not exist.
    pub fn connect(&mut self, stations: [Station; 2], parameters: Parameters) -> u32 {
        let number = u32::try_from(self.flows.len()).expect("fewer than 2^32 flows");
        for (station, side) in stations.into_iter().zip([Side::First, Side::Second]) {
            self.stations[station.index()].ends.push((number, side));
        }
        self.flows.push(Connection::new(stations, parameters));
        number
    }

    /// Lets a station offer load from now on.
    ///
    /// # Panics
    ///
    /// If the station does not exist.
    pub fn generate(&mut self, generator: Generator, kernel: &mut Kernel) {
        let station = generator.station();
        let host = &mut self.stations[station.index()];
        match host.generator.insert(generator).next_arrival(kernel.now()) {
            Some(when) => {
                kernel.at(when, Class::Offer, Event::Offer(station));
            }
            None => self.wakes.push(Port(station.0)),
        }
    }

    /// The generators of the stations that have one.
    pub fn generators(&self) -> impl Iterator<Item = &Generator> {
        self.stations.iter().filter_map(|host| host.generator.as_ref())
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

    /// Lets an event of a station happen.
    pub fn handle(&mut self, event: Event, kernel: &mut Kernel) {
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
            Event::Alarm { flow, side } => self.flows[flow as usize].stirred[side as usize] = true,
            Event::Resend { flow, side } => {
                self.flows[flow as usize].resend(side);
                self.wake_sender(flow, side);
            }
        }
    }

    /// Sets an alarm for the application at an end of a flow.
    pub fn alarm(&mut self, flow: u32, side: Side, when: Time, kernel: &mut Kernel) {
        kernel.at(when, Class::Expire, event::Event::from(Event::Alarm { flow, side }));
    }

    /// Whether anything changed that the application at an end may wait for, since last asked.
    pub fn take_stirred(&mut self, flow: u32, side: Side) -> bool {
        std::mem::take(&mut self.flows[flow as usize].stirred[side as usize])
    }

    /// Accepts data from the application at an end of a flow; gives how many bytes.
    ///
    /// # Errors
    ///
    /// When nothing of it can arrive any more.
    pub fn write(&mut self, flow: u32, side: Side, data: &[u8]) -> Result<usize, Broken> {
        let connection = &mut self.flows[flow as usize];
        if let Some(broken) = connection.broken() {
            return Err(broken);
        }
        if connection.closed[side.other() as usize] {
            return Err(Broken::Closed);
        }
        let len = connection.flow.write(side, data);
        self.wake_sender(flow, side);
        Ok(len)
    }

    /// Gives the application at an end of a flow what has arrived; gives how many bytes.
    ///
    /// # Errors
    ///
    /// When everything that can arrive was taken.
    pub fn read(&mut self, flow: u32, side: Side, data: &mut [u8]) -> Result<usize, Broken> {
        let connection = &mut self.flows[flow as usize];
        let len = connection.flow.read(side, data);
        if len == 0 {
            if let Some(broken) = connection.broken() {
                return Err(broken);
            }
            if connection.closed[side.other() as usize] && connection.flow.is_drained(side) {
                return Err(Broken::Closed);
            }
        }
        self.wake_sender(flow, side);
        Ok(len)
    }

    /// The application at an end goes: what it wrote still arrives.
    pub fn close(&mut self, flow: u32, side: Side) {
        let connection = &mut self.flows[flow as usize];
        connection.closed[side as usize] = true;
        connection.stirred[side.other() as usize] = true;
    }

    /// New applications come to both ends.
    pub fn open(&mut self, flow: u32) {
        let connection = &mut self.flows[flow as usize];
        connection.closed = [false; 2];
        connection.stirred = [true; 2];
    }

    fn wake_sender(&mut self, flow: u32, side: Side) {
        let connection = &self.flows[flow as usize];
        if connection.flow.has_packet(side) {
            self.wakes.push(Port(connection.stations[side as usize].0));
        }
    }

    /// The network lost a packet: a stream sends it again after a while.
    fn packet_lost(&mut self, packet: &Packet, loss: Loss, kernel: &mut Kernel) {
        let (flow, side) = (packet.flow, sender(packet));
        let connection = &mut self.flows[flow as usize];
        if connection.lost(side, packet, loss) {
            let when = kernel.now() + connection.flow.parameters().retransmit_after;
            kernel.at(when, Class::Expire, Event::Resend { flow, side });
        }
    }

    /// The next packet of the flows of a station.
    fn next_packet(&mut self, station: Station, now: Time) -> Option<Frame> {
        let host = &mut self.stations[station.index()];
        for _ in 0..host.ends.len() {
            let (number, side) = host.ends[host.turn];
            host.turn = (host.turn + 1) % host.ends.len();
            let connection = &mut self.flows[number as usize];
            let Some(packet) = connection.flow.packet(side, number) else { continue };
            // What is on the wire makes room for datagrams.
            connection.stirred[side as usize] = true;
            let header = connection.flow.parameters().header_bytes;
            return Some(Frame {
                source: station,
                destination: Destination::Station(connection.stations[side.other() as usize]),
                data_bytes: packet.length + header,
                content: Content::Packet(packet),
                offered: now,
            });
        }
        None
    }
}

const fn sender(packet: &Packet) -> Side {
    if packet.forward { Side::First } else { Side::Second }
}

impl Client for Hosts {
    fn next(&mut self, port: Port, kernel: &mut Kernel) -> Option<Frame> {
        let station = Station(port.0);
        self.next_packet(station, kernel.now()).or_else(|| {
            let generator = self.stations[station.index()].generator.as_mut()?;
            generator.next(kernel.now())
        })
    }

    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel) {
        if frame.destination != Destination::Station(Station(port.0)) {
            return;
        }
        match frame.content {
            Content::Load(_) => self.meter.delivered(&frame, kernel.now()),
            Content::Packet(packet) => {
                let side = sender(&packet).other();
                self.flows[packet.flow as usize].arrived(side, &packet);
                self.wake_sender(packet.flow, side);
            }
            Content::Pause { .. } => {}
        }
    }

    fn lost(&mut self, _port: Port, frame: Frame, loss: Loss, kernel: &mut Kernel) {
        match frame.content {
            Content::Load(_) => self.meter.lost(&frame, loss),
            Content::Packet(packet) => self.packet_lost(&packet, loss, kernel),
            Content::Pause { .. } => {}
        }
    }

    fn observe(&mut self, port: Port, frame: &Frame, seen: Seen, kernel: &mut Kernel) {
        if let Some(trace) = &mut self.trace {
            trace.record(kernel.now(), port, frame, seen);
        }
    }
}
