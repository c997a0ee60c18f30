use super::*;

#[test]
fn the_summary_keeps_kinds_of_agreement_apart_and_names_what_nobody_expected() {
    let expected = Tally { definition: 1, predicted: 2, missed: 3, not_testable: 4, ..Tally::default() };
    assert_eq!(summary(&expected, 10), "10 claims: 1 definition, 2 predicted, 3 missed, 4 not testable");
    let found = Tally { fail: 1, out_of_date: 2, could_not: 3, ..expected };
    assert_eq!(
        summary(&found, 16),
        "16 claims: 1 definition, 2 predicted, 3 missed, 4 not testable; \
         1 should hold and fails, 2 not missed as recorded, 3 could not be checked"
    );
    assert_eq!(summary(&Tally { calibrated: 1, ..Tally::default() }, 1), "1 claim: 1 calibrated");
}

use linerate_study::claims::{Check, Claims, Miss, Quantity, Status, judge};

use super::super::fixture;

/// A claim of 100 Mb/s that was judged, and what the test makes of it.
fn with<T>(change: impl FnOnce(&mut Judged<'_>), test: impl FnOnce(&Judged<'_>) -> T) -> T {
    let claims = Claims::shipped();
    let claim = Claim { value: "100".to_owned(), unit: "Mb/s".to_owned(), ..claims.claims[0].clone() };
    let check = Check::of(Status::Ratio);
    let results = Default::default();
    let mut judged = Judged { claim: &claim, check: &check, ..judge(&claims, &claims.claims[0], &results) };
    (judged.allowed, judged.modelled, judged.trouble, judged.published) =
        (None, Modelled::Nothing, None, None);
    change(&mut judged);
    test(&judged)
}

fn checked<T>(check: &Check, test: impl FnOnce(&Judged<'_>) -> T) -> T {
    with(|_| {}, |judged| test(&Judged { check, ..judged.clone() }))
}

#[test]
fn a_number_is_whole_where_it_is_whole() {
    for (value, text) in [
        (3.0, "3"),
        (-0.5, "-0.5000"),
        (2.000_000_5, "2"),
        (2.000_01, "2.000"),
        (1_234_567.0, "1234567"),
        (1_234_567.4, "1234567"),
        (0.0, "0"),
    ] {
        assert_eq!(number(value), text);
    }
}

#[test]
fn what_was_published_is_as_it_was_written_with_its_unit() {
    let claims = Claims::shipped();
    let said = |value: &str, unit: &str| {
        published(&Claim { value: value.to_owned(), unit: unit.to_owned(), ..claims.claims[0].clone() })
    };
    assert_eq!(said("~226", "Mb/s"), "~226 Mb/s");
    assert_eq!(said("3", "x"), "3 x");
    assert_eq!(said("hardly any", "-"), "hardly any");
}

#[test]
fn what_the_model_gave_is_a_figure_or_an_order() {
    let said = |given: Modelled| with(|judged| judged.modelled = given, modelled);
    assert_eq!(said(Modelled::Nothing), "-");
    assert_eq!(said(Modelled::One(99.5)), "99.50 Mb/s");
    assert_eq!(said(Modelled::Order(vec![30.0, 20.0, 20.0, 25.5])), "30 > 20 <= 20 <= 25.50");
}

#[test]
fn what_is_compared_is_told_if_it_is_not_the_claim_itself() {
    let computed = Check {
        published: Some(Quantity::Number(2.0)),
        unit: Some("x".to_owned()),
        ..Check::of(Status::Ratio)
    };
    with(
        |judged| judged.published = Some(2.5),
        |judged| {
            assert_eq!(compared(judged), None);
            assert_eq!(compared(&Judged { check: &computed, ..judged.clone() }).as_deref(), Some("2.500 x"));
            let unknown = Judged { check: &computed, published: None, ..judged.clone() };
            assert_eq!(compared(&unknown), None);
        },
    );
}

#[test]
fn what_is_allowed_is_an_interval_a_bound_or_an_order() {
    let said = |ends: [f64; 2]| with(|judged| judged.allowed = Some(ends), allowed);
    assert_eq!(said([3.0, 3.0]), "exactly 3");
    assert_eq!(said([3.0, f64::INFINITY]), "at least 3");
    assert_eq!(said([f64::NEG_INFINITY, 3.5]), "at most 3.500");
    assert_eq!(said([95.0, 105.0]), "95 to 105");
    assert_eq!(with(|_| {}, allowed), "-");
    let order = Check { descending: vec![Quantity::Number(1.0)], ..Check::of(Status::Order) };
    assert_eq!(checked(&order, allowed), "falling");
    assert_eq!(checked(&Check { margin: 0.25, ..order }, allowed), "falling by 25 %");
}

#[test]
fn how_a_value_is_computed_is_told_for_each_term() {
    assert_eq!(with(|_| {}, computed), None);
    let terms = vec![Quantity::Peak("a".to_owned()), Quantity::Peak("b".to_owned())];
    let order = Check { descending: terms, ..Check::of(Status::Order) };
    assert_eq!(checked(&order, computed).as_deref(), Some("peak of a > peak of b"));
}

#[test]
fn notes_have_the_trouble_the_miss_the_calibration_and_the_reason() {
    assert_eq!(with(|_| {}, note), None);
    let all = Check {
        missed: Some(Miss { modelled: vec![1.0], reason: "no model of it".to_owned() }),
        calibrated: vec!["costs.send".to_owned(), "costs.receive".to_owned()],
        reason: Some("a reason".to_owned()),
        what: Some("the peak".to_owned()),
        ..Check::of(Status::Ratio)
    };
    let said = with(
        |judged| judged.trouble = Some("it was not run".to_owned()),
        |judged| note(&Judged { check: &all, ..judged.clone() }),
    );
    let expected = "it was not run; no model of it; calibrated on it: costs.send, costs.receive; a reason";
    assert_eq!(said.as_deref(), Some(expected));
    assert_eq!(checked(&all, |judged| what(judged).to_owned()), "the peak");
    with(|_| {}, |judged| assert_eq!(what(judged), judged.claim.metric));
}

#[test]
fn a_configuration_is_what_was_said_of_hosts_kernel_and_settings() {
    let text = |text: &str| text.to_owned();
    let bare = Claim {
        id: text("Q001"),
        source: text("9"),
        cpu: String::new(),
        nic: String::new(),
        driver: String::new(),
        kernel: String::new(),
        mtu: String::new(),
        socket_buffer: String::new(),
        mode: text("-"),
        metric: text("peak"),
        value: text("100"),
        unit: text("Mb/s"),
        kind: text("M"),
    };
    assert_eq!(configuration(&bare), "-");
    let full = Claim {
        cpu: text("PII/350"),
        nic: text("GNIC-II"),
        driver: text("hamachi"),
        kernel: text("2.2.5"),
        mtu: text("1500"),
        socket_buffer: text("64K"),
        mode: text("NetPIPE"),
        ..bare.clone()
    };
    assert_eq!(
        configuration(&full),
        "PII/350, GNIC-II, hamachi, 2.2.5, MTU 1500, socket buffer 64K, NetPIPE"
    );
    assert_eq!(configuration(&Claim { mtu: text("9000"), ..bare }), "MTU 9000");
}

#[test]
fn contradictions_are_shown_where_they_touch_what_was_checked() {
    fixture::with(false, |all| {
        assert_eq!(contradictions(all).len(), all.claims.contradictions.len(), "of everything all");
        let touched =
            all.claims.contradictions.iter().find(|it| !it.claims.is_empty()).expect("there is one");
        let id = &touched.claims[0];
        let one: Vec<Judged<'_>> = all.judged.iter().filter(|it| it.claim.id == *id).cloned().collect();
        let found = contradictions(&Checked { judged: &one, ..*all });
        assert!(found.iter().any(|it| it.id == touched.id) && found.len() < all.claims.contradictions.len());
        assert!(found.iter().all(|it| it.claims.contains(id)));
        assert!(contradictions(&Checked { judged: &[], ..*all }).is_empty());
    });
}

#[test]
fn what_is_not_tested_is_grouped_by_its_reason() {
    fixture::with(false, |all| {
        let groups = untested(all);
        let count: usize = groups.iter().map(|(_, group)| group.len()).sum();
        let expected = all.judged.iter().filter(|it| it.verdict == Verdict::NotTestable).count();
        assert_eq!(count, expected);
        let reasons: std::collections::BTreeSet<&str> = groups.iter().map(|(reason, _)| *reason).collect();
        assert_eq!(reasons.len(), groups.len(), "each reason once");
        for (reason, group) in groups {
            assert!(group.iter().all(|judged| judged.check.reason.as_deref() == Some(reason)));
        }
    });
}
