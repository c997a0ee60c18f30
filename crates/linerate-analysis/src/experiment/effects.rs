//! What each factor does, from the results of an experiment.
//!
//! **Conventions.** An effect of a level is the mean at that level less the mean at level 0, averaged over
//! the levels of the other factors; for two levels that is mean(high) - mean(low). The interaction of two
//! two-level factors is half the difference between the effect of one at the high and at the low level of
//! the other: mean of the cells where both agree less that where they differ. Interactions of three and
//! more factors are taken for noise.
//!
//! **Model.** Least squares over blocks, factors and pairs, coded so that the levels of a factor sum to
//! zero; it holds for unbalanced data too. With hard factors, these and their pairs are tested against
//! plots of equal hard levels, and all others within plots, against what is left. In unbalanced data the
//! former is an approximation.
//!
//! Source: Montgomery, Design and Analysis of Experiments (2013), chapters 5, 6 and 14.

mod best;
mod check;
mod columns;
mod least_squares;
mod lenth;
mod model;
mod result;
mod strata;

use std::collections::BTreeSet;

pub use best::{Best, Contender, best};
pub use check::EffectsError;
pub use result::{Effect, Effects, Evidence, FactorEffects, Noise, PairEffect, Untested, VarianceTest};

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation<'a> {
    /// Its block.
    pub block: usize,
    /// Its plot: during one plot hard factors are set once. Without hard factors it does not matter.
    pub plot: usize,
    /// For each factor the index of its level.
    pub cell: &'a [usize],
    /// What was measured: a natural logarithm where ratios are meant.
    pub y: f64,
}

/// What was varied.
#[derive(Clone, Copy, Debug)]
pub struct Factors<'a> {
    /// For each factor how many levels it has.
    pub levels: &'a [usize],
    /// Which factors are expensive to change and stay as they are during a plot; those that it does not
    /// mention are not.
    pub hard: &'a [bool],
}

impl Factors<'_> {
    fn is_hard(&self, factor: usize) -> bool {
        self.hard.get(factor).copied().unwrap_or(false)
    }

    fn any_hard(&self) -> bool {
        (0..self.levels.len()).any(|factor| self.is_hard(factor))
    }
}

/// The effects of all factors and pairs. Intervals leave out `alpha`; those that decide are the `adjusted`
/// probabilities, corrected by Holm for all levels of all factors and all pairs together.
///
/// Where every cell of an orthogonal two-level design was measured once, the noise is that of the small
/// effects, by Lenth. What cannot be tested says why.
///
/// # Errors
///
/// If there is no observation, or one does not fit the factors or is not a finite number.
pub fn effects(
    observations: &[Observation<'_>],
    factors: Factors<'_>,
    alpha: f64,
) -> Result<Effects, EffectsError> {
    check::check(observations, factors)?;
    let model = model::Model::new(observations, factors);
    let strata = strata::Strata::new(&model);
    let errors = strata.errors();
    let errors = match lenth::pseudo_error(&model) {
        Some(lenth) => errors.by_lenth(lenth),
        None => errors,
    };
    let mut effects = result::collect(&model, &strata, &errors, alpha);
    result::adjust(&mut effects);
    Ok(effects)
}

fn distinct<'a>(observations: &[Observation<'a>]) -> Vec<&'a [usize]> {
    let cells: BTreeSet<&[usize]> = observations.iter().map(|observation| observation.cell).collect();
    cells.into_iter().collect()
}

#[cfg(test)]
mod tests;
