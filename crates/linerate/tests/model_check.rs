//! `linerate model check`: through the binary.

mod papers;

use insta::assert_snapshot;
use rstest::rstest;
use serde_json::Value;

use crate::support::Desk;

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
fn claims_of_standards_hold() {
    let said = Desk::new().linerate(&["model", "check", "F001", "F015", "F016", "A005", "T007"]).done();
    let last = said.stdout.lines().last().unwrap_or_default();
    assert_eq!(last, "5 claims hold (5 by standard or arithmetic, 0 predicted, 0 calibrated), 0 fail");
}

#[test]
fn a_source_is_a_table_with_its_untested_claims_and_their_reasons() {
    let said = Desk::new().linerate(&["model", "check", "a"]).done();
    let text = &said.stdout;
    assert!(text.starts_with("003 Ames Laboratory IS-5126"), "{text}");
    assert!(text.contains("A002, A010, A012, A014, A015, A016, A017: it is a price"), "{text}");
    assert!(text.lines().any(|line| line.contains("A009") && line.ends_with("holds")), "{text}");
    assert!(!text.contains("F001") && !text.contains("Contradictions"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_claim_by_name_is_shown_in_full() {
    let said = Desk::new().linerate(&["model", "check", "f053"]).done();
    assert_snapshot!(said.stdout, @"
    F053: expected clock scaling
      source      000 Farrell and Ong, Communication Performance over a Gigabit
                  Ethernet Network
      set-up      PII/350 x2, GNIC-II, Hamachi 0.07, MTU 1500
      published   29 -> 411 % -> Mb/s
      kind        exact
      compared    320 Mb/s x 450 / 350
      computed    F052 x (450 / F020)
      allowed     410.5 to 411.5
      modelled    411.4 Mb/s
      verdict     holds
      see         X13

    Contradictions
      X13 F053: none after all: 0.2857 x 320 + 320 is 411.4; the arithmetic is
          checked

    1 claim holds (1 by standard or arithmetic, 0 predicted, 0 calibrated), 0 fail
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
    let (code, checked) = json(&["A009", "F019", "F029", "F073", "F015"]);
    assert_eq!((code, checked["format"].as_u64()), (Some(0), Some(1)));
    let tally = &checked["summary"];
    assert_eq!(
        [&tally["exact"], &tally["predicted"], &tally["calibrated"]].map(Value::as_u64),
        [Some(1), Some(2), Some(0)]
    );
    assert_eq!([&tally["fail"], &tally["could-not"]].map(Value::as_u64), [Some(0), Some(0)]);
    let slot = claim(&checked, "F015");
    assert_eq!(slot["claim"]["value"], "64 -> 512");
    assert_eq!((slot["published"].as_f64(), slot["modelled"].as_f64()), (Some(8.0), Some(8.0)));
    assert_eq!((&slot["allowed"], &slot["verdict"]), (&serde_json::json!([8.0, 8.0]), &Value::from("holds")));
    let burst = claim(&checked, "F019");
    assert_eq!((&burst["status"], &burst["modelled"]), (&Value::from("order"), &Value::Null));
    assert_eq!(burst["descending"].as_array().map(Vec::len), Some(2));
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
fn what_standards_say_of_the_media_holds() {
    let ids = "F001 F002 F003 F004 F006 F007 F008 F009 F010 F011 F012 F014 F015 F016 F017 F018 F019 F027 F028 F030 \
         F053 F059 P026 A005 A006 A007 A008 A009 A013 T002 T003 T004 T007 T028";
    let (code, checked) = json(&ids.split_whitespace().collect::<Vec<_>>());
    let failed = |claim: &&Value| claim["verdict"] != "holds";
    let failed: Vec<&Value> = checked["claims"].as_array().expect("claims").iter().filter(failed).collect();
    assert!(code == Some(0) && failed.is_empty(), "{failed:#?}");
}
