use super::*;

const QUESTION: Question = Question {
    candidates: 3,
    looks: 4,
    pairs: 3,
    fresh_pairs: 6,
    alpha: 0.05,
    spending: Spending::ObrienFleming,
};

/// Results of settings whose changes add these, with noise of about 1.
fn measured(pair: &Pair, effects: &[f64], nth: usize) -> [f64; 2] {
    let noise = |place: usize| [0.3, -0.9, 1.1, -0.2, 0.6, -1.0, 0.1][(2 * nth + place) % 7];
    let drift = 0.05 * nth as f64;
    [0, 1].map(|place| {
        pair.settings[place].iter().map(|change| effects[*change]).sum::<f64>() + noise(place) + drift
    })
}

fn run(effects: &[f64]) -> Staircase {
    let mut staircase = Staircase::new(QUESTION).expect("a question");
    let mut nth = 0;
    while let Some(pair) = staircase.next() {
        staircase.told(measured(&pair, effects, nth)).expect("a pair was asked for");
        nth += 1;
        assert!(nth < 100, "it ends");
    }
    staircase
}

#[test]
fn what_helps_is_kept_and_what_harms_is_not() {
    let staircase = run(&[20.0, -20.0, 0.0]);
    assert_eq!(staircase.kept(), [0]);
    let verdicts: Vec<&Verdict> = staircase.steps().iter().map(|step| &step.verdict).collect();
    assert_eq!(verdicts, [&Verdict::Kept, &Verdict::Worse, &Verdict::NoDifference]);
    let [first, _, last] = staircase.steps() else { panic!("three steps") };
    assert!(first.looks < 4 && first.pairs == 3 * first.looks, "{first:?}");
    assert_eq!((last.looks, last.pairs), (4, 12));
    let [low, high] = last.interval.expect("an interval at the last look");
    assert!(low < 0.0 && high > 0.0, "{last:?}");
    let Some(Total::Measured { estimate, interval, pairs }) = staircase.total() else {
        panic!("something was kept")
    };
    assert!((estimate - 20.0).abs() < 1.5 && interval[0] < 20.0 && interval[1] > 20.0 && *pairs == 6);
}

#[test]
fn settings_take_turns_and_build_on_what_was_kept() {
    let mut staircase = Staircase::new(QUESTION).expect("a question");
    let mut first = Vec::new();
    for nth in 0..3 {
        let pair = staircase.next().expect("the first candidate");
        assert_eq!(pair.candidate, Some(0));
        first.push(pair.settings[0].len());
        staircase.told(measured(&pair, &[400.0, 400.0, 0.0], nth)).expect("asked for");
    }
    assert_eq!(first, [0, 1, 1]);
    while staircase.kept().is_empty() {
        let pair = staircase.next().expect("the first candidate");
        staircase.told(measured(&pair, &[400.0, 400.0, 0.0], 3)).expect("asked for");
    }
    assert_eq!(staircase.next().map(|pair| pair.settings), Some([vec![0], vec![0, 1]]));
}

#[test]
fn what_cannot_be_measured_is_recorded_and_left_out() {
    let mut staircase = Staircase::new(QUESTION).expect("a question");
    for _ in 0..3 {
        staircase.failed("no such congestion control").expect("a candidate");
    }
    assert_eq!(staircase.next(), None);
    assert_eq!(staircase.total(), Some(&Total::NothingKept));
    assert!(staircase.steps().iter().all(|step| step.pairs == 0
        && step.estimate.is_none()
        && matches!(&step.verdict, Verdict::NotMeasured { reason } if reason.starts_with("no such"))));
    assert_eq!(staircase.told([0.0, 0.0]), Err(StaircaseError::Ended));
    assert_eq!(staircase.failed(""), Err(StaircaseError::Ended));
}

#[test]
fn a_stored_staircase_goes_on_as_if_nothing_had_happened() {
    let whole = run(&[20.0, -20.0, 0.0]);
    let mut staircase = Staircase::new(QUESTION).expect("a question");
    let mut nth = 0;
    while let Some(pair) = staircase.next() {
        staircase.told(measured(&pair, &[20.0, -20.0, 0.0], nth)).expect("asked for");
        nth += 1;
        let stored = serde_json::to_string(&staircase).expect("json");
        staircase = serde_json::from_str(&stored).expect("the same");
    }
    assert_eq!(staircase, whole);
}

#[test]
fn questions_and_results_that_make_no_sense_are_refused() {
    assert_eq!(Staircase::new(Question { candidates: 0, ..QUESTION }), Err(StaircaseError::Nothing));
    assert_eq!(Staircase::new(Question { looks: 1, pairs: 1, ..QUESTION }), Err(StaircaseError::SinglePair));
    assert!(matches!(
        Staircase::new(Question { looks: 0, pairs: 5, ..QUESTION }),
        Err(StaircaseError::SinglePair | StaircaseError::Boundaries(_))
    ));
    let mut staircase = Staircase::new(QUESTION).expect("a question");
    assert_eq!(staircase.told([f64::NAN, 0.0]), Err(StaircaseError::NotFinite));
}
