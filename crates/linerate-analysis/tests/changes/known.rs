//! Series whose truth is known, most of them made for a comparison with Apache Otava 0.8.0.

use linerate_analysis::changes::{FigureHistory, Standing, Verdict};
use rstest::rstest;

use super::{found, is_confirmed};

fn read(text: &str) -> Vec<f64> {
    let value = |line: &str| line.split_once(',').and_then(|(_, value)| value.parse().ok());
    text.lines().skip(1).map(|line| value(line).expect("time,value")).collect()
}

fn steps(series: &FigureHistory) -> Vec<usize> {
    assert!(series.steps.iter().all(is_confirmed));
    series.steps.iter().map(|step| step.at).collect()
}

/// Where the series `name` changes, as published with it.
fn truth(name: &str) -> Vec<usize> {
    let mut lines = include_str!("../history/truth.csv").lines().map(|line| line.split(','));
    let mut line = lines.find(|line| line.clone().next() == Some(name)).expect("a line of its own");
    let places = line.nth(2).expect("the truth").split(';');
    places.filter(|place| !place.is_empty()).map(|place| place.parse().expect("runs")).collect()
}

/// 95 % of steps of `size` standard deviations are found within this many runs of where they are.
/// Source: Bai, Estimation of a change point in multiple regression models, Review of Economics and
/// Statistics 79 (1997): 11 / size^2.
fn within(size: f64) -> usize {
    (11.0 / (size * size)).ceil() as usize
}

// Ratios and standard deviations are as published with the series.
#[rstest]
#[case::step("step", include_str!("../history/step.csv"), &[0.94], 0.01)]
#[case::two_steps("two-steps", include_str!("../history/two-steps.csv"), &[0.95, 0.96], 0.01)]
#[case::step_back("step-back", include_str!("../history/step-back.csv"), &[0.94, 1.0 / 0.94], 0.01)]
#[case::small("small-step-noisy", include_str!("../history/small-step-noisy.csv"), &[0.94], 0.08)]
fn steps_are_found_with_their_ratios(
    #[case] name: &str,
    #[case] text: &str,
    #[case] ratios: &[f64],
    #[case] sd: f64,
) {
    let (series, truth) = (found(&read(text)), truth(name));
    assert_eq!((series.steps.len(), ratios.len()), (truth.len(), truth.len()), "{:?}", series.steps);
    for ((step, at), ratio) in series.steps.iter().zip(truth).zip(ratios) {
        assert!(is_confirmed(step) && step.p < 0.01, "{step:?}");
        assert!(step.at.abs_diff(at) <= within(ratio.ln() / sd), "{step:?} is not at {at}");
        assert!(step.change.low < *ratio && *ratio < step.change.high, "{step:?} is not {ratio}");
    }
    assert!(series.drifts.is_empty() && series.spread_changes.is_empty() && series.outliers.is_empty());
    assert_eq!(series.verdict, Verdict::Steady);
    assert_eq!(series.stretches.len(), ratios.len() + 1);
}

#[test]
fn a_drift_is_one_drift_and_no_staircase() {
    let series = found(&read(include_str!("../history/drift.csv")));
    assert!(series.steps.is_empty(), "{:?}", series.steps);
    let [drift] = series.drifts[..] else { panic!("{:?}", series.drifts) };
    assert!(drift.from.abs_diff(20) <= 5 && drift.to == 119, "{drift:?}");
    assert!(drift.change.low < 0.92 && 0.92 < drift.change.high, "{drift:?}");
    assert!(drift.ongoing && series.verdict == Verdict::Drifting);
}

#[test]
fn outliers_are_no_change() {
    let series = found(&read(include_str!("../history/outliers.csv")));
    let outliers: Vec<_> = series.outliers.iter().map(|outlier| (outlier.first, outlier.last)).collect();
    assert_eq!(outliers, [(17, 17), (43, 43), (55, 56), (71, 71)]);
    assert!(
        (series.outliers[0].change - 0.7).abs() < 0.02 && (series.outliers[2].change - 0.75).abs() < 0.02
    );
    assert!(series.steps.is_empty() && series.drifts.is_empty() && series.spread_changes.is_empty());
}

#[test]
fn noise_is_no_change() {
    let series = found(&read(include_str!("../history/none.csv")));
    assert!(series.steps.is_empty() && series.drifts.is_empty());
    assert!(series.spread_changes.is_empty() && series.outliers.is_empty());
    let spread = series.last_stable().and_then(|stretch| stretch.spread).expect("100 runs");
    assert_eq!(spread.freedom, 99.0);
    assert!((0.008..0.012).contains(&spread.deviation), "{spread:?}, truth 1 %");
}

#[test]
fn a_change_of_spread_is_no_step() {
    let series = found(&read(include_str!("../history/variance.csv")));
    assert!(series.steps.is_empty() && series.drifts.is_empty());
    let [change] = series.spread_changes[..] else { panic!("{:?}", series.spread_changes) };
    assert!(change.at.abs_diff(60) <= 3, "{change:?}");
    assert!(change.ratio.is_some_and(|ratio| (4.0..9.0).contains(&ratio)), "{change:?}, truth 6");
    let last = series.last_stable().expect("40 runs");
    assert!((last.first, last.last) == (change.at, 99));
    let spread = last.spread.expect("40 runs");
    assert!((0.02..0.04).contains(&spread.deviation), "{spread:?}, truth 3 %");
}

#[test]
fn a_step_of_six_runs_on_each_side_is_found() {
    let series = found(&[10.0, 10.2, 9.9, 10.1, 10.3, 9.8, 11.0, 11.2, 10.9, 11.1, 11.3, 10.8]);
    assert_eq!(steps(&series), [6]);
}

#[test]
fn four_runs_that_come_back_are_outliers() {
    let series = found(&[5.0, 5.1, 4.9, 5.0, 5.0, 7.0, 7.1, 6.9, 7.0, 5.0, 5.1, 4.9, 5.0, 5.0]);
    assert!(series.steps.is_empty(), "{:?}", series.steps);
    assert_eq!((series.outliers[0].first, series.outliers[0].last), (5, 8));
}

#[test]
fn a_last_run_that_is_off_is_not_confirmed_and_then_an_outlier() {
    let mut values = vec![5.0, 5.1, 4.9, 5.0, 5.05, 4.95, 5.1, 4.9, 5.0, 5.02, 4.98, 9.0];
    let series = found(&values);
    let [step] = series.steps[..] else { panic!("{:?}", series.steps) };
    assert_eq!((step.at, step.standing), (11, Standing::Unconfirmed));
    assert_eq!(series.verdict, Verdict::Unconfirmed);
    assert_eq!(series.last_stable().expect("11 runs").last, 10);
    values.extend([5.01, 4.97, 5.03]);
    let series = found(&values);
    assert!(series.steps.is_empty() && series.verdict == Verdict::Steady);
    assert_eq!((series.outliers[0].first, series.outliers[0].last), (11, 11));
}

#[test]
fn an_unconfirmed_step_is_confirmed_by_its_fifth_run() {
    let mut values: Vec<f64> = (0..30).map(|run| 100.0 + f64::from((run * 7) % 5)).collect();
    for after in 1..=6 {
        values.push(130.0 + f64::from(after % 3));
        let series = found(&values);
        let [step] = series.steps[..] else { panic!("{after} after: {:?}", series.steps) };
        let standing = if after < 5 { Standing::Unconfirmed } else { Standing::Confirmed };
        assert_eq!((step.at, step.standing), (30, standing), "{after} after");
    }
}

#[test]
fn a_confirmed_step_of_five_runs_has_its_whole_ratio() {
    let mut values: Vec<f64> = (0..60).map(|run| 100.0 + f64::from((run * 7) % 5)).collect();
    values.extend([200.0, 204.0, 202.0, 201.0, 203.0]);
    let series = found(&values);
    assert_eq!(steps(&series), [60]);
    assert!((series.steps[0].change.value - 202.0 / 102.0).abs() < 0.01, "{:?}", series.steps);
}

// Otava finds 8 with a window of 10 and a limit of 1 %, from a p that it does not compute again.
#[rstest]
#[case::stale(&[9.8, 10.3, 10.0, 9.9, 9.6, 9.9, 10.0, 9.9, 11.4, 11.3, 9.4, 9.9, 10.7, 10.6])]
#[case::constant(&[7.0; 40])]
#[case::too_few(&[1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0])]
#[case::none(&[])]
fn nothing_is_found_where_nothing_is(#[case] values: &[f64]) {
    let series = found(values);
    assert!(series.steps.is_empty() && series.drifts.is_empty() && series.spread_changes.is_empty());
    assert_eq!(series.verdict == Verdict::TooFew, values.len() < 10);
}

#[test]
fn an_exact_step_has_an_exact_ratio() {
    let values: Vec<f64> = (0..40).map(|run| if run < 25 { 10.0 } else { 11.0 }).collect();
    let series = found(&values);
    assert_eq!(steps(&series), [25]);
    assert!((series.steps[0].change.value - 1.1).abs() < 1e-9);
}

#[test]
fn units_and_direction_do_not_matter() {
    let values = read(include_str!("../history/two-steps.csv"));
    let inverse: Vec<f64> = values.iter().map(|value| 1e-6 / value).collect();
    let (one, other) = (found(&values), found(&inverse));
    assert_eq!(steps(&one), steps(&other));
    for (step, inverse) in one.steps.iter().zip(&other.steps) {
        assert!((step.change.value * inverse.change.value - 1.0).abs() < 1e-9);
    }
}
