use super::*;

fn search(places: Places, passing: Passing, loss: &dyn Fn(f64) -> f64) -> (Highest, Vec<f64>) {
    let mut search = HighestPass::new(places, passing).expect("a search");
    let mut tried = Vec::new();
    while let Some(value) = search.next() {
        tried.push(value);
        search.told(loss(value)).expect("a loss");
        assert!(tried.len() < 1_000, "it ends");
    }
    assert_eq!(search.told(0.0), Err(SearchError::Ended));
    (search.found().expect("the end"), tried)
}

const ONCE: Passing = Passing { limit: 0.0, repeats: 1, probes: 0 };

fn range(low: f64, high: f64, resolution: f64) -> Places {
    Places::Range { low, high, resolution }
}

#[test]
fn every_threshold_of_a_range_is_found() {
    for threshold in 0..=100 {
        let limit = f64::from(threshold);
        let loss = |value: f64| if value <= limit { 0.0 } else { 1.0 };
        let (found, tried) = search(range(0.0, 100.0, 1.0), ONCE, &loss);
        assert_eq!(found.value, Some(limit));
        assert_eq!(found.fails, (threshold < 100).then_some(limit + 1.0));
        assert_eq!((found.not_monotone, found.trials), (None, tried.len()));
        assert!(tried.len() <= 9, "the two ends and log2(100): {tried:?}");
    }
}

#[test]
fn the_ends_are_said_to_be_ends() {
    let (found, tried) = search(range(1.0, 9.5, 2.0), ONCE, &|_| 0.0);
    assert_eq!((found.value, found.fails, tried), (Some(9.5), None, vec![9.5]));
    let (found, tried) = search(range(1.0, 9.5, 2.0), ONCE, &|_| 1.0);
    assert_eq!((found.value, found.fails, tried), (None, Some(1.0), vec![9.5, 1.0]));
    let (found, _) = search(Places::Levels(vec![3.0]), ONCE, &|_| 1.0);
    assert_eq!((found.value, found.fails), (None, Some(3.0)));
}

#[test]
fn all_repetitions_must_pass() {
    let passing = Passing { limit: 0.001, repeats: 3, probes: 0 };
    let count = std::cell::Cell::new(0);
    // 4 loses too much in its third trial, and less than the limit before.
    let loss = |value: f64| {
        count.set(count.get() + usize::from(value == 4.0));
        if value > 4.0 || (value == 4.0 && count.get() == 3) { 0.01 } else { 0.0005 }
    };
    let (found, tried) = search(Places::Levels(vec![1.0, 2.0, 4.0, 8.0]), passing, &loss);
    assert_eq!((found.value, found.fails), (Some(2.0), Some(4.0)));
    assert_eq!(tried.iter().filter(|value| **value == 4.0).count(), 3);
    assert_eq!(tried.iter().filter(|value| **value == 8.0).count(), 1, "it failed at once");
}

#[test]
fn a_pass_above_a_failure_is_reported() {
    let loss = |value: f64| if (40.0..60.0).contains(&value) || value > 90.0 { 1.0 } else { 0.0 };
    let (found, _) = search(range(0.0, 100.0, 1.0), Passing { probes: 3, ..ONCE }, &loss);
    // The first middle, 50, fails: the search sees only what lies below, and the probes the rest.
    assert_eq!((found.value, found.fails), (Some(39.0), Some(40.0)));
    let [fails, passes] = found.not_monotone.expect("70 or 85 passes");
    assert_eq!(fails, 40.0);
    assert!((60.0..=90.0).contains(&passes), "{passes}");
    let (found, _) = search(range(0.0, 100.0, 1.0), ONCE, &loss);
    assert_eq!(found.not_monotone, None, "without probes it is not seen");
}

#[test]
fn values_and_results_that_are_none_are_refused() {
    for places in [
        Places::Levels(vec![]),
        Places::Levels(vec![2.0, 1.0]),
        range(2.0, 1.0, 1.0),
        range(0.0, 1.0, 0.0),
        range(0.0, f64::INFINITY, 1.0),
        range(0.0, 1.0, f64::NAN),
        range(0.0, 1.0, 1e-17),
    ] {
        assert!(HighestPass::new(places.clone(), ONCE).is_err(), "{places:?}");
    }
    let levels = || Places::Levels(vec![1.0, 2.0]);
    assert!(HighestPass::new(levels(), Passing { repeats: 0, ..ONCE }).is_err());
    assert!(HighestPass::new(levels(), Passing { limit: f64::NAN, ..ONCE }).is_err());
    let mut search = HighestPass::new(levels(), ONCE).expect("a search");
    assert!(matches!(search.told(f64::NAN), Err(SearchError::Result(_))));
    assert!(matches!(search.told(-1.0), Err(SearchError::Result(_))));
}

#[test]
fn a_search_goes_on_from_its_stored_form() {
    let mut search = HighestPass::new(range(0.0, 100.0, 1.0), ONCE).expect("a search");
    for loss in [1.0, 0.0, 0.0] {
        search.told(loss).expect("a loss");
    }
    let stored = serde_json::to_string(&search).expect("json");
    let again: HighestPass = serde_json::from_str(&stored).expect("the same");
    assert_eq!((again.next(), &again), (search.next(), &search));
}

const ENOUGH: Enough = Enough { share: 0.95, repeats: 3, alpha: 0.05 };

/// Results that differ by half a percent around what `curve` says.
fn smallest(curve: &[f64]) -> Smallest {
    let mut search = SmallestEnough::new(curve.len(), ENOUGH).expect("a search");
    let mut trials = 0;
    while let Some(level) = search.next() {
        assert!(trials > 0 || level == curve.len() - 1, "the largest comes first");
        search.told(curve[level] * [0.995, 1.0, 1.005][trials % 3]).expect("a result");
        trials += 1;
    }
    search.found().expect("the end")
}

#[test]
fn the_smallest_level_that_surely_keeps_the_share_is_found() {
    let found = smallest(&[10.0, 30.0, 60.0, 90.0, 98.0, 99.5, 100.0]);
    let expected = Smallest { level: 4, cannot_tell: vec![], above_peak: vec![], not_monotone: None };
    assert_eq!(found, expected);
    // 95.2 is above the share, but its interval is about 1.2 % wide on each side.
    let found = smallest(&[10.0, 30.0, 60.0, 90.0, 95.2, 99.5, 100.0]);
    assert_eq!((found.level, found.cannot_tell), (5, vec![4]));
    assert_eq!(smallest(&[10.0, 20.0, 100.0]).level, 2, "the largest itself");
    assert_eq!(smallest(&[100.0]).level, 0);
}

#[test]
fn a_peak_elsewhere_and_a_dip_are_reported() {
    let found = smallest(&[10.0, 98.0, 120.0, 100.0]);
    assert_eq!((found.level, found.above_peak), (1, Vec::new()), "level 2 was not measured");
    let found = smallest(&[10.0, 60.0, 120.0, 110.0, 100.0]);
    assert_eq!((found.level, found.above_peak), (2, vec![2]));
    assert_eq!(smallest(&[100.0, 100.0, 50.0, 100.0]).level, 0);
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    assert!(SmallestEnough::new(0, ENOUGH).is_err());
    assert!(SmallestEnough::new(3, Enough { repeats: 1, ..ENOUGH }).is_err());
    assert!(SmallestEnough::new(3, Enough { share: 1.0, ..ENOUGH }).is_err());
    let mut search = SmallestEnough::new(3, ENOUGH).expect("a search");
    assert!(matches!(search.told(0.0), Err(SearchError::Result(_))));
}
