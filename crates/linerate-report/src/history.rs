//! The history of paths, as sections, JSON, CSV and metrics.
//!
//! The caller reads the history and lays out what is to be shown as plain data; nothing here knows how it
//! is kept.

mod dates;
mod grid;
mod heat;
mod json;
mod level;
mod list;
mod metrics;
mod over_time;
mod page;
mod show;
mod shown;
mod sides;
mod spark;
mod tidy;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use linerate_analysis::changes::PathChanges;
use linerate_analysis::figures::Key;
use linerate_analysis::identity::Field;
use linerate_core::pattern::Pattern;
use linerate_core::stats;

use super::plot::{Axis, Scale};

pub use json::changes_json;
pub use list::list;
pub(crate) use metrics::escaped;
pub use metrics::prometheus;
pub use page::{changes, document};
pub use tidy::{csv, json_lines};

/// A path in the list of paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// What the path is called.
    pub name: String,
    /// What it is known by for ever, such as `1:5f1c93aa01b2c3d4`.
    pub id: String,
    /// How many runs it has.
    pub runs: u64,
    /// When the first and the last of them began. Unit: microseconds since 1970-01-01 UTC.
    pub began_us: [i64; 2],
    /// How many runs are its baseline.
    pub baseline: u64,
    /// The figure whose last values are shown, and these values, the oldest first; not a number where a
    /// run has none.
    pub recent: Option<(Key, Vec<f64>)>,
    /// What its changes say, if they were searched.
    pub changes: Option<PathChanges>,
}

/// A path with its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct PathHistory {
    /// What the path is called.
    pub name: String,
    /// What it is known by for ever.
    pub id: String,
    /// What its runs have in common: name and value.
    pub fields: Vec<(String, String)>,
    /// Its runs, in order of time.
    pub runs: Vec<RunRow>,
    /// Its figures.
    pub figures: Vec<Course>,
    /// What was found in them: indices are those of `runs` and `figures`.
    pub changes: PathChanges,
    /// What people said of changes, by the text of their ids: `confirmed` or `muted`.
    pub said: BTreeMap<String, String>,
    /// The curves of those runs that still have one.
    pub curves: BTreeMap<Pattern, Vec<RunCurve>>,
}

/// The curve of a run: the run's index, and one-way times in us by size.
pub type RunCurve = (usize, BTreeMap<u64, f64>);

/// A run of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunRow {
    /// Its id.
    pub id: String,
    /// When it began. Unit: microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// Where its file lies.
    pub file: String,
    /// The user's tags.
    pub tags: BTreeMap<String, String>,
    /// What may vary: kernel, driver, settings.
    pub facts: Vec<Field>,
    /// Whether it belongs to the baseline.
    pub baseline: bool,
}

/// A figure over the runs of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Which figure.
    pub key: Key,
    /// Its value in each run, if the run has it.
    pub values: Vec<Option<f64>>,
    /// Its 95 % interval within each run, if there is one.
    pub intervals: Vec<Option<[f64; 2]>>,
}

/// The median of what is finite. Absent without any.
fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    stats::median(values.into_iter().filter(|value| value.is_finite()))
}

/// What has every figure of every run.
const EXPORT: &str = "`linerate history export`";

/// At most this many runs are dated on an axis.
const DATES: usize = 6;

/// The runs of a path side by side in order of time, some of them with their dates.
fn run_axis(path: &PathHistory) -> Axis {
    let runs = path.runs.len();
    let dated = runs.min(DATES);
    let ticks: Vec<usize> = (0..dated).map(|nth| (2 * nth + 1) * runs / (2 * dated)).collect();
    let began = |run: usize| path.runs.get(run).map_or(0, |run| run.started_us);
    let one_a_day = ticks.windows(2).all(|pair| dates::day(began(pair[0])) != dates::day(began(pair[1])));
    let label = |run: f64| match one_a_day {
        true => dates::day(began(run as usize)),
        false => dates::minute(began(run as usize))[5..].to_owned(),
    };
    let ticks: Vec<f64> = ticks.into_iter().map(|run| run as f64).collect();
    let ends = [-0.5, runs.max(1) as f64 - 0.5];
    Axis::new("Runs in order of time (UTC)".to_owned(), Scale::Linear, ends, &ticks, label)
}
