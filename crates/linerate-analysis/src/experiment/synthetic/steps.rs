//! Changes tried one after the other.

use super::*;
use crate::experiment::sequential::Spending;
use crate::experiment::staircase::{Question, Staircase, Total, Verdict};

/// Five candidates that each give `effect`; runs differ by 3 %.
fn tried(staircase: &Staircase, effect: f64, seed: u64) -> Staircase {
    let mut staircase = staircase.clone();
    let mut chance = Chance::new(seed);
    while let Some(pair) = staircase.next() {
        let results = pair.settings.map(|kept| effect * kept.len() as f64 + NOISE * chance.normal());
        staircase.told(results).expect("a pair was asked for");
    }
    staircase
}

fn fresh(spending: Spending, pairs: usize) -> Staircase {
    let question = Question { candidates: 5, looks: 5, pairs, fresh_pairs: 10, alpha: 0.05, spending };
    Staircase::new(question).expect("a question")
}

/// Half of the 5 % is for the good direction.
#[test]
fn useless_candidates_are_hardly_ever_kept() {
    for (spending, pairs) in
        [(Spending::ObrienFleming, 4), (Spending::ObrienFleming, 1), (Spending::Pocock, 2)]
    {
        let staircase = fresh(spending, pairs);
        let kept = (0..TIMES).filter(|seed| !tried(&staircase, 0.0, *seed).kept().is_empty()).count() as u64;
        agrees(kept, [0.01, 0.03]);
    }
}

/// What was kept was kept because it looked good; the fresh pairs at the end are not chosen.
#[test]
fn steps_overestimate_and_the_total_does_not() {
    let staircase = fresh(Spending::ObrienFleming, 4);
    let (mut steps, mut totals) = (Vec::new(), Vec::new());
    for seed in 0..TIMES {
        let staircase = tried(&staircase, 0.03, seed);
        let kept = staircase.steps().iter().filter(|step| step.verdict == Verdict::Kept);
        steps.extend(kept.filter_map(|step| step.estimate));
        if let Some(Total::Measured { estimate, .. }) = staircase.total() {
            totals.push(estimate - 0.03 * staircase.kept().len() as f64);
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    assert!(mean(&steps) > 0.033, "the winner's curse: {}", mean(&steps));
    // Ten pairs each.
    let error = NOISE * (0.2 / totals.len() as f64).sqrt();
    assert!(mean(&totals).abs() < 3.0 * error, "{} is not 0 within {error}", mean(&totals));
}
