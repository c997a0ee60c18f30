//! The numbers of Myrinet. Source: Boden et al., "Myrinet: a gigabit-per-second local area network"
//! (IEEE Micro 15(1), 1995), as the literature quotes it; the latency of a switch and the marks of
//! its slack buffer could not be verified and are parameters.

use linerate_core::units::Span;

/// Route byte of each switch on the way: the switch strips it. Unit: bytes.
pub const ROUTE_BYTES_PER_HOP: u64 = 1;
/// What kind of packet it is. Unit: bytes.
pub const TYPE_BYTES: u64 = 2;
/// Check sequence at the end. Unit: bytes.
pub const CRC_BYTES: u64 = 1;
/// Most stations of a network.
pub const MAX_STATIONS: u32 = 4096;

/// The largest packet that this model carries; Myrinet itself has no limit. Unit: bytes.
#[must_use]
pub const fn largest_data_bytes() -> u32 {
    1 << 24
}

/// Length on the first link of a packet that crosses this many switches. Unit: bytes.
#[must_use]
pub const fn packet_bytes(data_bytes: u32, hops: u32) -> u64 {
    data_bytes as u64 + hops as u64 * ROUTE_BYTES_PER_HOP + TYPE_BYTES + CRC_BYTES
}

/// Checks whether this model carries a packet of this many bytes.
///
/// # Errors
///
/// If it is larger than [`largest_data_bytes`].
pub const fn check_packet(data_bytes: u32) -> Result<(), Error> {
    if data_bytes > largest_data_bytes() { Err(Error::Packet { data_bytes }) } else { Ok(()) }
}

/// Which of the heads that wait for an output gets it next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arbitration {
    /// The first after the input that had it last, by the number of the input.
    #[default]
    RoundRobin,
    /// The one that has waited longest.
    FirstCome,
}

/// How the switches are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// One switch with a port for every station.
    Crossbar,
    /// Switches with this many stations each, and one switch that connects them. Unit: stations.
    Tree {
        /// Stations of each lower switch, at least 1; the last switch may have fewer.
        stations_per_switch: u32,
    },
}

/// The slack buffer at each input of a switch. Unit: bytes.
///
/// A mark is compared with what is in the buffer, not with what is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slack {
    /// What the buffer holds. It must have room above the stop mark for the bytes that arrive
    /// before STOP takes effect.
    pub bytes: u64,
    /// STOP is sent when the buffer has filled up to here. Above the go mark.
    pub stop: u64,
    /// GO is sent when the buffer has emptied down to here. At least 1, or a head could be stopped
    /// before its route byte is in.
    pub go: u64,
}

/// What a network is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Stations, 1 to 4096.
    pub stations: u32,
    /// How the switches are connected.
    pub topology: Topology,
    /// Time of a byte on a link, above zero.
    pub byte: Span,
    /// From a byte's arrival at a switch to the earliest that it can leave it.
    pub latency: Span,
    /// Time of a byte in the cable of a station, one way.
    pub cable: Span,
    /// Time of a byte in a cable between switches, one way.
    pub trunk: Span,
    /// Buffer at each input of a switch.
    pub slack: Slack,
    /// Who gets an output next.
    pub arbitration: Arbitration,
}

impl Parameters {
    /// Links of 1.28 Gb/s (160 MB/s), cables of 25 m at 5 ns/m, 0.5 us a switch, and marks with
    /// which an output that resumes does not empty its input's buffer before the next byte arrives.
    #[must_use]
    pub const fn lan(stations: u32) -> Self {
        Self {
            stations,
            topology: Topology::Crossbar,
            byte: Span::from_ps(6_250),
            latency: Span::from_ns(500),
            cable: Span::from_ns(125),
            trunk: Span::from_ns(125),
            slack: Slack { bytes: 288, stop: 144, go: 128 },
            arbitration: Arbitration::RoundRobin,
        }
    }

    /// The most that enters a buffer after STOP was sent, which is also the most that leaves
    /// between GO and the first byte that GO releases: the time of a link there and back and of a
    /// switch. Unit: bytes, rounded up.
    #[must_use]
    pub fn overshoot_bytes(&self) -> u64 {
        let there_and_back = self.cable.max(self.trunk) * 2 + self.latency;
        there_and_back.as_ps().div_ceil(self.byte.as_ps())
    }

    /// Checks the parameters, and that the network loses nothing.
    ///
    /// # Errors
    ///
    /// If a number is outside its range, or the slack buffer would overflow.
    pub fn check(&self) -> Result<(), Error> {
        let Self { stations, slack, .. } = *self;
        if !(1..=MAX_STATIONS).contains(&stations) {
            return Err(Error::Stations { stations });
        }
        if self.topology == (Topology::Tree { stations_per_switch: 0 }) {
            return Err(Error::EmptySwitch);
        }
        if self.byte == Span::ZERO {
            return Err(Error::Byte);
        }
        if slack.go == 0 || slack.go >= slack.stop {
            return Err(Error::Marks { go: slack.go, stop: slack.stop });
        }
        let needed = slack.stop.saturating_add(self.overshoot_bytes());
        if slack.bytes < needed { Err(Error::Slack { bytes: slack.bytes, needed }) } else { Ok(()) }
    }
}

/// Why a network is invalid, or cannot carry a packet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Too few stations, or too many.
    #[error("connect {stations} stations by Myrinet: there must be 1 to {MAX_STATIONS}")]
    Stations {
        /// How many were asked for.
        stations: u32,
    },
    /// Switches without stations.
    #[error("connect stations by Myrinet with 0 stations per switch: there must be 1 or more")]
    EmptySwitch,
    /// Bytes that take no time.
    #[error("run a Myrinet link with a byte time of 0 ps: it must be above zero")]
    Byte,
    /// Marks in the wrong order.
    #[error(
        "run a slack buffer with a go mark of {go} and a stop mark of {stop} bytes: 1 <= go < stop must hold"
    )]
    Marks {
        /// The go mark. Unit: bytes.
        go: u64,
        /// The stop mark. Unit: bytes.
        stop: u64,
    },
    /// A buffer that would lose bytes.
    #[error(
        "run a slack buffer of {bytes} bytes without loss: with this stop mark, cable and switch it must be {needed} or more"
    )]
    Slack {
        /// Its size. Unit: bytes.
        bytes: u64,
        /// The stop mark and what comes after STOP was sent. Unit: bytes.
        needed: u64,
    },
    /// A packet that is too large.
    #[error("carry a packet of {data_bytes} bytes over Myrinet: the model allows {limit} bytes", limit = largest_data_bytes())]
    Packet {
        /// Its size. Unit: bytes.
        data_bytes: u32,
    },
}
