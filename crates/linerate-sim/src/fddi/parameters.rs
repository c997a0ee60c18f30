//! The numbers of FDDI. Source: ANSI X3.139 (ISO 9314-2, MAC) and X3.148 (ISO 9314-1, PHY) except
//! where another is named; their texts could not be opened, the values are from the literature.

use linerate_core::units::Span;

/// Preamble (8), starting delimiter (1), frame control (1), addresses (12), LLC and SNAP (8,
/// RFC 1390), frame check sequence (4), ending delimiter and frame status (2). Unit: bytes.
pub const OVERHEAD_BYTES: u64 = 36;
/// Preamble (8), starting delimiter, frame control, ending delimiter. Unit: bytes.
pub const TOKEN_BYTES: u64 = 11;
/// Largest frame, of 9000 symbols; two bytes of the preamble are counted in it. Unit: bytes.
pub const MAX_FRAME_BYTES: u64 = 4500;
/// What the preamble of a sender has above the two bytes counted in the largest frame. Unit: bytes.
pub const FURTHER_PREAMBLE_BYTES: u64 = 6;
/// Time of a byte: 100 Mb/s, which 4B/5B makes 125 Mbaud. Unit: picoseconds.
pub const BYTE_PS: u64 = 80_000;
/// Time of a metre of fibre. Unit: picoseconds.
pub const FIBRE_PS_PER_METRE: u64 = 5_085;
/// Fewest stations of a ring.
pub const MIN_STATIONS: usize = 2;
/// Most stations of a ring.
pub const MAX_STATIONS: usize = 500;
/// Shortest target token rotation time (T_Min).
pub const MIN_TTRT: Span = Span::from_ms(4);
/// Longest target token rotation time (T_Max).
pub const MAX_TTRT: Span = Span::from_ms(165);

/// The largest packet that a ring carries: the IP MTU. Unit: bytes. Source: RFC 1390.
#[must_use]
pub const fn largest_data_bytes() -> u32 {
    4352
}

/// The time of this many bytes on the ring.
#[must_use]
pub const fn line_time(bytes: u64) -> Span {
    Span::from_ps(bytes * BYTE_PS)
}

/// The time of the frame for this much data, including preamble and everything else.
#[must_use]
pub const fn frame_time(data_bytes: u32) -> Span {
    line_time(data_bytes as u64 + OVERHEAD_BYTES)
}

/// The time of the largest frame with its preamble (F_Max): a station may exceed its token holding
/// timer by this.
#[must_use]
pub const fn longest_frame_time() -> Span {
    line_time(MAX_FRAME_BYTES + FURTHER_PREAMBLE_BYTES)
}

/// Checks whether a ring carries a packet of this many bytes.
///
/// # Errors
///
/// If it is larger than [`largest_data_bytes`].
pub const fn check_packet(data_bytes: u32) -> Result<(), Error> {
    if data_bytes > largest_data_bytes() { Err(Error::Packet { data_bytes }) } else { Ok(()) }
}

/// What a ring is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Target token rotation time that the stations agreed on (TTRT, T_Opr), 4 to 165 ms.
    /// 8 ms is what Jain (1990) advises.
    pub ttrt: Span,
    /// The stations in the order in which the token visits them, 2 to 500.
    pub stations: Vec<StationParameters>,
}

/// What a station and the fibre behind it are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StationParameters {
    /// From a bit's coming in to its going out again, above zero. About 0.6 to 1 us.
    pub latency: Span,
    /// Fibre from here to the next station. Unit: metres.
    pub fibre_metres: u32,
    /// For how long it may send on each token, late or early, before asynchronous frames. Frames
    /// have no class: its first frames of each visit that fit in here whole are the synchronous ones.
    pub synchronous: Span,
}

impl Default for StationParameters {
    /// 0.6 us, 20 m to the next station, and asynchronous frames only.
    fn default() -> Self {
        Self { latency: Span::from_ns(600), fibre_metres: 20, synchronous: Span::ZERO }
    }
}

impl Parameters {
    /// A ring of this many stations with the default values and a TTRT of 8 ms.
    #[must_use]
    pub fn of(stations: usize) -> Self {
        Self { ttrt: Span::from_ms(8), stations: vec![StationParameters::default(); stations] }
    }

    /// The time of a bit from `station`'s output to that of the next one downstream.
    #[must_use]
    pub fn hop(&self, station: usize) -> Span {
        let next = &self.stations[(station + 1) % self.stations.len()];
        next.latency + Span::from_ps(u64::from(self.stations[station].fibre_metres) * FIBRE_PS_PER_METRE)
    }

    /// The time of a bit once round the ring (D in Jain 1990).
    #[must_use]
    pub fn ring_latency(&self) -> Span {
        (0..self.stations.len()).map(|station| self.hop(station)).sum()
    }

    /// Checks the parameters.
    ///
    /// # Errors
    ///
    /// If the TTRT or the number of stations is outside its range, if a station has no latency, or
    /// if ring latency, one overrun and the synchronous allocations do not fit in the TTRT: then
    /// tokens could be late twice, and the stations would start the claim process (X3.139).
    pub fn check(&self) -> Result<(), Error> {
        let stations = self.stations.len();
        if !(MIN_STATIONS..=MAX_STATIONS).contains(&stations) {
            return Err(Error::Stations { stations });
        }
        if !(MIN_TTRT..=MAX_TTRT).contains(&self.ttrt) {
            return Err(Error::Ttrt { ttrt: self.ttrt });
        }
        if let Some(station) = self.stations.iter().position(|station| station.latency == Span::ZERO) {
            return Err(Error::Latency { station });
        }
        let needed = self.committed();
        if needed > self.ttrt { Err(Error::Committed { needed, ttrt: self.ttrt }) } else { Ok(()) }
    }

    /// The shortest rotation when each allocation is used: ring latency, allocations with a token
    /// after each, and one overrun with its token.
    fn committed(&self) -> Span {
        let token = line_time(TOKEN_BYTES);
        let used = self.stations.iter().map(|station| station.synchronous).filter(|span| *span > Span::ZERO);
        let allocations: Span = used.map(|span| span + token).sum();
        self.ring_latency() + longest_frame_time() + token + allocations
    }
}

/// Why a ring is invalid, or cannot carry a packet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The target token rotation time is outside its range.
    #[error("run an FDDI ring with a TTRT of {}: it must be {} to {}", ttrt.exact(), MIN_TTRT.exact(), MAX_TTRT.exact())]
    Ttrt {
        /// What was asked for.
        ttrt: Span,
    },
    /// Too few stations, or too many.
    #[error("run an FDDI ring of {stations} stations: there must be {MIN_STATIONS} to {MAX_STATIONS}")]
    Stations {
        /// How many were asked for.
        stations: usize,
    },
    /// A station without latency.
    #[error("run an FDDI ring whose station {station} has a latency of 0 ps: it must be above zero")]
    Latency {
        /// The first such station.
        station: usize,
    },
    /// The ring is too long, or its synchronous allocations are too large.
    #[error(
        "run an FDDI ring with a TTRT of {}: ring latency, synchronous allocations and the longest frame need {}",
        ttrt.exact(),
        needed.exact()
    )]
    Committed {
        /// Ring latency, overrun, tokens and allocations.
        needed: Span,
        /// The target token rotation time.
        ttrt: Span,
    },
    /// A packet that is too large.
    #[error("carry a packet of {data_bytes} bytes over FDDI: the MTU is {limit} bytes", limit = largest_data_bytes())]
    Packet {
        /// Its size. Unit: bytes.
        data_bytes: u32,
    },
}
