//! The state of paths as metrics, in the text format that Prometheus' node exporter collects from files.
//!
//! Source: Prometheus, Exposition formats, text-based format 0.0.4; Metric and label naming: base units,
//! so a rate is in bytes and a time in seconds.

use std::fmt::Write as _;

use linerate_analysis::changes::Standing;
use linerate_analysis::figures::{Figure, Key, Unit};

use super::shown::{Shown, ShownEvent};
use super::{Course, PathHistory, median};

/// The units of figures, of each how a metric's name ends, and how many of its unit are one of the figure's.
fn units() -> Vec<(Unit, &'static str, f64)> {
    let mut units: Vec<(Unit, &'static str, f64)> = Vec::new();
    for unit in Figure::all().map(Figure::unit) {
        let (name, factor) = match unit {
            // Of an application: neither is a time or a rate of a network.
            Unit::Seconds => ("application_seconds", 1.0),
            Unit::Merit => ("application_merit", 1.0),
            unit => unit.base(),
        };
        if units.iter().all(|(known, ..)| *known != unit) {
            units.push((unit, name, factor));
        }
    }
    units
}

/// The paths as metrics: how many runs and when the last began, the last value of each figure and that of
/// its baseline, and what changed. All are gauges without a time of their own, as the collector asks.
#[must_use]
pub fn prometheus(paths: &[PathHistory]) -> String {
    let mut text = String::new();
    let started = |run: &super::RunRow| run.started_us as f64 / 1e6;
    family(&mut text, ("runs", "Runs of the path."), paths, |path| vec![(vec![], path.runs.len() as f64)]);
    let about = ("last_run_timestamp_seconds", "When the last run of the path began.");
    family(&mut text, about, paths, |path| {
        path.runs.last().map(|run| (vec![], started(run))).into_iter().collect()
    });
    for (unit, name, factor) in units() {
        let of = |value: fn(&PathHistory, &Course) -> Option<f64>| {
            move |path: &PathHistory| {
                let courses = path.figures.iter().filter(|course| course.key.figure.unit() == unit);
                let sample = |course: &Course| Some((figure(&course.key), value(path, course)? * factor));
                courses.filter_map(sample).collect::<Vec<Sample>>()
            }
        };
        let names = ["last", "baseline"].map(|what| format!("figure_{what}_{name}"));
        family(&mut text, (&names[0], "The figure in the last run that has it."), paths, of(last));
        let about = (names[1].as_str(), "The figure in the baseline: the median of its runs.");
        family(&mut text, about, paths, of(baseline));
    }
    changes(&mut text, paths);
    text
}

/// Labels beside those of the path, and a value.
type Sample = (Vec<(&'static str, String)>, f64);

fn changes(text: &mut String, paths: &[PathHistory]) {
    let about = ("changes", "Changes found, those left out that people muted.");
    family(text, about, paths, |path| {
        let shown = Shown::of(path);
        let sample = |kind: Kind| (kind.labels(), kind.among(&shown).count() as f64);
        Kind::ALL.into_iter().map(sample).collect()
    });
    let about = ("last_change_timestamp_seconds", "When the first run after the last change began.");
    family(text, about, paths, |path| {
        let shown = Shown::of(path);
        let began = |kind: Kind| Some(path.runs.get(kind.among(&shown).next_back()?.event.at)?.started_us);
        let sample = |kind: Kind| Some((kind.labels(), began(kind)? as f64 / 1e6));
        Kind::ALL.into_iter().filter_map(sample).collect()
    });
}

/// What alarms tell changes apart by.
#[derive(Clone, Copy)]
struct Kind {
    standing: Standing,
    /// Whether any of its figures is worse.
    worse: bool,
}

impl Kind {
    const ALL: [Self; 4] = [
        Self { standing: Standing::Confirmed, worse: true },
        Self { standing: Standing::Confirmed, worse: false },
        Self { standing: Standing::Unconfirmed, worse: true },
        Self { standing: Standing::Unconfirmed, worse: false },
    ];

    fn labels(self) -> Vec<(&'static str, String)> {
        let standing = match self.standing {
            Standing::Confirmed => "confirmed",
            Standing::Unconfirmed => "unconfirmed",
        };
        vec![("standing", standing.to_owned()), ("worse", self.worse.to_string())]
    }

    fn among<'a>(self, shown: &'a Shown<'_>) -> impl DoubleEndedIterator<Item = &'a ShownEvent<'a>> {
        let worse = |it: &ShownEvent<'_>| it.members.iter().any(|it| it.member.worse == Some(true));
        shown.events.iter().filter(move |it| it.standing() == self.standing && worse(it) == self.worse)
    }
}

fn figure(key: &Key) -> Vec<(&'static str, String)> {
    vec![("figure", key.to_string())]
}

fn last(_: &PathHistory, course: &Course) -> Option<f64> {
    course.values.iter().rev().find_map(|value| *value)
}

fn baseline(path: &PathHistory, course: &Course) -> Option<f64> {
    let runs = path.runs.iter().zip(&course.values).filter(|(run, _)| run.baseline);
    median(runs.filter_map(|(_, value)| *value))
}

/// Writes a metric with what it has of each path; nothing without a sample.
fn family(
    text: &mut String,
    (name, about): (&str, &str),
    paths: &[PathHistory],
    samples: impl Fn(&PathHistory) -> Vec<Sample>,
) {
    let name = format!("linerate_history_{name}");
    let mut lines = String::new();
    for path in paths {
        for (labels, value) in samples(path).into_iter().filter(|(_, value)| value.is_finite()) {
            let all = [("path", path.id.clone()), ("name", path.name.clone())].into_iter().chain(labels);
            let all: Vec<String> =
                all.map(|(name, value)| format!("{name}=\"{}\"", escaped(&value))).collect();
            // Writing to a String cannot fail.
            let _ = writeln!(lines, "{name}{{{}}} {value}", all.join(","));
        }
    }
    if !lines.is_empty() {
        let _ = write!(text, "# HELP {name} {about}\n# TYPE {name} gauge\n{lines}");
    }
}

/// A label's value: a backslash, a quotation mark and an end of line are escaped, and what would command
/// a terminal is replaced.
pub(crate) fn escaped(value: &str) -> String {
    let escaped = value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
    super::super::text::plain(&escaped)
}
