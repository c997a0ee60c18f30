//! ATM: IP packets in AAL5 PDUs, and these in cells of 53 bytes, over lines of exact rate.
//!
//! Stations are connected back to back, or each to one switch whose outputs have queues. A
//! station sends one PDU after another, so on its line the cells of a PDU are contiguous; at an
//! output of the switch cells from several inputs mix. Cells are forwarded exactly, each when it
//! is whole, yet a PDU makes two events, and a third where its cells had to wait.
//!
//! Port `n` is station `n`. Back to back, whatever a station sends is for the other. Through a
//! switch a frame for everyone takes a point-to-multipoint VC, whose leaves are delivered or lost
//! one by one; a frame for a station that is not there, or for the link, has no VC and is lost as
//! [`Loss::Error`] when its last cell has come to the switch.

mod output;
mod parameters;
mod plan;

use linerate_core::units::Time;

pub use output::CellCounters;
use output::{Fate, Output, Train};
use parameters::cells;
pub use parameters::{
    CELL_BYTES, CELL_PAYLOAD_BYTES, DEFAULT_MTU_BYTES, Encapsulation, Line, MAX_SDU_BYTES, MAX_STATIONS,
    Parameters, ParametersError, Switch, TRAILER_BYTES, Topology,
};
pub use plan::AtmPlan;

use crate::carried::Carried;
use crate::fabric::{Client, Fabric, Loss, MacCounters, Seen};
use crate::frame::{Destination, Frame, Port};
use crate::kernel::{Class, Includes, Kernel};
use crate::pace::{Pace, Ticks};
use crate::slab::Slab;

/// What happens in an ATM network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// At whose line.
    port: u32,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// The last cell of a PDU has left the station.
    Sent,
    /// The frame of this number has arrived whole, back to back.
    Arrived(u32),
    /// The train of this number arrives, unless its cells had to wait in the switch.
    Due(u32),
    /// The last cell of this frame came to a switch that has no VC for it.
    Astray(u32),
}

/// An ATM network.
#[derive(Debug)]
pub struct Atm {
    parameters: Parameters,
    pace: Pace,
    stations: Vec<Station>,
    /// The outputs of the switch. Empty back to back, without a switch.
    outputs: Vec<Output>,
    trains: Slab<Train>,
    carried: Carried,
}

#[derive(Debug, Default)]
struct Station {
    /// When its line is free.
    free: Ticks,
    /// What is being sent.
    sending: Option<Frame>,
    counters: MacCounters,
}

impl Atm {
    /// An idle network.
    ///
    /// # Errors
    ///
    /// If the parameters are invalid.
    pub fn new(parameters: Parameters) -> Result<Self, ParametersError> {
        parameters.validate()?;
        let pace = parameters.line.pace();
        let (stations, outputs) = match parameters.topology {
            Topology::BackToBack => (2, Vec::new()),
            Topology::Switched { stations, switch } => {
                (stations, (0..stations).map(|_| Output::new(pace, switch, stations)).collect())
            }
        };
        Ok(Self {
            parameters,
            pace,
            stations: (0..stations).map(|_| Station::default()).collect(),
            outputs,
            trains: Slab::new(),
            carried: Carried::new(),
        })
    }

    /// What the network is like.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The counts of the switch's output to `port`, as far as it has been evaluated: complete when
    /// no frame is held. Absent back to back.
    #[must_use]
    pub fn cells(&self, port: Port) -> Option<CellCounters> {
        self.outputs.get(port.index()).map(Output::counters)
    }

    /// Begins the next PDU of `port`, if there is one and the line is free.
    fn begin<E: Includes<Event>>(&mut self, port: Port, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        let station = &mut self.stations[port.index()];
        if station.sending.is_some() {
            return;
        }
        let Some(frame) = client.next(port, kernel) else { return };
        let Parameters { encapsulation, mtu_bytes, .. } = self.parameters;
        let bytes = frame.data_bytes;
        assert!(bytes <= mtu_bytes, "a station sent {bytes} bytes, more than the MTU of {mtu_bytes}");
        let count = encapsulation.cells(frame.data_bytes);
        let start = self.pace.begin(station.free, kernel.now());
        station.free = start + cells(self.pace, count);
        station.sending = Some(frame);
        kernel.at(self.pace.shown(station.free), Class::Finish, event(port, What::Sent));
        let number = self.carried.take(frame, port);
        if let Topology::Switched { switch, .. } = self.parameters.topology {
            // Each cell is forwarded when it is whole.
            let first =
                start + cells(self.pace, 1) + self.pace.length(self.parameters.delay + switch.latency);
            self.route(Train::new(number, port.0, first, count), count, kernel);
        } else {
            let at = self.pace.shown(self.stations[port.index()].free) + self.parameters.delay;
            kernel.at(at, Class::Arrive, event(Port(1 - port.0), What::Arrived(number)));
        }
    }

    /// Announces `train` to every output that it is for.
    fn route(&mut self, train: Train, count: u32, kernel: &mut Kernel<impl Includes<Event>>) {
        let number = train.carried;
        let [source, stations] = [self.carried.source(number).0, self.outputs.len() as u32];
        match self.carried.frame(number).destination {
            Destination::Station(station) if station.0 < stations => {
                self.announce(station.0, train, count, kernel);
            }
            Destination::Everyone => {
                self.carried.copy(number, stations - 1);
                for output in (0..stations).filter(|output| *output != source) {
                    self.announce(output, train, count, kernel);
                }
            }
            Destination::Station(_) | Destination::Link => {
                let at = self.pace.shown(train.first() + cells(self.pace, count - 1));
                kernel.at(at, Class::Arrive, event(Port(source), What::Astray(number)));
            }
        }
    }

    /// Announces `train` to one output, and sets its arrival as if it need not wait.
    fn announce(&mut self, output: u32, train: Train, count: u32, kernel: &mut Kernel<impl Includes<Event>>) {
        let number = self.trains.insert(train);
        self.outputs[output as usize].expect(number, train);
        let at = self.arrival(train.first() + cells(self.pace, count));
        kernel.at(at, Class::Arrive, event(Port(output), What::Due(number)));
    }

    /// When what left the switch whole at `instant` arrives.
    const fn arrival(&self, instant: Ticks) -> Time {
        self.pace.shown(instant + self.pace.length(self.parameters.delay))
    }

    /// Asks the output what became of a train, and finishes it.
    fn due<E: Includes<Event>>(
        &mut self,
        port: Port,
        number: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let Self { outputs, trains, .. } = self;
        let now = self.pace.instant(kernel.now());
        outputs[port.index()].catch_up(now, |ended, train| trains[ended] = train);
        let train = trains[number];
        match train.fate() {
            Fate::Open => unreachable!("a train is asked for after its last cell"),
            Fate::Leaves(instant) => {
                let at = self.arrival(instant);
                if at > kernel.now() {
                    kernel.at(at, Class::Arrive, event(port, What::Due(number)));
                    return;
                }
                self.trains.remove(number);
                self.deliver(train.carried, port, kernel, client);
            }
            Fate::Lost { why, seen } => {
                self.trains.remove(number);
                self.stations[port.index()].counters.errors += u64::from(seen);
                self.carried.lose(train.carried, why, kernel, client);
            }
        }
    }

    fn deliver<E: Includes<Event>>(
        &mut self,
        number: u32,
        port: Port,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        self.stations[port.index()].counters.received += 1;
        self.carried.deliver(number, port, kernel, client);
    }

    fn sent<E: Includes<Event>>(&mut self, port: Port, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        let station = &mut self.stations[port.index()];
        if let Some(frame) = station.sending.take() {
            station.counters.sent += 1;
            client.observe(port, &frame, Seen::Sent, kernel);
            client.left(port, &frame, kernel.now());
        }
        self.begin(port, kernel, client);
    }
}

const fn event(port: Port, what: What) -> Event {
    Event { port: port.0, what }
}

impl Fabric for Atm {
    type Event = Event;

    fn ports(&self) -> usize {
        self.stations.len()
    }

    /// # Panics
    ///
    /// If the client gives a frame larger than the MTU.
    fn wake<E: Includes<Event>>(&mut self, port: Port, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        self.begin(port, kernel, client);
    }

    fn handle<E: Includes<Event>>(
        &mut self,
        event: Event,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let port = Port(event.port);
        match event.what {
            What::Sent => self.sent(port, kernel, client),
            What::Arrived(number) => self.deliver(number, port, kernel, client),
            What::Due(number) => self.due(port, number, kernel, client),
            What::Astray(number) => self.carried.lose(number, Loss::Error, kernel, client),
        }
    }

    fn counters(&self, port: Port) -> MacCounters {
        self.stations[port.index()].counters
    }

    fn held(&self) -> u64 {
        self.carried.held()
    }
}
