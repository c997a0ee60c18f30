//! The metrics against a strict reading of their format, and against Prometheus' own tool where it is.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, Stdio};

use linerate_analysis::changes::Standing;

use super::super::fixture::{BEGAN, history, hostile, step, unconfirmed};
use super::super::{PathHistory, median, prometheus};

/// The labels of a sample, in order.
type Labels = Vec<(String, String)>;

/// The samples of a text in the format 0.0.4, by metric and labels. Panics at anything that is not in it.
fn read(text: &str) -> BTreeMap<(String, Labels), f64> {
    assert!(text.ends_with('\n'), "the last line ends");
    let (mut samples, mut families) = (BTreeMap::new(), BTreeSet::new());
    let mut lines = text.lines().peekable();
    while let Some(help) = lines.next() {
        let (name, about) = help.strip_prefix("# HELP ").and_then(|it| it.split_once(' ')).expect(help);
        assert!(about.ends_with('.') && families.insert(name.to_owned()), "{help}: each family comes once");
        assert_eq!(lines.next(), Some(format!("# TYPE {name} gauge").as_str()));
        let before = samples.len();
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            let (labels, value) = sample(line, name);
            let value: f64 = value.parse().expect(line);
            assert_eq!(samples.insert((name.to_owned(), labels), value), None, "{line}: twice");
        }
        assert!(samples.len() > before, "{name} has no sample");
    }
    samples
}

/// The labels and the value of a line.
fn sample<'a>(line: &'a str, name: &str) -> (Labels, &'a str) {
    let mut rest = line.strip_prefix(name).and_then(|it| it.strip_prefix('{')).expect(line);
    let mut labels = Vec::new();
    loop {
        let (label, after) = rest.split_once("=\"").expect(line);
        let legal = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(!label.is_empty() && label.chars().all(legal), "{line}");
        let (mut value, mut chars) = (String::new(), after.char_indices());
        let end = loop {
            match chars.next().expect(line) {
                (_, '\\') => value.push(match chars.next().expect(line).1 {
                    'n' => '\n',
                    c @ ('\\' | '"') => c,
                    c => panic!("{line}: \\{c}"),
                }),
                (at, '"') => break at,
                (_, c) => value.push(c),
            }
        };
        labels.push((label.to_owned(), value));
        rest = &after[end + 1..];
        match rest.strip_prefix(',') {
            Some(next) => rest = next,
            None => return (labels, rest.strip_prefix("} ").expect(line)),
        }
    }
}

fn paths() -> Vec<PathHistory> {
    let (mut one, other) = (history(60, 12), hostile("a \"b\" \\ c\nd {e=\"f\"} 1"));
    one.figures[0].values[59] = Some(f64::NAN);
    let mut empty = history(0, 12);
    empty.id = "1:0000000000000000".to_owned();
    vec![one, other, empty]
}

#[test]
fn metrics_are_in_base_units_with_their_labels() {
    let mut path = history(60, 12);
    path.name = "a \"b\" \\ c\nd".to_owned();
    let samples = read(&prometheus(std::slice::from_ref(&path)));
    let value = |metric: &str, label: &[(&str, &str)]| {
        let mut labels = vec![("path".to_owned(), path.id.clone()), ("name".to_owned(), path.name.clone())];
        labels.extend(label.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        samples.get(&(format!("linerate_history_{metric}"), labels)).copied()
    };
    let latency = &[("figure", "ping-pong/latency")];
    assert_eq!(value("runs", &[]), Some(60.0));
    assert_eq!(value("last_run_timestamp_seconds", &[]), Some(BEGAN as f64 / 1e6 + 59.0 * 86_400.0));
    assert_eq!(value("figure_last_seconds", latency), path.figures[0].values[59].map(|us| us * 1e-6));
    let base = path.figures[0].values[..10].iter().flatten().copied();
    assert_eq!(value("figure_baseline_seconds", latency), median(base).map(|us| us * 1e-6));
    let rate = value("figure_last_bytes_per_second", &[("figure", "stream/rate-send")]);
    assert_eq!(rate, path.figures[7].values[59].map(|mbps| mbps * 125_000.0));
    let labels = |standing, worse| [("standing", standing), ("worse", worse)];
    let found = |standing, worse| value("changes", &labels(standing, worse)).expect("it is counted");
    let events = path.changes.events.iter();
    let sure = events.filter(|event| event.standing == Standing::Confirmed).count();
    assert_eq!(found("confirmed", "true"), sure as f64, "none is better");
    assert_eq!(found("unconfirmed", "true"), (path.changes.events.len() - sure) as f64);
    assert_eq!([found("confirmed", "false"), found("unconfirmed", "false")], [0.0; 2]);
    let last = value("last_change_timestamp_seconds", &labels("confirmed", "true"));
    assert_eq!(last, Some(BEGAN as f64 / 1e6 + step(60) as f64 * 86_400.0));
    let open = unconfirmed();
    let samples = read(&prometheus(std::slice::from_ref(&open)));
    let wanted = |(name, labels): &(String, Labels)| {
        name.ends_with("_changes") && labels[2].1 == "unconfirmed" && labels[3].1 == "true"
    };
    assert_eq!(samples.iter().find(|(key, _)| wanted(key)).map(|(_, value)| *value), Some(1.0));
}

#[test]
fn every_metric_keeps_to_the_format() {
    let samples = read(&prometheus(&paths()));
    assert!(samples.len() > 30 && samples.values().all(|value| value.is_finite()));
    assert_eq!(prometheus(&[]), "");
}

/// Prometheus' own check, which also knows its rules of naming.
#[test]
fn promtool_has_nothing_to_say() {
    let tool = std::env::var_os("LINERATE_PROMTOOL").unwrap_or_else(|| "promtool".into());
    let mut check = Command::new(tool);
    check.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut check) = check.stderr(Stdio::piped()).spawn() else {
        eprintln!("skipped: there is no promtool here (Debian: prometheus)");
        return;
    };
    let mut input = check.stdin.take().expect("it is piped");
    input.write_all(prometheus(&paths()).as_bytes()).expect("it reads");
    drop(input);
    let said = check.wait_with_output().expect("it ends");
    let words = String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned();
    assert!(said.status.success() && words.trim().is_empty(), "{words}");
}
