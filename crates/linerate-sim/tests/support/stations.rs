//! Stations that offer frames to a fabric at given instants, and what became of them.

use std::collections::VecDeque;

use linerate_core::units::Time;
use linerate_sim::fabric::{Client, Fabric, Loss, Seen};
use linerate_sim::frame::{Content, Destination, Frame, Port, Station};
use linerate_sim::kernel::{Class, Includes, Kernel};

/// From, to, bytes, at which picosecond.
pub(crate) type Offer = (u32, Destination, u32, u64);

/// For the station of this number.
pub(crate) const fn to(station: u32) -> Destination {
    Destination::Station(Station(station))
}

/// What waits at the ports, and a record of what became of the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Stations {
    /// By port, oldest first.
    pub(crate) queues: Vec<VecDeque<Frame>>,
    /// When, where, and which.
    pub(crate) delivered: Vec<(u64, u32, Frame)>,
    pub(crate) lost: Vec<(Loss, Frame)>,
    /// When, and from where.
    pub(crate) sent: Vec<(u64, u32)>,
}

impl Stations {
    /// When frames were delivered, in that order.
    pub(crate) fn instants(&self) -> Vec<u64> {
        self.delivered.iter().map(|(at, ..)| *at).collect()
    }

    /// When frames were delivered at `port`.
    pub(crate) fn instants_at(&self, port: u32) -> Vec<u64> {
        self.delivered.iter().filter(|(_, on, _)| *on == port).map(|(at, ..)| *at).collect()
    }

    /// Where the frame of this number was delivered.
    pub(crate) fn ports_of(&self, number: u64) -> Vec<u32> {
        let of = self.delivered.iter().filter(|(.., frame)| frame.content == Content::Load(number));
        of.map(|(_, port, _)| *port).collect()
    }

    /// Why frames were lost, with their numbers.
    pub(crate) fn losses(&self) -> Vec<(Loss, u64)> {
        self.lost.iter().map(|(loss, frame)| (*loss, number_of(frame))).collect()
    }

    /// How many were not taken.
    pub(crate) fn waiting(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum()
    }
}

/// Which of the offers a frame is.
pub(crate) fn number_of(frame: &Frame) -> u64 {
    let Content::Load(number) = frame.content else { panic!("only loads are offered") };
    number
}

impl<E> Client<E> for Stations {
    fn next(&mut self, port: Port, kernel: &mut Kernel<E>) -> Option<Frame> {
        let queue = &mut self.queues[port.index()];
        if queue.front()?.offered > kernel.now() { None } else { queue.pop_front() }
    }

    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<E>) {
        self.delivered.push((kernel.now().as_ps(), port.0, frame));
    }

    fn lost(&mut self, port: Port, frame: Frame, loss: Loss, _: &mut Kernel<E>) {
        assert_eq!(port.0, frame.source.0);
        self.lost.push((loss, frame));
    }

    fn observe(&mut self, port: Port, _: &Frame, seen: Seen, kernel: &mut Kernel<E>) {
        if seen == Seen::Sent {
            self.sent.push((kernel.now().as_ps(), port.0));
        }
    }
}

/// What happens: in the fabric, or an offer at this port.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<Part> {
    Fabric(Part),
    Offer(u32),
}

impl<Part: Copy> Includes<Part> for Event<Part> {
    fn of(part: Part) -> Self {
        Self::Fabric(part)
    }
}

/// A fabric and the stations at its ports.
pub(crate) struct Run<F: Fabric> {
    pub(crate) fabric: F,
    pub(crate) kernel: Kernel<Event<F::Event>>,
    pub(crate) stations: Stations,
}

impl<F: Fabric> Run<F> {
    /// Will make `offers`, sorted by their instants for each station.
    pub(crate) fn new(fabric: F, offers: &[Offer]) -> Self {
        let mut kernel = Kernel::new();
        let mut stations = Stations { queues: vec![VecDeque::new(); fabric.ports()], ..Stations::default() };
        for (number, (source, destination, data_bytes, at)) in offers.iter().enumerate() {
            let offered = Time::from_ps(*at);
            stations.queues[*source as usize].push_back(Frame {
                source: Station(*source),
                destination: *destination,
                data_bytes: *data_bytes,
                content: Content::Load(number as u64),
                offered,
            });
            kernel.at(offered, Class::Offer, Event::Offer(*source));
        }
        Self { fabric, kernel, stations }
    }

    /// Lets the next event happen; false if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let Self { fabric, kernel, stations } = self;
        match kernel.advance() {
            Some(Event::Offer(port)) => fabric.wake(Port(port), kernel, stations),
            Some(Event::Fabric(event)) => fabric.handle(event, kernel, stations),
            None => return false,
        }
        true
    }

    /// Lets everything happen.
    pub(crate) fn finished(mut self) -> Self {
        while self.step() {}
        self
    }
}
