//! The numbers of Fibre Channel and of IP over it, and what a fabric is made of.
//!
//! Of FC-PH (ANSI X3.230-1994) no text could be opened; its numbers are from memory and from
//! vendors' manuals.

use linerate_core::units::Span;

use crate::pace::Pace;

/// Start of frame, header of 24 bytes, check, end of frame: a frame without its data field.
/// Unit: bytes. Source: FC-PH, 17.
pub const OVERHEAD_BYTES: u32 = 4 + HEADER_BYTES + 4 + 4;
/// Frame header. Unit: bytes. Source: FC-PH, 18.
pub const HEADER_BYTES: u32 = 24;
/// Fill words that an N_Port sends at least between two frames: six of 4 bytes. An R_RDY takes
/// the place of one of them. Unit: bytes. Source: FC-PH, 17.1.
pub const GAP_BYTES: u32 = 24;
/// Largest data field. Unit: bytes, optional headers included. Source: FC-PH, 17.4.
pub const MAX_PAYLOAD_BYTES: u32 = 2_112;
/// Smallest receive data field size that a port may ask for. Unit: bytes. Source: FC-PH, 23.6
/// (class service parameters).
pub const MIN_PAYLOAD_BYTES: u32 = 128;
/// Most frames of a sequence, because the sequence count has 16 bits. Source: FC-PH, 18.6.
pub const MAX_SEQUENCE_FRAMES: u32 = 65_536;
/// Largest IP packet. Unit: bytes. Source: RFC 2625, 3.
pub const MAX_IP_BYTES: u32 = 65_280;
/// Most stations on one switch: an area of the address has 256 values. Source: FC-SW.
pub const MAX_STATIONS: u32 = 256;

/// Signalling rate of a line with 8B/10B coding.
///
/// Unit: baud. A byte takes 10, so 1.0625 Gbaud are 106.25 MB/s. Source: FC-PH, 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Baud(pub u64);

impl Baud {
    /// Full speed, called 1062 or 1GFC: 106.25 MB/s.
    pub const FULL: Self = Self(1_062_500_000);

    /// The time of a bit of a byte, before coding: 20 000 / 17 ps at full speed.
    ///
    /// # Panics
    ///
    /// If it is zero.
    #[must_use]
    pub const fn pace(self) -> Pace {
        Pace::new(1_250_000_000_000, self.0)
    }
}

/// What a sequence carries besides the client's data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encapsulation {
    /// IP: a network header of 16 bytes, only in the first frame, and LLC/SNAP of 8. Source:
    /// RFC 2625, 3.
    #[default]
    Ip,
    /// Nothing: the data is the information unit of an FC-4.
    Plain,
}

impl Encapsulation {
    /// What it puts before the data, once a sequence. Unit: bytes.
    #[must_use]
    pub const fn header_bytes(self) -> u32 {
        match self {
            Self::Ip => 16 + 8,
            Self::Plain => 0,
        }
    }

    /// Most data in one sequence whose frames carry up to `payload_bytes`. Unit: bytes, of the IP
    /// packet or of the information unit.
    #[must_use]
    pub const fn max_data_bytes(self, payload_bytes: u32) -> u32 {
        match self {
            Self::Ip => MAX_IP_BYTES,
            Self::Plain => MAX_SEQUENCE_FRAMES.saturating_mul(payload_bytes),
        }
    }
}

/// A frame from start to end delimiter, its data field filled to whole words. Unit: bytes.
/// Source: FC-PH, 17.4.
#[must_use]
pub const fn frame_bytes(payload_bytes: u32) -> u64 {
    OVERHEAD_BYTES as u64 + payload_bytes.next_multiple_of(4) as u64
}

/// When a switch sends a frame on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Forwarding {
    /// When it has it whole.
    StoreAndForward,
    /// When it has its start and its header, and the output is free.
    #[default]
    CutThrough,
}

/// The switch between the stations. A frame stays in its buffer of the F_Port that received it
/// until its last bit has left; an output sends frames in the order in which they came to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Whether it waits for whole frames.
    pub forwarding: Forwarding,
    /// Buffers of each F_Port: its buffer-to-buffer credit. At least 1.
    pub credits: u16,
    /// From when a frame could be sent on until it is. Unit: time.
    pub latency: Span,
}

impl Default for Switch {
    /// Cut-through without a latency of its own, and 16 buffers a port.
    fn default() -> Self {
        Self { forwarding: Forwarding::CutThrough, credits: 16, latency: Span::ZERO }
    }
}

/// How the stations are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Two N_Ports and one link.
    PointToPoint,
    /// Each N_Port has a link to an F_Port of one switch.
    Switched {
        /// From 2 to [`MAX_STATIONS`].
        stations: u32,
        /// What the switch is like.
        switch: Switch,
    },
}

/// What a Fibre Channel network is like. Class 3: no acknowledgements and no retransmissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Every line of the network, the same in both directions.
    pub baud: Baud,
    /// Largest data field that is sent, optional headers included; a sequence is cut in frames
    /// of it. Unit: bytes, a multiple of 4.
    pub payload_bytes: u32,
    /// What is put before the data of each sequence.
    pub encapsulation: Encapsulation,
    /// Largest IP packet, or information unit, that stations send. Unit: bytes.
    pub mtu_bytes: u32,
    /// From a bit's leaving to its arrival, on each link. Unit: time, one way.
    pub delay: Span,
    /// Buffers of each N_Port: its buffer-to-buffer credit. At least 1.
    pub credits: u16,
    /// From a frame's whole arrival at an N_Port until its buffer is free and R_RDY leaves.
    pub processing: Span,
    /// Who is connected to whom.
    pub topology: Topology,
}

impl Default for Parameters {
    /// Two stations at full speed without distance: frames of up to 2112 bytes (many adapters
    /// send 2048), 16 credits, IP packets of up to 65280 bytes.
    fn default() -> Self {
        Self {
            baud: Baud::FULL,
            payload_bytes: MAX_PAYLOAD_BYTES,
            encapsulation: Encapsulation::Ip,
            mtu_bytes: MAX_IP_BYTES,
            delay: Span::ZERO,
            credits: 16,
            processing: Span::ZERO,
            topology: Topology::PointToPoint,
        }
    }
}

impl Parameters {
    /// As the default, but `stations` on one switch.
    #[must_use]
    pub fn switched(stations: u32, switch: Switch) -> Self {
        Self { topology: Topology::Switched { stations, switch }, ..Self::default() }
    }

    /// Checks the parameters.
    ///
    /// # Errors
    ///
    /// The first invalid value.
    pub const fn validate(&self) -> Result<(), ParametersError> {
        let Baud(baud) = self.baud;
        if baud == 0 || baud > 1_000_000_000_000 {
            return Err(ParametersError::Rate { baud });
        }
        let bytes = self.payload_bytes;
        if bytes < MIN_PAYLOAD_BYTES || bytes > MAX_PAYLOAD_BYTES || !bytes.is_multiple_of(4) {
            return Err(ParametersError::Payload { bytes });
        }
        let most = self.encapsulation.max_data_bytes(bytes);
        if self.mtu_bytes == 0 || self.mtu_bytes > most {
            return Err(ParametersError::Mtu { bytes: self.mtu_bytes, most });
        }
        if self.credits == 0 {
            return Err(ParametersError::Credits { of: "an N_Port" });
        }
        match self.topology {
            Topology::Switched { stations, .. } if stations < 2 || stations > MAX_STATIONS => {
                Err(ParametersError::Stations { stations })
            }
            Topology::Switched { switch: Switch { credits: 0, .. }, .. } => {
                Err(ParametersError::Credits { of: "an F_Port" })
            }
            _ => Ok(()),
        }
    }
}

/// Why the parameters are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParametersError {
    /// The signalling rate.
    #[error("build a Fibre Channel network: {baud} baud; it is from 1 to 10^12")]
    Rate {
        /// What was asked.
        baud: u64,
    },
    /// The data field.
    #[error(
        "build a Fibre Channel network: a payload of {bytes} bytes; it is a multiple of 4 from {MIN_PAYLOAD_BYTES} to {MAX_PAYLOAD_BYTES}"
    )]
    Payload {
        /// What was asked.
        bytes: u32,
    },
    /// The MTU.
    #[error("build a Fibre Channel network: an MTU of {bytes} bytes; a sequence carries from 1 to {most}")]
    Mtu {
        /// What was asked.
        bytes: u32,
        /// What the encapsulation allows.
        most: u32,
    },
    /// Buffer-to-buffer credits.
    #[error("build a Fibre Channel network: 0 credits of {of}; there are from 1 to 65535")]
    Credits {
        /// Of which kind of port.
        of: &'static str,
    },
    /// The number of stations.
    #[error(
        "build a Fibre Channel network: {stations} stations on a switch; there are from 2 to {MAX_STATIONS}"
    )]
    Stations {
        /// What was asked.
        stations: u32,
    },
}
