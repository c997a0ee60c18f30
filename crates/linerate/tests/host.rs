//! `linerate host` as a user runs it, and the limits that a run keeps. Nothing asserts how quick this host is.

use linerate_core::host_limits::HostLimitsFile;
use linerate_core::run::State;
use serde_json::Value;

use crate::support::{Desk, PATIENCE, process, unfolded};

/// The smallest budget.
const LEAST: [&str; 4] = ["host", "--quick", "--time", "500ms"];

fn limits(desk: &Desk, name: &str) -> HostLimitsFile {
    HostLimitsFile::from_json(&desk.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Refuses `text` unless it is as `schema` says.
fn accept(schema: &str, text: &str) {
    let [schema, document]: [Value; 2] = [schema, text].map(|text| serde_json::from_str(text).expect("JSON"));
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> =
        validator.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn a_host_is_measured_kept_and_reported_again() {
    let desk = Desk::new();
    let said = desk.linerate(&[&LEAST[..], &["--out", "host.json", "--report", "host.html"]].concat()).done();
    assert!(unfolded(&said.stdout).contains("a variant of STREAM, not a STREAM result"), "{}", said.stdout);
    assert!(said.stdout.lines().all(|line| line.chars().count() <= 100), "{}", said.stdout);
    let file = limits(&desk, "host.json");
    assert!(file.limits.quick && !file.limits.interrupted, "{file:?}");
    accept(&desk.linerate(&["schema", "host-limits"]).done().stdout, &desk.read("host.json"));
    // Every interval holds its median, and every copy takes time.
    let costs = file.limits.copies.known().expect("a Unix socket");
    for cost in costs {
        for time in [cost.within_ns, cost.into_kernel_ns, cost.out_of_kernel_ns, cost.checksum_ns] {
            let [low, high] = time.interval.expect("there are enough samples");
            assert!(0.0 < low && low <= time.median && time.median <= high, "{cost:?}");
        }
    }
    assert!(costs.windows(2).all(|pair| pair[0].bytes < pair[1].bytes), "{costs:?}");
    // The file says the same again.
    assert_eq!(desk.linerate(&["report", "host.json"]).done().stdout, said.stdout);
    desk.linerate(&["report", "host.json", "--report", "again.html", "--report", "again.json", "--quiet"])
        .done();
    assert_eq!(desk.read("again.html"), desk.read("host.html"));
    assert_eq!(desk.read("again.json"), desk.read("host.json"));
}

#[test]
fn a_run_keeps_the_limits_of_its_host_and_draws_them() {
    let desk = Desk::new();
    let curve = ["measure", "--schedule", "list:64,4096", "--time", "1s", "--out", "x.run.json"];
    desk.linerate(&[&curve[..], &["--host-limits"]].concat()).done();
    let run = desk.run_file("x.run.json");
    assert_eq!(run.state, State::Complete);
    let limits = run.nodes[0].limits.as_ref().expect("they were asked for");
    assert!(limits.quick && limits.copies.known().is_some(), "{limits:?}");
    assert_eq!(run.nodes[1].limits.as_ref(), Some(limits), "the peer is on the same host");
    desk.linerate(&["report", "x.run.json", "--report", "x.html", "--report", "x.json", "--quiet"]).done();
    assert!(desk.read("x.html").contains("copies into and out of the kernel, in turn"));
    let rows: Value = serde_json::from_str(&desk.read("x.json")).expect("JSON");
    assert_eq!(rows["size_ceilings"][0]["points"].as_array().map(Vec::len), Some(2), "{rows:#}");
}

#[test]
fn what_was_measured_when_the_user_ends_it_is_kept() {
    let desk = Desk::new();
    let mut running = desk.start(&["host", "--time", "80s", "--progress", "ndjson", "--out", "host.json"]);
    running.works_for(10);
    running.press_ctrl_c();
    running.wait(PATIENCE);
    process::wait_for("the file", || desk.path("host.json").exists().then_some(()));
    let file = limits(&desk, "host.json");
    assert!(file.limits.interrupted && file.limits.packets.known().is_none(), "{file:?}");
}

#[test]
fn what_cannot_be_done_is_said_at_once() {
    let desk = Desk::new();
    let refused = |arguments: &[&str], why: &str| {
        let said = desk.linerate(arguments).fails(2).stderr;
        assert!(said.contains(why), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    };
    refused(&["host", "--time", "1ms"], "failed to measure this host in 1");
    refused(&["host", "--report", "host.csv"], "end the name in .html or .json");
    refused(&["host", "--out", "nowhere/host.json"], "failed to write nowhere/host.json");
    desk.write("host.json", r#"{"kind": "host-limits", "format": 9}"#);
    refused(&["report", "host.json"], "it has format 9, and this linerate reads up to 1");
    desk.write(
        "host.json",
        HostLimitsFile::new(String::new(), Default::default(), Default::default()).to_json(),
    );
    refused(&["report", "host.json", "--report", "x.svg"], "end the name in .html or .json");
    refused(&["report", "host.json", "host.json", "--format", "csv"], "that form holds runs only");
    refused(&["report", "host.json", "host.json", "--report", "x.svg"], "that form holds runs only");
    desk.linerate(&["report", "host.json", "host.json", "--report", "x.html"]).done();
    assert!(desk.read("x.html").contains("<h1>2 hosts compared</h1>"), "{}", desk.read("x.html"));
    refused(
        &["compare", "host.json", "--with", "host.json"],
        "it holds the limits of a host, and not one run",
    );
    refused(&["host", "--out", "host.json"], "replace it with --force");
    refused(&["measure", "--model", "gigabit", "--host-limits"], "cannot be used with");
    let json = desk.linerate(&["report", "host.json", "--report", "-"]);
    assert_eq!(json.code, Some(2), "a stream has no ending");
}
