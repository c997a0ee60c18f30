//! What `action.yml` runs in a CI job. Costs 3 s.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Desk, PROGRAM, Said};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn job(desk: &Desk, arguments: &[&str]) -> Said {
    desk.finish(job_of(desk, arguments))
}

fn job_of(desk: &Desk, arguments: &[&str]) -> Command {
    let script = root().join("contrib/action/run");
    let mut command = desk.command(script.to_str().expect("a path of text"), arguments);
    command.env("LINERATE", PROGRAM).env("LINERATE_NO_CONFIG", "1").env("GITHUB_STEP_SUMMARY", "summary.md");
    command
}

const FLAGS: [&str; 4] = ["--model", "acenic", "--schedule", "octave:1"];

#[test]
fn a_job_keeps_its_first_runs_and_fails_when_later_ones_are_worse() {
    let desk = Desk::new();
    let asked = ["base", "2", "5%", "out"];
    let first = job(&desk, &[&asked[..], &FLAGS].concat()).done();
    assert!(first.stdout.contains("No baseline: these 2 runs are it now"), "{}", first.stdout);
    let same = job(&desk, &[&asked[..], &FLAGS].concat()).done();
    assert!(same.stdout.contains("the same within 5 %"), "{}", same.stdout);
    assert!(desk.read("out/comparison.html").contains("<html"));

    let slower = ["--set", "host.adaptor.coalesce-time=200us"];
    let worse = job(&desk, &[&asked[..], &FLAGS, &slower].concat());
    assert_eq!(worse.code, Some(1), "{}\n{}", worse.stdout, worse.stderr);
    assert!(worse.stdout.contains("latency"), "{}", worse.stdout);
    assert!(desk.read("summary.md").ends_with(&worse.stdout), "the job's summary has the verdict");
    assert_eq!(desk.read("out/comparison.md"), worse.stdout, "one call gives the text for the pull request");
    assert!(worse.stdout.contains("times as fast as") && worse.stdout.contains("\n| "), "{}", worse.stdout);
    // The baseline is not what was worse.
    job(&desk, &[&asked[..], &FLAGS].concat()).done();
}

#[test]
fn what_cannot_be_measured_is_another_code_than_a_finding() {
    let desk = Desk::new();
    let said = job(&desk, &["base", "1", "5%", "out", "--model", "none-of-this-name"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert_eq!(job(&desk, &["base", "none", "5%", "out"]).code, Some(2));
    assert_eq!(job(&desk, &["base"]).code, Some(2));
}

/// One run each of a loopback says nothing of the spread.
#[test]
fn what_cannot_be_told_fails_the_job_unless_that_is_ok() {
    let desk = Desk::new();
    let asked = ["base", "1", "5%", "out", "--schedule", "list:64", "--time", "100ms"];
    job(&desk, &asked).done();
    let said = job(&desk, &asked);
    assert_eq!(said.code, Some(3), "{}\n{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("measure 3 more runs a side"), "{}", said.stdout);
    let mut command = job_of(&desk, &asked);
    command.env("INCONCLUSIVE", "ok");
    desk.finish(command).done();
}

/// Every input that the action has reaches the script, and its defaults are there.
#[test]
fn the_action_gives_the_script_what_it_asks_for() {
    let action = std::fs::read_to_string(root().join("action.yml")).expect("it is in the repository");
    for name in ["BASELINE", "RUNS", "WITHIN", "INCONCLUSIVE", "OUT", "FLAGS", "LINERATE"] {
        let input = format!("{name}: ${{{{ inputs.{} }}}}", name.to_lowercase());
        assert!(action.contains(&input), "{input}");
    }
    let call = r#"contrib/action/run" "$BASELINE" "$RUNS" "$WITHIN" "$OUT" $FLAGS"#;
    assert!(action.contains(call), "{action}");
}
