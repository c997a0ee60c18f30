//! The values that a search goes through.

use serde::{Deserialize, Serialize};

use super::SearchError;

/// Above so many places numbers of places are no longer exact in floating point.
const MOST_PLACES: f64 = 4_503_599_627_370_496.0;

/// Values in rising order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Places {
    /// These.
    Levels(Vec<f64>),
    /// From `low` in steps of `resolution`, and `high`.
    Range {
        /// The lowest value.
        low: f64,
        /// The highest value.
        high: f64,
        /// The step.
        resolution: f64,
    },
}

impl Places {
    /// The last place; the first is 0.
    pub(super) fn last(&self) -> Result<u64, SearchError> {
        match self {
            Self::Levels(levels) => {
                let rising = levels.windows(2).all(|pair| pair[0] < pair[1]);
                let good = !levels.is_empty() && rising && levels.iter().all(|level| level.is_finite());
                good.then(|| levels.len() as u64 - 1).ok_or(SearchError::Levels)
            }
            &Self::Range { low, high, resolution } => {
                let steps = ((high - low) / resolution).ceil();
                let good = low.is_finite() && high >= low && resolution > 0.0 && steps < MOST_PLACES;
                // A NaN fails every comparison above.
                good.then_some(steps as u64).ok_or(SearchError::Range { low, high, resolution })
            }
        }
    }

    /// The value at a place that is not above the last.
    pub(super) fn value(&self, place: u64) -> f64 {
        match self {
            Self::Levels(levels) => levels[place as usize],
            Self::Range { low, high, resolution } => (low + place as f64 * resolution).min(*high),
        }
    }
}
