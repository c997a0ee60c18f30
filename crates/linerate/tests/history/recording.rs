//! What is recorded, and what never hinders a measurement.

use super::{RUN, desk, history, made, path};
use crate::support::Desk;

const QUICK: [&str; 8] =
    ["measure", "--transport", "memory", "--time", "300ms", "--max-size", "64B", "--no-report"];

#[test]
fn a_run_is_recorded_when_that_is_asked_for_and_only_then() {
    let desk = Desk::new();
    let measure = |words: &[&str]| desk.linerate(&[&QUICK, words].concat()).done();
    measure(&["--out", "a.run.json"]);
    assert!(!desk.path("h.db").exists());
    measure(&["--out", "b.run.json", "--history", "h.db", "--label", "room=7"]);
    let mut command =
        desk.command(crate::support::PROGRAM, &[&QUICK[..], &["--out", "c.run.json.zst"]].concat());
    command.env("LINERATE_HISTORY", "h.db");
    desk.finish(command).done();
    let mut command =
        desk.command(crate::support::PROGRAM, &[&QUICK[..], &["--out", "d.run.json", "--record"]].concat());
    command.env("XDG_DATA_HOME", desk.folder());
    desk.finish(command).done();
    assert!(desk.path("linerate/history.db").exists(), "the user's own");
    let said = history(&desk, &["export", "--out", "-"]).done();
    let runs: Vec<serde_json::Value> =
        said.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(runs.len(), 2, "{}", said.stdout);
    assert_eq!(runs[0]["tags"]["room"], "7");
    assert_eq!(runs[0]["run"], desk.run_file("b.run.json").id.as_str());
}

#[test]
#[cfg(not(feature = "postgres"))]
fn a_history_on_a_server_is_refused_before_anything_is_measured() {
    let desk = Desk::new();
    let place = ["--history", "postgres://net:a-secret@127.0.0.1:1/linerate"];
    for words in [&["history"][..], &[&QUICK[..], &["--out", "a.run.json"]].concat()] {
        let said = desk.linerate(&[words, &place[..]].concat()).complaint();
        let refused =
            "failed to open the history postgres://net:***@127.0.0.1:1/linerate: this linerate was built";
        assert!(said.starts_with(refused) && said.contains("--features postgres"), "{said}");
    }
    assert!(!desk.path("a.run.json").exists());
}

#[test]
fn a_history_that_cannot_be_written_is_a_caution_and_the_run_is_there() {
    let desk = Desk::new();
    let said =
        desk.linerate(&[&QUICK[..], &["--out", "a.run.json", "--history", "/proc/none/h.db"]].concat());
    let said = said.done();
    assert!(said.stderr.contains("! failed to open the history /proc/none/h.db"), "{}", said.stderr);
    assert!(!desk.run_file("a.run.json").series.is_empty());
    desk.write("other.db", "no database at all, but long enough to be taken for one");
    let said =
        desk.linerate(&[&QUICK[..], &["--out", "b.run.json", "--history", "other.db"]].concat()).done();
    assert!(said.stderr.contains("! failed to"), "{}", said.stderr);
    assert!(desk.read("other.db").starts_with("no database"), "it is left alone");
}

#[test]
fn a_folder_is_imported_once_and_bad_files_hinder_no_others() {
    let desk = desk();
    desk.write("runs/bad.run.json", "{\"format\": 3");
    let other = made(7, "6.1.0", 2.0);
    desk.write("runs/conflict.run.json", other.to_json());
    let said = history(&desk, &["import", "runs"]).fails(2);
    assert!(said.stderr.contains("40 recorded, 0 there already, 2 refused"), "{}", said.stderr);
    assert!(said.stderr.contains("its id made-0007 is already that of another run"), "{}", said.stderr);
    let said = history(&desk, &["import", "runs/00.run.json", "runs/01.run.json"]).done();
    assert!(said.stderr.contains("0 recorded, 2 there already"), "{}", said.stderr);
    let said = history(&desk, &["import", "--renew", "runs/00.run.json"]).done();
    assert!(said.stderr.contains("1 computed anew"), "{}", said.stderr);
    history(&desk, &["check"]).done();
}

#[test]
fn baselines_tags_names_and_what_is_forgotten() {
    let desk = desk();
    history(&desk, &["import", "runs"]).done();
    let path = path(&desk);
    let said = history(&desk, &["baseline", &path, "--last", "3"]).done();
    assert_eq!(said.stdout, "made-0037\nmade-0038\nmade-0039\n");
    assert_eq!(history(&desk, &["baseline", &path]).done().stdout, said.stdout);
    history(&desk, &["tag", "made-0003", "cable=red", "shift=night"]).done();
    history(&desk, &["tag", "made-0003", "shift"]).done();
    let said = history(&desk, &["export", "--out", "-", "--label", "cable=red"]).done();
    let run: serde_json::Value = serde_json::from_str(said.stdout.trim()).expect("one run");
    assert_eq!((&run["run"], &run["tags"]), (&"made-0003".into(), &serde_json::json!({ "cable": "red" })));
    let count = |words: &[&str]| {
        let said = history(&desk, &[&["export", "--out", "-"], words].concat()).done();
        said.stdout.lines().count()
    };
    assert_eq!(count(&["--kernel", "6.1.0"]), 20);
    assert_eq!(count(&["--since", "2026-01-11T00:00:00Z", "--until", "2026-01-13T00:00:00Z"]), 2);
    assert_eq!(count(&["--where", "ping-pong/latency<=0.001"]), 0);
    history(&desk, &["rename", &path, "lab"]).done();
    history(&desk, &["split", "lab", "initiator kernel=6.12.0", "lab after"]).done();
    assert!(history(&desk, &[]).done().stdout.contains("lab after"));
    history(&desk, &["separate", "lab"]).done();
    let said = history(&desk, &["rm", "made-0000"]).done();
    assert!(
        said.stdout.starts_with("made-0000  ") && desk.path("runs/00.run.json").exists(),
        "{}",
        said.stdout
    );
    assert_eq!(count(&[]), 39);
    let said = history(&desk, &["prune", "--older", "1h", "--dry-run"]).done();
    assert!(said.stderr.contains("would lose their curves"), "{}", said.stderr);
    history(&desk, &["rm", "--path", "lab"]).done();
    assert_eq!(count(&[]), 0);
}

#[test]
fn names_that_mean_nothing_are_refused_with_advice() {
    let desk = desk();
    let said = history(&desk, &["show", "x"]).fails(2);
    assert!(said.stderr.contains("nothing is recorded there yet"), "{}", said.stderr);
    history(&desk, &["import", "runs/00.run.json"]).done();
    for words in [["show", "nowhere"], ["rm", "nobody"], ["baseline", "nowhere"]] {
        let said = history(&desk, &words).fails(2);
        assert!(said.stderr.contains("failed to find the"), "{}", said.stderr);
    }
    let said = history(&desk, &["import", "nofolder"]).fails(2);
    assert!(said.stderr.contains("failed to read nofolder"), "{}", said.stderr);
}

#[test]
fn a_compressed_run_is_read_wherever_a_run_is() {
    let desk = Desk::new();
    desk.write("x.run.json", RUN);
    desk.linerate(&[&QUICK[..], &["--out", "z.run.json.zst"]].concat()).done();
    assert!(desk.path("z.run.json.zst").metadata().expect("there").len() < 30_000);
    let said = desk.linerate(&["report", "z.run.json.zst"]).done();
    assert!(said.stdout.contains("\nz (ping-pong)\n"), "{}", said.stdout);
    let said = desk.linerate(&["report", "x.run.json", "--report", "z.run.json.zst"]).fails(2);
    assert!(said.stderr.contains("failed to"), "{}", said.stderr);
}

#[test]
fn a_history_is_taken_into_another_with_what_people_said() {
    let desk = desk();
    history(&desk, &["import", "runs"]).done();
    let path = path(&desk);
    history(&desk, &["baseline", &path, "--last", "3"]).done();
    history(&desk, &["tag", "made-0003", "cable=red"]).done();
    history(&desk, &["rename", &path, "lab"]).done();
    let into = |words: &[&str]| desk.linerate(&[&["--history", "team.db", "history"], words].concat());
    // Some of its runs come from their files.
    into(&["import", "runs/00.run.json"]).done();
    let said = into(&["import", "h.db"]).done();
    assert!(said.stderr.contains("39 recorded, 1 there already, 0 refused"), "{}", said.stderr);
    assert_eq!(into(&["baseline", "lab"]).done().stdout, "made-0037\nmade-0038\nmade-0039\n");
    let said = into(&["export", "--out", "-"]).done();
    assert_eq!(said.stdout, history(&desk, &["export", "--out", "-"]).done().stdout);
    desk.write("foreign.db", *b"SQLite format 3\0 and nothing that fits");
    into(&["import", "foreign.db"]).fails(2);
}
