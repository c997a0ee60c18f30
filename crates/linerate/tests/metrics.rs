//! Runs as metrics, and the dashboard that shows them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::support::Desk;

/// The names of metrics in a text.
fn metrics(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
    words.filter(|word| word.starts_with("linerate_run_")).map(str::to_owned).collect()
}

#[test]
fn runs_are_metrics() {
    let desk = Desk::new();
    let files = |name: &'static str| ["--quiet", "--no-report", "--out", name];
    let curve = ["measure", "--schedule", "octave:2", "--max-size", "4KiB", "--time", "1s"];
    desk.linerate(&[&curve[..], &files("curve.run.json")].concat()).done();
    desk.linerate(&[&["rr", "--time", "300ms", "--under-load", "1"], &files("rr.run.json")[..]].concat())
        .done();
    let printed =
        desk.linerate(&["report", "curve.run.json", "rr.run.json", "--format", "openmetrics"]).done().stdout;
    for line in [
        "linerate_run_latency_seconds{host=\"loopback\",transport=\"tcp\",subject=\"ping-pong\"} ",
        "linerate_run_band_time_seconds{host=\"loopback\",transport=\"tcp\",subject=\"ping-pong\",band=\"64B\"} ",
        "linerate_run_request_time_seconds{host=\"loopback\",transport=\"tcp\",subject=\"idle\",quantile=\"0.5\"} ",
        "linerate_run_start_timestamp_seconds{host=\"loopback\",transport=\"tcp\"} ",
        "linerate_run_complete{host=\"loopback\",transport=\"tcp\"} 1",
    ] {
        assert!(printed.lines().any(|found| found.starts_with(line)), "{line} is not in\n{printed}");
    }
    let began = printed
        .lines()
        .find(|line| line.starts_with("linerate_run_start_timestamp_seconds{"))
        .expect("it is there");
    let began: f64 = began.rsplit(' ').next().and_then(|it| it.parse().ok()).expect("a number");
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs_f64();
    assert!((0.0..86_400.0).contains(&(now - began)), "{began} is not today");
    desk.linerate(&["report", "curve.run.json", "rr.run.json", "--report", "x.prom"]).done();
    assert_eq!(desk.read("x.prom"), printed);
    let known = linerate_report::metric_names();
    assert!(metrics(&printed).is_subset(&known), "{printed}");
}

#[test]
fn limits_of_a_host_are_no_metrics() {
    let desk = Desk::new();
    desk.linerate(&["host", "--quick", "--quiet", "--out", "host.json"]).done();
    let said = desk.linerate(&["report", "host.json", "--format", "openmetrics"]).complaint();
    assert!(said.contains("that form holds runs only"), "{said}");
}

#[test]
fn the_dashboard_shows_metrics_that_are_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/grafana/linerate.json");
    let text = std::fs::read_to_string(path).expect("the dashboard");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let known = linerate_report::metric_names();
    let mut shown = BTreeSet::new();
    let panels = dashboard["panels"].as_array().expect("panels");
    for panel in panels.iter().filter(|panel| panel["type"] != "row") {
        for target in panel["targets"].as_array().expect("targets") {
            let found = metrics(target["expr"].as_str().expect("an expression"));
            assert!(!found.is_empty(), "{target} shows nothing");
            shown.extend(found);
        }
    }
    assert!(shown.is_subset(&known), "never written: {:?}", shown.difference(&known).collect::<Vec<_>>());
    assert!(metrics(&text).is_subset(&known), "a variable asks for what is never written");
    // What is written and not shown: ends of intervals, and the merit, whose unit is each application's own.
    let hidden = known.difference(&shown).filter(|it| !it.contains("_low") && !it.contains("_high"));
    assert_eq!(hidden.collect::<Vec<_>>(), ["linerate_run_application_merit"]);
}
