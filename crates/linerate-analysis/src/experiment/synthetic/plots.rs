//! A hard factor, whose plots differ by themselves.

use super::*;

/// How often a hard factor that does nothing is found: with plots, and as if there were none. Four blocks of
/// two plots of two runs; a plot differs by 3 %, a run by 1 %.
fn false_claims() -> [u64; 2] {
    let mut claims = [0, 0];
    for seed in 0..TIMES {
        let experiment = Experiment::new(&[true, false], 4, seed);
        for (claims, hard) in claims.iter_mut().zip([true, false]) {
            let mut chance = Chance::new(seed);
            let plots: Vec<f64> = (0..8).map(|_| NOISE * chance.normal()).collect();
            let effects = experiment.effects(hard, |_, slot, _| plots[slot.plot] + 0.01 * chance.normal());
            *claims += u64::from(of_factor(&effects, 0)[0] <= 0.05);
        }
    }
    claims
}

#[test]
fn plots_keep_a_hard_factor_honest_and_ignoring_them_does_not() {
    let [with_plots, without] = false_claims();
    agrees(with_plots, [0.05; 2]);
    assert!(without > 100, "{without} of {TIMES}: more than twice the 5 %");
}
