//! How far apart two ends' clocks are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Marks;

/// How the clocks of the two ends are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clocks {
    /// Both ends read the clock of one host.
    One,
    /// Two clocks, whose distance is estimated from the quickest round trip.
    Two {
        /// The peer's clock less ours. Unit: nanoseconds.
        offset_ns: i64,
        /// The true distance lies within this, either way: half of that round trip, less what the
        /// peer took to answer. Unit: nanoseconds.
        uncertainty_ns: u64,
    },
    /// Two clocks, and no round trip with all its stamps.
    Unknown,
}

impl Clocks {
    /// Compares the clocks by the rounds of both ends.
    ///
    /// Of the stamps of a round the innermost are taken: those of both drivers and of both kernels
    /// on arrival. With t1 = ours driven, t2 = theirs arrived, t3 = theirs driven, t4 = ours arrived
    /// the round trip is (t4 - t1) - (t3 - t2), and the distance ((t2 - t1) + (t3 - t4)) / 2 is wrong
    /// by half the round trip at most, when all of it was one way.
    /// Source: RFC 5905, section 8, and figure 27 for the choice of the least.
    #[must_use]
    pub fn of(same_host: bool, ours: &[Marks], theirs: &[Marks]) -> Self {
        if same_host {
            return Self::One;
        }
        let rounds = ours.iter().zip(theirs).filter_map(|(ours, theirs)| round(ours, theirs));
        let least = rounds.min_by_key(|(round_trip, _)| *round_trip);
        least.map_or(Self::Unknown, |(round_trip, offset_ns)| Self::Two {
            offset_ns,
            uncertainty_ns: round_trip.div_ceil(2),
        })
    }

    /// What is taken from a time that began on our clock and ended on the peer's. Unit: nanoseconds.
    #[must_use]
    pub const fn offset_ns(self) -> i64 {
        match self {
            Self::Two { offset_ns, .. } => offset_ns,
            Self::One | Self::Unknown => 0,
        }
    }

    /// How wrong such a time may be. Absent if unknown. Unit: nanoseconds.
    #[must_use]
    pub const fn uncertainty_ns(self) -> Option<u64> {
        match self {
            Self::One => Some(0),
            Self::Two { uncertainty_ns, .. } => Some(uncertainty_ns),
            Self::Unknown => None,
        }
    }
}

/// Round trip and distance of the clocks by one round. Absent if a stamp is missing or a clock was
/// set meanwhile. Unit: nanoseconds.
fn round(ours: &Marks, theirs: &Marks) -> Option<(u64, i64)> {
    let there = i128::from(apart(ours.driven?, theirs.arrived?));
    let back = i128::from(apart(theirs.driven?, ours.arrived?));
    let round_trip = u64::try_from(there + back).ok()?;
    Some((round_trip, i64::try_from((there - back).div_euclid(2)).ok()?))
}

/// The time from `earlier` to `later`, negative if it is the other way. Unit: nanoseconds.
#[must_use]
pub const fn apart(earlier: u64, later: u64) -> i64 {
    later.wrapping_sub(earlier).cast_signed()
}
