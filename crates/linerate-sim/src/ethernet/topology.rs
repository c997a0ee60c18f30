//! What an Ethernet network is made of, as plain data: stations, relays, and the cables between
//! them. [`crate::ethernet::network::Network::new`] checks it and builds it.

mod check;
mod error;
mod shapes;
mod tree;

use linerate_core::units::Span;

use super::pause::{FlowControl, Watermarks};
use super::phy::Duplex;
use crate::pace::Pace;

pub(super) use check::is_gigabit;
pub use error::TopologyError;
pub(super) use tree::{Plug, Tree};

/// A description of a network. Plain data, which is checked only when a network is built from it.
///
/// The ports of a relay are numbered from 0 in the order of the cables that end at it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// The stations. The index is the station's number and its port of the network.
    pub stations: Vec<StationNode>,
    /// The relays. The index is the relay's number.
    pub relays: Vec<RelayNode>,
    /// The cables. Together they form a tree.
    pub cables: Vec<Cable>,
    /// What half-duplex MACs at 1 Gb/s do about short frames.
    pub gigabit: GigabitHalfDuplex,
}

/// One end of a cable: a station or a relay, by its place in the [`Topology`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A station with one interface.
    Station(usize),
    /// A relay; the cable takes its next port.
    Relay(usize),
}

/// A station.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StationNode {
    /// What people call it.
    pub name: String,
    /// Its receive buffer. If absent, the host takes every frame when it arrives.
    pub receive: Option<ReceiveSide>,
}

/// The receive side of a slow host: a buffer that the host empties at a steady rate, one frame
/// after the other. Frames for other stations do not enter it: the MAC's address filter is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveSide {
    /// The buffer; its watermarks send PAUSE if this end of the cable sends PAUSE.
    pub buffer: Buffer,
    /// How long the host works on each bit of a MAC frame, from destination address to frame
    /// check sequence.
    pub drain: Pace,
}

/// A buffer for received frames. A frame counts with its MAC frame bytes, preamble not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Room. Unit: bytes.
    pub capacity: u64,
    /// Levels at which its MAC sends PAUSE and PAUSE with time 0, if it sends PAUSE.
    pub watermarks: Option<Watermarks>,
}

/// A relay.
#[derive(Clone, Debug, PartialEq)]
pub struct RelayNode {
    /// What people call it.
    pub name: String,
    /// How it relays.
    pub kind: Relay,
}

/// How a relay carries frames between its ports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relay {
    /// A learning, store-and-forward switch (IEEE 802.1D bridge without spanning tree).
    Switch(SwitchParameters),
    /// A full-duplex repeater, also called a buffered distributor.
    Distributor(Buffer),
    /// A repeater: its cables are one collision domain (IEEE 802.3, clauses 9, 27 and 41).
    Hub {
        /// What it adds to the delay of every frame.
        delay: Span,
    },
}

/// What a switch is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwitchParameters {
    /// From a frame's whole arrival to its place in the output queue.
    pub latency: Span,
    /// Room in each output queue, the frame that is being sent not counted. Unit: bytes.
    pub output_bytes: u64,
    /// Room for what came in by each port and has not left by every port that it goes to; its
    /// watermarks send PAUSE on ports that send PAUSE. If absent, there is no limit and no PAUSE.
    pub input: Option<Buffer>,
    /// It knows every station's port from the start, as if all stations had sent frames before (by
    /// ARP, say). Otherwise it learns the ports from the frames that it receives.
    pub taught: bool,
    /// When an output queue marks packets of senders that understand it. If absent, never.
    pub marking: Option<Marking>,
}

/// When an output queue marks packets (CE, RFC 3168, section 5). The queue is what waits; the frame
/// that is being sent is not part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Marking {
    /// Where more than this waits when a packet comes: RFC 8257, 3.1. Unit: bytes of MAC frames.
    AboveBytes(u64),
    /// The same by the number of frames that wait.
    AboveFrames(u64),
    /// At random, by the mean of the queue. What cannot be marked is lost.
    Early(EarlyDetection),
}

/// Random early detection: Floyd and Jacobson 1993; RFC 2309.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlyDetection {
    /// Below this mean nothing is marked. Unit: bytes of MAC frames.
    pub least: u64,
    /// From this mean on everything is. Unit: bytes of MAC frames.
    pub most: u64,
    /// The share that is marked just below that, from 0 to 1.
    pub probability: f64,
    /// The weight of a new packet in the mean, above 0 and up to 1.
    pub weight: f64,
}

/// What half-duplex MACs at 1 Gb/s do about frames shorter than the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GigabitHalfDuplex {
    /// Carrier extension (IEEE 802.3, 4.2.3.4).
    pub extend: bool,
    /// Frame bursting (IEEE 802.3, 4.2.3.2.7).
    pub burst: bool,
}

impl Default for GigabitHalfDuplex {
    fn default() -> Self {
        Self { extend: true, burst: true }
    }
}

/// A cable, with what the MACs at its ends are set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cable {
    /// What it connects.
    pub ends: [Node; 2],
    /// What it is like; its sides are in the order of the ends.
    pub wire: Wire,
}

/// What a cable is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Time of a bit of the MACs' data.
    pub pace: Pace,
    /// From a bit's leaving to its arrival.
    pub delay: Span,
    /// What the MAC at each end is set to.
    pub sides: [Side; 2],
}

/// What a MAC is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Whether it sends while it receives.
    pub duplex: Duplex,
    /// What it does about PAUSE.
    pub flow: FlowControl,
}

impl Wire {
    /// A full-duplex cable without PAUSE.
    #[must_use]
    pub const fn full(pace: Pace, delay: Span) -> Self {
        Self { pace, delay, sides: [Side::new(Duplex::Full); 2] }
    }

    /// A half-duplex cable.
    #[must_use]
    pub const fn half(pace: Pace, delay: Span) -> Self {
        Self { pace, delay, sides: [Side::new(Duplex::Half); 2] }
    }

    /// This cable with what its ends do about PAUSE, in their order: [`FlowControl::BOTH`] twice
    /// for symmetric PAUSE; [`FlowControl::OBEYS`] and [`FlowControl::SENDS`] for a station and a
    /// full-duplex repeater, which advertises PAUSE 0, ASM_DIR 1 (IEEE 802.3, table 28B-3).
    #[must_use]
    pub const fn with_flow(mut self, [first, second]: [FlowControl; 2]) -> Self {
        self.sides[0].flow = first;
        self.sides[1].flow = second;
        self
    }
}

impl Side {
    /// A MAC without PAUSE.
    #[must_use]
    pub const fn new(duplex: Duplex) -> Self {
        Self { duplex, flow: FlowControl::NONE }
    }
}

impl Buffer {
    /// A buffer that never asks for PAUSE.
    #[must_use]
    pub const fn without_watermarks(capacity: u64) -> Self {
        Self { capacity, watermarks: None }
    }

    /// A buffer that asks for PAUSE at `high` or above, and to go on at `low` or below.
    #[must_use]
    pub const fn new(capacity: u64, high: u64, low: u64) -> Self {
        Self { capacity, watermarks: Some(Watermarks { high, low }) }
    }
}

impl SwitchParameters {
    /// A switch without latency and PAUSE, with this much room in each output queue.
    #[must_use]
    pub const fn plain(output_bytes: u64) -> Self {
        Self { latency: Span::ZERO, output_bytes, input: None, taught: false, marking: None }
    }
}
