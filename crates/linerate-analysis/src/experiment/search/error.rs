//! Why a search cannot be made or go on.

use thiserror::Error;

/// Why a search cannot be made or go on. The text fits after "failed to search: ".
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// Levels are missing or not in order.
    #[error("the levels must be finite numbers, each above the one before")]
    Levels,
    /// A range that is none.
    #[error(
        "the range from {low} to {high} in steps of {resolution} is none: give finite numbers, the lower \
             first, and a resolution above 0 and not below 2^-52 of the range"
    )]
    Range {
        /// The lowest value.
        low: f64,
        /// The highest value.
        high: f64,
        /// The step between values.
        resolution: f64,
    },
    /// Too few repetitions.
    #[error("{asked} repetitions are too few: ask for at least {least}")]
    Repeats {
        /// How many were asked for.
        asked: usize,
        /// How many are needed.
        least: usize,
    },
    /// A share or a limit that is none.
    #[error("{0} is neither a limit nor a share between 0 and 1")]
    Share(f64),
    /// A result came after the end.
    #[error("the search has ended: it takes no further result")]
    Ended,
    /// A result is not a number that makes sense.
    #[error("the result {0} is not a finite number of the right sign")]
    Result(f64),
}
