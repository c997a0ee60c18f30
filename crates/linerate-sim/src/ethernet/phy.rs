//! The catalogue of PHYs: the rate that each gives the MAC, and the coding on its line.

mod catalogue;

use std::fmt;

use linerate_core::units::Span;

use crate::pace::Pace;

/// Whether an end sends and hears at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Duplex {
    /// One at a time, with collisions (CSMA/CD).
    Half,
    /// Both at once, without collisions.
    Full,
}

impl fmt::Display for Duplex {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Half => "half duplex",
            Self::Full => "full duplex",
        })
    }
}

/// In which duplex modes a PHY works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplexes {
    /// 100BASE-T4: its pairs are used in both directions in turn.
    HalfOnly,
    /// Either, as configured or negotiated.
    Both,
    /// Above 1 Gb/s: those MACs know no collisions.
    FullOnly,
}

/// How a PHY turns the MAC's bits into symbols on the line.
///
/// The usual confusion: the code says how many bits a symbol carries, not how a symbol looks on
/// the line. MLT-3 of 100BASE-TX and NRZI of 100BASE-FX are both one binary symbol a baud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Two halves a bit. Source: IEEE 802.3, 7.3.1 and clause 14.
    Manchester,
    /// 4 bits in 5 binary symbols, sent as MLT-3 or NRZI. Source: clauses 24 to 26.
    Code4B5B,
    /// 8 bits in 6 ternary symbols. Source: clause 23.
    Code8B6T,
    /// 4 bits in a pair of five-level symbols, one on each of two pairs. Source: clause 32.
    Pam5x5,
    /// 8 bits in four five-level symbols, one on each pair; the trellis code lives in the fifth
    /// level and costs no rate. Source: clause 40.
    FourDimensionalPam5,
    /// 8 bits in 10 binary symbols. Source: clauses 36 and 48.
    Code8B10B,
    /// 64B/65B blocks in frames with a low-density parity check, as 16-level symbols: 3200 bits in
    /// 1024 symbols. Source: clause 55.1.3, and 126 for 2.5 and 5 Gb/s.
    Pam16,
    /// 64 bits in 66 binary symbols. Forward error correction that recodes blocks (clauses 91 and
    /// 108) takes its parity from the two bits of each block, so the ratio stays. Source: clauses
    /// 49 and 82.
    Code64B66B,
    /// As [`Self::Code64B66B`], in the payload of a SONET STS-192c: of its 17,280 columns of 9
    /// bytes 16,640 carry it (576 are transport overhead, 1 path overhead, 63 fixed stuff).
    /// Source: clause 50; ANSI T1.105.
    Code64B66BInSts192c,
    /// Bytes as they are, scrambled, in the payload of a SONET STS-48c: of its 4320 columns of 9
    /// bytes 4160 carry them (144 are transport overhead, 1 path overhead, 15 fixed stuff).
    /// Source: ANSI T1.105; RFC 2615, 4.
    BytesInSts48c,
}

impl Coding {
    /// Bits of the MAC's data for each symbol on one lane, as numerator and denominator.
    #[must_use]
    pub const fn bits_per_symbol(self) -> [u64; 2] {
        match self {
            Self::Manchester => [1, 2],
            Self::Code4B5B => [4, 5],
            Self::Code8B6T => [8, 6],
            Self::Pam5x5 | Self::FourDimensionalPam5 => [2, 1],
            Self::Code8B10B => [8, 10],
            Self::Pam16 => [3_200, 1_024],
            Self::Code64B66B => [64, 66],
            Self::Code64B66BInSts192c => [64 * 16_640, 66 * 17_280],
            Self::BytesInSts48c => [4_160, 4_320],
        }
    }

    /// The standard's name of the code.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Manchester => "Manchester",
            Self::Code4B5B => "4B/5B",
            Self::Code8B6T => "8B6T",
            Self::Pam5x5 => "PAM5x5",
            Self::FourDimensionalPam5 => "4D-PAM5",
            Self::Code8B10B => "8B/10B",
            Self::Pam16 => "PAM16 (DSQ128)",
            Self::Code64B66B => "64B/66B",
            Self::Code64B66BInSts192c => "64B/66B in STS-192c",
            Self::BytesInSts48c => "bytes in STS-48c",
        }
    }
}

/// A cable, by how long a signal takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cable {
    /// What it is called.
    pub name: &'static str,
    /// From end to end, one way. Unit: picoseconds per metre.
    pub delay_per_metre_ps: u64,
}

impl Cable {
    /// Category 3 twisted pair: 1.14 bit times per metre there and back at 100 Mb/s, so 0.57 one
    /// way, of 10 ns each. Source: IEEE 802.3, table 29-3 (from tables in manuals that name
    /// 802.3u as theirs).
    pub const CATEGORY_3: Self = Self { name: "category 3", delay_per_metre_ps: 5_700 };
    /// Category 5 twisted pair: 1.112 bit times per metre there and back at 100 Mb/s, so 0.556
    /// one way, of 10 ns each. Clause 42 has the same cable as 11.12 bit times of 1 ns. Source:
    /// IEEE 802.3, table 29-3 (as above); used for the later categories too.
    pub const CATEGORY_5: Self = Self { name: "category 5", delay_per_metre_ps: 5_560 };
    /// Glass fibre: 1.0 bit time per metre there and back at 100 Mb/s, a refractive index of
    /// 1.499. Source: IEEE 802.3, table 29-3 (as above). Clause 42 counts 10.1 bit times of 1 ns
    /// there and back, one in a hundred more (from memory).
    pub const FIBRE: Self = Self { name: "fibre", delay_per_metre_ps: 5_000 };
    /// How long a signal takes for `metres`, one way.
    #[must_use]
    pub const fn delay(self, metres: u64) -> Span {
        Span::from_ps(self.delay_per_metre_ps.saturating_mul(metres))
    }
}

/// What the equipment of a collision domain adds to the way there and back between two stations, at
/// most: the budget by which the standard limits a domain's diameter. The cables come on top.
///
/// Unit: bit times, both ways together. Half of each is the delay one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathDelays {
    /// The two stations at the ends, from MAC to cable and back. A port of a switch is a station.
    pub stations_bits: u64,
    /// Each repeater on the way.
    pub repeater_bits: u64,
}

/// A kind of physical layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phy {
    /// The standard's name.
    pub name: &'static str,
    /// Other names that [`Self::find`] accepts.
    pub aliases: &'static [&'static str],
    /// Time of a bit of the MAC's data, preamble and gap included: the line coding is taken off.
    pub pace: Pace,
    /// How bits become symbols.
    pub coding: Coding,
    /// Symbols per second on each lane. Unit: baud.
    pub baud: u64,
    /// Pairs, fibres or wavelengths that carry symbols in one direction at once.
    pub lanes: u64,
    /// In which duplex modes it works.
    pub duplexes: Duplexes,
    /// Slot time, where it can be half duplex. Unit: bit times. Source: IEEE 802.3, table 4-2.
    pub slot_bits: Option<u64>,
    /// What its equipment adds to the delay of a collision domain, where it can be half duplex.
    pub path_delays: Option<PathDelays>,
    /// Short frames are extended to the slot time in half duplex (1 Gb/s). Source: 4.2.3.4.
    pub carrier_extension: bool,
    /// The cable it is usually run over.
    pub cable: Cable,
}

impl Phy {
    /// The PHY that `name` names, as the standard writes it or by a short name such as `1G`, in
    /// upper or lower case. A rate alone is the kind most used: `1G` is 1000BASE-T, `10G` is
    /// 10GBASE-R.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        let is = |other: &str| other.eq_ignore_ascii_case(name.trim());
        Self::ALL.into_iter().find(|phy| is(phy.name) || phy.aliases.iter().any(|alias| is(alias)))
    }

    /// Whether it can work in this mode.
    #[must_use]
    pub const fn allows(&self, duplex: Duplex) -> bool {
        !matches!(
            (self.duplexes, duplex),
            (Duplexes::HalfOnly, Duplex::Full) | (Duplexes::FullOnly, Duplex::Half)
        )
    }

    /// The pace that its line gives: baud x lanes x bits per symbol. Equal to [`Self::pace`],
    /// which is entered by itself; the tests hold the two against each other. Only the MAC of
    /// 10GBASE-W leaves a little of it idle.
    #[must_use]
    pub const fn line_pace(&self) -> Pace {
        let [bits, symbols] = self.coding.bits_per_symbol();
        // Both are whole multiples of 1 kb/s, which keeps the products within 64 bits.
        Pace::new(1_000_000_000 * symbols, self.baud / 1_000 * self.lanes * bits)
    }
}

impl fmt::Display for Phy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

#[cfg(test)]
mod tests;
