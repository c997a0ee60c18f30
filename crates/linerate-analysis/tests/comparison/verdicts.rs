//! What is said of two sides.

use linerate_analysis::compare::{
    CompareError, Comparison, Doubt, Fate, FigureChange, Intervals, Method, Outcome, Question, Spread,
    Verdict, compare,
};
use linerate_analysis::figures::Sheet;
use linerate_analysis::report::NamedRun;
use linerate_core::pattern::Pattern;
use linerate_core::run::{Model, Pass, Source, State};
use linerate_core::series::Series;
use linerate_core::units::{Rate, Span};

use super::{Experiment, PLAIN, began};

fn asked() -> Question {
    Question { began, ..Question::default() }
}

fn compared([base, candidate]: &[Vec<NamedRun>; 2]) -> Comparison {
    compare(base, candidate, &asked()).expect("they can be compared")
}

fn figure_of<'a>(comparison: &'a Comparison, key: &str) -> &'a FigureChange {
    let found = comparison.figures.iter().find(|figure| figure.key.to_string() == key);
    found.unwrap_or_else(|| panic!("no {key} in {:?}", comparison.figures))
}

/// A fifth of the time of a message at every size from 1 KiB on.
const SLOWER: Experiment = Experiment {
    effect: 0.01,
    planted: |size| if size >= 1024 { Span::from_ns((50_000 + 8 * size) / 5) } else { Span::ZERO },
    ..PLAIN
};

#[test]
fn a_planted_change_is_found_where_it_is_and_nowhere_else() {
    let comparison = compared(&SLOWER.sides(4, 3));
    assert_eq!(comparison.method, Method::Permutation { intervals: Intervals::LogT });
    let curve = &comparison.curves[0];
    let verdicts: Vec<(u64, Verdict)> =
        curve.sizes.iter().map(|size| (size.size, size.change.verdict)).collect();
    assert_eq!(verdicts[2], (1024, Verdict::Worse), "{verdicts:?}");
    assert_eq!(verdicts[3], (4096, Verdict::Worse), "{verdicts:?}");
    assert!(!verdicts[..2].iter().any(|(_, verdict)| *verdict == Verdict::Worse), "{verdicts:?}");
    let change = curve.sizes[3].change;
    let [low, high] = change.interval.expect("an interval");
    assert!(low < 1.2 && 1.2 < high && (change.estimate - 1.2).abs() < 0.04, "{change:?}");
    let peak = figure_of(&comparison, "ping-pong/peak");
    assert_eq!((peak.change.verdict, peak.change.beyond), (Verdict::Worse, true), "{peak:?}");
    assert!(comparison.findings().any(|found| found.key.to_string() == "ping-pong/band-1KiB"));
    assert_ne!(figure_of(&comparison, "ping-pong/latency").change.verdict, Verdict::Worse);
}

#[test]
fn the_sides_exchanged_give_the_inverse() {
    let [base, candidate] = SLOWER.sides(4, 3);
    let there = compared(&[base.clone(), candidate.clone()]);
    let back = compared(&[candidate, base]);
    for (one, other) in there.figures.iter().zip(&back.figures) {
        assert!((one.change.estimate * other.change.estimate - 1.0).abs() < 1e-9, "{one:?} {other:?}");
        assert_eq!(one.change.p, other.change.p);
    }
    assert_eq!(back.findings().count(), 0, "a gain is no finding");
}

#[test]
fn how_it_is_judged_follows_the_number_of_runs() {
    let method = |each| compared(&PLAIN.sides(each, 5)).method;
    assert_eq!(method(1), Method::OneEach);
    assert_eq!(method(2), Method::Welch);
    assert_eq!(method(3), Method::Welch);
    assert_eq!(method(5), Method::Permutation { intervals: Intervals::Bootstrap });
    let [base, candidate] = PLAIN.sides(4, 5);
    assert_eq!(compared(&[base[..1].to_vec(), candidate]).method, Method::Welch);
}

#[test]
fn one_run_each_has_no_verdict_without_a_history_and_one_with_it() {
    let [base, candidate] = SLOWER.sides(1, 9);
    let blind = compared(&[base.clone(), candidate.clone()]);
    assert!(blind.figures.iter().all(|figure| figure.change.verdict == Verdict::NoVerdict));
    assert_eq!(blind.findings().count(), 0);
    let Some(Doubt::OneEach { assumed, below }) = blind.doubts.first() else {
        panic!("{:?}", blind.doubts);
    };
    assert!((assumed - 0.05).abs() < 1e-12 && (below - 0.149).abs() < 0.001, "{below}");

    let [past, more] = Experiment { effect: 0.01, ..PLAIN }.sides(8, 21);
    let mut past: Vec<NamedRun> = past.into_iter().chain(more).collect();
    past.sort_by_key(|named| began(&named.run.started));
    let history: Vec<Sheet> = past.iter().map(|named| Sheet::of_run(&named.name, &named.run)).collect();
    let spread = Spread::of(&history).expect("16 runs");
    let question = Question { spread: Some(spread), ..asked() };
    let comparison = compare(&base, &candidate, &question).expect("they can be compared");
    assert_eq!(comparison.method, Method::History { runs: 16 });
    let band = figure_of(&comparison, "ping-pong/band-1KiB");
    assert_eq!((band.change.verdict, band.change.beyond), (Verdict::Worse, true), "{band:?}");
    assert!(band.change.visible.is_some_and(|news| (0.02..0.15).contains(&news)), "{band:?}");
    assert!(comparison.curves[0].sizes.iter().all(|size| size.change.p.is_some()));
}

#[test]
fn a_model_without_chance_needs_one_run_a_side() {
    let mut sides = SLOWER.sides(1, 3);
    for named in sides.iter_mut().flatten() {
        named.run.source = Source::Modelled("a link".to_owned());
    }
    let comparison = compared(&sides);
    assert_eq!(comparison.method, Method::Exact);
    assert_eq!(figure_of(&comparison, "ping-pong/peak").change.verdict, Verdict::Worse);
    assert!(comparison.doubts.is_empty(), "{:?}", comparison.doubts);
}

/// Runs as the passes of one run.
fn as_passes(runs: &[NamedRun]) -> Vec<NamedRun> {
    let mut one = runs[0].clone();
    for (nth, next) in runs.iter().enumerate() {
        if nth > 0 {
            one.run.series[0].add_pass(nth as u32, next.run.series[0].clone());
        }
        let started = next.run.started.clone();
        one.run.passes.push(Pass { started, observations: Vec::new(), paths: Vec::new() });
    }
    vec![one]
}

#[test]
fn passes_of_one_run_stand_for_runs_with_a_caution() {
    let sides = SLOWER.sides(4, 3);
    let (runs, passes) = (compared(&sides), compared(&sides.each_ref().map(|side| as_passes(side))));
    assert_eq!(passes.method, runs.method);
    for figure in &passes.figures {
        let of_runs = figure_of(&runs, &figure.key.to_string());
        assert!(
            (figure.change.estimate / of_runs.change.estimate - 1.0).abs() < 1e-9,
            "{figure:?} {of_runs:?}"
        );
        assert_eq!((figure.change.verdict, figure.known), (of_runs.change.verdict, [4, 4]), "{figure:?}");
    }
    assert_eq!((passes.outcome(false), runs.outcome(false)), (Outcome::Worse, Outcome::Worse));
    let caution = Doubt::Passes { of: [Some(4), Some(4)] };
    assert!(passes.doubts.contains(&caution) && !runs.doubts.contains(&caution), "{:?}", passes.doubts);
    assert_eq!(passes.sides[0][0].passes, Some(4));
    // Beside several runs those of the other side stand for themselves.
    let [base, candidate] = sides;
    let mixed = compared(&[base, as_passes(&candidate)]);
    assert_eq!(figure_of(&mixed, "ping-pong/peak").known, [4, 4]);
    assert!(mixed.doubts.contains(&Doubt::Passes { of: [None, Some(4)] }), "{:?}", mixed.doubts);
}

/// What a path sustains one way, at this rate.
fn sustaining(named: &NamedRun, mbps: f64) -> NamedRun {
    let mut named = named.clone();
    let mut series: Series = named.run.series[0].clone();
    series.pattern = Pattern::OneWay;
    series.points.retain(|point| point.size == 4096);
    for round in series.points.iter_mut().flat_map(|point| &mut point.rounds) {
        round.median = Span::from_seconds(4096.0 * 8.0 / (mbps * 1e6));
        round.mean = round.median;
    }
    named.run.sustained = Some(series);
    named
}

/// Behind a shaper equal round trips hide that one path sustains half of the other: the rate that it sustains is
/// compared, in the first sentence and everywhere else, and none if nobody looked at it.
#[test]
fn behind_a_shaper_the_sustained_rate_is_compared() {
    let [base, candidate] = Experiment { effect: 0.002, ..PLAIN }.sides(4, 11);
    let side = |runs: &[NamedRun], mbps: f64| -> Vec<NamedRun> {
        let own = |nth: usize| 1.0 + 0.001 * nth as f64;
        runs.iter().enumerate().map(|(nth, named)| sustaining(named, mbps * own(nth))).collect()
    };
    for (rates, expected) in [([9.56, 4.78], 0.5), ([9.56, 19.12], 2.0), ([9.56, 9.56], 1.0)] {
        let found = compared(&[side(&base, rates[0]), side(&candidate, rates[1])]);
        let headline = found.headline().expect("a peak");
        assert_eq!(headline.key.to_string(), "ping-pong/peak");
        assert!((headline.change.middle[0] / rates[0] - 1.0).abs() < 0.01, "{headline:?}");
        assert!((headline.change.estimate / expected - 1.0).abs() < 0.01, "{headline:?}");
        let outcome = found.outcome(false);
        match expected {
            0.5 => assert_eq!(outcome, Outcome::Worse),
            2.0 => assert_eq!(outcome, Outcome::Better),
            _ => assert_eq!(outcome, Outcome::Equal, "{found:?}"),
        }
    }
    let unknown = |runs: &[NamedRun]| -> Vec<NamedRun> {
        let mut runs = side(runs, 1.0);
        runs.iter_mut().for_each(|named| named.run.sustained = Some(Series::new(Pattern::OneWay, &[])));
        runs
    };
    let found = compared(&[unknown(&base), unknown(&candidate)]);
    assert_eq!(found.headline().map(|it| it.key.to_string()).as_deref(), Some("ping-pong/latency"));
}

#[test]
fn runs_that_were_asked_different_things_are_refused_unless_anyway() {
    let [base, _] = PLAIN.sides(2, 3);
    let [_, candidate] = Experiment { sizes: &[32, 256, 1024], ..PLAIN }.sides(2, 3);
    let error = compare(&base, &candidate, &asked()).expect_err("other sizes");
    assert!(matches!(&error, CompareError::OtherTask(other) if !other.is_empty()), "{error:?}");
    assert!(error.to_string().contains("sizes (4 from 32 to 4096 B; 3 from 32 to 1024 B)"), "{error}");
    let anyway = Question { anyway: true, ..asked() };
    let comparison = compare(&base, &candidate, &anyway).expect("what they have in common");
    assert_eq!(comparison.curves[0].left_out, [4096]);
    assert!(comparison.doubts.contains(&Doubt::SizesLeftOut { count: 1 }));
    assert!(comparison.differences.iter().any(|difference| difference.name == "sizes"));
}

fn with_link(bits_per_second: f64) -> Option<Model> {
    let link = Rate::from_bits_per_second(bits_per_second);
    Some(Model { plan: String::new(), link, payload: link, cautions: Vec::new() })
}

#[test]
fn a_link_that_one_side_does_not_know_is_no_other_task() {
    let [base, mut candidate] = PLAIN.sides(2, 3);
    for named in &mut candidate {
        named.run.model = with_link(1e9);
    }
    assert!(compare(&base, &candidate, &asked()).is_ok());
    let mut other = base.clone();
    for (nth, named) in other.iter_mut().enumerate() {
        named.run.model = with_link(1e10);
        named.run.id = format!("other-{nth}");
    }
    let error = compare(&other, &candidate, &asked()).expect_err("10 Gb/s and 1 Gb/s");
    assert!(matches!(error, CompareError::OtherTask(_)), "{error}");
}

#[test]
fn a_run_that_stands_twice_is_refused() {
    let [base, _] = PLAIN.sides(2, 3);
    let error = compare(&base, &base, &asked()).expect_err("the same runs");
    assert!(matches!(error, CompareError::SameRun(..)), "{error}");
    assert!(matches!(compare(&[], &base, &asked()), Err(CompareError::NoRuns)));
}

#[test]
fn what_is_doubtful_is_said() {
    let apart = Experiment { in_turn: false, ..PLAIN };
    let mut sides = apart.sides(4, 3);
    sides[0][1].run.state = State::Interrupted;
    sides[1][2].run.nodes[0].environment.kernel = linerate_core::environment::Fact::Known("6.2".to_owned());
    sides[1][1].run.nodes[0].environment.kernel = linerate_core::environment::Fact::Known("6.1".to_owned());
    let doubts = compared(&sides).doubts;
    assert!(doubts.contains(&Doubt::OneAfterTheOther), "{doubts:?}");
    assert!(doubts.contains(&Doubt::Unfinished { run: "0.1".to_owned() }), "{doubts:?}");
    assert!(
        doubts.contains(&Doubt::Mixed { side: 1, names: vec!["initiator kernel".to_owned()] }),
        "{doubts:?}"
    );
    assert!(compared(&PLAIN.sides(4, 3)).doubts.is_empty());
}

/// A dip of a fifth of the throughput at one of many sizes.
const MANY: &[u64] = &[400, 440, 480, 530, 580, 640, 700, 770, 850, 930, 1020, 1120, 1230, 1350, 1480];

#[test]
fn a_dip_that_only_one_side_has_appeared_or_vanished() {
    let dips = Experiment {
        sizes: MANY,
        effect: 0.01,
        planted: |size| if size == 770 { Span::from_us(20) } else { Span::ZERO },
        ..PLAIN
    };
    let [base, candidate] = dips.sides(4, 3);
    let fates = |sides: &[Vec<NamedRun>; 2]| -> Vec<Fate> {
        compared(sides).curves[0].dips.iter().map(|dip| dip.fate).collect()
    };
    assert_eq!(fates(&[base.clone(), candidate.clone()]), [Fate::Appeared]);
    assert_eq!(fates(&[candidate.clone(), base]), [Fate::Vanished]);
    let (one, other) = candidate.split_at(2);
    assert_eq!(fates(&[one.to_vec(), other.to_vec()]), [Fate::Same]);
}
