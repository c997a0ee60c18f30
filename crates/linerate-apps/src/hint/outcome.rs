//! What HINT found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use linerate_core::app::Check;

/// The curve and what it says. Ranks other than 0 have none of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HintOutcome {
    /// One for each number of subintervals, in the order in which they were run.
    pub points: Vec<HintPoint>,
    /// How long the first point took: mostly what starting to calculate, and to communicate, costs. Unit: seconds.
    pub first_seconds: f64,
    /// The highest QUIPS of a point.
    pub peak_quips: f64,
    /// The area under QUIPS against the logarithm of time: one number for the whole curve.
    pub net_quips: f64,
    /// Why there is no further point. Absent at ranks other than 0.
    pub stop: Option<HintStop>,
    /// How many chunks the range of x was cut into.
    pub chunks: u32,
    /// The smallest step of rank 0's clock that was seen. Absent on a model, and if the clock never moved. Unit: picoseconds.
    pub tick_ps: Option<u64>,
    /// What was checked.
    pub verified: Vec<Check>,
}

/// One number of subintervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HintPoint {
    /// Subintervals of all ranks together.
    pub subintervals: u64,
    /// Memory that they take by HINT's rule, of all ranks together. Unit: bytes.
    pub memory_bytes: u64,
    /// The shortest time of an evaluation, as rank 0 saw it: with its global sum, so that of the slowest rank. Unit: seconds.
    pub seconds: f64,
    /// 2^b/gamut - 1: how much better the bounds are than before the first halving.
    pub quality: f64,
    /// Quality per second.
    pub quips: f64,
    /// Upper bound of the area. Unit: cells of the grid.
    pub upper: u64,
    /// Lower bound of it.
    pub lower: u64,
    /// How many evaluations one trial had.
    pub laps: u64,
    /// How many trials there were, those because of patience too.
    pub trials: u32,
}

impl HintOutcome {
    /// At how many steps from one size to the next more work took less time: noise of the host, where patience did not
    /// help.
    #[must_use]
    pub fn out_of_order(&self) -> usize {
        self.points.windows(2).filter(|pair| pair[1].seconds < pair[0].seconds).count()
    }
}

impl HintPoint {
    /// The distance of the bounds. Unit: cells of the grid.
    #[must_use]
    pub const fn gamut(&self) -> u64 {
        self.upper.saturating_sub(self.lower)
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HintStop {
    /// A rank had nothing left to halve: the numbers cannot show a better answer.
    Precision,
    /// QUIPS fell below the stop ratio times the peak.
    Ratio,
    /// An evaluation took longer than the stop time.
    Time,
    /// The next point needs more memory than a rank may have.
    Memory,
    /// The next point is larger than the largest that was asked for.
    Largest,
    /// It was interrupted.
    Interrupted,
}

impl HintStop {
    /// A sentence for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Precision => "The numbers have no bits left for a better answer.",
            Self::Ratio => "QUIPS fell below the stop ratio times the peak.",
            Self::Time => "An evaluation took longer than the stop time.",
            Self::Memory => "The next point needs more memory than a rank may have.",
            Self::Largest => "The largest size that was asked for is done.",
            Self::Interrupted => "The run was interrupted.",
        }
    }
}
