//! Frames that were sent, or cut short, and have not arrived at everyone who listens.

use linerate_core::units::{Span, Time};

use super::{Event, Segment, What};
use crate::fabric::{Client, Seen};
use crate::frame::{Destination, Frame, Port};
use crate::kernel::{Class, Includes, Kernel};
use crate::slab::Slab;

/// A frame, or what a collision left of one, on its way to those who listen to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    frame: Frame,
    source: u32,
    start: Time,
    end: Time,
    /// It was not cut short.
    whole: bool,
    /// Too short for the first of a half-duplex burst.
    fragment: bool,
    /// The seat of the addressee, if it is here and one.
    addressee: Option<u32>,
    /// Seats that it has not reached.
    pending: u32,
}

/// Those on their way, by number.
#[derive(Debug)]
pub(super) struct Flights {
    flights: Slab<Flight>,
    /// Whole frames on their way.
    pub(super) whole: u64,
}

impl Flights {
    pub(super) const fn new() -> Self {
        Self { flights: Slab::new(), whole: 0 }
    }

    fn add(&mut self, flight: Flight) -> u32 {
        self.whole += u64::from(flight.whole);
        self.flights.insert(flight)
    }

    /// One of them has arrived at one more seat; gives it.
    fn arrive(&mut self, number: u32) -> Flight {
        let flight = &mut self.flights[number];
        flight.pending -= 1;
        let flight = *flight;
        if flight.pending == 0 {
            self.flights.remove(number);
            self.whole -= u64::from(flight.whole);
        }
        flight
    }
}

impl Segment {
    /// Lets a frame that was sent whole arrive at everyone who listens to it.
    pub(super) fn fly(
        &mut self,
        source: u32,
        frame: Frame,
        times: [Time; 2],
        kernel: &mut Kernel<impl Includes<Event>>,
    ) {
        self.gather(source, frame.destination);
        // A half-duplex sender extends the first frame of a burst, and its others may be short.
        let extends = self.macs[source as usize].is_half_duplex();
        let fragment = !extends && self.times.is_fragment(times[1].since(times[0]));
        let flight = Flight { fragment, ..self.flight(source, frame, times) };
        self.launch(flight, kernel);
    }

    /// Lets what a collision left of a frame arrive where it is seen as an error. Half-duplex MACs
    /// silently drop what is shorter than the slot time if it is the `first` of its burst, and
    /// otherwise what is shorter than the shortest frame (IEEE 802.3, 4.2.4.2.2 and 4.2.9).
    pub(super) fn leave_fragment(
        &mut self,
        source: u32,
        start: Time,
        first: bool,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) {
        let Some(frame) = self.macs[source as usize].frame else { return };
        let times = [start, kernel.now()];
        let length = times[1].since(times[0]);
        let long = length >= self.times.preamble + if first { self.times.slot } else { self.times.shortest };
        if length == Span::ZERO || !(long || self.any_full_duplex) {
            return;
        }
        self.gather(source, frame.destination);
        let macs = &self.macs;
        self.audience.retain(|port| long || !macs[*port as usize].is_half_duplex());
        let flight = Flight { whole: false, ..self.flight(source, frame, times) };
        self.launch(flight, kernel);
    }

    fn flight(&self, source: u32, frame: Frame, [start, end]: [Time; 2]) -> Flight {
        let addressee = match frame.destination {
            Destination::Station(station) => self.seat_of(station),
            Destination::Everyone | Destination::Link => None,
        };
        let pending = self.audience.len() as u32;
        Flight { frame, source, start, end, whole: true, fragment: false, addressee, pending }
    }

    /// Finds the seats that listen to a frame.
    fn gather(&mut self, source: u32, destination: Destination) {
        self.audience.clear();
        match destination {
            Destination::Station(station) => {
                let addressee = self.seat_of(station);
                self.audience.extend(addressee);
                self.audience.extend(self.promiscuous.iter().filter(|port| Some(**port) != addressee));
            }
            Destination::Everyone | Destination::Link => self.audience.extend(0..self.macs.len() as u32),
        }
        self.audience.retain(|port| *port != source);
    }

    fn launch(&mut self, flight: Flight, kernel: &mut Kernel<impl Includes<Event>>) {
        if self.audience.is_empty() {
            return;
        }
        let number = self.flights.add(flight);
        for port in &self.audience {
            let arrival = flight.end + self.air.delays().between(flight.source, *port);
            let event = Event { segment: self.number, port: *port, what: What::Arrive(number) };
            kernel.at(arrival, Class::Arrive, event);
        }
    }

    /// A frame has arrived at `port`, or what is left of it.
    pub(super) fn arrive<E: Includes<Event>>(
        &mut self,
        port: u32,
        number: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let good = self.is_good(port, number);
        let flight = self.flights.arrive(number);
        if good {
            self.macs[port as usize].counters.received += 1;
            client.observe(Port(port), &flight.frame, Seen::Received, kernel);
            client.deliver(Port(port), flight.frame, kernel);
        } else {
            let seen = flight.whole || self.is_seen(port, &flight);
            self.macs[port as usize].counters.errors += u64::from(seen);
        }
        // If the addressee sits here, those who listen to all need not get it.
        if !good && flight.whole && flight.addressee.is_none_or(|seat| seat == port) {
            client.damaged([Port(flight.source), Port(port)], flight.frame, kernel);
        }
    }

    /// Whether a frame is whole at `port` and nothing is mixed with it there.
    fn is_good(&self, port: u32, number: u32) -> bool {
        let flight = &self.flights.flights[number];
        let half = self.macs[port as usize].is_half_duplex();
        let times = self.times_at(port, flight);
        flight.whole
            && !(half && (flight.fragment || self.air.sends(port, times)))
            && !self.air.is_mixed(flight.source, port, times)
    }

    /// Whether `port` counts a fragment as a damaged frame: not if it took part in the collision.
    fn is_seen(&self, port: u32, flight: &Flight) -> bool {
        !self.macs[port as usize].is_half_duplex() || !self.air.sends(port, self.times_at(port, flight))
    }

    fn times_at(&self, port: u32, flight: &Flight) -> [Time; 2] {
        let delay = self.air.delays().between(flight.source, port);
        [flight.start + delay, flight.end + delay]
    }
}
