//! FDDI: a ring of 100 Mb/s whose stations send when the token is early (ANSI X3.139).
//!
//! A station's place on the ring is the number of its port; the token and the frames travel from a
//! station to the one with the next higher number. An idle ring has no events: where the token is
//! and what the timers show is computed when a station wakes. Ties: a station that gets something
//! to send at the very instant at which the token comes takes the token.

pub mod parameters;
mod plan;
mod ready;
mod token;

use linerate_core::units::{Span, Time};

use crate::fabric::{Client, Fabric, Loss, MacCounters, Seen};
use crate::frame::{Destination, Frame, Port};
use crate::kernel::{Class, Includes, Kernel, Timer};
use crate::slab::Slab;
use parameters::{Error, Parameters, TOKEN_BYTES, check_packet, frame_time, line_time};
pub use plan::FddiPlan;
use ready::Ready;
use token::Token;

/// What happens on a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event(What);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// The token has come to a station that waits for it.
    Token,
    /// The last bit of a frame has left the station that holds the token.
    Sent,
    /// The last bit of the frame in this place has passed a receiver.
    Passed(u32),
}

/// A ring of stations. Its ports are the stations in the order in which the token visits them.
#[derive(Debug)]
pub struct Fddi {
    token: Token,
    stations: Vec<Station>,
    /// Stations that may have something to send.
    ready: Ready,
    /// The station to which the token goes next, unless one before it wakes.
    coming: Option<Coming>,
    /// Who holds the token.
    holding: Option<Holding>,
    travelling: Slab<Travelling>,
    held: u64,
}

#[derive(Debug)]
struct Station {
    /// Synchronous allocation for each visit of the token.
    synchronous: Span,
    /// Taken from the client and not yet allowed to go.
    pending: Option<Frame>,
    counters: MacCounters,
}

#[derive(Clone, Copy, Debug)]
struct Coming {
    station: usize,
    at: Time,
    timer: Timer,
}

#[derive(Clone, Copy, Debug)]
struct Holding {
    station: usize,
    /// What is on the ring now.
    frame: Option<Frame>,
    /// What is left of the synchronous allocation.
    synchronous: Span,
    /// What is left of the token holding timer (THT).
    asynchronous: Span,
    /// Whether a frame went out, so that a new token must be made.
    captured: bool,
}

#[derive(Clone, Copy, Debug)]
struct Travelling {
    frame: Frame,
    from: usize,
    /// The next of its receivers that it passes.
    to: usize,
}

impl Fddi {
    /// An idle ring whose token leaves station 0 at time zero after a rotation in which nobody sent.
    ///
    /// # Errors
    ///
    /// If the parameters are outside what the standard allows: see [`Parameters::check`].
    pub fn new(parameters: &Parameters) -> Result<Self, Error> {
        parameters.check()?;
        let station = |synchronous| Station { synchronous, pending: None, counters: MacCounters::default() };
        Ok(Self {
            token: Token::new(parameters),
            stations: parameters.stations.iter().map(|given| station(given.synchronous)).collect(),
            ready: Ready::new(parameters.stations.len()),
            coming: None,
            holding: None,
            travelling: Slab::new(),
            held: 0,
        })
    }

    /// Sends the token from where it is to the first station that can use it.
    fn depart(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        let Some(first) = self.ready.next_after(self.token.station()) else { return };
        let mut target = first;
        while !self.can_use(target) {
            let next = self.ready.next_after(target).expect("one is ready");
            // The token would be late at all waiting stations in this rotation: go on from the
            // first of them.
            if self.token.distance_to(next) <= self.token.distance_to(target) {
                target = first;
                break;
            }
            target = next;
        }
        let at = self.token.next_visit(target, kernel.now());
        self.aim(target, at, kernel);
    }

    /// Whether `station` may send when the token now on its way comes to it for the first time.
    fn can_use(&self, station: usize) -> bool {
        self.stations[station].synchronous > Span::ZERO || self.token.early_at(station)
    }

    fn aim(&mut self, station: usize, at: Time, kernel: &mut Kernel<impl Includes<Event>>) {
        let timer = kernel.timer(at, Class::Start, Event(What::Token));
        self.coming = Some(Coming { station, at, timer });
    }

    /// The token has come to the station for which it was set on its way.
    fn arrive<E: Includes<Event>>(&mut self, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        let Coming { station, .. } = self.coming.take().expect("a token that comes is on its way");
        let asynchronous = self.token.visit(station, kernel.now());
        let synchronous = self.stations[station].synchronous;
        self.holding = Some(Holding { station, frame: None, synchronous, asynchronous, captured: false });
        self.transmit(kernel, client);
    }

    /// Sends the next frame of the station that holds the token, or passes the token on.
    fn transmit<E: Includes<Event>>(&mut self, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        let mut holding = self.holding.expect("who transmits holds the token");
        let Some(frame) = self.allowed(&mut holding, kernel, client) else {
            self.holding = None;
            let token = if holding.captured { line_time(TOKEN_BYTES) } else { Span::ZERO };
            self.token.leave(kernel.now() + token);
            self.depart(kernel);
            return;
        };
        holding.frame = Some(frame);
        holding.captured = true;
        self.holding = Some(holding);
        kernel.at(kernel.now() + frame_time(frame.data_bytes), Class::Finish, Event(What::Sent));
    }

    /// The frame that may go now: within the synchronous allocation if it fits there whole, else
    /// if the token holding timer has not run out when it begins.
    fn allowed<E: Includes<Event>>(
        &mut self,
        holding: &mut Holding,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) -> Option<Frame> {
        if holding.synchronous == Span::ZERO && holding.asynchronous == Span::ZERO {
            return None;
        }
        let Some(frame) = self.pending(holding.station, kernel, client) else {
            self.ready.remove(holding.station);
            return None;
        };
        let time = frame_time(frame.data_bytes);
        if time <= holding.synchronous {
            holding.synchronous = holding.synchronous - time;
        } else if holding.asynchronous > Span::ZERO {
            holding.asynchronous = holding.asynchronous.saturating_sub(time);
        } else {
            return None;
        }
        self.stations[holding.station].pending.take()
    }

    /// The frame at the head of `station`'s queue, fetched from the client if need be.
    fn pending<E: Includes<Event>>(
        &mut self,
        station: usize,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) -> Option<Frame> {
        while self.stations[station].pending.is_none() {
            let port = Port(station as u32);
            let frame = client.next(port, kernel)?;
            if check_packet(frame.data_bytes).is_err() {
                client.lost(port, frame, Loss::Error, kernel);
                continue;
            }
            self.held += 1;
            self.stations[station].pending = Some(frame);
        }
        self.stations[station].pending
    }

    /// The last bit of the frame of the token's holder has left.
    fn sent<E: Includes<Event>>(&mut self, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        let holding = self.holding.as_mut().expect("who sends holds the token");
        let from = holding.station;
        let frame = holding.frame.take().expect("what was sent was begun");
        let port = Port(from as u32);
        self.stations[from].counters.sent += 1;
        client.observe(port, &frame, Seen::Sent, kernel);
        client.left(port, &frame, kernel.now());
        if let Some(to) = self.first_receiver(from, frame.destination) {
            let place = self.travelling.insert(Travelling { frame, from, to });
            let at = kernel.now() + self.token.distance(from, to);
            kernel.at(at, Class::Arrive, Event(What::Passed(place)));
        } else {
            self.held -= 1;
            client.lost(port, frame, Loss::Error, kernel);
        }
        self.transmit(kernel, client);
    }

    /// The first of its receivers that a frame passes. Absent if it is for nobody on the ring.
    fn first_receiver(&self, from: usize, destination: Destination) -> Option<usize> {
        match destination {
            Destination::Station(station) if station.index() == from => None,
            Destination::Station(station) => Some(station.index()).filter(|to| *to < self.stations.len()),
            // A frame for the other end of the link is for the next station (next station addressing).
            Destination::Everyone | Destination::Link => Some((from + 1) % self.stations.len()),
        }
    }

    /// The last bit of a frame has passed one of those it is for.
    fn passed<E: Includes<Event>>(
        &mut self,
        place: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let Travelling { frame, from, to } = self.travelling[place];
        let next = (to + 1) % self.stations.len();
        if frame.destination == Destination::Everyone && next != from {
            self.travelling[place].to = next;
            let at = kernel.now() + self.token.distance(to, next);
            kernel.at(at, Class::Arrive, Event(What::Passed(place)));
        } else {
            self.travelling.remove(place);
            self.held -= 1;
        }
        let port = Port(to as u32);
        self.stations[to].counters.received += 1;
        client.observe(port, &frame, Seen::Received, kernel);
        client.deliver(port, frame, kernel);
    }
}

impl Fabric for Fddi {
    type Event = Event;

    fn ports(&self) -> usize {
        self.stations.len()
    }

    fn wake<E: Includes<Event>>(&mut self, port: Port, kernel: &mut Kernel<E>, _: &mut impl Client<E>) {
        let station = port.index();
        if !self.ready.insert(station) || self.holding.is_some() {
            return;
        }
        let at = self.token.next_visit(station, kernel.now());
        match self.coming {
            Some(coming) if coming.at <= at => return,
            Some(coming) => {
                kernel.cancel(coming.timer);
            }
            None => {}
        }
        self.aim(station, at, kernel);
    }

    fn handle<E: Includes<Event>>(
        &mut self,
        event: Event,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        match event.0 {
            What::Token => self.arrive(kernel, client),
            What::Sent => self.sent(kernel, client),
            What::Passed(place) => self.passed(place, kernel, client),
        }
    }

    fn counters(&self, port: Port) -> MacCounters {
        self.stations[port.index()].counters
    }

    fn held(&self) -> u64 {
        self.held
    }
}
