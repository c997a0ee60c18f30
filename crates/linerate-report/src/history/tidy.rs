//! The runs of paths as rows for other programs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Course, PathHistory, dates};
use crate::error::RenderError;
use crate::rows::Rows;

const HEADER: [&str; 11] =
    ["path", "name", "run", "started", "figure", "value", "low", "high", "unit", "baseline", "tags"];

/// The figures of every run as CSV (RFC 4180), a row for each: `low` and `high` are the ends of the 95 %
/// interval within the run, `tags` is a JSON object. What is unknown is an empty cell, and a figure that
/// a run does not have is no row.
///
/// # Errors
///
/// [`RenderError::Csv`] when the writer refuses, [`RenderError::Json`] when tags have no JSON form.
pub fn csv(paths: &[PathHistory]) -> Result<String, RenderError> {
    let mut rows = Rows::of(HEADER)?;
    for path in paths {
        for (index, run) in path.runs.iter().enumerate() {
            let (started, tags) = (dates::instant(run.started_us), serde_json::to_string(&run.tags)?);
            for course in &path.figures {
                let Some(point) = PointView::of(course, index) else { continue };
                let number = |value: Option<f64>| value.map(|it| it.to_string()).unwrap_or_default();
                rows.add([
                    path.id.as_str(),
                    &path.name,
                    &run.id,
                    &started,
                    &course.key.to_string(),
                    &point.value.to_string(),
                    &number(point.low),
                    &number(point.high),
                    point.unit,
                    if run.baseline { "true" } else { "false" },
                    &tags,
                ])?;
            }
        }
    }
    rows.finish()
}

#[derive(Serialize)]
struct RunView<'a> {
    path: &'a str,
    name: &'a str,
    run: &'a str,
    started: String,
    started_us: i64,
    file: &'a str,
    baseline: bool,
    tags: &'a BTreeMap<String, String>,
    facts: BTreeMap<&'a str, &'a str>,
    figures: BTreeMap<String, PointView>,
}

#[derive(Serialize)]
struct PointView {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
    unit: &'static str,
}

impl PointView {
    /// The value of a figure in a run, if it has one that is a number.
    fn of(course: &Course, run: usize) -> Option<Self> {
        let value = course.values.get(run).copied().flatten().filter(|value| value.is_finite())?;
        let interval = course.intervals.get(run).copied().flatten();
        let interval = interval.filter(|ends| ends.iter().all(|end| end.is_finite()));
        let unit = course.key.figure.unit().symbol();
        Some(Self { value, low: interval.map(|ends| ends[0]), high: interval.map(|ends| ends[1]), unit })
    }
}

/// Every run as a line with a JSON object: what it was made with, and its figures by name.
///
/// # Errors
///
/// [`RenderError::Json`] when a field has no JSON form.
pub fn json_lines(paths: &[PathHistory]) -> Result<String, RenderError> {
    let mut text = String::new();
    for path in paths {
        for (index, run) in path.runs.iter().enumerate() {
            let figures = path.figures.iter();
            let view = RunView {
                path: &path.id,
                name: &path.name,
                run: &run.id,
                started: dates::instant(run.started_us),
                started_us: run.started_us,
                file: &run.file,
                baseline: run.baseline,
                tags: &run.tags,
                facts: run.facts.iter().map(|fact| (fact.name.as_str(), fact.value.as_str())).collect(),
                figures: figures
                    .filter_map(|course| Some((course.key.to_string(), PointView::of(course, index)?)))
                    .collect(),
            };
            text.push_str(&serde_json::to_string(&view)?);
            text.push('\n');
        }
    }
    Ok(text)
}
