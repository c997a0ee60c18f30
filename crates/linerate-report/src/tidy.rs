//! A report as one tidy table, which CSV and JSON both hold: a row for each thing that was observed, a
//! column for each fact of the catalogue with its unit in its name, and on every row the run that it is of.

mod runs;

use linerate_analysis::facts::{Better, Column, KINDS, Listed, Row};
use linerate_analysis::report::Report;
use linerate_core::plan::Level;
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
    /// What the columns of each kind of rows say.
    pub(crate) facts: Vec<Described>,
}

/// What the catalogue says of a column of a kind of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Described {
    kind: &'static str,
    key: String,
    unit: &'static str,
    better: Better,
    meaning: &'static str,
}

/// Rows of one kind.
struct Rows {
    kind: &'static str,
    columns: Vec<Column>,
    rows: Vec<Row>,
}

impl Rows {
    fn of(kind: &Listed, report: &Report) -> Self {
        Self { kind: kind.name, columns: (kind.columns)(), rows: (kind.rows)(report) }
    }

    fn described(&self) -> impl Iterator<Item = Described> {
        self.columns.iter().map(|column| Described {
            kind: self.kind,
            key: column.key.clone(),
            unit: column.about.unit.symbol(),
            better: column.about.better,
            meaning: column.meaning(),
        })
    }
}

impl Table {
    /// The rows of `report` at this level.
    ///
    /// # Errors
    ///
    /// [`RenderError::NoLevel`] if none of its runs can have such rows.
    pub(crate) fn of(report: &Report, level: Level) -> Result<Self, RenderError> {
        Self::of_kinds(&KINDS, report, level)
    }

    /// The same of these kinds.
    pub(crate) fn of_kinds(kinds: &[Listed], report: &Report, level: Level) -> Result<Self, RenderError> {
        let of_level = |level| kinds.iter().filter(move |kind| kind.levels.contains(&level));
        let at_level = of_level(level);
        // Of no runs at all there are the columns of the first.
        let first = report.runs.is_empty().then(|| at_level.clone().next()).flatten();
        let of_runs = at_level.filter(|kind| report.runs.iter().any(kind.of));
        let possible: Vec<Rows> =
            first.into_iter().chain(of_runs).map(|kind| Rows::of(kind, report)).collect();
        if possible.is_empty() {
            let has = |level: &Level| of_level(*level).any(|kind| report.runs.iter().any(kind.of));
            let possible = Level::ALL.iter().filter(|level| has(level)).map(Level::to_string).collect();
            return Err(RenderError::NoLevel { level, possible });
        }
        // A kind without rows has no columns either, unless it is alone.
        let some = possible.iter().any(|kind| !kind.rows.is_empty());
        let shown: Vec<Rows> = possible.into_iter().filter(|kind| !some || !kind.rows.is_empty()).collect();
        Ok(Self::join(&RunColumns::of(&report.runs), &shown))
    }

    fn join(runs: &RunColumns, kinds: &[Rows]) -> Self {
        let mut own: Vec<&str> = Vec::new();
        for column in kinds.iter().flat_map(|kind| &kind.columns) {
            if !own.contains(&column.key.as_str()) {
                own.push(&column.key);
            }
        }
        let mut rows = Vec::new();
        for Rows { kind, columns, rows: of_kind } in kinds {
            let places: Vec<_> =
                own.iter().map(|name| columns.iter().position(|column| column.key == *name)).collect();
            for (run, values) in of_kind {
                let value = |place: &Option<usize>| place.map_or(Value::Null, |place| values[place].clone());
                let mut row = runs.values[*run].clone();
                row.push(Value::from(*kind));
                row.extend(places.iter().map(value));
                rows.push(row);
            }
        }
        let own = std::iter::once("kind").chain(own).map(str::to_owned);
        let facts = kinds.iter().flat_map(Rows::described).collect();
        Self { columns: runs.names.iter().cloned().chain(own).collect(), rows, facts }
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

#[cfg(test)]
pub(crate) mod tests {
    use linerate_core::pattern::Pattern;
    use linerate_core::series::Series;
    use linerate_core::traffic::{Direction, FlowAccount, HalfAccount, Interval, Latency, Transfer};
    use linerate_core::units::Span;

    use super::*;
    use crate::fixture;
    use crate::text::keys;

    /// A flow that took 1000 B in each of two seconds, and requests without a response.
    fn loads() -> Report {
        let half = HalfAccount {
            bytes: 2_000,
            first: Some(Span::ZERO),
            last: Some(Span::from_ms(2_000)),
            intervals: [1_000, 2_000].map(|ms| Interval { until: Span::from_ms(ms), bytes: 1_000 }).into(),
            ..HalfAccount::default()
        };
        let flow = FlowAccount {
            flow: 0,
            peer: 0,
            direction: Direction::Send,
            sender: half.clone(),
            receiver: half,
        };
        let mut latency = Latency { transactions: 2, ..Latency::default() };
        [10, 20].into_iter().for_each(|us| latency.service.record(Span::from_us(us)));
        fixture::loads(vec![Transfer { flows: vec![flow], latencies: vec![latency], ..Transfer::default() }])
    }

    /// The kinds of rows, and how many there are of each.
    fn kinds(report: &Report, level: Level) -> Vec<(String, usize)> {
        let table = Table::of(report, level).expect("it has such rows");
        let place = table.columns.iter().position(|column| column == "kind").expect("every row has a kind");
        let mut kinds: Vec<(String, usize)> = Vec::new();
        for row in &table.rows {
            assert_eq!(row.len(), table.columns.len());
            let kind = row[place].as_str().expect("a word");
            match kinds.iter_mut().find(|(known, _)| known == kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((kind.to_owned(), 1)),
            }
        }
        kinds
    }

    fn is(report: &Report, level: Level, expected: &[(&str, usize)]) {
        let expected: Vec<_> = expected.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect();
        assert_eq!(kinds(report, level), expected);
    }

    #[test]
    fn a_level_has_the_rows_that_the_runs_can_have() {
        let curves = fixture::small();
        is(&curves, Level::Point, &[("size", 8)]);
        // Seven rounds of each of four timed sizes.
        is(&curves, Level::Round, &[("round", 2 * 4 * 7)]);
        let loads = loads();
        is(&loads, Level::Point, &[("flow", 1), ("direction", 1), ("percentile", 7)]);
        is(&loads, Level::Interval, &[("interval", 2)]);
        let both = Report::new([fixture::one().runs, loads.runs].concat());
        is(&both, Level::Interval, &[("interval", 2)]);
        assert_eq!(kinds(&both, Level::Point)[1..].len(), 3);
        assert!(Table::of(&both, Level::Round).is_ok());
        assert!(Table::of(&fixture::one(), Level::Interval).is_err());
    }

    #[test]
    fn a_column_that_two_kinds_have_is_there_once_and_null_where_a_kind_lacks_it() {
        let table = Table::of(&loads(), Level::Point).expect("it has such rows");
        let place = |name: &str| table.columns.iter().position(|column| column == name).expect("it is there");
        let unique: std::collections::BTreeSet<&String> = table.columns.iter().collect();
        assert_eq!(unique.len(), table.columns.len());
        let [flow, direction, percentile] = [0, 1, 2].map(|row| &table.rows[row]);
        assert_eq!(
            (&flow[place("bytes")], &direction[place("bytes")]),
            (&Value::from(2_000), &Value::from(2_000))
        );
        assert!(flow[place("flow")] == 1 && direction[place("flow")].is_null());
        assert!(percentile[place("bytes")].is_null());
        assert_eq!(percentile[place("timed")], "request to response");
    }

    #[test]
    fn no_rows_have_the_columns_that_they_would_have() {
        let mut report = fixture::one();
        report.curves[0].points.clear();
        let table = Table::of(&report, Level::Point).expect("it could have such rows");
        assert!(table.rows.is_empty() && table.columns.iter().any(|column| column == "median_us"));
    }

    /// The tables of docs/format.md, one for each kind of rows.
    pub(crate) fn tables(kinds: &[Listed]) -> String {
        let mut text = String::new();
        for kind in kinds {
            let levels: Vec<String> = kind.levels.iter().map(|level| format!("`{level}`")).collect();
            let levels = levels.join(", ");
            text += &format!("\n**`{}`** (level {levels})\n\n", kind.name);
            text += "| column | unit | better | meaning |\n|---|---|---|---|\n";
            for column in (kind.columns)() {
                let better = match column.about.better {
                    Better::Less => "less",
                    Better::More => "more",
                    Better::Neither => "",
                };
                let (unit, meaning) = (column.about.unit.symbol(), column.meaning());
                text += &format!("| `{}` | {unit} | {better} | {meaning} |\n", column.key);
            }
        }
        text
    }

    /// `LINERATE_REFRESH=1` writes the tables anew.
    #[test]
    fn the_documentation_has_every_fact_with_its_unit_and_meaning() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format.md");
        // A package has no documentation beside it.
        let Ok(page) = std::fs::read_to_string(&path) else { return };
        let [begin, end] = ["<!-- facts -->\n", "<!-- end of facts -->"];
        let (before, rest) = page.split_once(begin).expect("the page has a place for the facts");
        let (found, after) = rest.split_once(end).expect("the place ends");
        if std::env::var_os("LINERATE_REFRESH").is_some() {
            let page = format!("{before}{begin}{}\n{end}{after}", tables(&KINDS));
            std::fs::write(&path, page).expect("the page can be written");
            return;
        }
        assert_eq!(found.trim(), tables(&KINDS).trim(), "run this test with LINERATE_REFRESH=1");
    }

    #[test]
    fn without_a_peak_no_fact_has_a_value_that_is_measured_by_it() {
        let mut named = fixture::GIGABIT.run();
        named.run.sustained = Some(Series::new(Pattern::OneWay, &[]));
        let report = Report::new(vec![named]);
        let all = KINDS.iter().flat_map(|kind| (kind.columns)());
        let by_peak: Vec<String> =
            all.filter(|column| column.about.meaning.contains("peak")).map(|column| column.key).collect();
        let mut seen = 0;
        for table in Level::ALL.into_iter().filter_map(|level| Table::of(&report, level).ok()) {
            for (place, column) in table.columns.iter().enumerate().filter(|(_, it)| by_peak.contains(it)) {
                assert!(table.rows.iter().all(|row| row[place].is_null()), "{column}");
                seen += 1;
            }
        }
        assert!(seen >= 3, "{by_peak:?}");
        for (label, value) in report.curves.iter().flat_map(keys).map(|key| (key.label, key.value)) {
            assert!(
                label != "burst" && label != "N1/2" && !value.contains("half the peak"),
                "{label}: {value}"
            );
        }
    }

    #[test]
    fn every_fact_is_one_row_of_its_kind_and_says_what_it_is() {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        assert!(names.iter().enumerate().all(|(nth, name)| !names[..nth].contains(name)), "{names:?}");
        for kind in KINDS {
            let columns = (kind.columns)();
            for column in &columns {
                let key = &column.key;
                assert_eq!(columns.iter().filter(|other| other.key == *key).count(), 1, "{key}");
                assert!(column.meaning().len() > 4 && !column.meaning().ends_with('.'), "{key}");
                for (ending, unit) in [("_us", "us"), ("_mbps", "Mb/s"), ("_bytes", "B"), ("_share", "share")]
                {
                    assert!(!key.ends_with(ending) || column.about.unit.symbol() == unit, "{key}");
                }
            }
        }
    }
}
