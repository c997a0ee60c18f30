//! Where results go, and what is taken from a configuration: as with `linerate`. About 10 s.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Output;

use linerate_core::run::{Run, State};
use linerate_store::{Access, Filter, Location, Recent, Store};
use serde_json::Value;

use crate::support::{at_home, on_ranks, sentences};

const PROGRAM: &str = env!("CARGO_BIN_EXE_linerate-mpi");
/// A curve of one size that is soon there.
const SHORT: [&str; 9] = ["measure", "--schedule", "list:1", "--rounds", "6", "--ci", "1", "--time", "5s"];

fn words<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SHORT.iter().chain(more).copied().collect()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn run_in(file: &Path) -> Run {
    Run::from_json(&fs::read_to_string(file).expect("a file")).expect("a run")
}

/// How many runs the history in `file` has.
fn recorded(file: &Path) -> u64 {
    let location = Location::parse(OsStr::new(file));
    let mut store = Store::open(location, Access::Existing).expect("a history");
    let paths = store.paths(&Filter::default(), &Recent::default()).expect("it is read");
    paths.iter().map(|path| path.runs).sum()
}

#[test]
fn a_run_is_recorded_where_the_user_says_or_in_the_users_own_history() {
    let folder = tempfile::tempdir().expect("a folder");
    let (home, named) = (folder.path(), folder.path().join("named.db"));
    let out = home.join("x.run.json");
    let output =
        at_home(home, 2, PROGRAM, &words(&["--out", text(&out), "--history", text(&named), "--no-report"]));
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(recorded(&named), 1);
    assert!(!home.join("linerate/history.db").exists(), "only there");
    let output = at_home(home, 2, PROGRAM, &words(&["--out", text(&out), "--record", "--force"]));
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(recorded(&home.join("linerate/history.db")), 1);
    assert!(home.join("x.html").exists(), "the page lies beside the run");
}

#[test]
fn the_configuration_is_read_without_what_an_mpi_does_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("linerate/config.toml");
    fs::create_dir_all(config.parent().expect("it has one")).expect("made");
    let content = "[defaults]\nrounds = 7\nrepeat = 3\ntransport = 'udp'\n[defaults.socket]\ndscp = 46\n\
        [defaults.output]\nlabels = { site = 'here' }\n[profile.both]\npattern = 'exchange'\nmpi.receive = 'posted'\n";
    fs::write(&config, content).expect("written");
    let printed = |more: &[&str]| {
        let words: Vec<&str> = ["measure", "--print-plan"].iter().chain(more).copied().collect();
        let output = at_home(folder.path(), 2, PROGRAM, &words);
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    let plan = printed(&["--profile", "both", "--seed", "5"]);
    for line in ["rounds = 7  # [defaults]", "pattern = \"exchange\"  # [profile.both]", "seed = 5  # flag"] {
        assert!(plan.contains(line), "{plan}");
    }
    assert!(plan.contains("transport = \"mpi\"") && plan.contains("receive = \"posted\""), "{plan}");
    assert!(plan.contains("site = \"here\""), "{plan}");
    assert!(!plan.contains("dscp = 46") && !plan.contains("repeat = 3"), "{plan}");
    assert!(!printed(&["--no-config"]).contains("rounds = 7"));
    let output = at_home(folder.path(), 2, PROGRAM, &["measure", "--profile", "none"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(said(&output).matches("failed to find the profile none").count(), 1, "{}", said(&output));
}

#[test]
fn programs_are_told_of_progress_by_rank_0_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("x.run.json");
    let output = on_ranks(2, PROGRAM, &words(&["--out", text(&out), "--no-report", "--progress", "ndjson"]));
    assert!(output.status.success(), "{}", said(&output));
    let said = said(&output);
    let events: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).count();
    assert_eq!((of("started"), of("ended")), (1, 1), "{said}");
    assert!(of("trial") > 6 && of("round") > 6 && of("saved") > 6, "{said}");
    assert_eq!((&events[0]["event"], &events[0]["task"]), (&"started".into(), &"measure".into()));
    let last = events.last().expect("there are some");
    assert_eq!(
        (&last["event"], &last["state"], &last["exit"]),
        (&"ended".into(), &"complete".into(), &0.into())
    );
    assert_eq!(last["run"], run_in(&out).id.as_str());
}

#[test]
fn a_run_file_is_replaced_only_by_force() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("x.run.json");
    let again = |more: &[&str]| {
        let more: Vec<&str> =
            ["--out", text(&out), "--no-report", "-q"].iter().chain(more).copied().collect();
        on_ranks(2, PROGRAM, &words(&more))
    };
    let output = again(&[]);
    assert!(output.status.success(), "{}", said(&output));
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(table.contains("latency") && !table.contains('\u{1b}'), "a file may take it: {table}");
    let first = run_in(&out);
    let refused = again(&[]);
    assert_eq!(refused.status.code(), Some(2));
    let said = sentences(&refused);
    assert!(said.contains("it is a run file, and would be lost") && said.contains("--force"), "{said}");
    assert_eq!(run_in(&out).id, first.id);
    assert!(again(&["--force"]).status.success());
    assert_ne!(run_in(&out).id, first.id);
}

#[test]
fn a_run_on_standard_output_is_alone_there() {
    let output = on_ranks(2, PROGRAM, &words(&["--out", "-", "--label", "kernel=6.18", "-q"]));
    assert!(output.status.success(), "{}", said(&output));
    let run = Run::from_json(&String::from_utf8_lossy(&output.stdout)).expect("a run, and nothing else");
    assert_eq!((&run.state, run.labels.get("kernel").map(String::as_str)), (&State::Complete, Some("6.18")));
    assert!(run.generator.starts_with("linerate-mpi "), "{}", run.generator);
}
