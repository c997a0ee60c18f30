//! A report as one tidy table, which CSV and JSON both hold: a row for each thing that was observed, a
//! column for each quantity with its unit in its name, and on every row the run that it is of.

mod apps;
mod curves;
mod fact;
mod loads;
mod meshes;
mod runs;
mod traces;

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::plan::Level;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::error::RenderError;
use crate::text::is_of_curves;
pub(crate) use fact::Described;
use fact::{Fact, described};
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

/// Rows of one kind.
struct Rows {
    /// What a row is.
    kind: &'static str,
    facts: Vec<Described>,
    /// The index of each row's run, and a value for each column.
    rows: Vec<(usize, Vec<Value>)>,
}

impl Rows {
    /// A row for each thing, with what `facts` say of it.
    fn of<R>(kind: &'static str, facts: &[Fact<R>], rows: impl Iterator<Item = (usize, R)>) -> Self {
        let values = |(run, row): (usize, R)| (run, facts.iter().map(|fact| (fact.value)(&row)).collect());
        Self { kind, facts: described(kind, facts), rows: rows.map(values).collect() }
    }
}

impl Table {
    /// The rows of `report` at this level.
    ///
    /// # Errors
    ///
    /// [`RenderError::NoLevel`] if none of its runs can have such rows.
    pub(crate) fn of(report: &Report, level: Level) -> Result<Self, RenderError> {
        let loads = report.runs.iter().any(NamedRun::has_loads);
        let meshes = report.runs.iter().any(NamedRun::has_mesh);
        let apps = report.runs.iter().any(NamedRun::has_app);
        let traces = report.runs.iter().any(NamedRun::has_trace);
        let curves = report.runs.is_empty() || report.runs.iter().any(is_of_curves);
        let kinds = match level {
            Level::Point => vec![
                (curves, curves::sizes(report)),
                (loads, loads::flows(report)),
                (loads, loads::directions(report)),
                (loads, loads::percentiles(report)),
                (meshes, meshes::pairs(report)),
                (meshes, meshes::together(report)),
                (meshes, meshes::collectives(report)),
                (apps, apps::cases(report)),
                (traces, traces::stages(report)),
            ],
            Level::Round => vec![(curves, curves::rounds(report)), (traces, traces::messages(report))],
            Level::Interval => vec![(loads, loads::intervals(report))],
            Level::Pair => vec![(meshes, meshes::pairs(report)), (apps, apps::traffic(report))],
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
        for fact in kinds.iter().flat_map(|kind| &kind.facts) {
            if !own.contains(&fact.key) {
                own.push(fact.key);
            }
        }
        let mut rows = Vec::new();
        for Rows { kind, facts, rows: of_kind } in kinds {
            let places: Vec<_> =
                own.iter().map(|name| facts.iter().position(|fact| fact.key == *name)).collect();
            for (run, values) in of_kind {
                let value = |place: &Option<usize>| place.map_or(Value::Null, |place| values[place].clone());
                let mut row = runs.values[*run].clone();
                row.push(Value::from(*kind));
                row.extend(places.iter().map(value));
                rows.push(row);
            }
        }
        let own = std::iter::once("kind").chain(own).map(str::to_owned);
        let facts = kinds.iter().flat_map(|kind| &kind.facts).copied().collect();
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
mod tests {
    use linerate_core::traffic::{Direction, FlowAccount, HalfAccount, Interval, Latency, Transfer};
    use linerate_core::units::Span;

    use super::*;
    use crate::fixture;

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

    /// Every fact of every kind of rows, in the order of docs/format.md.
    fn catalogue() -> Vec<Described> {
        [
            described(curves::SIZE, &curves::size_facts()),
            described(curves::ROUND, &curves::round_facts()),
            described(loads::FLOW, &loads::flow_facts()),
            described(loads::DIRECTION, &loads::direction_facts()),
            described(loads::INTERVAL, &loads::interval_facts()),
            described(loads::PERCENTILE, &loads::percentile_facts()),
            described(meshes::PAIR, &meshes::pair_facts()),
            described(meshes::TOGETHER, &meshes::together_facts()),
            described(meshes::COLLECTIVE, &meshes::collective_facts()),
            described(traces::STAGE, &traces::stage_facts()),
            described(traces::MESSAGE, &traces::message_facts()),
            described(apps::CASE, &apps::case_facts()),
            described(apps::TRAFFIC, &apps::traffic_facts()),
        ]
        .concat()
    }

    /// The tables of docs/format.md, one for each kind of rows.
    fn tables() -> String {
        let mut text = String::new();
        let mut kind = "";
        for fact in catalogue() {
            if fact.kind != kind {
                kind = fact.kind;
                text +=
                    &format!("\n**`{kind}`**\n\n| column | unit | better | meaning |\n|---|---|---|---|\n");
            }
            let better = match fact.better {
                fact::Better::Lower => "less",
                fact::Better::Higher => "more",
                fact::Better::Neither => "",
            };
            text += &format!("| `{}` | {} | {better} | {} |\n", fact.key, fact.unit, fact.meaning);
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
            let page = format!("{before}{begin}{}\n{end}{after}", tables());
            std::fs::write(&path, page).expect("the page can be written");
            return;
        }
        assert_eq!(found.trim(), tables().trim(), "run this test with LINERATE_REFRESH=1");
    }

    #[test]
    fn every_fact_is_one_row_of_its_kind_and_says_what_it_is() {
        let all = catalogue();
        for (nth, fact) in all.iter().enumerate() {
            let twin = |other: &&Described| (other.kind, other.key) == (fact.kind, fact.key);
            assert_eq!(all.iter().filter(twin).count(), 1, "{fact:?}");
            assert!(fact.meaning.len() > 4 && !fact.meaning.ends_with('.'), "{nth}: {fact:?}");
            for (ending, unit) in [("_us", "us"), ("_mbps", "Mb/s"), ("_bytes", "bytes"), ("_share", "share")]
            {
                assert!(!fact.key.ends_with(ending) || fact.unit == unit, "{fact:?}");
            }
        }
    }

    /// A fact that only this test knows is in CSV and JSON, in its place.
    #[test]
    fn a_fact_is_added_in_one_row() {
        let facts = [
            fact::fact("number", "", "number of the thing", |row: &(u64, f64)| row.0.into()),
            fact::more("goodness", "points", "how good it is", |row| row.1.into()),
        ];
        let report = fixture::one();
        let rows = Rows::of("thing", &facts, [(0, (7, 0.5)), (0, (8, 1.5))].into_iter());
        let table = Table::join(&RunColumns::of(&report.runs), &[rows]);
        assert_eq!(table.columns[table.columns.len() - 3..], ["kind", "number", "goodness"]);
        let json = serde_json::to_value(table.objects()).expect("it has a form");
        assert_eq!(
            (&json[1]["kind"], &json[1]["number"], &json[1]["goodness"]),
            (&"thing".into(), &8.into(), &1.5.into())
        );
        assert_eq!(described("thing", &facts)[1].better, fact::Better::Higher);
    }
}
