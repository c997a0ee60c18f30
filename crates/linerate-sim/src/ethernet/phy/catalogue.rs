//! The entries of the catalogue. Source: IEEE 802.3, the clause that each names.

use super::{Cable, Coding, Duplexes, PathDelays, Phy};
use crate::ethernet::parameters::{GIGABIT_SLOT_BITS, SLOT_BITS};
use crate::pace::Pace;

/// Slot time up to 100 Mb/s. Unit: bit times. Source: IEEE 802.3, table 4-2.
const SLOT: Option<u64> = Some(SLOT_BITS);
/// Slot time at 1 Gb/s. Unit: bit times. Source: IEEE 802.3, table 4-2.
const SLOT_1G: Option<u64> = Some(GIGABIT_SLOT_BITS);

const MEGA: u64 = 1_000_000;
const GIGA: u64 = 1_000_000_000;

/// The MAC of 10GBASE-W lengthens its gap by one byte for every so many bits of preamble, frame and
/// gap. Source: `ifsStretchRatio`, clause 4.4.2.
const IFS_STRETCH_RATIO: u64 = 104;

/// A full-duplex PHY with one lane of 64B/66B over fibre; the rest are written as changes of it.
const FULL_DUPLEX: Phy = Phy {
    name: "10GBASE-R",
    aliases: &["10G", "10GBASE-SR", "10GBASE-LR", "10GBASE-ER", "SR", "LR"],
    pace: Pace::of_bits_per_second(10 * GIGA),
    coding: Coding::Code64B66B,
    baud: 10_312_500_000,
    lanes: 1,
    duplexes: Duplexes::FullOnly,
    slot_bits: None,
    path_delays: None,
    carrier_extension: false,
    cable: Cable::FIBRE,
};

/// A class I repeater, the slower of the two classes: class II takes 92, and lets two of them lie
/// between two stations. Unit: bit times there and back. Source: table 29-3, as copied in manuals of
/// Intel, Black Box and Net Optics.
const CLASS_I_REPEATER: u64 = 140;

/// A 100 Mb/s PHY over category 5; the other slow ones are written as changes of it. Path delays:
/// "two TX/FX DTEs" of table 29-3.
const FAST: Phy = Phy {
    name: "100BASE-TX",
    aliases: &["100M", "fast", "100BASE-X"],
    pace: Pace::of_bits_per_second(100 * MEGA),
    coding: Coding::Code4B5B,
    baud: 125 * MEGA,
    lanes: 1,
    duplexes: Duplexes::Both,
    slot_bits: SLOT,
    path_delays: Some(PathDelays { stations_bits: 100, repeater_bits: CLASS_I_REPEATER }),
    carrier_extension: false,
    cable: Cable::CATEGORY_5,
};

/// Clause 40.
const GIGABIT: Phy = Phy {
    name: "1000BASE-T",
    aliases: &["1G", "gigabit", "1000M"],
    pace: Pace::of_bits_per_second(GIGA),
    coding: Coding::FourDimensionalPam5,
    baud: 125 * MEGA,
    lanes: 4,
    duplexes: Duplexes::Both,
    slot_bits: SLOT_1G,
    // Two DTEs and a repeater: table 42-1 (from memory).
    path_delays: Some(PathDelays { stations_bits: 864, repeater_bits: 976 }),
    carrier_extension: true,
    cable: Cable::CATEGORY_5,
};

/// Clause 55.
const TEN_GIGABIT_T: Phy = Phy {
    name: "10GBASE-T",
    aliases: &["10GT"],
    coding: Coding::Pam16,
    baud: 800 * MEGA,
    lanes: 4,
    cable: Cable::CATEGORY_5,
    ..FULL_DUPLEX
};

impl Phy {
    /// 10BASE-T, clause 14.
    pub const BASE_10_T: &'static Self = &Self {
        name: "10BASE-T",
        aliases: &["10M"],
        pace: Pace::of_bits_per_second(10 * MEGA),
        coding: Coding::Manchester,
        baud: 20 * MEGA,
        // A MAU takes 5 out and 8 in, a repeater 8 more than its two MAUs: table 9-2 (from memory).
        // Clause 13 counts 42 there and back for a repeater in the middle too.
        path_delays: Some(PathDelays { stations_bits: 2 * 13, repeater_bits: 2 * 21 }),
        cable: Cable::CATEGORY_3,
        ..FAST
    };
    /// 100BASE-TX, clause 25: MLT-3 over two pairs.
    pub const BASE_100_TX: &'static Self = &FAST;
    /// 100BASE-FX, clause 26: NRZI over fibre.
    pub const BASE_100_FX: &'static Self =
        &Self { name: "100BASE-FX", aliases: &["FX"], cable: Cable::FIBRE, ..FAST };
    /// 100BASE-T4, clause 23: three of four pairs carry data, two of them in either direction.
    pub const BASE_100_T4: &'static Self = &Self {
        name: "100BASE-T4",
        aliases: &["T4"],
        coding: Coding::Code8B6T,
        baud: 25 * MEGA,
        lanes: 3,
        // Two T4 DTEs: table 29-3.
        path_delays: Some(PathDelays { stations_bits: 138, repeater_bits: CLASS_I_REPEATER }),
        duplexes: Duplexes::HalfOnly,
        cable: Cable::CATEGORY_3,
        ..FAST
    };
    /// 100BASE-T2, clause 32: both directions at once over each of two pairs.
    pub const BASE_100_T2: &'static Self = &Self {
        name: "100BASE-T2",
        aliases: &["T2"],
        coding: Coding::Pam5x5,
        baud: 25 * MEGA,
        lanes: 2,
        // Two T2 DTEs: table 29-3 (from memory).
        path_delays: Some(PathDelays { stations_bits: 96, repeater_bits: CLASS_I_REPEATER }),
        cable: Cable::CATEGORY_3,
        ..FAST
    };
    /// 1000BASE-T, clause 40: both directions at once over each of four pairs.
    pub const BASE_1000_T: &'static Self = &GIGABIT;
    /// 1000BASE-SX, -LX and -CX, clauses 36 to 39.
    pub const BASE_1000_X: &'static Self = &Self {
        name: "1000BASE-X",
        aliases: &["1000BASE-SX", "1000BASE-LX", "1000BASE-CX", "SX", "LX"],
        coding: Coding::Code8B10B,
        baud: 1_250 * MEGA,
        lanes: 1,
        cable: Cable::FIBRE,
        ..GIGABIT
    };
    /// 2.5GBASE-T, clause 126: 10GBASE-T at a quarter of its baud.
    pub const BASE_2500_T: &'static Self = &Self {
        name: "2.5GBASE-T",
        aliases: &["2.5G"],
        pace: Pace::of_bits_per_second(2_500 * MEGA),
        baud: 200 * MEGA,
        ..TEN_GIGABIT_T
    };
    /// 5GBASE-T, clause 126: 10GBASE-T at half its baud.
    pub const BASE_5G_T: &'static Self = &Self {
        name: "5GBASE-T",
        aliases: &["5G"],
        pace: Pace::of_bits_per_second(5 * GIGA),
        baud: 400 * MEGA,
        ..TEN_GIGABIT_T
    };
    /// The line of a router at 2.5 Gb/s, packets over SONET (RFC 2615): no PHY of IEEE 802.3. Its
    /// frames are Ethernet's here, with 38 B around a packet; PPP has 9 (RFC 1662).
    pub const OC_48C: &'static Self = &Self {
        name: "OC-48c",
        aliases: &["OC-48", "STM-16", "POS-48"],
        pace: Pace::of_bits_per_second(2_396_160_000),
        coding: Coding::BytesInSts48c,
        baud: 2_488_320_000,
        ..FULL_DUPLEX
    };
    /// 10GBASE-R, clause 49: -SR, -LR and -ER.
    pub const BASE_10G_R: &'static Self = &FULL_DUPLEX;
    /// 10GBASE-W, clause 50: -SW, -LW and -EW, the WAN PHY. Its MAC clocks at 10 Gb/s and
    /// lengthens its gaps, so that on average 104 bits take the time of 112: 9.285714... Gb/s. Here
    /// bits are slower and gaps stay 96 of them. The payload of the STS-192c less the 64B/66B code
    /// would carry 0.09 % more.
    pub const BASE_10G_W: &'static Self = &Self {
        name: "10GBASE-W",
        aliases: &["WAN", "OC-192", "10GBASE-SW", "10GBASE-LW", "10GBASE-EW"],
        pace: Pace::new(1_000 * GIGA * (IFS_STRETCH_RATIO + 8), 10 * GIGA * IFS_STRETCH_RATIO),
        coding: Coding::Code64B66BInSts192c,
        baud: 9_953_280_000,
        ..FULL_DUPLEX
    };
    /// 10GBASE-LX4 (four wavelengths, clause 53) and 10GBASE-CX4 (four twinaxial pairs,
    /// clause 54), over the code of clause 48. The cable given is that of LX4; CX4 is copper, but
    /// at most 15 m of it.
    pub const BASE_10G_X: &'static Self = &Self {
        name: "10GBASE-X",
        aliases: &["10GBASE-LX4", "10GBASE-CX4", "LX4", "CX4"],
        coding: Coding::Code8B10B,
        baud: 3_125 * MEGA,
        lanes: 4,
        ..FULL_DUPLEX
    };
    /// 10GBASE-T, clause 55.
    pub const BASE_10G_T: &'static Self = &TEN_GIGABIT_T;
    /// 25GBASE-R, clause 107.
    pub const BASE_25G_R: &'static Self = &Self {
        name: "25GBASE-R",
        aliases: &["25G", "25GBASE-SR", "25GBASE-LR"],
        pace: Pace::of_bits_per_second(25 * GIGA),
        baud: 25_781_250_000,
        ..FULL_DUPLEX
    };
    /// 40GBASE-R, clause 82: four lanes of 10GBASE-R. The alignment markers take the room of
    /// idle characters that are left out, so the MAC keeps its rate.
    pub const BASE_40G_R: &'static Self = &Self {
        name: "40GBASE-R",
        aliases: &["40G", "40GBASE-SR4", "40GBASE-LR4"],
        pace: Pace::of_bits_per_second(40 * GIGA),
        lanes: 4,
        ..FULL_DUPLEX
    };
    /// 100GBASE-R over four lanes (-SR4, -LR4), clauses 82 and 88; alignment markers as at
    /// 40 Gb/s.
    pub const BASE_100G_R: &'static Self = &Self {
        name: "100GBASE-R",
        aliases: &["100G", "100GBASE-SR4", "100GBASE-LR4"],
        pace: Pace::of_bits_per_second(100 * GIGA),
        baud: 25_781_250_000,
        lanes: 4,
        ..FULL_DUPLEX
    };

    /// Every entry, slowest first.
    pub const ALL: [&'static Self; 17] = [
        Self::BASE_10_T,
        Self::BASE_100_TX,
        Self::BASE_100_FX,
        Self::BASE_100_T4,
        Self::BASE_100_T2,
        Self::BASE_1000_T,
        Self::BASE_1000_X,
        Self::OC_48C,
        Self::BASE_2500_T,
        Self::BASE_5G_T,
        Self::BASE_10G_R,
        Self::BASE_10G_W,
        Self::BASE_10G_X,
        Self::BASE_10G_T,
        Self::BASE_25G_R,
        Self::BASE_40G_R,
        Self::BASE_100G_R,
    ];
}
