//! Cells drawn at random from the space of all combinations.

use std::collections::BTreeSet;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use super::DesignError;

/// A space of at most so many combinations is shuffled; from a larger one cells are drawn until they differ.
/// At most half of it is ever asked for, so that few draws are lost.
const SHUFFLED: u128 = 20_000;

/// Streams of the generator.
const RANDOM: u128 = 11;
const HYPERCUBE: u128 = 12;

/// The number of combinations. Absent above 2^128.
pub(super) fn product(levels: &[usize]) -> Option<u128> {
    levels.iter().try_fold(1_u128, |all, count| all.checked_mul(*count as u128))
}

/// A combination by its number in standard order.
pub(super) fn nth(levels: &[usize], nth: u128) -> Vec<usize> {
    let mut rest = nth;
    let mut level = |count: &usize| {
        let level = (rest % *count as u128) as usize;
        rest /= *count as u128;
        level
    };
    levels.iter().map(&mut level).collect()
}

/// The base, then other combinations without replacement.
pub(super) fn random(levels: &[usize], cells: usize, seed: u64) -> Result<Vec<Vec<usize>>, DesignError> {
    let mut random = Pcg64::new(u128::from(seed), RANDOM);
    let there = product(levels);
    if let Some(there) = there.filter(|there| *there < cells as u128) {
        return Err(DesignError::MoreThanThere { asked: cells, there });
    }
    if let Some(there) = there.filter(|there| *there <= SHUFFLED) {
        let mut numbers: Vec<u128> = (1..there).collect();
        numbers.shuffle(&mut random);
        return Ok([0].into_iter().chain(numbers).take(cells).map(|number| nth(levels, number)).collect());
    }
    let mut chosen = vec![vec![0; levels.len()]];
    let mut known: BTreeSet<Vec<usize>> = chosen.iter().cloned().collect();
    while chosen.len() < cells {
        let cell: Vec<usize> = levels.iter().map(|count| random.random_range(0..*count)).collect();
        if known.insert(cell.clone()) {
            chosen.push(cell);
        }
    }
    Ok(chosen)
}

/// Source: McKay, Beckman and Conover, Technometrics 21 (1979), with levels in the place of strata.
pub(super) fn latin_hypercube(levels: &[usize], cells: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut random = Pcg64::new(u128::from(seed), HYPERCUBE);
    let columns: Vec<Vec<usize>> = levels.iter().map(|count| column(*count, cells, &mut random)).collect();
    (0..cells).map(|cell| columns.iter().map(|column| column[cell]).collect()).collect()
}

/// Every level as often as possible, those that appear once more chosen at random, in random order.
fn column(levels: usize, cells: usize, random: &mut Pcg64) -> Vec<usize> {
    let mut names: Vec<usize> = (0..levels).collect();
    names.shuffle(random);
    let mut column: Vec<usize> = names.into_iter().cycle().take(cells).collect();
    column.shuffle(random);
    column
}
