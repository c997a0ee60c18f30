//! Studies, and the measures of a run.

use linerate_core::caution::Caution;
use linerate_sim::load::{Delay, LoadOutcome};
use linerate_sim::plan::ModelPlan;
use toml::Value;

use super::fixture::{lost, outcome};
use super::*;

/// The value of a measure, which the run has.
fn of(run: &LoadOutcome, name: &str) -> f64 {
    (Measure::named(name).of)(run).unwrap_or_else(|| panic!("the run has {name}"))
}

fn point(value: i64, runs: Vec<LoadOutcome>) -> Point {
    Point { set: vec![Value::Integer(value)], runs, ceiling: None }
}

/// A study of these points, of each of which two runs were asked for.
fn study(points: Vec<Point>) -> Study {
    let plans = vec![Named { name: "one".to_owned(), plan: ModelPlan::default() }];
    Study { plans, keys: vec!["network.stations".to_owned()], asked: points.len() * 2, points }
}

fn with(cautions: Vec<Caution>) -> LoadOutcome {
    LoadOutcome { cautions, ..outcome() }
}

/// By hand from what the fixture says.
#[test]
fn every_measure_is_what_its_name_says() {
    let expected = [
        ("throughput_mbps", 400.0),
        ("goodput_mbps", 320.0),
        ("efficiency", 0.4),
        // (300 + 100)^2 / (2 (300^2 + 100^2)), the station that does not send left out.
        ("jain", 0.8),
        ("offered_frames", 1000.0),
        ("delivered_frames", 900.0),
        ("queued_frames", 35.0),
        ("lost_share", 0.065),
        ("lost_share_excessive_collisions", 0.01),
        ("lost_share_late_collision", 0.02),
        ("lost_share_overflow", 0.03),
        ("lost_share_error", 0.005),
        ("collisions", 180.0),
        ("collisions_per_frame", 0.2),
        ("late_collisions", 21.0),
        ("excessive_collisions", 12.0),
        ("pause_sent", 4.0),
        ("pause_received", 6.0),
        ("paused_us", 10.0),
        ("delay_mean_us", 12.0),
        ("delay_p50_us", 10.0),
        ("delay_p90_us", 20.0),
        ("delay_p99_us", 30.0),
        ("delay_p999_us", 40.0),
        ("delay_max_us", 50.0),
        ("queue_peak_bytes", 700.0),
    ];
    let run = outcome();
    assert_eq!(MEASURES.map(|measure| measure.name), expected.map(|(name, _)| name));
    for (name, value) in expected {
        assert!((of(&run, name) - value).abs() < 1e-9, "{name}: {}", of(&run, name));
    }
}

#[test]
fn what_there_is_nothing_to_measure_of_has_no_value() {
    let none = LoadOutcome {
        offered: 0,
        delivered: 0,
        lost: [].into(),
        delay: Delay::default(),
        queues: Vec::new(),
        ..outcome()
    };
    for measure in MEASURES {
        let absent = ["lost_share", "delay_", "collisions_per_frame", "queue_peak"];
        let absent = absent.iter().any(|start| measure.name.starts_with(start));
        assert_eq!((measure.of)(&none).is_none(), absent, "{}", measure.name);
    }
    let clean = LoadOutcome { lost: [].into(), ..outcome() };
    assert_eq!(of(&clean, "lost_share_overflow"), 0.0, "nothing was lost, and that is known");
}

#[test]
fn a_point_has_the_mean_of_the_runs_that_have_a_value() {
    let short = LoadOutcome { delay: Delay::default(), delivered: 700, ..outcome() };
    let point = point(2, vec![outcome(), short]);
    let delivered = point.estimate(Measure::named("delivered_frames")).expect("two runs");
    assert_eq!((delivered.mean, delivered.runs), (800.0, 2));
    let delay = point.estimate(Measure::named("delay_p50_us")).expect("one run");
    assert_eq!((delay.mean, delay.runs, delay.half_width), (10.0, 1, None));
    assert_eq!(self::point(2, Vec::new()).estimate(&MEASURES[0]), None);
}

#[test]
fn a_study_knows_what_was_asked_and_what_was_done() {
    let whole = study(vec![point(2, vec![outcome(), outcome()]), point(4, vec![outcome(), outcome()])]);
    assert_eq!((whole.asked, whole.done(), whole.seeds(), whole.complete()), (4, 4, 2, true));
    let cut = study(vec![point(2, vec![outcome(), outcome()]), point(4, vec![outcome()])]);
    assert_eq!((cut.done(), cut.seeds(), cut.complete()), (3, 2, false));
    assert_eq!(study(Vec::new()).seeds(), 0);
    assert!(whole.sweeps("network.stations") && !whole.sweeps("stations"));
}

#[test]
fn a_study_of_one_run_is_that_run() {
    let one = Study { asked: 1, ..study(vec![point(2, vec![outcome()])]) };
    assert_eq!(one.single().map(|run| run.offered), Some(1_000));
    assert!(Study { asked: 1, ..study(vec![point(2, Vec::new())]) }.single().is_none(), "it was not done");
    assert!(study(vec![point(2, vec![outcome()])]).single().is_none(), "two were asked for");
    let two = Study { asked: 1, ..study(vec![point(2, vec![outcome()]), point(4, Vec::new())]) };
    assert!(two.single().is_none(), "there are two points");
}

#[test]
fn several_plans_are_named_in_their_order() {
    let named = |name: &str| Named { name: name.to_owned(), plan: ModelPlan::default() };
    assert_eq!(Study { plans: vec![named("b"), named("a")], ..study(Vec::new()) }.name(), "b, a");
}

#[test]
fn a_caution_of_many_runs_is_said_once() {
    let mismatch = |cable: &str| Caution::DuplexMismatch { cable: cable.to_owned() };
    let [one, other] = ["a to b", "b to c"].map(mismatch);
    let runs = vec![with(vec![one.clone(), other.clone()]), with(vec![one.clone()])];
    let said = study(vec![point(2, runs)]).cautions();
    let expected = [one, other].map(|caution| [caution.finding(), caution.advice().into_owned()]);
    assert_eq!(said, expected);
}

#[test]
fn the_run_that_lost_the_largest_share_speaks_for_all_that_lost_much() {
    // 20 of 100 is more than 30 of 1000.
    let runs = vec![with(vec![lost(30, 1_000)]), with(vec![lost(20, 100)])];
    let [[finding, advice]] = &study(vec![point(2, runs)]).cautions()[..] else { panic!("one caution") };
    assert_eq!(finding, &format!("2 of 2 runs lost much; in the worst {}", lost(20, 100).finding()));
    assert_eq!(advice, &lost(20, 100).advice());
    let alone = Study { asked: 1, ..study(vec![point(2, vec![with(vec![lost(20, 100)])])]) };
    assert_eq!(alone.cautions()[0][0], lost(20, 100).finding(), "one run is not counted");
}

#[test]
fn runs_that_are_missing_are_said_last() {
    let cut = study(vec![point(2, vec![with(vec![lost(1, 10)])])]).cautions();
    assert!(cut[0][0].starts_with("1 of 1 runs") || cut[0][0] == lost(1, 10).finding(), "{cut:?}");
    assert_eq!(cut.last(), Some(&["1 of 2 runs were done", "run it again for the rest"].map(str::to_owned)));
    assert_eq!(study(vec![point(2, vec![outcome(), outcome()])]).cautions(), [[""; 2]; 0]);
}

#[test]
fn a_value_is_written_without_quotes() {
    assert_eq!(value_text(&Value::String("64KiB".to_owned())), "64KiB");
    assert_eq!(value_text(&Value::Float(0.5)), "0.5");
}
