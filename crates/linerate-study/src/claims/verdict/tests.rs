use super::super::fixture::{made, results};
use super::*;

/// `Q001` with this check, compared with a model whose peak is `peak`.
fn with<T>(check: &str, peak: f64, test: impl FnOnce(&Judged<'_>) -> T) -> T {
    let rest = "[claims.Q002]\nstatus = 'not-testable'\nreason = 'no'";
    let claims = made(&format!("[claims.Q001]\n{check}\n{rest}"));
    let results = results(&claims, &[("gigabit", peak), ("slow", 50.0)]);
    test(&judge(&claims, claims.claim("Q001").expect("it is there"), &results))
}

fn allowed(more: &str) -> Option<[f64; 2]> {
    with(&format!("status = 'ratio'\nmodel = {{ peak = 'gigabit' }}\n{more}"), 80.0, |judged| judged.allowed)
}

/// The published figure is 100.
#[test]
fn what_is_allowed_follows_from_the_published_figure() {
    let from = "interval-from = 'a test'";
    assert_eq!(allowed(from), Some([100.0, 100.0]));
    assert_eq!(allowed(&format!("{from}\ntolerance = 0.25")), Some([75.0, 125.0]));
    assert_eq!(
        allowed(&format!("{from}\ntolerance = 0.25\ncompare = 'at-least'")),
        Some([75.0, f64::INFINITY])
    );
    assert_eq!(
        allowed(&format!("{from}\ntolerance = 0.25\ncompare = 'at-most'")),
        Some([f64::NEG_INFINITY, 125.0])
    );
    assert_eq!(allowed(&format!("{from}\nwithin = [1, 2]\ntolerance = 0.25")), Some([1.0, 2.0]));
    // Of a negative figure the tolerance lies on both sides too.
    assert_eq!(allowed(&format!("{from}\nvalue = -8\ntolerance = 0.25")), Some([-10.0, -6.0]));
    assert_eq!(
        allowed(&format!("{from}\npublished = {{ product = [{{ claim = 'Q001' }}, {{ number = 2 }}] }}")),
        Some([200.0, 200.0])
    );
}

#[test]
fn what_was_compared_is_kept_with_the_verdict() {
    let ratio = "status = 'ratio'\nmodel = { peak = 'gigabit' }\ninterval-from = 'a test'";
    with(ratio, 80.0, |judged| {
        assert_eq!((judged.published, &judged.modelled), (Some(100.0), &Modelled::One(80.0)));
        assert_eq!((judged.verdict, judged.trouble.as_deref()), (Verdict::Fails, None));
    });
    let order = "status = 'order'\ndescending = [{ peak = 'slow' }, { peak = 'gigabit' }]";
    with(order, 80.0, |judged| {
        assert_eq!(judged.modelled, Modelled::Order(vec![50.0, 80.0]));
        assert_eq!((judged.verdict, judged.allowed), (Verdict::Fails, None));
    });
}

#[test]
fn a_published_figure_that_cannot_be_computed_is_no_figure() {
    let check = "status = 'ratio'\nmodel = { peak = 'gigabit' }\npublished = { peak = 'nowhere' }\n\
         interval-from = 'a test'";
    with(check, 80.0, |judged| {
        assert_eq!((judged.published, judged.verdict), (None, Verdict::CouldNot));
        assert_eq!(judged.trouble.as_deref(), Some("it was not run"));
    });
}

/// The value of Q002 is words, and its check gives no number.
#[test]
fn a_claim_in_words_has_nothing_to_compare_with() {
    let claims = made(
        "[claims.Q001]\nstatus = 'definition'\nmodel = { number = 1 }\n\
         [claims.Q002]\nstatus = 'ratio'\nmodel = { peak = 'gigabit' }",
    );
    let results = results(&claims, &[("gigabit", 3.0)]);
    let judged = judge(&claims, claims.claim("Q002").expect("it is there"), &results);
    assert_eq!(judged.verdict, Verdict::CouldNot);
    assert_eq!(judged.trouble.as_deref(), Some("there is no published figure"));
}

#[test]
fn a_miss_that_is_none_any_more_says_what_was_recorded() {
    let missed = |recorded: &str| {
        format!(
            "status = 'ratio'\nmodel = {{ peak = 'gigabit' }}\ninterval-from = 'a test'\n\
             missed = {{ modelled = {recorded}, reason = 'no' }}"
        )
    };
    let trouble = |recorded: &str, peak| with(&missed(recorded), peak, |judged| judged.trouble.clone());
    assert_eq!(trouble("[50]", 100.0).as_deref(), Some("a miss is recorded, and it holds"));
    assert_eq!(trouble("[50]", 70.0).as_deref(), Some("a miss is recorded, but with [50.0]"));
    assert_eq!(trouble("[50]", 51.0), None, "it is as recorded");
    let order = "status = 'order'\ndescending = [{ peak = 'slow' }, { peak = 'gigabit' }]\n\
         missed = { modelled = [50, 80], reason = 'no' }";
    assert_eq!(with(order, 80.0, |judged| judged.verdict), Verdict::Missed);
    assert_eq!(with(order, 90.0, |judged| judged.verdict), Verdict::OutOfDate, "its second term is another");
    let dip = "status = 'location'\nmodel = { dip = { run = 'gigabit', from = 1, to = 4096 } }\n\
         missed = { modelled = [2048], reason = 'no' }";
    assert_eq!(
        with(dip, 100.0, |judged| judged.trouble.clone()).as_deref(),
        Some(
            "throughput does not fall and recover between 1 and 4096 B; \
             a miss is recorded, but with [2048.0]"
        )
    );
}

/// Five hundredths either way, and both ends are in.
#[test]
fn a_record_is_out_of_date_beyond_a_twentieth() {
    let check = "status = 'ratio'\nmodel = { peak = 'gigabit' }\ninterval-from = 'a test'\n\
         missed = { modelled = [40], reason = 'no' }";
    let verdict = |peak| with(check, peak, |judged| judged.verdict);
    assert_eq!([38.0, 42.0].map(verdict), [Verdict::Missed; 2]);
    assert_eq!([37.9, 42.1].map(verdict), [Verdict::OutOfDate; 2]);
}

const ALL: [(Verdict, &str); 9] = [
    (Verdict::Definition, "definition"),
    (Verdict::Predicted, "predicted"),
    (Verdict::Calibrated, "calibrated"),
    (Verdict::Missed, "missed"),
    (Verdict::Fails, "fails"),
    (Verdict::OutOfDate, "out of date"),
    (Verdict::CouldNot, "could not"),
    (Verdict::Contradicted, "contradicted"),
    (Verdict::NotTestable, "not testable"),
];

#[test]
fn verdicts_have_the_names_that_users_read() {
    for (verdict, name) in ALL {
        assert_eq!(verdict.name(), name);
    }
}

/// As many of the first verdict as one, of the second two, and so on.
#[test]
fn a_tally_counts_every_verdict_in_its_own_place() {
    let check = "status = 'definition'\nmodel = { number = 100 }";
    let tally = with(check, 1.0, |judged| {
        let copies = ALL.iter().zip(1..).flat_map(|((verdict, _), count)| {
            std::iter::repeat_n(Judged { verdict: *verdict, ..judged.clone() }, count)
        });
        Tally::of(&copies.collect::<Vec<_>>())
    });
    let expected = Tally {
        definition: 1,
        predicted: 2,
        calibrated: 3,
        missed: 4,
        fail: 5,
        out_of_date: 6,
        could_not: 7,
        contradicted: 8,
        not_testable: 9,
    };
    assert_eq!(tally, expected);
    assert_eq!(tally.findings(), 5 + 6, "what fails, and records that are out of date");
}
