//! How often noise alone raises an alarm, and how often what is there is found: as often as
//! docs/tracking.md says, with room for two standard errors of so few trials. The noise is a fixed one.

use linerate_analysis::changes::{FigureHistory, Step, Verdict, changes};

use super::noise::{ALL, COUNTS, Normal, last_spike, white};
use super::{alarms, figure, found, found_in, is_confirmed, one_percent, path};

pub(super) fn share(trials: usize, mut of: impl FnMut() -> bool) -> f64 {
    (0..trials).filter(|_| of()).count() as f64 / trials as f64
}

#[track_caller]
pub(super) fn assert_at_most(seen: f64, bound: f64, trials: usize, what: &str) {
    let error = (bound * (1.0 - bound) / trials as f64).sqrt();
    assert!(seen <= bound + 2.0 * error, "{what}: {seen} of {trials}, not {bound}");
}

#[test]
fn noise_seldom_raises_an_alarm() {
    let trials = 100;
    for noise in ALL.iter().filter(|noise| noise.name != "sine of a month") {
        let bound = if noise.name == "AR(1) 0.6" { 0.10 } else { 0.06 };
        let mut normal = Normal::new(60);
        let seen = share(trials, || alarms(&found(&one_percent(&noise.series(&mut normal, 60)))));
        assert_at_most(seen, bound, trials, noise.name);
    }
}

#[test]
fn counts_that_are_often_zero_seldom_raise_an_alarm() {
    let trials = 100;
    for noise in &COUNTS {
        let mut normal = Normal::new(61);
        let seen = share(trials, || alarms(&found_in("udp/loss-send", &noise.series(&mut normal, 60))));
        assert_at_most(seen, 0.06, trials, noise.name);
    }
}

#[test]
fn a_spike_as_last_run_is_always_unconfirmed() {
    let mut normal = Normal::new(1);
    for _ in 0..50 {
        let series = found(&one_percent(&last_spike(&mut normal, 50)));
        assert_eq!(series.verdict, Verdict::Unconfirmed);
        assert!(
            !alarms(&series)
                || series.steps.iter().filter(|step| is_confirmed(step)).all(|step| step.at < 45)
        );
    }
}

/// 40 series that move together: independent p are not assumed.
#[test]
fn over_many_series_a_false_alarm_is_as_seldom_as_in_one() {
    let (trials, series, runs) = (25, 40, 40);
    let mut normal = Normal::new(7);
    let any = share(trials, || {
        let shared = white(&mut normal, runs);
        let figure = |index: usize| {
            let own = white(&mut normal, runs);
            let mixed: Vec<f64> =
                shared.iter().zip(own).map(|(shared, own)| 0.8 * shared + 0.6 * own).collect();
            figure(&format!("load {index}/rate-send"), &one_percent(&mixed))
        };
        changes(&[path((0..series).map(figure).collect())])[0].figures.iter().any(alarms)
    });
    assert_at_most(any, 0.05, trials, "any of 40 series");
}

/// Of the figures in which something is found, few have a false change: 10 of 100 have a step.
#[test]
fn of_what_is_reported_little_is_false() {
    let mut normal = Normal::new(8);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..5 {
        let figures = (0..100).map(|index| {
            let step = if index < 10 { 3.0 } else { 0.0 };
            figure(&format!("load {index}/rate-send"), &one_percent(&with_step(&mut normal, 60, 40, step)))
        });
        for (index, history) in changes(&[path(figures.collect())])[0].figures.iter().enumerate() {
            let true_step = |step: &Step| index < 10 && step.at.abs_diff(40) <= 3;
            let only_true = history.steps.iter().all(true_step) && history.drifts.is_empty();
            right += usize::from(alarms(history) && only_true);
            wrong += usize::from(alarms(history) && !only_true);
        }
    }
    assert!(right >= 45, "{right} of 50");
    assert_at_most(
        f64::from(wrong as u32) / f64::from((right + wrong) as u32),
        0.05,
        right + wrong,
        "false ones",
    );
}

/// A figure without runs enough for a change cannot have a false one.
#[test]
fn figures_that_are_too_short_do_not_count() {
    let weak = |seed: u64| one_percent(&with_step(&mut Normal::new(seed), 70, 60, 2.0));
    let is_weak = |values: &Vec<f64>| found(values).steps.iter().any(|step| (0.001..0.05).contains(&step.p));
    let values = (0..100).map(weak).find(is_weak).expect("one of a hundred");
    let with_others = |others: Option<f64>| {
        let other = |index: usize| {
            let mut other = figure(&format!("load {index}/rate-send"), &[1.0; 70]);
            other.values[9..].fill(others);
            other
        };
        let figures = std::iter::once(figure("stream/rate-send", &values)).chain((0..300).map(other));
        changes(&[path(figures.collect())]).remove(0).figures.remove(0)
    };
    assert!(alarms(&with_others(None)) && !alarms(&with_others(Some(1.0))));
}

/// White noise with a step of so many standard deviations.
pub(super) fn with_step(normal: &mut Normal, runs: usize, at: usize, size: f64) -> Vec<f64> {
    let mut values = white(normal, runs);
    values[at..].iter_mut().for_each(|value| *value += size);
    values
}

/// Whether a step is found within three runs of where it is.
pub(super) fn is_found(history: &FigureHistory, at: usize) -> bool {
    history.steps.iter().any(|step| is_confirmed(step) && step.at.abs_diff(at) <= 3)
}

/// Share of steps of `size` standard deviations after 60 runs that are found, with so many runs after.
pub(super) fn power(trials: usize, after: usize, size: f64) -> f64 {
    let mut normal = Normal::new(5);
    share(trials, || is_found(&found(&one_percent(&with_step(&mut normal, 60 + after, 60, size))), 60))
}

#[test]
fn steps_are_found_as_often_as_stated() {
    for (after, size, least) in [(5, 3.0, 0.8), (10, 2.0, 0.8), (20, 1.5, 0.75), (20, 3.0, 0.95)] {
        let found = power(60, after, size);
        assert!(found >= least, "{size} standard deviations, {after} runs after: {found}");
    }
}

/// What becomes of a drift of `size` standard deviations over the last `runs` of 40 more: the shares
/// reported as a drift alone, with one step, with several, and not at all.
pub(super) fn drifts(trials: usize, runs: usize, size: f64) -> [f64; 4] {
    let mut normal = Normal::new(9);
    let mut counts = [0.0; 4];
    for _ in 0..trials {
        let mut values = white(&mut normal, 40 + runs);
        for (run, value) in values[40..].iter_mut().enumerate() {
            *value += size * (run + 1) as f64 / runs as f64;
        }
        let history = found(&one_percent(&values));
        let what =
            match (history.steps.iter().filter(|step| is_confirmed(step)).count(), history.drifts.len()) {
                (0, 0) => 3,
                (0, _) => 0,
                (1, _) => 1,
                _ => 2,
            };
        counts[what] += 1.0 / trials as f64;
    }
    counts
}

#[test]
fn a_drift_is_no_staircase() {
    for (runs, size) in [(60, 6.0), (100, 8.0), (100, 20.0)] {
        let [drift, one, more, none] = drifts(40, runs, size);
        assert!(drift >= 0.85, "{size} sd over {runs} runs: {drift} drifts");
        assert!(one <= 0.15 && more <= 0.05 && none == 0.0, "{one} with one step, {more} with more");
    }
}
