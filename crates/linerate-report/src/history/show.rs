//! One path with its runs.

use std::collections::BTreeSet;

use linerate_analysis::figures::Key;
use linerate_core::plan::Rows;

use super::super::columns::{Column, fit};
use super::super::text::{count, item, plain, shortened};
use super::level::Level;
use super::shown::{Shown, outliers};
use super::{Course, PathHistory, RunRow, dates, words};

/// In the short form this many of the last runs are shown.
const LAST: usize = 20;
/// The longest note of a row. Unit: characters.
const LONGEST_NOTE: usize = 60;
/// The longest list of tags. Unit: characters.
const LONGEST_TAGS: usize = 40;

/// The path with its fields, its runs with the figures `keys` (without these the main ones), and the
/// last stable level of each figure. In the short form the last runs and those at which something
/// changed.
#[must_use]
pub fn show(path: &PathHistory, keys: Option<&[Key]>, width: u16, rows: Rows) -> String {
    let width = usize::from(width);
    let blocks = [head(path, width), runs(path, keys, width, rows), levels(path, width)];
    let blocks: Vec<String> = blocks.into_iter().filter(|block| !block.is_empty()).collect();
    blocks.join("\n\n") + "\n"
}

fn head(path: &PathHistory, width: usize) -> String {
    let mut lines = vec![
        item("path", &format!("{} ({})", plain(&path.name), plain(&path.id)), width),
        item("runs", &extent(path), width),
        item("verdict", &words::verdict(&path.changes, words::Detail::Named), width),
    ];
    let shown = Shown::of(path);
    if shown.muted > 0 {
        lines.push(item("muted", &format!("{}, not shown", count(shown.muted as u64, "change")), width));
    }
    let fields = path.fields.iter().map(|(name, value)| format!("{} {}", plain(name), plain(value)));
    let fields = fields.collect::<Vec<String>>().join("; ");
    if !fields.is_empty() {
        lines.push(item("fields", &fields, width));
    }
    lines.join("\n")
}

/// `365 runs from 2026-01-01 to 2026-12-31, 10 of them the baseline`.
pub(super) fn extent(path: &PathHistory) -> String {
    let [Some(first), Some(last)] = [path.runs.first(), path.runs.last()] else {
        return "no run".to_owned();
    };
    let baseline = path.runs.iter().filter(|run| run.baseline).count();
    let baseline = if baseline > 0 { format!(", {baseline} of them the baseline") } else { String::new() };
    let [first, last] = [first, last].map(|run| dates::day(run.started_us));
    let when = if first == last { format!("on {first}") } else { format!("from {first} to {last}") };
    format!("{} {when}{baseline}", count(path.runs.len() as u64, "run"))
}

fn runs(path: &PathHistory, keys: Option<&[Key]>, width: usize, rows: Rows) -> String {
    let notes = notes(path);
    let first = if rows == Rows::All { 0 } else { path.runs.len().saturating_sub(LAST) };
    let chosen: Vec<usize> =
        (0..path.runs.len()).filter(|run| *run >= first || !notes[*run].is_empty()).collect();
    if chosen.is_empty() {
        return String::new();
    }
    let cells = |of: &dyn Fn(&RunRow) -> String| {
        chosen.iter().map(|run| of(&path.runs[*run])).collect::<Vec<String>>()
    };
    let mut columns = vec![
        Column::of_words("began (UTC)", 0, cells(&|run| dates::minute(run.started_us))),
        Column::of_words("run", 0, cells(&|run| words::short_run(&run.id))),
        Column::of_words("base", 4, cells(&|run| if run.baseline { "yes" } else { "-" }.to_owned())),
        Column::of_words("tags", 5, cells(&|run| shortened(&words::tags(&run.tags), LONGEST_TAGS))),
    ];
    for course in key_figures(path, keys) {
        let cell = |run: &usize| {
            let value = course.values.get(*run).copied().flatten();
            value.map_or_else(|| "-".to_owned(), |value| words::quantity(&course.key, value))
        };
        columns.push(Column::new(words::name(&course.key), 3, chosen.iter().map(cell).collect()));
    }
    let notes = chosen.iter().map(|run| shortened(&notes[*run], LONGEST_NOTE.min(width / 3))).collect();
    columns.push(Column::of_words("what is seen", 1, notes));
    let (text, left_out) = fit(columns, width);
    let mut lines = vec![text];
    if chosen.len() < path.runs.len() {
        let left = path.runs.len() - chosen.len();
        lines
            .push(format!("  {} without a change not shown (--rows all)", count(left as u64, "earlier run")));
    }
    let unknown = keys.unwrap_or_default().iter().filter(|key| path.figures.iter().all(|it| it.key != **key));
    let unknown: Vec<String> = unknown.map(words::name).collect();
    if !unknown.is_empty() {
        lines.push(item("not there", &unknown.join(", "), width));
    }
    if !left_out.is_empty() {
        lines.push(item("no room for", &left_out.join(", "), width));
    }
    lines.join("\n")
}

/// The figures of the table of runs.
fn key_figures<'a>(path: &'a PathHistory, keys: Option<&[Key]>) -> Vec<&'a Course> {
    let wanted = |course: &&Course| match keys {
        Some(keys) => keys.contains(&course.key),
        None => course.key.figure.is_headline(),
    };
    path.figures.iter().filter(wanted).collect()
}

/// For each run what begins at it, and what is off in it.
fn notes(path: &PathHistory) -> Vec<String> {
    let mut notes = vec![Vec::new(); path.runs.len()];
    for shown in &Shown::of(path).events {
        let lead = shown.lead();
        let others = shown.members.len() - 1;
        let others = if others > 0 { format!(" and {others} more") } else { String::new() };
        if let Some(notes) = notes.get_mut(shown.event.at) {
            notes.push(format!("{} {}{others}", words::name(lead.key()), words::change(lead)));
        }
    }
    let mut off = vec![BTreeSet::new(); path.runs.len()];
    for (key, outlier) in outliers(path) {
        for run in off.iter_mut().take(outlier.last + 1).skip(outlier.first) {
            run.insert(words::name(key));
        }
    }
    for (notes, off) in notes.iter_mut().zip(off).filter(|(_, off)| !off.is_empty()) {
        notes.push(format!("outlier: {}", off.into_iter().collect::<Vec<String>>().join(", ")));
    }
    notes.into_iter().map(|notes| notes.join("; ")).collect()
}

/// A row for each figure: its last value, its last stable level and how much runs differ there.
fn levels(path: &PathHistory, width: usize) -> String {
    let table = levels_of(path);
    if table.iter().all(|column| column.cells.is_empty()) {
        return String::new();
    }
    fit(table, width).0
}

/// The columns of that table.
pub(super) fn levels_of(path: &PathHistory) -> Vec<Column> {
    let cells = |of: &dyn Fn(&Course, Option<&Level>) -> Option<String>| {
        let figures = path.figures.iter().zip(&path.changes.figures);
        let cell = |(course, history)| {
            of(course, Level::of(course, history).as_ref()).unwrap_or_else(|| "-".to_owned())
        };
        figures.map(cell).collect::<Vec<String>>()
    };
    let last = |course: &Course| {
        course.values.iter().rev().find_map(|value| *value).map(|value| words::quantity(&course.key, value))
    };
    let since = |level: &Level| path.runs.get(level.since).map(|run| dates::day(run.started_us));
    vec![
        Column::of_words("figure", 0, cells(&|course, _| Some(words::name(&course.key)))),
        Column::new("last", 1, cells(&|course, _| last(course))),
        Column::new("stable level", 0, cells(&|_, level| Some(level?.text.clone()))),
        Column::new("since", 2, cells(&|_, level| since(level?))),
        Column::new("runs", 4, cells(&|_, level| Some(level?.runs.to_string()))),
        Column::new("run to run", 3, cells(&|_, level| level?.spread.clone())),
    ]
}
