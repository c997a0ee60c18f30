//! A half-duplex collision domain: stations that share one medium by carrier sense with collision
//! detection (CSMA/CD, IEEE 802.3 clause 4), at 10, 100 and 1000 Mb/s.
//!
//! What a station hears is computed when it is needed, from the few transmissions that can still be
//! heard and the delays between the seats. So a frame costs events for its sender and its
//! receivers, but not for stations that only sense its carrier. The rules, with their clauses, and
//! what is not modelled: `docs/models/csma-cd.md`.

mod air;
mod deference;
mod delays;
mod delivery;
mod mac;
mod parameters;
mod sending;

use crate::fabric::{Client, Fabric, MacCounters};
use crate::frame::{Port, Station};
use crate::kernel::{Class, Includes, Kernel};
use crate::pace::Pace;

use air::Air;
use deference::Gap;
pub use delays::Delays;
use delivery::Flights;
use mac::{Mac, Times};
pub use parameters::{Backoff, Parameters, Seat};

use super::parameters::GAP_PART_1_BITS;
use super::phy::Duplex;

/// What happens in a collision domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Which domain, as its owner counts them.
    pub segment: u32,
    port: u32,
    what: What,
}

/// Events are copied in and out of the heap.
const _: () = assert!(size_of::<Event>() <= 16);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A MAC that has a frame may begin, if it hears nothing.
    Begin,
    /// What a MAC is sending ends: its frame, or the jam.
    End,
    /// The flight of this number has arrived.
    Arrive(u32),
}

/// A collision domain. Its ports are its seats, in their order.
#[derive(Debug)]
pub struct Segment {
    number: u32,
    parameters: Parameters,
    times: Times,
    air: Air,
    macs: Vec<Mac>,
    /// Where the stations sit, in the order of the stations.
    addresses: Vec<(Station, u32)>,
    promiscuous: Vec<u32>,
    any_full_duplex: bool,
    /// Stations that have a frame and must wait for the end of a transmission to know when they may
    /// begin.
    waiting: Vec<u32>,
    /// A transmission has ended, and the waiting stations have not been checked since.
    ended: bool,
    flights: Flights,
    /// Whom a frame reaches, while it is sent on its way.
    audience: Vec<u32>,
}

impl Segment {
    /// A collision domain with the owner's `number`; `seed` is that of the simulation.
    ///
    /// # Panics
    ///
    /// If there are not as many seats as the delays are for, or a station has two seats.
    #[must_use]
    pub fn new(number: u32, parameters: Parameters, delays: Delays, seats: &[Seat], seed: u64) -> Self {
        assert_eq!(seats.len(), delays.ports(), "each seat has its delays");
        let numbered = || (0_u32..).zip(seats);
        let mut addresses: Vec<(Station, u32)> =
            numbered().filter_map(|(port, seat)| Some((seat.station?, port))).collect();
        addresses.sort_unstable();
        assert!(addresses.windows(2).all(|pair| pair[0].0 != pair[1].0), "a station has one seat");
        let times = Times::new(parameters);
        let gap = Gap { part_1: parameters.pace.span(GAP_PART_1_BITS), whole: times.gap };
        Self {
            number,
            parameters,
            times,
            air: Air::new(delays, gap),
            macs: seats.iter().map(|seat| Mac::new(*seat, seed)).collect(),
            addresses,
            promiscuous: numbered().filter(|(_, seat)| seat.promiscuous).map(|(port, _)| port).collect(),
            any_full_duplex: seats.iter().any(|seat| seat.duplex == Duplex::Full),
            waiting: Vec::new(),
            ended: false,
            flights: Flights::new(),
            audience: Vec::new(),
        }
    }

    /// The pace of its bits.
    #[must_use]
    pub const fn pace(&self) -> Pace {
        self.parameters.pace
    }

    /// Where a station sits, if it does.
    fn seat_of(&self, station: Station) -> Option<u32> {
        let found = self.addresses.binary_search_by_key(&station, |(station, _)| *station);
        found.ok().map(|index| self.addresses[index].1)
    }

    fn event(&self, port: u32, what: What) -> Event {
        Event { segment: self.number, port, what }
    }
}

impl Fabric for Segment {
    type Event = Event;

    fn ports(&self) -> usize {
        self.macs.len()
    }

    fn wake<E: Includes<Event>>(&mut self, port: Port, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        if self.macs[port.index()].frame.is_none() && self.take(port.0, kernel, client) {
            // Not at once: whatever else ends or arrives at this instant comes first.
            kernel.at(kernel.now(), Class::Start, self.event(port.0, What::Begin));
        }
    }

    fn handle<E: Includes<Event>>(
        &mut self,
        event: Event,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        match event.what {
            What::Begin => self.try_to_begin(event.port, kernel),
            What::End => self.end(event.port, kernel, client),
            What::Arrive(flight) => self.arrive(event.port, flight, kernel, client),
        }
    }

    fn counters(&self, port: Port) -> MacCounters {
        self.macs[port.index()].counters
    }

    fn held(&self) -> u64 {
        let waiting = self.macs.iter().filter(|mac| mac.frame.is_some()).count();
        waiting as u64 + self.flights.whole
    }
}
