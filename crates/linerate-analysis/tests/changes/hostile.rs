//! Values that no measurement should give, and more of them than anybody has.

use std::time::Duration;

use linerate_analysis::changes::{FigureHistory, Verdict, changes};
use proptest::prelude::*;

use super::events::stepped;
use super::noise::{Normal, white};
use super::{figure, found, found_in, one_percent, path, timed};

#[test]
fn runs_without_a_usable_value_are_left_out_and_named() {
    let mut figure = figure("a/latency", &stepped(8, 40, 1.2));
    for run in [3, 20, 41] {
        figure.values[run] = None;
    }
    let odd = [0.0, f64::NAN, -1.0, f64::INFINITY];
    odd.into_iter().enumerate().for_each(|(nth, value)| figure.values[5 + nth] = Some(value));
    let series = changes(&[path(vec![figure])]).remove(0).figures.remove(0);
    assert_eq!(series.unusable, [5, 6, 7, 8]);
    assert_eq!((series.runs, series.steps[0].at), (73, 40));
}

#[test]
fn what_cannot_change_does_not() {
    for values in [&[][..], &[7.0], &[7.0; 9], &[7.0; 100], &[f64::NAN; 30], &[0.0; 30]] {
        for name in ["a/peak", "udp/loss-send"] {
            let history = found_in(name, values);
            assert!(history.steps.is_empty() && history.drifts.is_empty() && history.outliers.is_empty());
            let usable = values.len() - history.unusable.len();
            assert_eq!(history.verdict == Verdict::TooFew, usable < 10, "{values:?}");
        }
    }
}

/// Every number of a history is finite, and every run in its place.
fn assert_sound(history: &FigureHistory, runs: usize) {
    let text = serde_json::to_string(history).expect("plain data");
    let numbers: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for step in &history.steps {
        assert!(step.at < runs && (0.0..=0.0501).contains(&step.p), "{numbers}");
        assert!(step.change.low <= step.change.value && step.change.value <= step.change.high, "{numbers}");
    }
    for drift in &history.drifts {
        assert!(drift.from < drift.to && drift.to < runs && (0.0..=0.0501).contains(&drift.p), "{numbers}");
    }
    for change in &history.spread_changes {
        assert!(change.at < runs && (0.0..=0.0501).contains(&change.p), "{numbers}");
    }
    for pair in history.stretches.windows(2) {
        assert!(pair[0].first <= pair[0].last && pair[0].last < pair[1].first, "{numbers}");
    }
    for stretch in &history.stretches {
        assert!(stretch.level.is_finite() && stretch.level >= 0.0, "{numbers}");
    }
}

/// Few of the values below have one.
#[test]
fn a_history_whose_spread_changes_is_sound() {
    let noise = white(&mut Normal::new(5), 120);
    let wider = |(run, value): (usize, &f64)| if run < 60 { *value } else { value * 6.0 };
    let values = one_percent(&noise.iter().enumerate().map(wider).collect::<Vec<f64>>());
    let history = found(&values);
    assert_eq!(history.spread_changes.len(), 1, "{history:?}");
    assert_sound(&history, values.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_values_give_a_sound_history(values in proptest::collection::vec(
        prop_oneof![
            4 => 0.9..1.1,
            2 => Just(1.0),
            1 => any::<f64>(),
            1 => Just(0.0),
            1 => 1e-300..1e300,
        ], 0..120)) {
        for name in ["a/peak", "udp/loss-send"] {
            assert_sound(&found_in(name, &values), values.len());
        }
    }
}

/// The work grows with the number of runs, not with its square: ten times as many take less than sixty
/// times as long.
#[test]
fn a_hundred_thousand_runs_take_bounded_time() {
    let noise = one_percent(&white(&mut Normal::new(4), 100_000));
    let levels = |(run, value): (usize, &f64)| value * if (run / 7).is_multiple_of(2) { 1.2 } else { 1.0 };
    let saw = |(run, value): (usize, &f64)| value * (1.0 + 0.01 * (run % 50) as f64);
    let levels: Vec<f64> = noise.iter().enumerate().map(levels).take(20_000).collect();
    let saw: Vec<f64> = noise.iter().enumerate().map(saw).take(20_000).collect();
    for (name, values) in [("noise", noise), ("levels", levels), ("saw", saw)] {
        let time = |values: &[f64]| {
            let (history, elapsed) = timed(|| found(values));
            assert_sound(&history, values.len());
            elapsed
        };
        let (few, many) = (time(&values[..values.len() / 10]), time(&values));
        assert!(many < 60 * few.max(Duration::from_millis(20)), "{name}: {few:?}, then {many:?}");
    }
}
