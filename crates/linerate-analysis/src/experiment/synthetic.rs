//! The whole chain on responses whose truth is known: 1,000 experiments each, seeded, in virtual time.
//!
//! Counts are held to what is expected within three standard deviations of a binomial count, so a right
//! implementation fails with other seeds once in a few hundred times at most. All together take a few
//! seconds in a debug build.

mod factorial;
mod plots;
mod steps;

use rand::RngExt;
use rand_pcg::Pcg64;

use super::design::{Design, cells};
use super::effects::{Effects, Factors, Observation, effects};
use super::order::{Order, Slot};

/// How many experiments.
const TIMES: u64 = 1_000;
/// Standard deviation of a run: 3 %.
const NOISE: f64 = 0.03;

/// Random numbers of an experiment.
struct Chance(Pcg64);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(Pcg64::new(u128::from(seed), 77))
    }

    /// A draw of the standard normal distribution (Box and Muller).
    fn normal(&mut self) -> f64 {
        let (one, other): (f64, f64) = (1.0 - self.0.random::<f64>(), self.0.random());
        (-2.0 * one.ln()).sqrt() * (2.0 * std::f64::consts::PI * other).cos()
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.0.random_range(0..count) == 0
    }
}

/// An experiment in blocks with two levels for each factor.
struct Experiment {
    cells: Vec<Vec<usize>>,
    slots: Vec<Slot>,
    levels: Vec<usize>,
    hard: Vec<bool>,
}

impl Experiment {
    fn new(hard: &[bool], blocks: usize, seed: u64) -> Self {
        let levels = vec![2; hard.len()];
        let cells = cells(&Design::TwoLevel, &levels, seed).expect("two levels each").cells;
        let slots = Order { cells: &cells, hard, blocks, seed, check: None, in_turn: false }.slots();
        Self { cells, slots, levels, hard: hard.to_vec() }
    }

    /// The effects in what `response` gives for each slot, its place in the order and its cell.
    fn effects(&self, hard: bool, mut response: impl FnMut(usize, &Slot, &[usize]) -> f64) -> Effects {
        let observation = |(time, slot): (usize, &Slot)| {
            self.observation(slot, response(time, slot, &self.cells[slot.cell]))
        };
        let observations: Vec<Observation<'_>> = self.slots.iter().enumerate().map(observation).collect();
        self.analysed(&observations, hard)
    }

    fn observation(&self, slot: &Slot, y: f64) -> Observation<'_> {
        Observation { block: slot.block, plot: slot.plot, cell: &self.cells[slot.cell], y }
    }

    fn analysed(&self, observations: &[Observation<'_>], hard: bool) -> Effects {
        let hard = if hard { self.hard.as_slice() } else { &[] };
        effects(observations, Factors { levels: &self.levels, hard }, 0.05).expect("a whole experiment")
    }
}

/// Half of an effect, up at the high level and down at the low one.
fn half(effect: f64, level: usize) -> f64 {
    if level == 1 { effect / 2.0 } else { -effect / 2.0 }
}

/// The probability of the effect of a factor, by itself and among all.
fn of_factor(effects: &Effects, factor: usize) -> [f64; 2] {
    let evidence = effects.factors[factor].levels[0].evidence.expect("a test");
    [evidence.p, evidence.adjusted]
}

/// The same of a pair.
fn of_pair(effects: &Effects, pair: usize) -> [f64; 2] {
    let pair = &effects.pairs[pair];
    [pair.test.expect("a test").p, pair.adjusted.expect("a test")]
}

/// Whether anything at all is found.
fn finds_anything(effects: &Effects) -> bool {
    let factors = (0..effects.factors.len()).map(|factor| of_factor(effects, factor));
    let pairs = (0..effects.pairs.len()).map(|pair| of_pair(effects, pair));
    factors.chain(pairs).any(|[_, adjusted]| adjusted <= 0.05)
}

/// Asserts that so many of [`TIMES`] agree with a probability between `low` and `high`.
fn agrees(count: u64, [low, high]: [f64; 2]) {
    let reach = |share: f64| 3.0 * (share * (1.0 - share) / TIMES as f64).sqrt();
    let found = count as f64 / TIMES as f64;
    assert!(
        low - reach(low) <= found && found <= high + reach(high),
        "{found} is not within {low} to {high}"
    );
}
