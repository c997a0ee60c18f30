//! Kinds of link that an end can offer, in the order of preference, and sets of them.

use std::fmt;

use crate::ethernet::phy::{Duplex, Phy};

/// A kind of link that can be negotiated or set by hand, best first.
///
/// Source: IEEE 802.3, annex 28B.3, from 1000BASE-T downwards; the places of 2.5, 5 and 10 Gb/s
/// above that (802.3an, 802.3bz) are from memory. 1000BASE-X is negotiated by clause 37 and never
/// meets the others on one cable, so its place among them decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Ability {
    /// 10GBASE-T.
    Base10GT,
    /// 5GBASE-T.
    Base5GT,
    /// 2.5GBASE-T.
    Base2500T,
    /// 1000BASE-T full duplex.
    Base1000TFull,
    /// 1000BASE-T half duplex.
    Base1000THalf,
    /// 1000BASE-X full duplex.
    Base1000XFull,
    /// 1000BASE-X half duplex.
    Base1000XHalf,
    /// 100BASE-T2 full duplex.
    Base100T2Full,
    /// 100BASE-TX full duplex.
    Base100TxFull,
    /// 100BASE-T2 half duplex.
    Base100T2Half,
    /// 100BASE-T4, which is half duplex.
    Base100T4,
    /// 100BASE-TX half duplex.
    Base100TxHalf,
    /// 10BASE-T full duplex.
    Base10TFull,
    /// 10BASE-T half duplex.
    Base10THalf,
}

impl Ability {
    /// Every kind, best first.
    pub const ALL: [Self; 14] = [
        Self::Base10GT,
        Self::Base5GT,
        Self::Base2500T,
        Self::Base1000TFull,
        Self::Base1000THalf,
        Self::Base1000XFull,
        Self::Base1000XHalf,
        Self::Base100T2Full,
        Self::Base100TxFull,
        Self::Base100T2Half,
        Self::Base100T4,
        Self::Base100TxHalf,
        Self::Base10TFull,
        Self::Base10THalf,
    ];

    /// The physical layer.
    #[must_use]
    pub const fn phy(self) -> &'static Phy {
        match self {
            Self::Base10GT => Phy::BASE_10G_T,
            Self::Base5GT => Phy::BASE_5G_T,
            Self::Base2500T => Phy::BASE_2500_T,
            Self::Base1000TFull | Self::Base1000THalf => Phy::BASE_1000_T,
            Self::Base1000XFull | Self::Base1000XHalf => Phy::BASE_1000_X,
            Self::Base100T2Full | Self::Base100T2Half => Phy::BASE_100_T2,
            Self::Base100TxFull | Self::Base100TxHalf => Phy::BASE_100_TX,
            Self::Base100T4 => Phy::BASE_100_T4,
            Self::Base10TFull | Self::Base10THalf => Phy::BASE_10_T,
        }
    }

    /// Whether it sends and hears at once.
    #[must_use]
    pub const fn duplex(self) -> Duplex {
        match self {
            Self::Base1000THalf
            | Self::Base1000XHalf
            | Self::Base100T2Half
            | Self::Base100T4
            | Self::Base100TxHalf
            | Self::Base10THalf => Duplex::Half,
            _ => Duplex::Full,
        }
    }

    /// What parallel detection finds for a signal of this kind: idle of 100BASE-TX and 100BASE-T4
    /// and the link pulses of 10BASE-T show the speed, but not the duplex. Absent if the signal is
    /// not recognised. Source: IEEE 802.3, 28.2.3.1.
    #[must_use]
    pub const fn detected_as(self) -> Option<Self> {
        match self {
            Self::Base100TxFull | Self::Base100TxHalf => Some(Self::Base100TxHalf),
            Self::Base100T4 => Some(Self::Base100T4),
            Self::Base10TFull | Self::Base10THalf => Some(Self::Base10THalf),
            _ => None,
        }
    }

    /// Whether it has a master and a slave, which only negotiation settles. Source: IEEE 802.3,
    /// 32.5, 40.5, 55.6 and 126.6 (from memory; real ends can often set this by hand too).
    #[must_use]
    pub const fn needs_negotiation(self) -> bool {
        matches!(
            self,
            Self::Base10GT
                | Self::Base5GT
                | Self::Base2500T
                | Self::Base1000TFull
                | Self::Base1000THalf
                | Self::Base100T2Full
                | Self::Base100T2Half
        )
    }
}

impl fmt::Display for Ability {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.phy(), self.duplex())
    }
}

/// A set of kinds of link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Abilities(u16);

impl Abilities {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// A port of the kind 10/100, in both duplex modes.
    pub const FAST: Self = Self::NONE
        .with(Ability::Base100TxFull)
        .with(Ability::Base100TxHalf)
        .with(Ability::Base10TFull)
        .with(Ability::Base10THalf);

    /// A port of the kind 10/100/1000, in both duplex modes.
    pub const GIGABIT: Self = Self::FAST.with(Ability::Base1000TFull).with(Ability::Base1000THalf);

    /// This set and `ability`.
    #[must_use]
    pub const fn with(self, ability: Ability) -> Self {
        Self(self.0 | 1 << ability as u8)
    }

    /// This set less `ability`.
    #[must_use]
    pub const fn without(self, ability: Ability) -> Self {
        Self(self.0 & !(1 << ability as u8))
    }

    /// Whether `ability` is in it.
    #[must_use]
    pub const fn has(self, ability: Ability) -> bool {
        self.0 & 1 << ability as u8 != 0
    }

    /// The intersection.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in it, best first.
    pub fn iter(self) -> impl Iterator<Item = Ability> {
        Ability::ALL.into_iter().filter(move |ability| self.has(*ability))
    }

    /// The best of it: priority resolution. Source: IEEE 802.3, annex 28B.3.
    #[must_use]
    pub fn best(self) -> Option<Ability> {
        self.iter().next()
    }
}

impl FromIterator<Ability> for Abilities {
    fn from_iter<I: IntoIterator<Item = Ability>>(abilities: I) -> Self {
        abilities.into_iter().fold(Self::NONE, Self::with)
    }
}
