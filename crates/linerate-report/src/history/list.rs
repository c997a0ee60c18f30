//! The list of paths.

use super::super::columns::Column;
use super::super::section::{self, Document, Part, Section, TableView};
use super::super::text::{count, plain};
use super::spark::sparkline;
use super::{EXPORT, Listed, dates, words};

/// At most this many values are drawn.
const RECENT: usize = 10;

/// A row for each path: id, name, what its end says and since when, the last values of its figure, runs, dates in UTC,
/// baseline.
pub fn list(paths: &[Listed]) -> Document {
    let table = section::tables([TableView::new("", columns(paths))]);
    let sections = vec![Section::new(Part::Tables, "paths", "", table.collect())];
    Document { full: EXPORT, ..Document::new(count(paths.len() as u64, "path"), sections) }
}

fn columns(paths: &[Listed]) -> Vec<Column> {
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let cells = |of: &dyn Fn(&Listed) -> Option<String>| -> Vec<String> {
        paths.iter().map(|path| known(of(path))).collect()
    };
    let changes = |of: fn(&linerate_analysis::changes::PathChanges) -> Option<String>| {
        cells(&|path| path.changes.as_ref().and_then(of))
    };
    let recent = |path: &Listed| path.recent.as_ref().map(|(_, recent)| sparkline(recent, RECENT));
    let figure = |path: &Listed| path.recent.as_ref().map(|(key, _)| words::name(key));
    vec![
        Column::of_words("path", 0, cells(&|path| Some(words::short_path(&path.id)))),
        Column::of_words("name", 0, cells(&|path| Some(plain(&path.name)))),
        Column::of_words("verdict", 1, changes(|changes| Some(words::verdict(changes)))),
        Column::of_words("since", 4, changes(words::since)),
        Column::of_words("recent", 2, cells(&recent)),
        Column::new("latest", 3, cells(&latest)),
        Column::of_words("figure", 6, cells(&figure)),
        Column::new("runs", 5, cells(&|path| Some(path.runs.to_string()))),
        Column::of_words("first", 7, cells(&|path| Some(dates::day(path.began_us[0])))),
        Column::of_words("last", 5, cells(&|path| Some(dates::day(path.began_us[1])))),
        Column::new("baseline", 8, cells(&|path| Some(path.baseline.to_string()))),
    ]
}

/// The last value that there is.
fn latest(path: &Listed) -> Option<String> {
    let (key, values) = path.recent.as_ref()?;
    let last = values.iter().rev().find(|value| value.is_finite())?;
    Some(words::quantity(key, *last))
}
