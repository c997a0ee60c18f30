//! The list of paths.

use super::super::columns::{Column, fit};
use super::super::text::{plain, shortened};
use super::spark::sparkline;
use super::{Listed, dates, words};

/// At most this many values are drawn.
const RECENT: usize = 20;
/// In a narrow terminal at most this many.
const FEW: usize = 10;
/// A terminal as wide as this has room for dates.
const WIDE: usize = 100;
/// Paths differ in their names by at least so many characters, so no name gets shorter.
const SHORTEST_NAME: usize = 24;
/// So many columns are left out before a name is shortened.
const DISPENSABLE: usize = 3;

/// A row for each path: id, runs, dates in UTC, baseline, the last values of its figure, what its end
/// says, and its name. Columns are left out until it fits `width`.
#[must_use]
pub fn list(paths: &[Listed], width: u16) -> String {
    if paths.is_empty() {
        return "no path has a run that meets the filter\n".to_owned();
    }
    let width = usize::from(width);
    let longest = paths.iter().map(|path| plain(&path.name).chars().count()).max().unwrap_or(0);
    let rooms =
        [longest, width / 3, SHORTEST_NAME].map(|room| room.clamp(SHORTEST_NAME, longest.max(SHORTEST_NAME)));
    let details: &[bool] = if width >= WIDE { &[true, false] } else { &[false] };
    let (text, left_out) = details
        .iter()
        .flat_map(|wide| rooms.iter().map(|room| fit(columns(paths, *room, *wide), width)))
        .find(|(_, left_out)| left_out.len() <= DISPENSABLE)
        .unwrap_or_else(|| fit(columns(paths, SHORTEST_NAME, false), width));
    let more = match left_out.is_empty() {
        true => String::new(),
        false => format!("  no room for: {}\n", left_out.join(", ")),
    };
    format!("{text}\n{more}")
}

fn columns(paths: &[Listed], room: usize, wide: bool) -> Vec<Column> {
    let (detail, values) = if wide { (words::Detail::Dated, RECENT) } else { (words::Detail::Short, FEW) };
    let cells = |of: &dyn Fn(&Listed) -> String| paths.iter().map(of).collect::<Vec<String>>();
    let recent = |path: &Listed| {
        path.recent.as_ref().map_or_else(|| "-".to_owned(), |(_, recent)| sparkline(recent, values))
    };
    let verdict = |path: &Listed| {
        path.changes.as_ref().map_or_else(|| "-".to_owned(), |changes| words::verdict(changes, detail))
    };
    vec![
        Column::of_words("path", 0, cells(&|path| words::short_path(&path.id))),
        Column::new("runs", 5, cells(&|path| path.runs.to_string())),
        Column::new("first", 7, cells(&|path| dates::day(path.began_us[0]))),
        Column::new("last", 4, cells(&|path| dates::day(path.began_us[1]))),
        Column::new("baseline", 8, cells(&|path| path.baseline.to_string())),
        Column::of_words("recent", 2, cells(&recent)),
        Column::new("latest", 3, cells(&latest)),
        Column::of_words("figure", 6, cells(&figure)),
        Column::of_words("verdict", 1, cells(&verdict)),
        Column::of_words("name", 0, cells(&|path| shortened(&plain(&path.name), room))),
    ]
}

/// The last value that there is.
fn latest(path: &Listed) -> String {
    let value = path.recent.as_ref().and_then(|(key, values)| {
        let last = values.iter().rev().find(|value| value.is_finite())?;
        Some(words::quantity(key, *last))
    });
    value.unwrap_or_else(|| "-".to_owned())
}

fn figure(path: &Listed) -> String {
    path.recent.as_ref().map_or_else(|| "-".to_owned(), |(key, _)| words::name(key))
}
