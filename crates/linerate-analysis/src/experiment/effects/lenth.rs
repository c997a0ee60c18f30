//! The noise of an experiment without repetition, from the effects that are small.

use std::collections::BTreeSet;

use super::model::Model;
use super::{Observation, distinct};
use linerate_core::stats::median;

/// The standard error of an effect, and its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PseudoError {
    pub(super) deviation: f64,
    pub(super) freedom: f64,
}

/// With fewer effects their median is one of those that may matter. 2^3 has 7, of which a hard factor takes one.
const FEWEST_EFFECTS: usize = 6;

/// Products of up to so many factors can be listed.
const MOST_FACTORS: usize = 12;

/// The pseudo standard error of the effects of a two-level design. Absent if a cell was measured more than
/// once, if there are blocks, or if the columns of all products of factors are not orthogonal.
/// Source: Lenth, Quick and easy analysis of unreplicated factorials, Technometrics 31 (1989).
pub(super) fn pseudo_error(model: &Model<'_>) -> Option<PseudoError> {
    let observations = model.observations;
    let two_levels = model.coding.measured.iter().all(|levels| levels.len() == 2);
    let one_block = observations.iter().all(|observation| observation.block == observations[0].block);
    let once = distinct(observations).len() == observations.len();
    if !two_levels || !one_block || !once || model.coding.measured.len() > MOST_FACTORS {
        return None;
    }
    let mut sizes = effects(model)?;
    sizes.iter_mut().for_each(|effect| *effect = effect.abs());
    let count = sizes.len();
    if count < FEWEST_EFFECTS {
        return None;
    }
    let usual = |sizes: &[f64]| median(sizes.iter().copied()).filter(|median| *median > 0.0);
    let first = 1.5 * usual(&sizes)?;
    let small: Vec<f64> = sizes.into_iter().filter(|effect| *effect < 2.5 * first).collect();
    Some(PseudoError { deviation: 1.5 * usual(&small)?, freedom: count as f64 / 3.0 })
}

/// Every effect once: mean(high) - mean(low) of each different column. Those of hard factors alone have a
/// noise of their own and are left out.
fn effects(model: &Model<'_>) -> Option<Vec<f64>> {
    let observations = model.observations;
    let count = model.coding.measured.len();
    let hard =
        (0..count).filter(|factor| model.factors.is_hard(*factor)).fold(0, |mask, factor| mask | 1 << factor);
    let mut masks: Vec<u32> = (1..1_u32 << count).collect();
    masks.sort_by_key(|mask| (mask.count_ones(), *mask));
    // Those of hard factors alone come first, so that no other of the same column takes their place.
    masks.sort_by_key(|mask| mask & !hard != 0);
    let mut known: BTreeSet<Vec<bool>> = BTreeSet::new();
    let mut found = Vec::new();
    for mask in masks {
        let column: Vec<bool> =
            observations.iter().map(|observation| is_high(model, observation, mask)).collect();
        let high = column.iter().filter(|high| **high).count();
        if high == 0 || high == column.len() {
            continue;
        }
        if 2 * high != column.len() {
            return None;
        }
        let same_sign: Vec<bool> = column.iter().map(|high| *high == column[0]).collect();
        if known.insert(same_sign) && mask & !hard != 0 {
            let signed =
                observations.iter().zip(&column).map(|(one, high)| if *high { one.y } else { -one.y });
            found.push(signed.sum::<f64>() / high as f64);
        }
    }
    (known.len() + 1 == observations.len()).then_some(found)
}

/// The sign of the product of the factors in `mask`.
fn is_high(model: &Model<'_>, observation: &Observation<'_>, mask: u32) -> bool {
    let low = |factor: &usize| observation.cell[*factor] == model.coding.measured[*factor][0];
    let factors = (0..observation.cell.len()).filter(|factor| mask >> factor & 1 == 1);
    factors.filter(low).count().is_multiple_of(2)
}
