//! How often an outcome is wrong: pairs of sides drawn by seed, of known ratio, spread and number of runs.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::super::family::{Asked, judge};
use super::super::method::Intervals;
use super::super::{Change, FigureChange, Scale};
use super::*;

/// What counts as the same.
const WITHIN: f64 = 0.05;
/// Draws of each kind.
const DRAWS: u64 = 300;

/// Two sides as they really are.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// How many times as fast the second is, in every figure.
    ratio: f64,
    /// Standard deviation of the logarithm of what a run has of its own.
    spread: f64,
    /// Runs of each side.
    runs: [usize; 2],
    /// Which part of the spread all figures of a run share.
    shared: f64,
}

/// A draw of the standard normal distribution (Box and Muller).
fn normal(random: &mut Pcg64) -> f64 {
    let (one, other): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

/// Spreads from .3 % to 20 %, two to five runs a side.
fn drawn(random: &mut Pcg64, ratio: f64) -> Pair {
    let spread = 0.003 * (0.2_f64 / 0.003).powf(random.random());
    Pair { ratio, spread, runs: [0, 1].map(|_| random.random_range(2..=5)), shared: random.random() }
}

fn method([base, candidate]: [usize; 2]) -> Method {
    // Of fewer splits none has a share of at most 5 %, either way.
    let splits = (0..base).fold(1, |ways, nth| ways * (base + candidate - nth) / (nth + 1));
    match base.min(candidate) {
        _ if splits < 40 => Method::Welch,
        5.. => Method::Permutation { intervals: Intervals::Bootstrap },
        _ => Method::Permutation { intervals: Intervals::LogT },
    }
}

impl Pair {
    /// The sides as runs show them: a latency, a peak and a band.
    fn compared(self, random: &mut Pcg64) -> Comparison {
        let keys = ["ping-pong/latency", "ping-pong/peak", "ping-pong/band-1KiB"];
        let keys = keys.map(|key| key.parse::<Key>().expect("a key"));
        let mut values = keys.each_ref().map(|_| [Vec::new(), Vec::new()]);
        for (side, runs) in self.runs.into_iter().enumerate() {
            for _ in 0..runs {
                let all = normal(random) * self.shared.sqrt();
                for (key, values) in keys.iter().zip(&mut values) {
                    let own = all + normal(random) * (1.0 - self.shared).sqrt();
                    let faster = if side == 1 { self.ratio } else { 1.0 };
                    let faster = if key.figure.better() == Better::More { faster } else { 1.0 / faster };
                    values[side].push(100.0 * faster * (own * self.spread).exp());
                }
            }
        }
        let asked = |(key, values): (&Key, [Vec<f64>; 2])| Asked {
            values,
            rounds: [Vec::new(), Vec::new()],
            scale: Scale::Ratio,
            better: key.figure.better(),
            margin: WITHIN,
            prior: None,
        };
        let method = method(self.runs);
        let asked: Vec<Asked> = keys.iter().zip(values).map(asked).collect();
        let figure = |(key, change): (Key, Change)| FigureChange {
            unit: key.figure.unit(),
            better: key.figure.better(),
            key,
            change,
            known: self.runs,
        };
        Comparison {
            sides: [Vec::new(), Vec::new()],
            threshold: WITHIN,
            differences: Vec::new(),
            method,
            figures: keys.into_iter().zip(judge(&asked, method)).map(figure).collect(),
            curves: Vec::new(),
            bottlenecks: None,
            doubts: Vec::new(),
        }
    }
}

/// The outcomes of the draws at this ratio.
fn outcomes(ratio: f64) -> Vec<Outcome> {
    let of = |seed| {
        let random = &mut Pcg64::seed_from_u64(seed);
        drawn(random, ratio).compared(random).outcome(false)
    };
    (0..DRAWS).map(of).collect()
}

/// The share of such a one.
fn share(outcomes: &[Outcome], wanted: Outcome) -> f64 {
    outcomes.iter().filter(|outcome| **outcome == wanted).count() as f64 / outcomes.len() as f64
}

/// Three standard errors above 5 % in so many draws.
fn limit() -> f64 {
    0.05 + 3.0 * (0.05 * 0.95 / DRAWS as f64).sqrt()
}

#[test]
fn equal_sides_are_worse_in_5_of_100_comparisons_at_most() {
    let found = outcomes(1.0);
    let [worse, equal] = [Outcome::Worse, Outcome::Equal].map(|wanted| share(&found, wanted));
    assert!(worse <= limit(), "{worse}");
    assert!(equal > 0.2, "and quiet hosts are told equal: {equal}");
}

#[test]
fn sides_that_differ_by_more_than_matters_are_equal_in_5_of_100_comparisons_at_most() {
    let shares = |ratio| {
        let found = outcomes(ratio);
        [Outcome::Equal, Outcome::Better, Outcome::Worse].map(|wanted| share(&found, wanted))
    };
    for (ratio, seen) in [(1.0 / 1.0501, 0.0), (0.5, 0.7)] {
        let [equal, better, worse] = shares(ratio);
        assert!(
            equal <= limit() && better <= limit() && worse >= seen,
            "{ratio}: {equal}, {better}, {worse}"
        );
    }
    let [_, _, worse] = shares(1.25);
    assert!(worse <= limit(), "what is faster is not worse: {worse}");
}

/// Half as fast on hosts so busy that nothing is shown is no success, and says what would show it.
#[test]
fn what_cannot_be_told_is_neither_equal_nor_without_advice() {
    let busy = Pair { ratio: 0.5, spread: 0.6, runs: [3, 3], shared: 0.5 };
    let mut advised = 0;
    for seed in 0..50 {
        let found = busy.compared(&mut Pcg64::seed_from_u64(seed));
        match found.outcome(false) {
            Outcome::Worse => {}
            Outcome::Inconclusive { more_runs } => advised += u32::from(more_runs > Some(0)),
            wrong => panic!("{wrong:?}: {found:?}"),
        }
    }
    assert!(advised > 25, "only an estimate at the margin leaves no number: {advised}");
}

/// A side whose logarithms have exactly this mean and standard deviation.
fn exactly(mean: f64, deviation: f64, runs: usize) -> Vec<f64> {
    let wave: Vec<f64> = (0..runs).map(|nth| ((nth as f64 + 0.5) / runs as f64 - 0.5) * 2.0).collect();
    let spread = (wave.iter().map(|it| it * it).sum::<f64>() / (runs as f64 - 1.0)).sqrt();
    wave.iter().map(|it| (mean + it / spread * deviation).exp()).collect()
}

/// If figures stay what they are, as many runs as it says decide in about four of five cases.
#[test]
fn as_many_more_runs_as_it_says_decide() {
    let asked = |values: [Vec<f64>; 2]| Asked {
        values,
        rounds: [Vec::new(), Vec::new()],
        scale: Scale::Ratio,
        better: Better::More,
        margin: WITHIN,
        prior: None,
    };
    let random = &mut Pcg64::seed_from_u64(39);
    let (mut said, mut all) = (0, 0);
    for _ in 0..40 {
        let difference = random.random_range(-0.2..0.2);
        let deviation = 0.01 * 20.0_f64.powf(random.random());
        let few = [exactly(0.0, deviation, 3), exactly(difference, deviation, 3)];
        let Some(needed) = judge(&[asked(few)], Method::Welch)[0].runs_needed.filter(|runs| *runs <= 200)
        else {
            continue;
        };
        said += 1;
        let decided = (0..100).filter(|_| {
            let mut side = |mean: f64| {
                (0..needed).map(|_| (mean + deviation * normal(random)).exp()).collect::<Vec<f64>>()
            };
            let change = judge(&[asked([side(0.0), side(difference)])], Method::Welch)[0];
            !change.is_open() || change.verdict == Verdict::Better
        });
        all += decided.count();
    }
    assert!(said >= 10, "{said}");
    let share = all as f64 / (100 * said) as f64;
    assert!((0.7..0.97).contains(&share), "{share}");
}

#[test]
fn any_change_counts_if_asked_for() {
    let faster = Pair { ratio: 1.5, spread: 0.01, runs: [4, 4], shared: 0.5 };
    let found = faster.compared(&mut Pcg64::seed_from_u64(1));
    assert_eq!((found.outcome(false), found.outcome(true)), (Outcome::Better, Outcome::Changed));
    let alike = Pair { ratio: 1.0, ..faster }.compared(&mut Pcg64::seed_from_u64(1));
    assert_eq!((alike.outcome(false), alike.outcome(true)), (Outcome::Equal, Outcome::Equal));
    let slower = Pair { ratio: 0.5, ..faster }.compared(&mut Pcg64::seed_from_u64(1));
    assert_eq!((slower.outcome(false), slower.outcome(true)), (Outcome::Worse, Outcome::Worse));
}

#[test]
fn one_run_each_or_nothing_that_decides_is_inconclusive() {
    let mut found =
        Pair { ratio: 1.0, spread: 0.01, runs: [4, 4], shared: 0.5 }.compared(&mut Pcg64::seed_from_u64(1));
    found.figures.retain(|figure| figure.key.figure.better() == Better::Neither);
    assert_eq!(found.outcome(false), Outcome::Inconclusive { more_runs: None });
    let mut single =
        Pair { ratio: 0.5, spread: 0.01, runs: [1, 1], shared: 0.5 }.compared(&mut Pcg64::seed_from_u64(1));
    single.method = Method::OneEach;
    assert_eq!(single.outcome(false), Outcome::Inconclusive { more_runs: Some(3) });
}
