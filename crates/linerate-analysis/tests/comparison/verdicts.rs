//! What is said of two sides.

use linerate_analysis::compare::{
    CompareError, Comparison, Doubt, Fate, FigureChange, Intervals, Method, Question, Spread, Verdict,
    compare,
};
use linerate_analysis::figures::Sheet;
use linerate_analysis::report::NamedRun;
use linerate_core::run::{Model, Source, State};
use linerate_core::units::{Rate, Span};

use super::{Experiment, PLAIN, began};

fn asked() -> Question {
    Question { began, ..Question::default() }
}

fn compared([base, candidate]: &[Vec<NamedRun>; 2]) -> Comparison {
    compare(base, candidate, &asked()).expect("they can be compared")
}

fn figure<'a>(comparison: &'a Comparison, key: &str) -> &'a FigureChange {
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
    let peak = figure(&comparison, "ping-pong/peak");
    assert_eq!((peak.change.verdict, peak.change.beyond), (Verdict::Worse, true), "{peak:?}");
    assert!(comparison.findings().any(|found| found.key.to_string() == "ping-pong/band-1KiB"));
    assert_ne!(figure(&comparison, "ping-pong/latency").change.verdict, Verdict::Worse);
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
    let band = figure(&comparison, "ping-pong/band-1KiB");
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
    assert_eq!(figure(&comparison, "ping-pong/peak").change.verdict, Verdict::Worse);
    assert!(comparison.doubts.is_empty(), "{:?}", comparison.doubts);
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
