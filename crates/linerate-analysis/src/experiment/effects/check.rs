//! Whether observations fit the factors.

use thiserror::Error;

use super::{Factors, Observation};

/// Why effects cannot be computed. The text fits after "failed to estimate effects: ".
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EffectsError {
    /// Nothing was measured.
    #[error("there is no observation")]
    NoObservations,
    /// A cell has too few or too many levels.
    #[error("observation {index} sets {found} factors instead of {expected}")]
    WrongLength {
        /// The position of the observation, from 0.
        index: usize,
        /// How many levels its cell has.
        found: usize,
        /// How many factors there are.
        expected: usize,
    },
    /// A factor has no such level.
    #[error("observation {index} has level {level} of factor {factor}, which does not exist")]
    NoSuchLevel {
        /// The position of the observation, from 0.
        index: usize,
        /// The position of the factor, from 0.
        factor: usize,
        /// The index of the level.
        level: usize,
    },
    /// A value is not a number, or infinite: such as the logarithm of 0.
    #[error("observation {index} is not a finite number: leave out what could not be measured")]
    NotFinite {
        /// The position of the observation, from 0.
        index: usize,
    },
}

pub(super) fn check(observations: &[Observation<'_>], factors: Factors<'_>) -> Result<(), EffectsError> {
    if observations.is_empty() {
        return Err(EffectsError::NoObservations);
    }
    let expected = factors.levels.len();
    for (index, observation) in observations.iter().enumerate() {
        let found = observation.cell.len();
        if found != expected {
            return Err(EffectsError::WrongLength { index, found, expected });
        }
        let mut levels = observation.cell.iter().zip(factors.levels);
        if let Some(factor) = levels.position(|(level, count)| level >= count) {
            return Err(EffectsError::NoSuchLevel { index, factor, level: observation.cell[factor] });
        }
        if !observation.y.is_finite() {
            return Err(EffectsError::NotFinite { index });
        }
    }
    Ok(())
}
