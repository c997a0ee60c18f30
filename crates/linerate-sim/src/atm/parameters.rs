//! The numbers of ATM, AAL5 and classical IP, and what a network is made of.

use linerate_core::units::Span;

use crate::pace::{Pace, Ticks};

/// A cell with its header. Unit: bytes. Source: ITU-T I.361, 2.
pub const CELL_BYTES: u32 = 53;
/// What a cell carries. Unit: bytes. Source: ITU-T I.361, 2.
pub const CELL_PAYLOAD_BYTES: u32 = 48;
/// AAL5 trailer: user-to-user, common part indicator, length, check. Unit: bytes. Source: ITU-T I.363.5, 9.2.1.
pub const TRAILER_BYTES: u32 = 8;
/// Most that an AAL5 PDU carries before padding and trailer, because its length field has 16
/// bits. Unit: bytes. Source: ITU-T I.363.5, 9.2.1.
pub const MAX_SDU_BYTES: u32 = 65_535;
/// IP MTU of classical IP over ATM where nothing else was agreed. Unit: bytes. Source: RFC 2225, 7.
pub const DEFAULT_MTU_BYTES: u32 = 9_180;
/// Most stations on one switch: a bound of this model, not of ATM.
pub const MAX_STATIONS: u32 = 1_024;

/// What carries the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// What is left for cells, their headers included. Unit: bit/s. Not the line rate, which has
    /// the framing in it.
    pub payload_bits_per_second: u64,
}

impl Line {
    /// SONET STS-3c, SDH STM-1: 260 of the 270 columns of a 155.52 Mb/s frame: 149.76 Mb/s,
    /// 353 207.5 cells/s. Source: ITU-T I.432.2.
    pub const OC3C: Self = Self { payload_bits_per_second: 149_760_000 };
    /// SONET STS-12c, SDH STM-4c: 1040 of the 1080 columns of a 622.08 Mb/s frame: 599.04 Mb/s.
    /// Source: ITU-T I.432.2.
    pub const OC12C: Self = Self { payload_bits_per_second: 599_040_000 };
    /// DS3 with the PLCP: 12 cells in 125 us, 96 000 cells/s. Source: ITU-T G.804, 7.2.
    pub const DS3: Self = Self { payload_bits_per_second: 40_704_000 };
    /// E3 with the frame of G.832: 530 bytes in 125 us, 80 000 cells/s. Source: ITU-T G.804, 6.
    pub const E3: Self = Self { payload_bits_per_second: 33_920_000 };

    /// The time of a bit of a cell.
    ///
    /// # Panics
    ///
    /// If the rate is zero.
    #[must_use]
    pub const fn pace(self) -> Pace {
        Pace::of_bits_per_second(self.payload_bits_per_second)
    }
}

/// The exact time of this many cells on a line of this pace: a cell does not take a whole number of
/// picoseconds.
pub(super) const fn cells(pace: Pace, count: u32) -> Ticks {
    pace.ticks(CELL_BYTES as u64 * 8 * count as u64)
}

/// How IP packets are put in AAL5. Source: RFC 2684.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encapsulation {
    /// A header says what follows, so that one VC carries several protocols (RFC 2684, 5).
    #[default]
    LlcSnap,
    /// A VC for each protocol, and no header (RFC 2684, 6).
    VcMultiplexed,
}

impl Encapsulation {
    /// What it puts before the data. Unit: bytes.
    #[must_use]
    pub const fn header_bytes(self) -> u32 {
        match self {
            Self::LlcSnap => 8,
            Self::VcMultiplexed => 0,
        }
    }

    /// Most data in one PDU. Unit: bytes of the IP packet.
    #[must_use]
    pub const fn max_data_bytes(self) -> u32 {
        MAX_SDU_BYTES - self.header_bytes()
    }

    /// How many cells the data takes: header, data and trailer, padded to whole cells. Source:
    /// ITU-T I.363.5, 9.2.1.
    #[must_use]
    pub const fn cells(self, data_bytes: u32) -> u32 {
        (self.header_bytes() + data_bytes + TRAILER_BYTES).div_ceil(CELL_PAYLOAD_BYTES)
    }
}

/// The switch between the stations. Every output has a queue of its own and serves it first
/// come, first served; all stations are served at the same rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Room of an output, the cell that is being sent included. Unit: cells.
    pub queue_cells: u32,
    /// An output that holds this many cells refuses a whole PDU, from its first cell on. Of a PDU
    /// that lost a cell it accepts only the last cell, which ends it. Without this the rest of such
    /// a PDU uses the line for nothing. Unit: cells. Source: Romanow and Floyd, IEEE JSAC 13(4),
    /// 1995, where the second part is called partial packet discard.
    pub early_packet_discard: Option<u32>,
    /// From a cell's whole arrival until it may leave. Unit: time.
    pub latency: Span,
}

impl Default for Switch {
    /// Room for 1024 cells, about five PDUs of the default MTU; whatever fits is forwarded at once.
    fn default() -> Self {
        Self { queue_cells: 1_024, early_packet_discard: None, latency: Span::ZERO }
    }
}

/// How the stations are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Two stations and one line.
    BackToBack,
    /// Each station has a line to one switch.
    Switched {
        /// From 2 to [`MAX_STATIONS`].
        stations: u32,
        /// What the switch is like.
        switch: Switch,
    },
}

/// What an ATM network is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Every line of the network, the same in both directions.
    pub line: Line,
    /// How packets are put in PDUs.
    pub encapsulation: Encapsulation,
    /// Largest IP packet that stations send. Unit: bytes, without any header of ATM.
    pub mtu_bytes: u32,
    /// From a bit's leaving to its arrival, on each line. Unit: time, one way.
    pub delay: Span,
    /// Who is connected to whom.
    pub topology: Topology,
}

impl Default for Parameters {
    /// Two stations on OC-3c without distance: LLC/SNAP and an MTU of 9180.
    fn default() -> Self {
        Self {
            line: Line::OC3C,
            encapsulation: Encapsulation::LlcSnap,
            mtu_bytes: DEFAULT_MTU_BYTES,
            delay: Span::ZERO,
            topology: Topology::BackToBack,
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
        let rate = self.line.payload_bits_per_second;
        if rate == 0 || rate > 1_000_000_000_000 {
            return Err(ParametersError::Rate { bits_per_second: rate });
        }
        let most = self.encapsulation.max_data_bytes();
        if self.mtu_bytes == 0 || self.mtu_bytes > most {
            return Err(ParametersError::Mtu { bytes: self.mtu_bytes, most });
        }
        let Topology::Switched { stations, switch } = self.topology else { return Ok(()) };
        if stations < 2 || stations > MAX_STATIONS {
            return Err(ParametersError::Stations { stations });
        }
        if switch.queue_cells == 0 {
            return Err(ParametersError::Queue { cells: switch.queue_cells });
        }
        match switch.early_packet_discard {
            Some(cells) if cells == 0 || cells > switch.queue_cells => {
                Err(ParametersError::Threshold { cells, queue: switch.queue_cells })
            }
            _ => Ok(()),
        }
    }
}

/// Why the parameters are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParametersError {
    /// The line's rate.
    #[error("build an ATM network: a payload of {bits_per_second} bit/s; it is from 1 to 10^12")]
    Rate {
        /// What was asked.
        bits_per_second: u64,
    },
    /// The MTU.
    #[error("build an ATM network: an MTU of {bytes} bytes; AAL5 carries from 1 to {most}")]
    Mtu {
        /// What was asked.
        bytes: u32,
        /// What the encapsulation leaves of 65535.
        most: u32,
    },
    /// The number of stations.
    #[error("build an ATM network: {stations} stations on a switch; there are from 2 to {MAX_STATIONS}")]
    Stations {
        /// What was asked.
        stations: u32,
    },
    /// The room of an output.
    #[error("build an ATM network: a queue of {cells} cells; it has room for at least 1")]
    Queue {
        /// What was asked.
        cells: u32,
    },
    /// The threshold of early packet discard.
    #[error("build an ATM network: early packet discard at {cells} cells; with this queue from 1 to {queue}")]
    Threshold {
        /// What was asked.
        cells: u32,
        /// The room of an output.
        queue: u32,
    },
}
