//! A link with something to send and a receive buffer at each port, and orders at set times.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::link::{self, Link, Parameters};
use linerate_sim::ethernet::pause::{Filled, Gauge};
use linerate_sim::fabric::{Client, Fabric, Loss, Seen};
use linerate_sim::frame::{Content, Destination, Frame, Port, Station};
use linerate_sim::kernel::{Class, Includes, Kernel};
use linerate_sim::pace::Pace;

/// The pace of 1 Gb/s, at which a bit takes 1000 ps.
pub(crate) fn gigabit() -> Pace {
    Pace::of_bits_per_second(1_000_000_000)
}

pub(crate) fn ps(ps: u64) -> Time {
    Time::from_ps(ps)
}

/// Client data of a frame of this many bytes.
pub(crate) fn data(frame_bytes: u64) -> u32 {
    (frame_bytes - 18) as u32
}

/// Occupied by a frame with preamble and gap. Unit: bit times.
pub(crate) fn period(frame_bytes: u64) -> u64 {
    (frame_bytes + 20) * 8
}

/// What a port has to send.
pub(crate) enum Traffic {
    Nothing,
    /// Frames with this much data, without end.
    Saturated(u32),
    /// Frames with this much data each.
    Listed(VecDeque<u32>),
}

/// What sits at a port.
pub(crate) struct Desk {
    pub(crate) traffic: Traffic,
    pub(crate) gauge: Gauge,
    pub(crate) taken: u64,
    pub(crate) taken_bytes: u64,
    /// When each data frame began.
    pub(crate) begun: Vec<Time>,
    /// When each data frame had come in, and its number.
    pub(crate) arrived: Vec<(Time, u64)>,
    pub(crate) arrived_bytes: u64,
    /// What left the buffer.
    pub(crate) drained_bytes: u64,
    /// What found no room in it.
    pub(crate) refused_bytes: u64,
    /// Every PAUSE frame that passed.
    pub(crate) pauses: Vec<(Time, Seen, u16)>,
    /// A PAUSE to send, said by the gauge.
    ask: Option<u16>,
}

impl Desk {
    fn new() -> Self {
        Self {
            traffic: Traffic::Nothing,
            gauge: Gauge::without_pause(u64::MAX),
            taken: 0,
            taken_bytes: 0,
            begun: Vec::new(),
            arrived: Vec::new(),
            arrived_bytes: 0,
            drained_bytes: 0,
            refused_bytes: 0,
            pauses: Vec::new(),
            ask: None,
        }
    }

    /// When PAUSE frames came in.
    pub(crate) fn paused_at(&self) -> Vec<(Time, u16)> {
        let received = self.pauses.iter().filter(|(_, seen, _)| *seen == Seen::Received);
        received.map(|(time, _, quanta)| (*time, *quanta)).collect()
    }
}

/// What sits at the two ports.
pub(crate) struct Desks(pub(crate) [Desk; 2]);

impl Index<usize> for Desks {
    type Output = Desk;
    fn index(&self, port: usize) -> &Desk {
        &self.0[port]
    }
}

impl IndexMut<usize> for Desks {
    fn index_mut(&mut self, port: usize) -> &mut Desk {
        &mut self.0[port]
    }
}

/// Something to do at a set time.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    Wake(Port),
    Pause(Port, u16),
    /// This many bytes leave the port's buffer, or what there is.
    Drain(Port, u64),
    /// A frame of B's buffer has been served.
    Serve,
    Refresh(Port),
}

pub(crate) struct World {
    pub(crate) kernel: Kernel<Event>,
    pub(crate) link: Link,
    pub(crate) desks: Desks,
    orders: Vec<Order>,
    /// How long the service of a frame of B's buffer takes; zero for none.
    pub(crate) service: Span,
    serving: bool,
    /// When the server had nothing to serve.
    pub(crate) idle_from: Vec<Time>,
}

pub(crate) const A: Port = Port(0);
pub(crate) const B: Port = Port(1);

impl World {
    pub(crate) fn new(parameters: Parameters) -> Self {
        Self {
            kernel: Kernel::new(),
            link: Link::new(7, parameters),
            desks: Desks([Desk::new(), Desk::new()]),
            orders: Vec::new(),
            service: Span::ZERO,
            serving: false,
            idle_from: Vec::new(),
        }
    }

    pub(crate) fn saturate(&mut self, port: Port, data_bytes: u32, from: Time) {
        self.desks[port.index()].traffic = Traffic::Saturated(data_bytes);
        self.at(from, Order::Wake(port));
    }

    pub(crate) fn at(&mut self, time: Time, order: Order) {
        self.kernel.at(time, Class::Offer, Event::Order(self.orders.len() as u32));
        self.orders.push(order);
    }

    /// Lets everything up to and at `limit` happen.
    pub(crate) fn run_until(&mut self, limit: Time) {
        while self.step(limit) {}
    }

    pub(crate) fn step(&mut self, limit: Time) -> bool {
        let Some(event) = self.kernel.advance_until(limit) else { return false };
        match event {
            Event::Link(event) => {
                assert_eq!(event.link, 7);
                self.link.handle(event, &mut self.kernel, &mut self.desks);
            }
            Event::Order(number) => self.obey(self.orders[number as usize]),
        }
        for port in [A, B] {
            if let Some(quanta) = self.desks[port.index()].ask.take() {
                self.link.send_pause(port, quanta, &mut self.kernel, &mut self.desks);
                if quanta > 0
                    && let Some(at) = self.desks[port.index()].gauge.refresh_at()
                {
                    self.at(at, Order::Refresh(port));
                }
            }
        }
        if self.desks[1].gauge.level() > 0 && self.service > Span::ZERO && !self.serving {
            self.serving = true;
            self.at(self.kernel.now() + self.service, Order::Serve);
        }
        true
    }

    fn obey(&mut self, order: Order) {
        let now = self.kernel.now();
        match order {
            Order::Wake(port) => self.link.wake(port, &mut self.kernel, &mut self.desks),
            Order::Pause(port, quanta) => {
                self.link.send_pause(port, quanta, &mut self.kernel, &mut self.desks);
            }
            Order::Drain(port, bytes) => {
                let desk = &mut self.desks[port.index()];
                let bytes = bytes.min(desk.gauge.level());
                desk.drained_bytes += bytes;
                if desk.gauge.drain(now, bytes).is_some() {
                    desk.ask = Some(0);
                }
            }
            Order::Serve => self.serve(),
            Order::Refresh(port) => {
                let desk = &mut self.desks[port.index()];
                if desk.gauge.refresh_due(now) {
                    desk.ask = Some(desk.gauge.quanta());
                }
            }
        }
    }

    /// A frame is served to its end; the next follows at once if it is there.
    fn serve(&mut self) {
        let now = self.kernel.now();
        let desk = &mut self.desks[1];
        let frame = desk.arrived_bytes / desk.arrived.len() as u64;
        desk.drained_bytes += frame;
        if desk.gauge.drain(now, frame).is_some() {
            desk.ask = Some(0);
        }
        self.serving = false;
        if desk.gauge.level() == 0 {
            self.idle_from.push(now);
        }
    }
}

/// What happens: in the link, or the order of this number is due.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Link(link::Event),
    Order(u32),
}

impl Includes<link::Event> for Event {
    fn of(event: link::Event) -> Self {
        Self::Link(event)
    }
}

impl<E> Client<E> for Desks {
    fn next(&mut self, port: Port, kernel: &mut Kernel<E>) -> Option<Frame> {
        let desk = &mut self.0[port.index()];
        let data_bytes = match &mut desk.traffic {
            Traffic::Nothing => return None,
            Traffic::Saturated(data_bytes) => *data_bytes,
            Traffic::Listed(list) => list.pop_front()?,
        };
        let number = desk.taken;
        desk.taken += 1;
        desk.taken_bytes += u64::from(data_bytes);
        Some(Frame {
            source: Station(port.0),
            destination: Destination::Station(Station(1 - port.0)),
            data_bytes,
            content: Content::Load(number),
            offered: kernel.now(),
        })
    }

    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<E>) {
        let Content::Load(number) = frame.content else { panic!("{frame:?} is no data") };
        let desk = &mut self.0[port.index()];
        let bytes = u64::from(frame.data_bytes) + 18;
        desk.arrived.push((kernel.now(), number));
        desk.arrived_bytes += bytes;
        match desk.gauge.fill(kernel.now(), bytes) {
            Filled::Stored => {}
            Filled::StoredAndPause => desk.ask = Some(desk.gauge.quanta()),
            Filled::Overflow => desk.refused_bytes += bytes,
        }
    }

    fn lost(&mut self, _: Port, frame: Frame, loss: Loss, _: &mut Kernel<E>) {
        panic!("a full-duplex link lost {frame:?}: {loss:?}");
    }

    fn observe(&mut self, port: Port, frame: &Frame, seen: Seen, kernel: &mut Kernel<E>) {
        let desk = &mut self.0[port.index()];
        match frame.content {
            Content::Pause { quanta } => {
                assert_eq!((frame.destination, frame.data_bytes), (Destination::Link, 46));
                desk.pauses.push((kernel.now(), seen, quanta));
            }
            _ if seen == Seen::Sent => desk.begun.push(kernel.now()),
            _ => {}
        }
    }
}
