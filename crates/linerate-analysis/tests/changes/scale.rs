//! Shares and counts, which are often 0.

use linerate_analysis::changes::{Kind, Verdict, changes};

use super::noise::{COUNTS, Normal};
use super::{figure, found_in, is_confirmed, path};

#[test]
fn a_loss_that_begins_is_found_with_its_size() {
    // From 0 to about 1 %.
    let values: Vec<f64> =
        (0..60).map(|run| if run < 40 { 0.0 } else { 0.01 + 0.0005 * f64::from(run * 7 % 5 - 2) }).collect();
    let path = path(vec![figure("udp/loss-send", &values)]);
    let changes = changes(&[path]).remove(0);
    let member =
        changes.events.iter().flat_map(|event| &event.members).find(|member| member.kind == Kind::Step);
    let member = member.expect("a step");
    assert_eq!((member.at, member.worse), (40, Some(true)));
    let change = member.change.expect("a step has a size");
    assert!((change.value - 0.01).abs() < 2e-4 && change.low > 0.009 && change.high < 0.011, "{change:?}");
    let stretch = changes.figures[0].last_stable().expect("20 runs");
    assert!((stretch.level - 0.01).abs() < 2e-4 && stretch.spread.is_none(), "{stretch:?}");
}

#[test]
fn a_rate_of_errors_that_rises_is_found() {
    let mut normal = Normal::new(31);
    let mut values = COUNTS[1].series(&mut normal, 40);
    values.extend(COUNTS[2].series(&mut normal, 40));
    let history = found_in("tcp/retransmissions-send", &values);
    let [step] = history.steps[..] else { panic!("{history:?}") };
    assert!(is_confirmed(&step) && step.at.abs_diff(40) <= 1, "{step:?}");
    assert!(step.change.low < 18.0 && 18.0 < step.change.high, "{step:?}, truth from 2 to 20");
}

#[test]
fn single_losses_are_outliers() {
    let mut values = vec![0.0; 60];
    (values[10], values[33], values[34]) = (0.02, 0.3, 0.1);
    let history = found_in("udp/loss-send", &values);
    assert!(history.steps.is_empty() && history.drifts.is_empty() && history.unusable.is_empty());
    let off: Vec<(usize, usize)> =
        history.outliers.iter().map(|outlier| (outlier.first, outlier.last)).collect();
    assert_eq!(off, [(10, 10), (33, 34)]);
    assert!((history.outliers[0].change - 0.02).abs() < 1e-12, "{:?}", history.outliers);
    assert_eq!(history.verdict, Verdict::Steady);
}

#[test]
fn rounding_is_no_change() {
    let values: Vec<f64> = (0..60).map(|run| if run < 30 { 1.0 } else { 1.0 + 1e-9 }).collect();
    assert!(found_in("a/peak", &values).steps.is_empty());
    assert!(found_in("udp/loss-send", &values).steps.is_empty());
}
