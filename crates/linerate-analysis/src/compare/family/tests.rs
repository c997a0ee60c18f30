use super::*;

fn question(base: &[f64], candidate: &[f64]) -> Asked {
    Asked {
        values: [base.to_vec(), candidate.to_vec()],
        rounds: [Vec::new(), Vec::new()],
        scale: Scale::Ratio,
        better: Better::Less,
        margin: 0.05,
        prior: None,
    }
}

const LOG_T: Method = Method::Permutation { intervals: Intervals::LogT };

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 2e-6, "{found} is not {expected}");
}

/// Welch on logarithms and exact permutation, computed with scipy.
#[test]
fn four_and_four_have_the_published_ratio_interval_and_p() {
    let change = judge(&[question(&[100.0, 102.0, 98.0, 101.0], &[105.0, 107.0, 103.0, 108.0])], LOG_T)[0];
    near(change.estimate, 1.054_804);
    near(change.p.expect("a p"), 2.0 / 70.0);
    let [low, high] = change.interval.expect("an interval");
    assert!(low <= 1.020_065 && high >= 1.090_725, "not narrower than Welch's: {low} to {high}");
    assert_eq!(change.verdict, Verdict::Worse);
    assert!(change.beyond, "5.5 % is more than 5 %");
}

#[test]
fn few_runs_have_welchs_own_interval_and_p() {
    let asked = question(&[100.0, 102.0, 98.0, 101.0], &[105.0, 107.0, 103.0, 108.0]);
    let change = judge(&[asked], Method::Welch)[0];
    let [low, high] = change.interval.expect("an interval");
    near(low, 1.020_064);
    near(high, 1.090_726);
    near(change.p.expect("a p"), 0.008_289);
}

#[test]
fn equal_within_a_margin_needs_more_than_a_large_p() {
    let near_sides = || question(&[100.0, 101.0, 99.0, 100.5, 99.5], &[101.0, 102.0, 100.0, 101.5, 100.5]);
    let verdict = |margin| judge(&[Asked { margin, ..near_sides() }], Method::Welch)[0].verdict;
    assert_eq!(verdict(0.05), Verdict::Same);
    // From .998 to 1.022, by Welch on logarithms.
    assert_eq!(verdict(0.022), Verdict::Same);
    assert_eq!(verdict(0.021), Verdict::CannotTell, "the whole interval counts");
    assert_eq!(verdict(0.01), Verdict::CannotTell);
    let wide = question(&[80.0, 120.0, 95.0], &[85.0, 125.0, 90.0]);
    assert_eq!(judge(&[wide], Method::Welch)[0].verdict, Verdict::CannotTell, "not seen is not the same");
}

#[test]
fn a_change_below_the_margin_is_said_to_be_small() {
    let asked = || question(&[100.0, 100.1, 99.9, 100.05], &[101.0, 101.1, 100.9, 101.05]);
    let change = judge(&[asked()], LOG_T)[0];
    assert_eq!((change.verdict, change.beyond), (Verdict::Small, false));
    let strict = judge(&[Asked { margin: 0.001, ..asked() }], LOG_T)[0];
    assert_eq!((strict.verdict, strict.beyond), (Verdict::Worse, true));
}

#[test]
fn better_and_worse_follow_the_figure() {
    let (low, high) = ([100.0, 101.0, 99.0, 100.5], [150.0, 151.0, 149.0, 150.5]);
    let verdict = |better, base: &[f64], candidate: &[f64]| {
        judge(&[Asked { better, ..question(base, candidate) }], LOG_T)[0].verdict
    };
    assert_eq!(verdict(Better::Less, &low, &high), Verdict::Worse);
    assert_eq!(verdict(Better::Less, &high, &low), Verdict::Better);
    assert_eq!(verdict(Better::More, &low, &high), Verdict::Better);
    assert_eq!(verdict(Better::More, &high, &low), Verdict::Worse);
    assert_eq!(verdict(Better::Neither, &low, &high), Verdict::Moved);
}

#[test]
fn what_is_often_zero_is_compared_by_its_difference() {
    let asked = Asked {
        scale: Scale::Difference,
        margin: 0.001,
        ..question(&[0.0, 0.0, 0.0, 0.0001], &[0.02, 0.021, 0.019, 0.02])
    };
    let change = judge(&[asked], LOG_T)[0];
    near(change.estimate, 0.019_975);
    assert_eq!((change.verdict, change.beyond), (Verdict::Worse, true));
}

#[test]
fn the_smallest_visible_change_is_that_of_the_noncentral_t() {
    // Runs that differ by 5 %, five a side, 20 questions: 18.7 %.
    let deviation = 0.05_f64.powi(2).ln_1p().sqrt();
    let side =
        [-1.264_911, -0.632_456, 0.0, 0.632_456, 1.264_911].map(|z: f64| 100.0 * (z * deviation).exp());
    let asked: Vec<Asked> = (0..20).map(|_| question(&side, &side)).collect();
    let changes = judge(&asked, Method::Permutation { intervals: Intervals::Bootstrap });
    let visible = changes[0].visible.expect("a spread");
    assert!((visible - 0.187).abs() < 0.005, "{visible}");
}

#[test]
fn one_run_a_side_is_judged_by_the_history_or_not_at_all() {
    let spread = |deviation, freedom| Some(Prior { deviation, freedom });
    let asked = |prior| Asked { prior, ..question(&[100.0], &[112.0]) };
    let known = judge(&[asked(spread(0.02, 10.0))], Method::History { runs: 16 })[0];
    near(known.visible.expect("a spread"), (2.228_139 * 0.02 * std::f64::consts::SQRT_2).exp_m1());
    assert_eq!(known.verdict, Verdict::Worse);
    let wide = judge(&[asked(spread(0.10, 10.0))], Method::History { runs: 16 })[0];
    assert_eq!(wide.verdict, Verdict::CannotTell);
    let none = judge(&[asked(None)], Method::History { runs: 16 })[0];
    assert_eq!((none.verdict, none.interval), (Verdict::NoVerdict, None));
    let unknown = judge(&[asked(None)], Method::OneEach)[0];
    assert_eq!((unknown.verdict, unknown.p, unknown.interval), (Verdict::NoVerdict, None, None));
    near(unknown.estimate, 1.12);
}

#[test]
fn a_model_needs_no_test() {
    let verdict = |candidate: f64| judge(&[question(&[100.0], &[candidate])], Method::Exact)[0].verdict;
    assert_eq!(verdict(100.0), Verdict::Same);
    assert_eq!(verdict(101.0), Verdict::Small);
    assert_eq!(verdict(110.0), Verdict::Worse);
    assert_eq!(verdict(90.0), Verdict::Better);
}

#[test]
fn intervals_of_many_questions_are_wider_than_one_alone() {
    let rows = [[100.0, 102.0, 98.0, 101.0], [105.0, 104.0, 99.0, 103.0]];
    let alone = judge(&[question(&rows[0], &rows[1])], LOG_T)[0].interval.expect("an interval");
    let other = |nth: usize| {
        let wave = |run: usize| 100.0 + ((nth * 7 + run * 13) % 11) as f64;
        question(&[wave(0), wave(1), wave(2), wave(3)], &[wave(4), wave(5), wave(6), wave(7)])
    };
    let many: Vec<Asked> = [question(&rows[0], &rows[1])].into_iter().chain((0..30).map(other)).collect();
    let together = judge(&many, LOG_T)[0].interval.expect("an interval");
    assert!(together[0] < alone[0] && together[1] > alone[1], "{together:?} and {alone:?}");
}

#[test]
fn no_question_has_no_answer() {
    assert!(judge(&[], LOG_T).is_empty());
    assert!(judge(&[], Method::Welch).is_empty());
}
