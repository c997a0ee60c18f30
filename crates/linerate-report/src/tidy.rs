//! A report as one tidy table, which CSV and JSON both hold: a row for each thing that was observed, a
//! column for each quantity with its unit in its name, and on every row the run that it is of.

mod curves;
mod loads;
mod runs;

use linerate_core::plan::Level;
use linerate_core::report::Report;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::error::RenderError;
pub(crate) use runs::RunColumns;

/// The rows of a report. What is unknown, and what a row does not have, is null.
pub(crate) struct Table {
    /// The columns' names, each once.
    pub(crate) columns: Vec<String>,
    /// A value for each column.
    pub(crate) rows: Vec<Vec<Value>>,
}

/// Rows of one kind.
struct Rows {
    /// What a row is.
    kind: &'static str,
    columns: &'static [&'static str],
    /// The index of each row's run, and a value for each column.
    rows: Vec<(usize, Vec<Value>)>,
}

impl Rows {
    fn new<const N: usize>(
        kind: &'static str,
        columns: &'static [&'static str; N],
        rows: impl Iterator<Item = (usize, [Value; N])>,
    ) -> Self {
        Self { kind, columns, rows: rows.map(|(run, values)| (run, values.into())).collect() }
    }
}

impl Table {
    /// The rows of `report` at this level.
    ///
    /// # Errors
    ///
    /// [`RenderError::NoLevel`] if none of its runs can have such rows.
    pub(crate) fn of(report: &Report, level: Level) -> Result<Self, RenderError> {
        let loads = report.runs.iter().filter(|run| run.has_loads()).count();
        let curves = loads < report.runs.len() || loads == 0;
        let kinds = match level {
            Level::Point => vec![
                (curves, curves::sizes(report)),
                (loads > 0, loads::flows(report)),
                (loads > 0, loads::directions(report)),
                (loads > 0, loads::percentiles(report)),
            ],
            Level::Round => vec![(curves, curves::rounds(report))],
            Level::Interval => vec![(loads > 0, loads::intervals(report))],
        };
        if kinds.iter().all(|(possible, _)| !possible) {
            return Err(RenderError::NoLevel { level });
        }
        let possible: Vec<Rows> = kinds.into_iter().filter_map(|(can, rows)| can.then_some(rows)).collect();
        // A kind without rows has no columns either, unless it is alone.
        let some = possible.iter().any(|kind| !kind.rows.is_empty());
        let shown: Vec<Rows> = possible.into_iter().filter(|kind| !some || !kind.rows.is_empty()).collect();
        Ok(Self::join(&RunColumns::of(&report.runs), &shown))
    }

    fn join(runs: &RunColumns, kinds: &[Rows]) -> Self {
        let mut own: Vec<&str> = Vec::new();
        for column in kinds.iter().flat_map(|kind| kind.columns) {
            if !own.contains(column) {
                own.push(column);
            }
        }
        let mut rows = Vec::new();
        for Rows { kind, columns, rows: of_kind } in kinds {
            let places: Vec<_> =
                own.iter().map(|name| columns.iter().position(|column| column == name)).collect();
            for (run, values) in of_kind {
                let value = |place: &Option<usize>| place.map_or(Value::Null, |place| values[place].clone());
                let mut row = runs.values[*run].clone();
                row.push(Value::from(*kind));
                row.extend(places.iter().map(value));
                rows.push(row);
            }
        }
        let own = std::iter::once("kind").chain(own).map(str::to_owned);
        Self { columns: runs.names.iter().cloned().chain(own).collect(), rows }
    }

    /// Each row as an object with every column, in their order.
    pub(crate) fn objects(&self) -> Vec<Object<'_>> {
        self.rows.iter().map(|values| Object { names: &self.columns, values }).collect()
    }
}

/// Values with their names.
pub(crate) struct Object<'a> {
    names: &'a [String],
    values: &'a [Value],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.names.iter().zip(self.values))
    }
}
