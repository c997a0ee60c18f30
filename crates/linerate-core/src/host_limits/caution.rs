//! What is doubtful about the limits of a host.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Size;

/// What is doubtful about the limits of a host. Displayed as a sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LimitCaution {
    /// The arrays are smaller than 4 times the last caches, so caches may hold a part of them.
    SmallArrays {
        /// Each array. Unit: bytes.
        array_bytes: u64,
        /// What it should be. Unit: bytes.
        wanted_bytes: u64,
        /// What did not allow more, in a few words.
        because: String,
    },
    /// A spinning thread lost a noticeable share of its time.
    Noisy {
        /// From 0 to 1.
        lost_share: f64,
    },
    /// A CPU quota stopped the process.
    Throttled {
        /// The share of the time, from 0 to 1.
        share: f64,
    },
    /// The hypervisor gave time to other guests.
    Stolen {
        /// The share of the time of all processors, from 0 to 1.
        share: f64,
    },
    /// A part could not be measured.
    Missing {
        /// Which.
        part: String,
        /// Why.
        reason: String,
    },
    /// One that a later version knows.
    #[serde(other)]
    Unknown,
}

impl LimitCaution {
    /// What to do about it, as a clause.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::SmallArrays { .. } => "give more --time, or free memory",
            Self::Noisy { .. } => "measure again when nothing else runs",
            Self::Throttled { .. } => "raise the CPU quota of its control group, and measure again",
            Self::Stolen { .. } => "measure again, or on a host without other guests",
            Self::Missing { .. } => "look at what this user may do here, and measure again",
            Self::Unknown => "read the file with a newer linerate",
        }
    }
}

impl fmt::Display for LimitCaution {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SmallArrays { array_bytes, wanted_bytes, because } => write!(
                out,
                "each array has {} and not {}, because {because}: caches may hold a part of it, so memory may be \
                 slower than shown",
                Size(*array_bytes),
                Size(*wanted_bytes)
            ),
            Self::Noisy { lost_share } => write!(
                out,
                "a thread that only spins lost {:.1} % of its time to others: all numbers are of a busy host",
                lost_share * 100.0
            ),
            Self::Throttled { share } => {
                write!(out, "a CPU quota stopped the measurement for {:.1} % of its time", share * 100.0)
            }
            Self::Stolen { share } => {
                write!(
                    out,
                    "the hypervisor gave {:.1} % of the processors' time to other guests",
                    share * 100.0
                )
            }
            Self::Missing { part, reason } => write!(out, "{part} could not be measured: {reason}"),
            Self::Unknown => write!(out, "a caution of a later version of linerate"),
        }
    }
}
