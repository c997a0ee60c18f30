//! The stored data, and the engine on data made for it.

use std::collections::BTreeSet;

use super::check::Status;
use super::data::{Claims, Texts};
use super::fixture::{TABLE, made, results};
use super::quantity::Quantity;
use super::results::{Job, Results, jobs, of_quantity};
use super::runs::Run;
use super::verdict::{Modelled, Tally, Verdict, judge};
use crate::shipped;

/// Why checks cannot be read.
fn refusal(checks: &str) -> String {
    let claims = "[claims.Q001]\nstatus = 'definition'\nmodel = { number = 1 }\n";
    let texts = Texts {
        claims: TABLE,
        sources: "source = []",
        contradictions: "contradiction = []",
        runs: "",
        checks: &[("test.toml", checks), ("rest.toml", claims)],
    };
    Claims::read(&texts).map(drop).expect_err(checks).to_string()
}

/// The verdict on Q001 when the model's peak is `peak`.
fn verdict(check: &str, peak: f64) -> Verdict {
    let claims =
        made(&format!("[claims.Q001]\n{check}\n[claims.Q002]\nstatus = 'not-testable'\nreason = 'no'"));
    let results = results(&claims, &[("gigabit", peak), ("slow", 50.0)]);
    judge(&claims, claims.claim("Q001").expect("it is there"), &results).verdict
}

const RATIO: &str = "status = 'ratio'\nmodel = { peak = 'gigabit' }\ninterval-from = 'a test'\n";

#[test]
fn a_tolerance_decides_what_agrees() {
    let tight = format!("{RATIO}tolerance = 0.05");
    assert_eq!([95.0, 105.0].map(|peak| verdict(&tight, peak)), [Verdict::Predicted; 2]);
    assert_eq!([94.9, 105.1].map(|peak| verdict(&tight, peak)), [Verdict::Fails; 2]);
    assert_eq!(verdict(RATIO, 100.0), Verdict::Predicted, "equal");
    assert_eq!(verdict(RATIO, 100.001), Verdict::Fails, "not equal");
    let wrong = format!("{RATIO}within = [200, 300]");
    assert_eq!(verdict(&wrong, 100.0), Verdict::Fails, "an interval that its own figure is not in");
}

#[test]
fn a_bound_has_one_side() {
    let least = format!("{RATIO}compare = 'at-least'\ntolerance = 0.01");
    assert_eq!(
        [98.0, 99.0, 1e6].map(|peak| verdict(&least, peak)),
        [Verdict::Fails, Verdict::Predicted, Verdict::Predicted]
    );
    let most = format!("{RATIO}compare = 'at-most'");
    assert_eq!(
        [1.0, 100.0, 101.0].map(|peak| verdict(&most, peak)),
        [Verdict::Predicted, Verdict::Predicted, Verdict::Fails]
    );
}

#[test]
fn what_was_calibrated_is_no_prediction_but_may_fail() {
    let check = format!("{RATIO}tolerance = 0.05\ncalibrated = ['costs.receive']");
    assert_eq!([100.0, 80.0].map(|peak| verdict(&check, peak)), [Verdict::Calibrated, Verdict::Fails]);
}

#[test]
fn what_is_no_run_of_the_model_is_a_definition() {
    let check = |value: u64| format!("status = 'definition'\nmodel = {{ number = {value} }}");
    assert_eq!([100, 99].map(|value| verdict(&check(value), 1.0)), [Verdict::Definition, Verdict::Fails]);
    let carried_out = "status = 'definition'\nmodel = { peak = 'gigabit' }";
    assert_eq!(verdict(carried_out, 100.0), Verdict::Definition, "a run may carry a rule out");
}

/// 50 Mb/s is the value that is recorded.
#[test]
fn a_miss_is_expected_as_it_is_recorded_and_in_no_other_way() {
    let check = format!("{RATIO}tolerance = 0.05\nmissed = {{ modelled = [50], reason = 'no' }}");
    assert_eq!([50.0, 52.0, 48.0].map(|peak| verdict(&check, peak)), [Verdict::Missed; 3]);
    assert_eq!(verdict(&check, 60.0), Verdict::OutOfDate, "another miss");
    assert_eq!(verdict(&check, 100.0), Verdict::OutOfDate, "it holds");
    let calibrated = format!("{check}\ncalibrated = ['costs.receive']");
    assert_eq!(verdict(&calibrated, 50.0), Verdict::Missed, "in spite of the calibration");
}

#[test]
fn a_miss_of_an_order_or_of_a_dip_is_recorded_too() {
    let order = |recorded| {
        format!(
            "status = 'order'\ndescending = [{{ peak = 'gigabit' }}, {{ peak = 'slow' }}]\n\
             missed = {{ modelled = {recorded}, reason = 'no' }}"
        )
    };
    assert_eq!(verdict(&order("[40, 50]"), 40.0), Verdict::Missed);
    assert_eq!(verdict(&order("[40]"), 40.0), Verdict::OutOfDate, "a term is missing");
    assert_eq!(verdict(&order("[40, 50]"), 60.0), Verdict::OutOfDate, "it holds");
    let dip = |recorded| {
        format!(
            "status = 'location'\nmodel = {{ dip = {{ run = 'gigabit', from = 1, to = 4096 }} }}\n\
             missed = {{ modelled = {recorded}, reason = 'no' }}"
        )
    };
    assert_eq!(verdict(&dip("[]"), 100.0), Verdict::Missed, "its curve only rises");
    assert_eq!(verdict(&dip("[2048]"), 100.0), Verdict::OutOfDate);
}

#[test]
fn what_nobody_expected_is_a_finding() {
    let findings = [Verdict::Fails, Verdict::OutOfDate];
    for verdict in [
        Verdict::Definition,
        Verdict::Predicted,
        Verdict::Calibrated,
        Verdict::Missed,
        Verdict::Fails,
        Verdict::OutOfDate,
        Verdict::CouldNot,
        Verdict::Contradicted,
        Verdict::NotTestable,
    ] {
        assert_eq!(verdict.is_finding(), findings.contains(&verdict), "{verdict:?}");
    }
}

#[test]
fn what_does_not_happen_in_the_model_fails() {
    let check = "status = 'location'\nmodel = { dip = { run = 'gigabit', from = 1, to = 4096 } }";
    assert_eq!(verdict(check, 100.0), Verdict::Fails, "its curve only rises");
    let check = "status = 'location'\nmodel = { dip = { run = 'nowhere', from = 1, to = 4096 } }";
    assert_eq!(verdict(check, 100.0), Verdict::CouldNot);
}

#[test]
fn an_order_is_kept_with_its_margin() {
    let check = |margin: f64| {
        format!(
            "status = 'order'\ndescending = [{{ peak = 'gigabit' }}, {{ peak = 'slow' }}]\nmargin = {margin:?}\n\
             interval-from = 'a test'"
        )
    };
    assert_eq!(
        [51.0, 50.0, 49.0].map(|peak| verdict(&check(0.0), peak)),
        [Verdict::Predicted, Verdict::Fails, Verdict::Fails]
    );
    assert_eq!([101.0, 99.0].map(|peak| verdict(&check(1.0), peak)), [Verdict::Predicted, Verdict::Fails]);
}

#[test]
fn what_was_not_run_could_not_be_said() {
    let claims = made(
        "[claims.Q001]\nstatus = 'ratio'\nmodel = { peak = 'nowhere' }\n[claims.Q002]\nstatus = 'contradicted'\nreason = 'no'\nmodel = { peak = 'nowhere' }",
    );
    let judged: Vec<_> =
        claims.claims.iter().map(|claim| judge(&claims, claim, &Results::default())).collect();
    assert_eq!(
        (judged[0].verdict, judged[0].trouble.as_deref()),
        (Verdict::CouldNot, Some("it was not run"))
    );
    assert_eq!((judged[1].verdict, &judged[1].modelled), (Verdict::Contradicted, &Modelled::Nothing));
    let tally = Tally { could_not: 1, contradicted: 1, ..Tally::default() };
    assert_eq!(Tally::of(&judged), tally);
}

#[test]
fn checks_that_make_no_sense_are_refused() {
    for (checks, reason) in [
        ("", "check Q002: it has no check"),
        (
            "[claims.Q003]\nstatus = 'definition'\nmodel = { number = 1 }\n[claims.Q002]\nstatus = 'definition'\nmodel = { number = 1 }",
            "check Q003: there is no such claim",
        ),
        ("[claims.Q002]\nstatus = 'contradicted'", "check Q002: it needs a reason"),
        (
            "[claims.Q002]\nstatus = 'order'\nmodel = { number = 1 }",
            "check Q002: an order needs `descending`, and nothing else has it",
        ),
        (
            "[claims.Q002]\nstatus = 'ratio'\ndescending = [{ peak = 'direct' }, { peak = 'fddi' }]",
            "check Q002: an order needs `descending`, and nothing else has it",
        ),
        ("[claims.Q002]\nstatus = 'ratio'", "check Q002: give `model` or `descending`"),
        (
            "[claims.Q002]\nstatus = 'definition'\nmodel = { claim = 'Q009' }",
            "check Q002: it names claim Q009, which does not exist",
        ),
        (
            "[claims.Q002]\nstatus = 'ratio'\nmodel = { load = { run = 'direct', of = 'speed' } }",
            "check Q002: it names measure speed, which does not exist",
        ),
        ("[claims.Q001]\nstatus = 'definition'\nmodel = { number = 1 }", "check Q001: it has two checks"),
    ] {
        assert_eq!(refusal(checks), reason, "{checks}");
    }
    assert!(refusal("[claims.Q002]\nstatus = 'sure'").starts_with("read test.toml: "));
}

#[test]
fn a_check_is_called_what_it_is_or_refused() {
    let missed = "missed = { modelled = [1], reason = 'no' }";
    for (check, reason) in [
        (
            "status = 'ratio'\nmodel = { number = 1 }".to_owned(),
            "no run of the model has a part in it: it is a definition",
        ),
        (
            "status = 'ratio'\nmodel = { mtu = 'gigabit' }".to_owned(),
            "no run of the model has a part in it: it is a definition",
        ),
        (
            "status = 'ratio'\nmodel = { peak = 'gigabit' }\ntolerance = 0.1".to_owned(),
            "`interval-from` must say what gives its interval",
        ),
        (
            format!("status = 'definition'\nmodel = {{ number = 1 }}\n{missed}"),
            "a definition is neither calibrated on nor missed",
        ),
        (
            format!("status = 'not-testable'\nreason = 'no'\n{missed}"),
            "what is not tested is neither calibrated on nor missed",
        ),
    ] {
        assert_eq!(refusal(&format!("[claims.Q002]\n{check}")), format!("check Q002: {reason}"), "{check}");
    }
}

#[test]
fn every_published_claim_is_there_once_and_has_a_check() {
    let claims = Claims::shipped();
    let ids: BTreeSet<&str> = claims.claims.iter().map(|claim| claim.id.as_str()).collect();
    assert_eq!((claims.claims.len(), ids.len(), claims.checks.len()), (199, 199, 199));
    let ids: Vec<&str> = claims.contradictions.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, (1..=15).map(|nth| format!("X{nth}")).collect::<Vec<_>>());
    for claim in &claims.claims {
        let source = claims.sources.iter().find(|source| source.number == claim.source);
        let source = source.unwrap_or_else(|| panic!("{} has no source", claim.id));
        assert!(claim.id.starts_with(&source.claims) && !source.claims.is_empty(), "{}", claim.id);
    }
}

/// A model's value that is the published figure written down again would always agree; and what a
/// standard or arithmetic says (kinds S and A) is no statement about networks.
#[test]
fn no_modelled_value_is_the_published_one_repeated() {
    let claims = Claims::shipped();
    for claim in claims.claims.iter().filter(|claim| claims.check(claim).status.is_tested()) {
        let check = claims.check(claim);
        let parts: Vec<&Quantity> = check.modelled().flat_map(Quantity::parts).collect();
        let own = parts.iter().any(|part| matches!(part, Quantity::Claim(id) if *id == claim.id));
        assert!(!own, "{}: it is compared with itself", claim.id);
        let said = ["S", "A"].contains(&claim.kind.as_str());
        assert!(!said || check.status == Status::Definition, "{}: it is a definition", claim.id);
        let judged = judge(&claims, claim, &Results::default());
        let compared = judged.allowed.is_some() || !check.descending.is_empty();
        assert!(compared, "{}: there is nothing to compare with", claim.id);
    }
}

#[test]
fn every_mark_of_a_chart_has_a_rate() {
    let claims = Claims::shipped();
    for figure in &claims.runs.figures {
        for mark in &figure.marks {
            let claim = claims.claim(&mark.claim).unwrap_or_else(|| panic!("{}", mark.claim));
            assert!(
                claims.check(claim).number(claim).is_some() && claim.unit.ends_with("b/s"),
                "{}",
                claim.id
            );
        }
        assert!(
            figure.sweep.as_ref().is_none_or(|name| claims.runs.sweeps.contains_key(name)),
            "{}",
            figure.id
        );
    }
}

/// Every plan that checks and charts name.
fn plans(claims: &Claims) -> BTreeSet<String> {
    let chosen: Vec<_> = claims.claims.iter().collect();
    jobs(claims, &chosen).into_iter().map(|job| job.run().plan.clone()).collect()
}

#[test]
fn runs_are_shared_between_claims() {
    let claims = Claims::shipped();
    let every: Vec<Job> = claims
        .checks
        .values()
        .flat_map(|check| check.quantities().flat_map(|quantity| of_quantity(&claims, quantity)))
        .collect();
    let chosen: Vec<_> = claims.claims.iter().collect();
    let once = jobs(&claims, &chosen);
    assert!(once.len() < every.len() && once.windows(2).all(|pair| pair[0] < pair[1]), "sorted, none twice");
    // A sweep's runs begin with the changes of the run that is swept.
    let used =
        |run: &Run| once.iter().any(|job| job.run().plan == run.plan && job.run().set.starts_with(&run.set));
    let unused = claims.runs.runs.iter().filter(|(_, run)| !used(run)).map(|(name, _)| name);
    let unused: Vec<&String> = unused.collect();
    assert!(unused.is_empty(), "no check uses {unused:?}");
}

/// Fails until the plans of the papers' hosts (`plans/papers/`) are shipped, and lists those missing.
#[test]
fn every_plan_that_a_claim_needs_is_shipped() {
    let claims = Claims::shipped();
    let missing: Vec<String> =
        plans(&claims).into_iter().filter(|name| shipped::find(name).is_none()).collect();
    assert!(missing.is_empty(), "{} plans are not shipped: {}", missing.len(), missing.join(", "));
}

#[test]
fn what_a_claim_is_checked_with_has_to_exist() {
    let read = |contradictions: &str, runs: &str| {
        let checks = "[claims.Q001]\nstatus = 'definition'\nmodel = { number = 1 }\n\
             [[not-testable]]\nreason = 'no'\nclaims = ['Q002']";
        let sources = "source = []";
        let checks = &[("test.toml", checks)];
        Claims::read(&Texts { claims: TABLE, sources, contradictions, runs, checks })
    };
    let touching =
        |ids: &str| format!("[[contradiction]]\nid = 'X1'\nclaims = [{ids}]\nproblem = 'a'\ntreatment = 'b'");
    let claims = read(&touching("'Q002'"), "[values]\nhalf = { claim = 'Q001' }").expect("it is whole");
    let [one, other] = ["Q001", "Q002"].map(|id| claims.claim(id).expect("it is there"));
    assert_eq!(claims.contradictions_of(one).count(), 0);
    assert_eq!(claims.contradictions_of(other).map(|it| it.id.as_str()).collect::<Vec<_>>(), ["X1"]);
    let check = claims.check(other);
    assert_eq!((check.status, check.reason.as_deref()), (Status::NotTestable, Some("no")));
    let refused = |contradictions: &str, runs: &str| {
        read(contradictions, runs).map(drop).expect_err("it is not whole").to_string()
    };
    assert_eq!(refused(&touching("'Q001', 'Q009'"), ""), "check X1: there is no claim Q009");
    for value in ["{ peak = 'gigabit' }", "{ claim = 'Q009' }"] {
        let runs = format!("[values]\nhalf = {value}");
        assert_eq!(
            refused(&touching(""), &runs),
            "check half: a named value is made of claims alone",
            "{value}"
        );
    }
    assert!(refused("", "").starts_with("read contradictions.toml: "));
}
