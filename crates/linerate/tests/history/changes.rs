//! What a history says of changes, and what runs of it are compared with.

use serde_json::Value;

use super::{desk, history, made, path};
use crate::support::{Desk, unfolded};

#[test]
fn a_step_is_found_with_the_kernel_that_changed_and_ends_with_1_until_it_is_muted() {
    let desk = desk();
    history(&desk, &["import", "runs"]).done();
    let said = history(&desk, &["changes", "--exit-code"]).fails(1);
    assert!(said.stdout.contains("6.12.0"), "{}", said.stdout);
    let said = history(&desk, &["changes", "--format", "json"]).done();
    let json: Value = serde_json::from_str(&said.stdout).expect("JSON");
    let ids: Vec<String> = ids(&json);
    assert!(!ids.is_empty(), "{}", said.stdout);
    for id in &ids {
        history(&desk, &["mute", id]).done();
    }
    history(&desk, &["changes", "--exit-code"]).done();
    history(&desk, &["mute", "--undo", &ids[0]]).done();
    let said = history(&desk, &["mute", "no such change"]).fails(2);
    assert!(said.stderr.contains("failed to find the change no such change"), "{}", said.stderr);
}

/// Every change's id.
fn ids(json: &Value) -> Vec<String> {
    match json {
        Value::Object(parts) => {
            let own = parts.get("short").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(parts.values().flat_map(ids)).collect()
        }
        Value::Array(parts) => parts.iter().flat_map(ids).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_steady_path_has_no_change() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("runs")).expect("the folder is ours");
    for nth in 0..40 {
        desk.write(&format!("runs/{nth:02}.run.json"), made(nth, "6.1.0", super::noise(nth)).to_json());
    }
    history(&desk, &["import", "runs"]).done();
    history(&desk, &["changes", "--exit-code"]).done();
}

#[test]
fn pages_tables_and_metrics_are_written() {
    let desk = desk();
    history(&desk, &["import", "runs"]).done();
    let path = path(&desk);
    history(&desk, &["report", &path, "--report", "x.html"]).done();
    assert!(desk.read("x.html").contains("<svg"));
    history(&desk, &["export", "--out", "x.csv", "--prometheus", "x.prom"]).done();
    assert!(desk.read("x.csv").lines().count() > 40 * 4);
    assert!(desk.read("x.prom").contains("# TYPE"));
    let said = history(&desk, &["export", "--out", "x.txt"]).fails(2);
    assert!(said.stderr.contains("end the file's name in .csv or .jsonl"), "{}", said.stderr);
    let said = history(&desk, &["show", &path]).done();
    assert!(said.stdout.lines().all(|line| line.chars().count() <= 80), "{}", said.stdout);
}

#[test]
fn names_of_the_history_are_compared() {
    let desk = desk();
    history(&desk, &["import", "runs"]).done();
    let path = path(&desk);
    let compare = |words: &[&str]| desk.linerate(&[&["compare", "--history", "h.db"], words].concat());
    let said = compare(&[&path, "--with", "runs/39.run.json"]).fails(2);
    assert!(said.stderr.contains("it has no baseline"), "{}", said.stderr);
    history(&desk, &["baseline", &path, "made-0000", "made-0001", "made-0002", "made-0003"]).done();
    let said = compare(&[&path, "--with", &format!("{path}@4")]).fails(1);
    assert!(unfolded(&said.stdout).contains("worse by more than 5 %"), "{}", said.stdout);
    assert!(unfolded(&said.stdout).contains("initiator kernel 6.1.0 6.12.0"), "{}", said.stdout);
    // One run a side: the spread of the history judges.
    let said = compare(&["made-0002", "--with", "made-0030"]).fails(1);
    assert!(unfolded(&said.stdout).contains("runs of this path differ in the history"), "{}", said.stdout);
    let said = compare(&["made-0002", "--with", "made-0003"]);
    assert!(matches!(said.code, Some(0 | 3)) && !said.stdout.contains("worse by"), "{}", said.stdout);
    // Without it there is no verdict, which is no success.
    let single = ["compare", "runs/02.run.json", "--with", "runs/30.run.json"];
    let said = desk.linerate(&single).fails(3);
    assert!(unfolded(&said.stdout).contains("measure 3 more runs a side"), "{}", said.stdout);
    desk.linerate(&[&single[..], &["--inconclusive", "ok"]].concat()).done();
}

#[test]
fn two_sides_are_compared_as_page_and_json() {
    let desk = desk();
    let base = ["runs/00.run.json", "runs/01.run.json", "runs/02.run.json", "runs/03.run.json"];
    let candidate = ["runs/30.run.json", "runs/31.run.json", "runs/32.run.json", "runs/33.run.json"];
    let words =
        [&["compare"], &base[..], &["--with"], &candidate, &["--report", "x.html", "--report", "x.json"]]
            .concat();
    desk.linerate(&words).fails(1);
    assert!(desk.read("x.html").contains("What differs"));
    let json: Value = serde_json::from_str(&desk.read("x.json")).expect("JSON");
    assert_eq!(json["finding"], true);
    let said = desk.linerate(&["compare", base[0], "--with", base[0]]).fails(2);
    assert!(said.stderr.contains("are the same run"), "{}", said.stderr);
    assert_eq!((&json["outcome"], &json["more_runs"]), (&"worse".into(), &Value::Null));
    let verdict = json["verdict"].as_str().expect("a sentence");
    assert!(desk.read("x.html").contains(verdict), "{verdict}");
    let said =
        desk.linerate(&[&["compare"], &base[..], &["--with"], &candidate, &["--within", "50%"]].concat());
    assert!(said.done().stdout.contains(&verdict[..20]), "{verdict}");
}

/// A model's second run has another MTU: measuring again finds the same, in turn.
#[test]
fn a_change_is_confirmed_by_measuring_again() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("runs")).expect("the folder is ours");
    for (mtu, file) in [("1500", "small"), ("9000", "large")] {
        let words = [
            "measure",
            "--model",
            "gnic-ii",
            "--schedule",
            "list:1,1KiB,16KiB,64KiB",
            "--no-report",
            "--set",
        ];
        let mtu = format!("network.mtu={mtu}");
        desk.linerate(&[&words[..], &[&mtu, "--out", &format!("{file}.run.json")]].concat()).done();
    }
    let [small, large] = ["small.run.json", "large.run.json"].map(|file| desk.run_file(file));
    for nth in 0..40 {
        let mut run = if nth < 20 { small.clone() } else { large.clone() };
        run.id = format!("made-{nth:04}");
        run.started = format!("2026-{:02}-{:02}T06:00:00Z", 1 + nth / 28, 1 + nth % 28);
        for round in
            run.series.iter_mut().flat_map(|series| &mut series.points).flat_map(|point| &mut point.rounds)
        {
            let times = super::noise(nth);
            for span in [&mut round.median, &mut round.mean, &mut round.min, &mut round.max] {
                *span = linerate_core::units::Span::from_seconds(span.as_seconds() * times);
            }
        }
        desk.write(&format!("runs/{nth:02}.run.json"), run.to_json());
    }
    history(&desk, &["import", "runs"]).done();
    let said = history(&desk, &["changes", "--format", "json"]).done();
    let ids = ids(&serde_json::from_str(&said.stdout).expect("JSON"));
    let id = ids.first().expect("the MTU changed something");
    let said = desk.linerate(&["history", "--history", "h.db", "confirm", id, "--folder", "."]);
    assert!(said.stderr.contains("confirmed: "), "{}\n{}", said.stdout, said.stderr);
    assert!(unfolded(&said.stdout).contains("model network.mtu 1500 9000"), "{}", said.stdout);
    assert!(desk.path(&format!("confirm-{id}-old-0.run.json")).exists());
    let said = history(&desk, &["changes"]).done();
    assert!(unfolded(&said.stdout).contains("people say: confirmed"), "{}", said.stdout);
    // What was recorded is what lies in the file.
    let said = history(&desk, &["import", &format!("confirm-{id}-new-0.run.json")]).done();
    assert!(said.stderr.contains("1 there already"), "{}", said.stderr);
}
