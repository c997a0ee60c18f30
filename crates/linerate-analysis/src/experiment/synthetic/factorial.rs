//! Three factors in three blocks, shuffled.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::*;

fn experiment(seed: u64) -> Experiment {
    Experiment::new(&[false; 3], 3, seed)
}

/// Six questions at Holm's first level find something in 1 - (1 - .05/6)^6 = 4.9 % of all experiments if
/// they are independent, and they nearly are: they share the noise.
#[test]
fn nothing_is_found_where_there_is_nothing_in_spite_of_blocks_and_drift() {
    let alarms = (0..TIMES).filter(|seed| {
        let mut chance = Chance::new(*seed);
        let blocks = [(); 3].map(|()| 0.05 * chance.normal());
        let drift = |time: usize| 0.05 * time as f64 / 24.0;
        let effects = experiment(*seed)
            .effects(true, |time, slot, _| blocks[slot.block] + drift(time) + NOISE * chance.normal());
        finds_anything(&effects)
    });
    let alarms = alarms.count() as u64;
    agrees(alarms, [0.035, 0.05]);
}

/// A of 10 %, B of 5 %, and an interaction AB of 5 %.
fn planted(cell: &[usize]) -> f64 {
    let both = usize::from(cell[0] == cell[1]);
    half(1.10_f64.ln(), cell[0]) + half(1.05_f64.ln(), cell[1]) + half(1.05_f64.ln(), both)
}

/// P(|T| > limit) for a noncentral t, by its definition: 20,000 draws.
fn power(effect: f64, level: f64) -> f64 {
    // Means of 12 runs each; 24 runs less 3 blocks and 6 effects.
    let (shift, freedom) = (effect / (NOISE * (2.0_f64 / 12.0).sqrt()), 15);
    let limit = StudentsT::new(0.0, 1.0, f64::from(freedom))
        .expect("degrees of freedom")
        .inverse_cdf(1.0 - level / 2.0);
    let mut chance = Chance::new(u64::MAX);
    let found = (0..20_000).filter(|_| {
        let top = chance.normal() + shift;
        let squares: f64 = (0..freedom).map(|_| chance.normal().powi(2)).sum();
        top.abs() > limit * (squares / f64::from(freedom)).sqrt()
    });
    found.count() as f64 / 20_000.0
}

#[test]
fn planted_effects_are_found_as_often_as_the_noncentral_t_says() {
    let mut alone = [0_u64; 3];
    let mut together = [0_u64; 3];
    for seed in 0..TIMES {
        let mut chance = Chance::new(seed);
        let effects = experiment(seed).effects(true, |_, _, cell| planted(cell) + NOISE * chance.normal());
        let found = [of_factor(&effects, 0), of_factor(&effects, 1), of_pair(&effects, 0)];
        for (place, [p, adjusted]) in found.into_iter().enumerate() {
            alone[place] += u64::from(p <= 0.05);
            together[place] += u64::from(adjusted <= 0.05);
        }
    }
    for (place, effect) in [1.10_f64, 1.05, 1.05].into_iter().enumerate() {
        let (at_first, at_last) = (power(effect.ln(), 0.05 / 6.0), power(effect.ln(), 0.05));
        agrees(alone[place], [at_last; 2]);
        // Holm lies between Bonferroni and no correction.
        agrees(together[place], [at_first, at_last]);
    }
}

/// One run in 20 gives half as much again.
fn with_outliers(chance: &mut Chance, y: f64) -> f64 {
    let outlier = if chance.one_in(20) { 1.5_f64.ln() } else { 0.0 };
    y + NOISE * chance.normal() + outlier
}

/// The effects of an experiment with outliers, and those after up to five times repeating the measurements
/// that look like outliers (an outlier hides others).
fn repeated(seed: u64, effect: f64) -> [Effects; 2] {
    let mut chance = Chance::new(seed);
    let experiment = experiment(seed);
    let mut value = |slot: &Slot| with_outliers(&mut chance, half(effect, experiment.cells[slot.cell][0]));
    let mut observations: Vec<Observation<'_>> = Vec::new();
    for slot in &experiment.slots {
        observations.push(experiment.observation(slot, value(slot)));
    }
    let first = experiment.analysed(&observations, true);
    let mut last = first.clone();
    for _ in 0..5 {
        let outliers = last.outliers(0.05);
        if outliers.is_empty() {
            break;
        }
        for index in outliers {
            observations[index].y = value(&experiment.slots[index]);
        }
        last = experiment.analysed(&observations, true);
    }
    [first, last]
}

/// Least squares is not robust: outliers raise no false alarms (1.3 %), but an effect of 10 % that is always
/// found without them is found in 51 % of the experiments. Repeating the measurements that are pointed at
/// raises that to 83 %, with 5.0 % false alarms.
#[test]
fn outliers_hide_effects_and_repeating_them_helps() {
    let (mut alarms, mut found) = ([0_u64; 2], [0_u64; 2]);
    for seed in 0..TIMES {
        for (place, effects) in repeated(seed, 0.0).iter().enumerate() {
            alarms[place] += u64::from(finds_anything(effects));
        }
        for (place, effects) in repeated(seed, 1.10_f64.ln()).iter().enumerate() {
            found[place] += u64::from(of_factor(effects, 0)[1] <= 0.05);
        }
    }
    agrees(alarms[0], [0.0, 0.05]);
    agrees(alarms[1], [0.0, 0.05]);
    assert!((400..620).contains(&found[0]), "{found:?}");
    assert!(found[1] > found[0] + 200, "{found:?}");
}
