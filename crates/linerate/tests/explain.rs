//! `linerate explain` of runs whose every number is known: models. Real hosts are in `truth/explained.rs`. Costs 2 s.

use std::path::Path;

use insta::assert_snapshot;

use crate::support::{Desk, unfolded};

/// What is said of a ping-pong over a model.
fn of_model(model: &str, schedule: &str) -> String {
    let desk = Desk::new();
    let asked = ["measure", "--model", model, "--pattern", "ping-pong", "--schedule", schedule];
    desk.linerate(&[&asked[..], &["--out", "x.run.json", "--no-report", "--quiet"]].concat()).done();
    desk.linerate(&["explain", "x.run.json"]).done().stdout
}

#[test]
fn the_timer_of_a_modelled_card_is_named() {
    assert_snapshot!(of_model("acenic", "octave:1"));
}

#[test]
fn a_long_path_is_named_and_then_its_window() {
    assert_snapshot!(of_model("wan-10037-km", "octave:1"));
}

#[test]
fn a_model_without_costs_has_a_link_and_nothing_else_that_is_known() {
    assert_snapshot!(of_model("gigabit", "octave:1"));
}

#[test]
fn a_curve_of_netpipe_says_what_is_fixed_and_what_grows() {
    let desk = Desk::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../linerate-analysis/tests/netpipe");
    desk.write("np.out", std::fs::read(folder.join("3.7.2-loopback.out")).expect("it is in the repository"));
    let said = desk.linerate(&["explain", "np.out"]).done().stdout;
    assert!(unfolded(&said).contains("cannot tell: a fixed time for each message"), "{said}");
    assert!(unfolded(&said).contains("what processors and TCP did at each size"), "{said}");
}

#[test]
fn what_cannot_be_explained_is_refused_in_one_sentence() {
    let desk = Desk::new();
    desk.linerate(&["mesh", "--model", "cluster-fast", "--out", "m.run.json", "--no-report", "--quiet"]);
    assert_snapshot!("a_mesh_is_not_explained", desk.linerate(&["explain", "m.run.json"]).complaint());
    assert_snapshot!("nothing_is_not_explained", desk.linerate(&["explain", "none.run.json"]).complaint());
    desk.linerate(&[
        "measure",
        "--model",
        "gigabit",
        "--schedule",
        "list:1",
        "--out",
        "x.run.json",
        "--no-report",
    ]);
    let said = desk.linerate(&["explain", "x.run.json", "--report", "x.csv"]).complaint();
    assert_snapshot!("explanations_are_no_table", said);
}

#[test]
fn an_explanation_is_a_page_a_picture_markdown_and_json() {
    let desk = Desk::new();
    let asked = ["measure", "--model", "acenic", "--schedule", "octave:1", "--out", "x.run.json", "--quiet"];
    let said = desk.linerate(&asked).done().stdout;
    let reports = ["x.html", "x.svg", "x.md", "x.json"];
    let flags: Vec<&str> = reports.iter().flat_map(|path| ["--report", *path]).collect();
    let text = desk.linerate(&[&["explain", "x.run.json"], &flags[..]].concat()).done().stdout;
    let json: serde_json::Value = serde_json::from_str(&desk.read("x.json")).expect("it is JSON");
    assert_eq!(json[0]["curves"][0]["pattern"], "ping-pong");
    let verdict = &json[0]["verdict"];
    assert_eq!((&verdict["bottleneck"], &verdict["certainty"]), (&"both-processors".into(), &"sure".into()));
    let sentence = verdict["sentence"].as_str().expect("it has one");
    assert!(unfolded(&said).starts_with(sentence), "the result opens with {sentence}: {said}");
    assert!(unfolded(&text).starts_with(&format!("x: {sentence}")), "{text}");
    let [page, picture, notes] = ["x.html", "x.svg", "x.md"].map(|path| desk.read(path));
    let first = sentence.split(". ").next().unwrap_or_default();
    assert!(page.contains(first) && notes.contains(first), "{first}");
    for evidence in
        ["rx-usecs are 100 us in the mean of both ends", "Shares of the time, with their evidence"]
    {
        assert!(page.contains(evidence) && notes.contains(evidence), "{evidence}");
    }
    assert!(picture.contains("class=\"free\""), "the bands have numbers");
}
