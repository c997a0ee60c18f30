//! Fibre Channel: sequences of frames, and credit for every frame that is sent.
//!
//! Two N_Ports are connected by a full-duplex link, or several to the F_Ports of one switch. What a
//! client gives is a sequence; it is sent frame by frame, and delivered when its last frame has
//! arrived whole. A frame is sent only while the other end of the link has a buffer for it, so no
//! frame is ever lost for lack of buffers.
//!
//! R_RDY returns a credit. It takes the place of one of the six fill words between frames, of
//! which two stay on either side, and has no time of its own: a credit is back one propagation
//! delay after its buffer became free. So the directions of a link do not disturb each other.
//!
//! Port `n` is station `n`. Point to point, whatever a station sends is for the other. Through a
//! switch a frame for everyone goes to all others (class 3 broadcast) and keeps its buffer until
//! the last copy has left; what is for a station that is not there, or for the link, is
//! discarded by the F_Port and lost as [`Loss::Error`](crate::fabric::Loss::Error).

mod lane;
mod parameters;
mod plan;
mod switch;

use std::collections::VecDeque;

use linerate_core::units::Time;

use lane::{Fragment, Lane, Travelling};
pub use parameters::{
    Baud, Encapsulation, Forwarding, GAP_BYTES, HEADER_BYTES, MAX_IP_BYTES, MAX_PAYLOAD_BYTES,
    MAX_SEQUENCE_FRAMES, MAX_STATIONS, MIN_PAYLOAD_BYTES, OVERHEAD_BYTES, Parameters, ParametersError,
    Switch, Topology, frame_bytes,
};
pub use plan::FibreChannelPlan;
use switch::Buffer;

use crate::carried::Carried;
use crate::fabric::{Client, Fabric, MacCounters, Seen};
use crate::frame::{Frame, Port};
use crate::kernel::{Class, Includes, Kernel};
use crate::slab::Slab;

/// What happens in a Fibre Channel network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Which direction of which link: first those from the stations, then those to them.
    lane: u32,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// The last bit of a frame has left.
    Sent,
    /// The oldest frame on its way has arrived far enough for the receiver.
    Arrived,
    /// A credit is back for which the line waits.
    Ready,
}

/// A Fibre Channel network.
#[derive(Debug)]
pub struct FibreChannel {
    parameters: Parameters,
    stations: Vec<Station>,
    /// From each station; through a switch also to each.
    lanes: Vec<Lane>,
    /// What waits in the switch for the lane to each station, oldest first.
    queues: Vec<VecDeque<u32>>,
    buffers: Slab<Buffer>,
    carried: Carried,
}

#[derive(Debug, Default)]
struct Station {
    /// The sequence that is being sent, and how much of it is left. Unit: bytes.
    sequence: Option<(u32, u32)>,
    /// What the last frame on the line ends.
    ending: Option<Frame>,
    counters: MacCounters,
}

impl FibreChannel {
    /// An idle network.
    ///
    /// # Errors
    ///
    /// If the parameters are invalid.
    pub fn new(parameters: Parameters) -> Result<Self, ParametersError> {
        parameters.validate()?;
        let Parameters { baud, credits, .. } = parameters;
        let lanes = |count, credits| (0..count).map(move |_| Lane::new(baud, credits));
        let (stations, lanes): (_, Vec<Lane>) = match parameters.topology {
            Topology::PointToPoint => (2, lanes(2, credits).collect()),
            Topology::Switched { stations, switch } => {
                (stations, lanes(stations, switch.credits).chain(lanes(stations, credits)).collect())
            }
        };
        let outputs = lanes.len() - stations as usize;
        Ok(Self {
            parameters,
            stations: (0..stations).map(|_| Station::default()).collect(),
            lanes,
            queues: vec![VecDeque::new(); outputs],
            buffers: Slab::new(),
            carried: Carried::new(),
        })
    }

    /// What the network is like.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The output that `lane` comes from, if it comes from the switch.
    fn output(&self, lane: u32) -> Option<usize> {
        (lane as usize).checked_sub(self.stations.len())
    }

    /// Begins the next frame of `lane`, if there is one, a credit for it, and the line is free.
    fn begin<E: Includes<Event>>(&mut self, lane: u32, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        let output = self.output(lane);
        let line = &mut self.lanes[lane as usize];
        if line.busy || output.is_some_and(|output| self.queues[output].is_empty()) {
            return;
        }
        if !line.may_send(kernel.now()) {
            if let Some(at) = line.stall(kernel.now()) {
                kernel.at(at, Class::Arrive, Event { lane, what: What::Ready });
            }
        } else if let Some(output) = output {
            self.forward(output, lane, kernel);
        } else {
            self.originate(lane, kernel, client);
        }
    }

    /// Sends the next frame of a station.
    fn originate<E: Includes<Event>>(
        &mut self,
        lane: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let Some(fragment) = self.next_fragment(Port(lane), kernel, client) else { return };
        let Parameters { delay, topology, .. } = self.parameters;
        let line = &mut self.lanes[lane as usize];
        let sending = line.send(fragment, kernel.now());
        kernel.at(sending.end, Class::Finish, Event { lane, what: What::Sent });
        let Topology::Switched { switch, .. } = topology else {
            return self.towards_station(lane, fragment, sending.end, kernel);
        };
        let enough = match switch.forwarding {
            Forwarding::StoreAndForward => sending.end,
            Forwarding::CutThrough => sending.header,
        };
        line.travelling.push_back(Travelling { fragment, whole: sending.end + delay });
        kernel.at(enough + delay + switch.latency, Class::Arrive, Event { lane, what: What::Arrived });
    }

    /// Cuts the next frame from the sequence of `port`. If there is no sequence, gets one from the
    /// client.
    fn next_fragment<E: Includes<Event>>(
        &mut self,
        port: Port,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) -> Option<Fragment> {
        let Parameters { encapsulation, mtu_bytes, payload_bytes, .. } = self.parameters;
        let station = &mut self.stations[port.index()];
        let (carried, left) = if let Some(sequence) = station.sequence {
            sequence
        } else {
            let frame = client.next(port, kernel)?;
            let bytes = frame.data_bytes;
            assert!(bytes <= mtu_bytes, "a station sent {bytes} bytes, more than the MTU of {mtu_bytes}");
            (self.carried.take(frame, port), encapsulation.header_bytes() + frame.data_bytes)
        };
        let cut = left.min(payload_bytes);
        let last = cut == left;
        station.sequence = (!last).then_some((carried, left - cut));
        station.ending = last.then(|| *self.carried.frame(carried));
        Some(Fragment { carried, payload_bytes: cut, last })
    }

    /// A frame whose last bit leaves at `end` goes to an N_Port, which then frees its buffer.
    fn towards_station(
        &mut self,
        lane: u32,
        fragment: Fragment,
        end: Time,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) {
        let Parameters { delay, processing, .. } = self.parameters;
        let whole = end + delay;
        self.give_back(lane, whole + processing + delay, kernel);
        // Only the last frame makes something happen.
        if fragment.last {
            self.lanes[lane as usize].travelling.push_back(Travelling { fragment, whole });
            kernel.at(whole, Class::Arrive, Event { lane, what: What::Arrived });
        }
    }

    /// An R_RDY for `lane` will arrive at `at`.
    fn give_back(&mut self, lane: u32, at: Time, kernel: &mut Kernel<impl Includes<Event>>) {
        if self.lanes[lane as usize].give_back(at) {
            kernel.at(at, Class::Arrive, Event { lane, what: What::Ready });
        }
    }

    fn arriving(&mut self, lane: u32) -> Travelling {
        self.lanes[lane as usize].travelling.pop_front().expect("what arrives has begun")
    }

    /// The last frame of a sequence has arrived at a station.
    fn arrive<E: Includes<Event>>(&mut self, lane: u32, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        let Travelling { fragment, .. } = self.arriving(lane);
        let port = self.output(lane).map_or(Port(1 - lane % 2), |output| Port(output as u32));
        self.stations[port.index()].counters.received += 1;
        self.carried.deliver(fragment.carried, port, kernel, client);
    }

    fn sent<E: Includes<Event>>(&mut self, lane: u32, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        self.lanes[lane as usize].busy = false;
        if let Some(station) = self.stations.get_mut(lane as usize)
            && let Some(frame) = station.ending.take()
        {
            station.counters.sent += 1;
            client.observe(Port(lane), &frame, Seen::Sent, kernel);
            client.left(Port(lane), &frame, kernel.now());
        }
        self.begin(lane, kernel, client);
    }
}

impl Fabric for FibreChannel {
    type Event = Event;

    fn ports(&self) -> usize {
        self.stations.len()
    }

    /// # Panics
    ///
    /// If the client gives a frame larger than the MTU.
    fn wake<E: Includes<Event>>(&mut self, port: Port, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        self.begin(port.0, kernel, client);
    }

    fn handle<E: Includes<Event>>(
        &mut self,
        event: Event,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let Event { lane, what } = event;
        match what {
            What::Sent => self.sent(lane, kernel, client),
            What::Ready => self.begin(lane, kernel, client),
            What::Arrived if self.queues.is_empty() || self.output(lane).is_some() => {
                self.arrive(lane, kernel, client);
            }
            What::Arrived => self.switch(lane, kernel, client),
        }
    }

    /// `paused` is the time in which the line was free and had no credit.
    fn counters(&self, port: Port) -> MacCounters {
        let paused = self.lanes[port.index()].stalled_for();
        MacCounters { paused, ..self.stations[port.index()].counters }
    }

    fn held(&self) -> u64 {
        self.carried.held()
    }
}
