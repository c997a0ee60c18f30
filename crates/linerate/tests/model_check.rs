//! `linerate model check`: through the binary.

mod papers;
mod shards;

use insta::assert_snapshot;
use rstest::rstest;
use serde_json::Value;

use crate::support::{Desk, unfolded};

/// What `linerate model check` with `arguments` gives as JSON, and with which exit code.
fn json(arguments: &[&str]) -> (Option<i32>, Value) {
    let said = Desk::new().linerate(&[&["model", "check", "--format", "json"], arguments].concat());
    let value = serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}\n{}", said.stderr));
    (said.code, value)
}

/// The claim `id` in a check's JSON.
fn claim<'a>(checked: &'a Value, id: &str) -> &'a Value {
    let claims = checked["claims"].as_array().expect("claims");
    claims.iter().find(|claim| claim["claim"]["id"] == id).unwrap_or_else(|| panic!("{id} is not there"))
}

#[test]
fn claims_of_standards_are_definitions() {
    let said = Desk::new().linerate(&["model", "check", "F001", "F015", "F016", "A005", "T007"]).done();
    assert_eq!(said.stdout.lines().nth(2), Some("5 claims: 5 definitions."));
}

#[test]
fn a_source_is_a_table_with_its_untested_claims_and_their_reasons() {
    let said = Desk::new().linerate(&["model", "check", "a"]).done();
    let text = &said.stdout;
    assert!(text.contains("\n003 Ames Laboratory IS-5126"), "{text}");
    let flat = unfolded(text);
    assert!(flat.contains("A002, A010, A012, A014, A015, A016, A017 it is a price"), "{text}");
    assert!(text.lines().any(|line| line.contains("A009") && line.ends_with("predicted")), "{text}");
    assert!(!text.contains("F001") && !text.contains("Contradictions"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_claim_by_name_is_shown_in_full() {
    let said = Desk::new().linerate(&["model", "check", "f053"]).done();
    assert_snapshot!(said.stdout, @"
    Published claims and the model

    1 claim: 1 definition.
    Models in virtual time: no host took part. A definition says only that the model
      has a rule, and a claim that parameters were calibrated on predicts nothing.

    F053: expected clock scaling
      source      000 Farrell and Ong, Communication Performance over a Gigabit
                  Ethernet Network
      set-up      PII/350 x2, GNIC-II, Hamachi 0.07, MTU 1500
      published   29 -> 411 % -> Mb/s
      kind        definition
      compared    320 Mb/s x 450 / 350
      computed    F052 x (450 / F020)
      allowed     410.5 to 411.5
      modelled    411.4 Mb/s
      verdict     definition
      see         X13

    Contradictions:
      X13 (F053)  none after all: 0.2857 x 320 + 320 is 411.4; the arithmetic is
                  checked
    ");
}

#[test]
fn an_unknown_claim_is_one_sentence_with_near_names() {
    let complaint = |id| Desk::new().linerate(&["model", "check", id]).complaint();
    assert_snapshot!(complaint("F0633"), @"
    failed to find the claim `F0633`: no claim has this name
    help: did you mean F033 or F063? F, P, A or T alone selects all claims of a source
    ");
    assert_snapshot!(complaint("Z"), @"
    failed to find the claim `Z`: no claim has this name
    help: give names such as F063, or the letter of a source: F, P, A or T
    ");
}

#[test]
fn a_page_that_cannot_be_written_is_found_before_anything_is_run() {
    let said = Desk::new().linerate(&["model", "check", "A", "--report", "no/such/folder.html"]);
    assert_eq!(said.stdout, "");
    assert!(said.complaint().starts_with("failed to write no/such/folder.html"));
}

#[test]
fn the_page_has_charts_of_what_was_run() {
    let desk = Desk::new();
    let said = desk.linerate(&["model", "check", "A022", "A023", "F073", "--report", "x.html"]).done();
    assert_eq!(said.stderr.trim(), "report:   x.html");
    let page = desk.read("x.html");
    assert!(
        page.contains("<figure class=\"chart\" id=\"media\">") && page.contains("X3"),
        "a chart, and the contradiction"
    );
    assert_eq!(page.matches("<figure").count(), 1);
}

#[test]
fn json_says_what_was_published_how_it_is_compared_and_what_came_of_it() {
    let (code, checked) = json(&["A009", "F019", "F029", "F073", "F015", "A023"]);
    assert_eq!((code, checked["format"].as_u64()), (Some(0), Some(2)));
    let tally = |kind: &str| checked["summary"][kind].as_u64();
    let expected =
        ["definition", "predicted", "calibrated", "missed", "contradicted", "not-testable"].map(tally);
    assert_eq!(expected, [2, 1, 0, 1, 1, 1].map(Some));
    assert_eq!(["fail", "out-of-date", "could-not"].map(tally), [Some(0); 3]);
    let slot = claim(&checked, "F015");
    assert_eq!(slot["claim"]["value"], "64 -> 512");
    assert_eq!((slot["published"].as_f64(), slot["modelled"].as_f64()), (Some(8.0), Some(8.0)));
    assert_eq!(
        (&slot["allowed"], &slot["verdict"]),
        (&serde_json::json!([8.0, 8.0]), &Value::from("definition"))
    );
    let burst = claim(&checked, "F019");
    assert_eq!((&burst["status"], &burst["modelled"]), (&Value::from("definition"), &Value::Null));
    assert_eq!(burst["descending"].as_array().map(Vec::len), Some(2));
    let missed = claim(&checked, "A023");
    assert_eq!(
        (&missed["verdict"], &missed["allowed"]),
        (&Value::from("missed"), &serde_json::json!([5.0, 15.0]))
    );
    assert!(missed["missed"]["modelled"][0].as_f64().is_some_and(|times| times < 5.0), "{missed}");
    assert!(missed["missed"]["reason"].is_string() && missed["interval-from"].is_string(), "{missed}");
    let refuted = claim(&checked, "F073");
    assert_eq!(
        (&refuted["verdict"], &refuted["contradictions"]),
        (&Value::from("contradicted"), &serde_json::json!(["X3"]))
    );
    assert!(refuted["modelled"].as_f64().is_some_and(|times| times < 5.1), "{refuted}");
    let untested = claim(&checked, "F029");
    assert_eq!(untested["verdict"], "not-testable");
    assert!(untested["reason"].as_str().is_some_and(|reason| reason.contains("RFC 9293")), "{untested}");
    assert_eq!(checked["contradictions"][0]["id"], "X3");
}

#[rstest]
#[case("2")]
#[case("7")]
fn as_many_jobs_as_one_likes_give_the_same(#[case] jobs: &str) {
    let claims = ["A009", "A013", "A022", "A023", "F004", "F016", "F017", "F019"];
    let with = |jobs: &str| json(&[&claims[..], &["--jobs", jobs]].concat());
    assert_eq!(with("1"), with(jobs));
}

/// Those of the standards that need no host.
#[test]
fn what_standards_say_is_a_definition_and_what_media_do_is_predicted() {
    let definitions = "F001 F002 F003 F004 F006 F007 F008 F009 F010 F011 F012 F014 F015 F016 F018 F019 F027 F028 \
         F030 F033 F034 F041 F053 F059 P017 P024 P026 A005 A006 A007 A008 T002 T003 T004 T007";
    for (ids, verdict) in [(definitions, "definition"), ("F017 A009 A013", "predicted")] {
        let (code, checked) = json(&ids.split_whitespace().collect::<Vec<_>>());
        let claims = checked["claims"].as_array().expect("claims");
        let other: Vec<&Value> = claims.iter().filter(|claim| claim["verdict"] != verdict).collect();
        assert!(code == Some(0) && other.is_empty(), "{other:#?}");
    }
}

/// A known miss is no finding: it is shown with its reason, and the exit code is 0.
#[test]
fn a_known_miss_is_shown_with_its_reason_and_is_no_finding() {
    let said = Desk::new().linerate(&["model", "check", "A023"]).done();
    assert_snapshot!(said.stdout, @"
    Published claims and the model

    1 claim: 1 missed.
    Models in virtual time: no host took part. A definition says only that the model
      has a rule, and a claim that parameters were calibrated on predicts nothing.

    A023: GbE, FE latency vs ATM, FDDI, Eth
      source      003 Ames Laboratory IS-5126, Gigabit Ethernet and low-cost
                  supercomputing
      set-up      NetPIPE ping-pong
      published   10 better x
      kind        ratio
      compared    latency of FDDI over that of Fast Ethernet
      computed    latency of fddi / latency of fast-ethernet
      against     10 x
      allowed     5 to 15
      interval    half to one and a half of the published effect
      modelled    1.396 x
      verdict     missed
      note        the media alone differ by 1.4; the rest is that of hosts and
                  adaptors, which are not described
    ");
}
