//! Which cells an experiment measures.

mod error;
mod fraction;
mod sample;

use serde::{Deserialize, Serialize};

pub use error::DesignError;
pub use fraction::Structure;

/// No design has more cells than this: at a minute each it would already take a week.
pub const MOST_CELLS: usize = 10_000;

/// A rule that chooses cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// The base, and every other level of each factor with the others at base. Sees no interaction, and
    /// estimates an effect from two cells only.
    OneAtATime,
    /// Every combination.
    Full,
    /// Every combination of factors with two levels.
    TwoLevel,
    /// A regular fraction of the combinations of two-level factors. Effects share their estimates with
    /// others: see [`Structure::aliases`]. The base is not always among the cells.
    Fraction {
        /// Number of cells: a power of two.
        runs: usize,
    },
    /// The base, and combinations drawn without replacement. A larger number with the same seed keeps the
    /// cells of a smaller one.
    Random {
        /// Number of cells, with the base.
        cells: usize,
    },
    /// Combinations in which each level of each factor appears as equally often as possible.
    LatinHypercube {
        /// Number of cells. A combination may appear twice.
        cells: usize,
    },
    /// Every combination, in an order in which the cells take turns: A and B. See
    /// [`Order::in_turn`](super::order::Order::in_turn).
    InTurn,
}

/// The cells of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cells {
    /// For each cell and factor the index of its level; 0 is the base. Full, two-level and fractional
    /// designs come in standard order: the first factor changes fastest.
    pub cells: Vec<Vec<usize>>,
    /// What a fraction cannot tell apart. Absent for other designs.
    pub structure: Option<Structure>,
}

/// The cells of `design` for factors with these numbers of levels. Equal seeds give equal cells.
///
/// # Errors
///
/// If there is no factor or a factor has no level, if the design needs factors of two levels or a number
/// of cells that does not exist, or if it would have more than [`MOST_CELLS`] cells.
pub fn cells(design: &Design, levels: &[usize], seed: u64) -> Result<Cells, DesignError> {
    if levels.is_empty() {
        return Err(DesignError::NoFactors);
    }
    if let Some(factor) = levels.iter().position(|count| *count == 0) {
        return Err(DesignError::NoLevels { factor });
    }
    let plain = |cells| Ok(Cells { cells, structure: None });
    match *design {
        Design::OneAtATime => plain(one_at_a_time(levels)?),
        Design::Full | Design::InTurn => plain(full(levels)?),
        Design::TwoLevel => {
            two_levels_each(levels)?;
            plain(full(levels)?)
        }
        Design::Fraction { runs } => {
            two_levels_each(levels)?;
            let (cells, structure) = fraction::fraction(levels.len(), runs)?;
            Ok(Cells { cells, structure: Some(structure) })
        }
        Design::Random { cells } => plain(sample::random(levels, few_enough(cells)?, seed)?),
        Design::LatinHypercube { cells } => plain(sample::latin_hypercube(levels, few_enough(cells)?, seed)),
    }
}

fn two_levels_each(levels: &[usize]) -> Result<(), DesignError> {
    match levels.iter().position(|count| *count != 2) {
        Some(factor) => Err(DesignError::NotTwoLevels { factor, levels: levels[factor] }),
        None => Ok(()),
    }
}

fn few_enough(cells: usize) -> Result<usize, DesignError> {
    match cells {
        0 => Err(DesignError::NoCells),
        cells if cells > MOST_CELLS => Err(DesignError::TooManyCells { cells: Some(cells as u128) }),
        cells => Ok(cells),
    }
}

fn one_at_a_time(levels: &[usize]) -> Result<Vec<Vec<usize>>, DesignError> {
    let others = levels.iter().map(|count| *count as u128 - 1).sum::<u128>();
    if others >= MOST_CELLS as u128 {
        return Err(DesignError::TooManyCells { cells: Some(others + 1) });
    }
    let base = vec![0; levels.len()];
    let changed =
        levels.iter().enumerate().flat_map(|(factor, count)| (1..*count).map(move |level| (factor, level)));
    let mut cells = vec![base.clone()];
    cells.extend(changed.map(|(factor, level)| {
        let mut cell = base.clone();
        cell[factor] = level;
        cell
    }));
    Ok(cells)
}

fn full(levels: &[usize]) -> Result<Vec<Vec<usize>>, DesignError> {
    match sample::product(levels) {
        Some(all) if all <= MOST_CELLS as u128 => Ok((0..all).map(|nth| sample::nth(levels, nth)).collect()),
        cells => Err(DesignError::TooManyCells { cells }),
    }
}

#[cfg(test)]
mod tests;
