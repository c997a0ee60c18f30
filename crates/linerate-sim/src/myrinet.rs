//! Myrinet: packets of any length that worm their way through switches, and are never lost.
//!
//! A station's place in the network is the number of its port. A packet holds every channel from
//! the one its head is in to the one its tail is in; while a head waits for an output, the slack
//! buffer of its input fills, and then STOP goes to the channel before. Bytes flow as a fluid of
//! which the kernel's clock knows the levels exactly: an event is an instant at which a flow begins
//! or ends, not a byte. Ties: a channel becomes free before a request at the same instant, and
//! requests at one instant are served in the kernel's order.

mod buffer;
mod channel;
pub mod parameters;
mod plan;
mod route;
mod station;

use linerate_core::units::Time;

use crate::carried::Carried;
use crate::fabric::{Client, Fabric, MacCounters};
use crate::frame::Port;
use crate::kernel::{Class, Includes, Kernel};
use crate::slab::Slab;
use buffer::{Buffer, Marks};
use channel::Channel;
use parameters::{Arbitration, Error, Parameters};
pub use plan::MyrinetPlan;
use route::Routes;
use station::Station;

/// What happens in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Of a buffer for [`What::Due`], else of a channel.
    number: u32,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A level has reached a mark.
    Due,
    /// The first byte of a packet begins to come out of a channel.
    Head(u32),
    /// The flow out of it pauses within a packet.
    Pause,
    /// The flow resumes.
    Resume,
    /// STOP has come to where the channel begins.
    Stop,
    /// GO has.
    Go,
    /// The tail of a packet has come to the station at the end of the channel.
    Tail(u32),
}

/// A network of switches. Its ports are the stations.
#[derive(Debug)]
pub struct Myrinet {
    marks: Marks,
    arbitration: Arbitration,
    routes: Routes,
    channels: Vec<Channel>,
    /// What is at the end of each channel: the buffer of a switch's input, or what the station
    /// there is sending.
    buffers: Vec<Buffer>,
    stations: Vec<Station>,
    worms: Slab<Worm>,
    carried: Carried,
}

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
struct Worm {
    /// The number of its frame.
    carried: u32,
    to: u32,
    /// On the channel where its head is. Unit: picoseconds of line time.
    length: u64,
}

impl Myrinet {
    /// An idle network.
    ///
    /// # Errors
    ///
    /// If the parameters are outside their ranges: see [`Parameters::check`].
    pub fn new(parameters: &Parameters) -> Result<Self, Error> {
        parameters.check()?;
        let routes = Routes::new(parameters);
        let channel = |number| {
            let cable = if routes.is_trunk(number) { parameters.trunk } else { parameters.cable };
            let ends_at_switch = routes.station_at_end(number).is_none();
            Channel::new(cable.as_ps(), if ends_at_switch { parameters.latency.as_ps() } else { 0 })
        };
        let line_time = |bytes: u64| bytes.saturating_mul(parameters.byte.as_ps());
        let slack = parameters.slack;
        Ok(Self {
            marks: Marks {
                byte: line_time(1),
                stop: line_time(slack.stop),
                go: line_time(slack.go),
                room: line_time(slack.bytes),
            },
            arbitration: parameters.arbitration,
            routes,
            channels: (0..routes.channels()).map(channel).collect(),
            buffers: (0..routes.channels()).map(|_| Buffer::default()).collect(),
            stations: vec![Station::default(); parameters.stations as usize],
            worms: Slab::new(),
            carried: Carried::new(),
        })
    }

    /// Brings a buffer to the present, and acts on its levels.
    fn touch<E: Includes<Event>>(
        &mut self,
        number: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let buffer = &mut self.buffers[number as usize];
        buffer.advance(kernel.now().as_ps());
        if buffer.outflow
            && let Some(worm) = buffer.finish()
        {
            buffer.outflow = false;
            let output = buffer.output.take().expect("what went out had an output");
            self.release(output, worm, kernel);
            if let Some(station) = self.routes.station_at_end(number) {
                self.sent(station, worm, kernel, client);
            }
        }
        self.ask(number, kernel.now());
        self.settle(number, kernel);
    }

    /// The tail of a packet has gone into a channel: the next packet that waits for it gets it.
    fn release(&mut self, output: u32, worm: u32, kernel: &mut Kernel<impl Includes<Event>>) {
        let channel = &mut self.channels[output as usize];
        channel.owner = None;
        if self.routes.station_at_end(output).is_some() {
            let at = kernel.now().as_ps() + channel.cable;
            kernel.at(Time::from_ps(at), Class::Arrive, Event { number: output, what: What::Tail(worm) });
        }
        if let Some(next) = self.grant(output, kernel.now()) {
            self.settle(next, kernel);
        }
    }

    /// A head whose route byte has arrived asks for its output.
    fn ask(&mut self, number: u32, now: Time) {
        let buffer = &mut self.buffers[number as usize];
        if self.routes.station_at_end(number).is_some() || !buffer.head_is_in(self.marks.byte) {
            return;
        }
        buffer.asking = true;
        let worm = buffer.first().expect("its head is in");
        let output = self.routes.next(number, self.worms[worm].to);
        self.channels[output as usize].ask(number);
        self.grant(output, now);
    }

    /// Grants a channel, if it is free, to a packet that waits for it; returns that packet's
    /// buffer.
    fn grant(&mut self, output: u32, now: Time) -> Option<u32> {
        let number = self.channels[output as usize].grant(self.arbitration)?;
        let buffer = &mut self.buffers[number as usize];
        buffer.advance(now.as_ps());
        buffer.asking = false;
        buffer.output = Some(output);
        buffer.strip(self.marks.byte);
        let worm = buffer.first().expect("who waits is there");
        self.worms[worm].length -= self.marks.byte;
        Some(number)
    }

    /// Lets a buffer's output flow or not, sends STOP or GO, and sets what happens next.
    fn settle(&mut self, number: u32, kernel: &mut Kernel<impl Includes<Event>>) {
        self.flow(number, kernel);
        let ends_at_station = self.routes.station_at_end(number).is_some();
        let marks = (!ends_at_station).then_some(self.marks);
        if let Some(marks) = marks {
            self.regulate(number, marks, kernel);
        }
        let buffer = &mut self.buffers[number as usize];
        let next = buffer.next(marks).map(|(after, class)| (kernel.now().as_ps() + after, class));
        if let Some((at, class, timer)) = buffer.due {
            if next == Some((at, class)) {
                return;
            }
            kernel.cancel(timer);
        }
        buffer.due = next.map(|(at, class)| {
            (at, class, kernel.timer(Time::from_ps(at), class, Event { number, what: What::Due }))
        });
    }

    /// The output flows if it is granted, is not stopped, and has bytes to take; the other end of
    /// the channel sees the change.
    fn flow(&mut self, number: u32, kernel: &mut Kernel<impl Includes<Event>>) {
        let buffer = &mut self.buffers[number as usize];
        let Some(output) = buffer.output else { return };
        let channel = &mut self.channels[output as usize];
        let flows = !channel.stopped && buffer.has_supply();
        if flows == buffer.outflow {
            return;
        }
        buffer.outflow = flows;
        let what = match (flows, channel.begun) {
            (true, false) => What::Head(buffer.first().expect("what flows is there")),
            (true, true) => What::Resume,
            (false, _) => What::Pause,
        };
        channel.begun = true;
        if self.routes.station_at_end(output).is_none() {
            let at = kernel.now().as_ps() + channel.delay;
            kernel.at(Time::from_ps(at), Class::Arrive, Event { number: output, what });
        }
    }

    /// Sends STOP or GO to where the channel into this buffer begins.
    fn regulate(&mut self, number: u32, marks: Marks, kernel: &mut Kernel<impl Includes<Event>>) {
        let buffer = &mut self.buffers[number as usize];
        debug_assert!(buffer.level() <= marks.room, "a slack buffer overflows");
        let what = match buffer.stopping {
            false if buffer.level() >= marks.stop => What::Stop,
            true if buffer.level() <= marks.go => What::Go,
            _ => return,
        };
        buffer.stopping = what == What::Stop;
        let at = kernel.now().as_ps() + self.channels[number as usize].cable;
        kernel.at(Time::from_ps(at), Class::Arrive, Event { number, what });
    }

    /// STOP or GO has come to where a channel begins.
    fn regulated<E: Includes<Event>>(
        &mut self,
        number: u32,
        stop: bool,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let channel = &mut self.channels[number as usize];
        channel.stopped = stop;
        let owner = channel.owner;
        // Channels of stations have the numbers of the stations.
        if let Some(station) = self.stations.get_mut(number as usize) {
            station.regulated(stop, kernel.now());
        }
        if let Some(owner) = owner {
            self.touch(owner, kernel, client);
        }
    }

    /// What comes out of a channel changes.
    fn change<E: Includes<Event>>(
        &mut self,
        event: Event,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let buffer = &mut self.buffers[event.number as usize];
        buffer.advance(kernel.now().as_ps());
        match event.what {
            What::Head(worm) => buffer.begin(worm, self.worms[worm].length),
            what => buffer.set_inflow(what == What::Resume),
        }
        self.touch(event.number, kernel, client);
    }

    /// A packet is whole at the station at the end of `channel`.
    fn arrive<E: Includes<Event>>(
        &mut self,
        channel: u32,
        worm: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let station = self.routes.station_at_end(channel).expect("packets arrive at stations");
        let Worm { carried, .. } = self.worms.remove(worm);
        self.stations[station as usize].counters.received += 1;
        self.carried.deliver(carried, Port(station), kernel, client);
    }
}

impl Fabric for Myrinet {
    type Event = Event;

    fn ports(&self) -> usize {
        self.stations.len()
    }

    fn wake<E: Includes<Event>>(&mut self, port: Port, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        self.begin(port.0, kernel, client);
    }

    fn handle<E: Includes<Event>>(
        &mut self,
        event: Event,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        match event.what {
            What::Due => {
                self.buffers[event.number as usize].due = None;
                self.touch(event.number, kernel, client);
            }
            What::Head(_) | What::Pause | What::Resume => self.change(event, kernel, client),
            What::Stop => self.regulated(event.number, true, kernel, client),
            What::Go => self.regulated(event.number, false, kernel, client),
            What::Tail(worm) => self.arrive(event.number, worm, kernel, client),
        }
    }

    fn counters(&self, port: Port) -> MacCounters {
        self.stations[port.index()].counters
    }

    fn held(&self) -> u64 {
        self.carried.held()
    }
}
