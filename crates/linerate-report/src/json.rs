//! The report as JSON: what is shown to a reader, including derived numbers. The run file is
//! different: it has everything that was stored, and nothing derived.

use std::borrow::Cow;

use linerate_analysis::facts::{Column, KINDS, Listed, Unit};
use linerate_analysis::report::{Ceiling, Curve, NamedRun, Report, SizeCeiling, TraceResult};
use linerate_core::caution::Caution;
use linerate_core::plan::Level;
use linerate_core::run::{Run, State};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::tidy::{Described, Object, RunColumns, Table};
use crate::error::RenderError;
use crate::opening::opening;
use crate::text::{capital, plain};

#[derive(Serialize)]
struct View<'a> {
    runs: Vec<RunView<'a>>,
    /// What a row is.
    level: Level,
    rows: Vec<Object<'a>>,
    /// What the keys of the rows say.
    facts: &'a [Described],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    curves: &'a [Curve],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    loads: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    meshes: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    apps: Vec<Value>,
    #[serde(skip_serializing_if = "<[TraceResult]>::is_empty")]
    traces: &'a [TraceResult],
    ceilings: &'a [Ceiling],
    #[serde(skip_serializing_if = "<[SizeCeiling]>::is_empty")]
    size_ceilings: &'a [SizeCeiling],
}

#[derive(Serialize)]
struct RunView<'a> {
    /// As on each of its rows.
    #[serde(flatten)]
    identity: Object<'a>,
    generator: &'a str,
    state: &'a State,
    /// What it reached, and what limits that.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Value>,
    cautions: Vec<CautionView<'a>>,
}

/// A caution as data and as the text that people are shown.
#[derive(Serialize)]
struct CautionView<'a> {
    #[serde(flatten)]
    caution: &'a Caution,
    finding: String,
    advice: Cow<'static, str>,
}

/// `report` as indented JSON: the runs, the rows of `level` as CSV has them, and what has no place in a
/// table. Times are in us, rates in Mb/s (10^6 bit/s), sizes in bytes, except what is `derived`, whose
/// times are in picoseconds and whose rates are in bit/s, and the times of applications, which are in seconds.
///
/// # Errors
///
/// [`RenderError::NoLevel`] if the runs cannot have such rows, [`RenderError::Json`] when a field has no
/// JSON form.
pub fn json(report: &Report, level: Level) -> Result<String, RenderError> {
    let columns = RunColumns::of(&report.runs);
    let table = Table::of(report, level)?;
    let openings = (0..report.runs.len()).map(|index| opening(report, index));
    let verdicts = shown(&openings.collect::<Vec<_>>())?;
    let view = View {
        runs: report
            .runs
            .iter()
            .zip(columns.objects())
            .zip(verdicts)
            .map(|((named, identity), verdict)| run(named, identity, verdict))
            .collect(),
        level,
        rows: table.objects(),
        facts: &table.facts,
        curves: &report.curves,
        loads: shown(&report.loads)?,
        meshes: shown(&report.meshes)?,
        apps: shown(&report.apps)?,
        traces: &report.traces,
        ceilings: &report.ceilings,
        size_ceilings: &report.size_ceilings,
    };
    Ok(serde_json::to_string_pretty(&view)? + "\n")
}

/// The JSON Schema (draft 2020-12) of [`json()`]: a kind of rows is what the catalogue of facts says of it.
pub fn schema() -> Value {
    let property = |column: &Column| {
        let unit = column.about.unit;
        let types =
            if unit == Unit::Word { vec!["string", "boolean", "null"] } else { vec!["number", "null"] };
        let symbol = unit.symbol();
        let unit = if symbol.is_empty() { String::new() } else { format!(" Unit: {symbol}.") };
        let description = format!("{}.{unit}", capital(column.meaning()));
        (column.key.clone(), json!({ "type": types, "description": description }))
    };
    let kind = |kind: &Listed| {
        let columns = (kind.columns)();
        let keys: Vec<String> = columns.iter().map(|column| column.key.clone()).collect();
        let mut properties: Map<String, Value> = columns.iter().map(property).collect();
        properties.insert("kind".to_owned(), json!({ "const": kind.name }));
        let required = [keys, vec!["run".to_owned(), "kind".to_owned()]].concat();
        (kind.name.to_owned(), json!({ "type": "object", "properties": properties, "required": required }))
    };
    let kinds: Map<String, Value> = KINDS.iter().map(kind).collect();
    let rows: Vec<Value> = kinds.keys().map(|name| json!({ "$ref": format!("#/$defs/{name}") })).collect();
    let levels: Vec<String> = Level::ALL.iter().map(Level::to_string).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Report",
        "description": "Runs as `linerate report --format json` shows them.",
        "type": "object",
        "properties": {
            "runs": { "type": "array", "items": { "type": "object" } },
            "level": { "enum": levels, "description": "What a row is." },
            "rows": { "type": "array", "items": { "oneOf": rows } },
            "facts": { "type": "array", "description": "What the keys of the rows say." },
        },
        "required": ["runs", "level", "rows", "facts"],
        "$defs": kinds,
    })
}

/// The rows of a run file, and the kinds of rows whose facts they store.
const STORED: [(&str, &str); 2] = [("Round", "round"), ("Message", "message")];

/// The JSON Schema of run files; of a time that is stored as it is shown it says what the catalogue says.
pub fn run_schema() -> Value {
    let mut schema = Run::schema().to_value();
    for (row, name) in STORED {
        let facts = KINDS.iter().filter(|kind| kind.name == name).flat_map(|kind| (kind.facts)());
        let times: Vec<(&str, &str)> =
            facts.filter_map(|about| Some((about.key.strip_suffix("_us")?, about.meaning))).collect();
        let Some(fields) = schema["$defs"][row]["properties"].as_object_mut() else { continue };
        for (key, field) in fields {
            let unit = [("_ps", "picoseconds"), ("_ns", "nanoseconds")];
            let Some((stem, unit)) = unit.iter().find_map(|(end, unit)| Some((key.strip_suffix(end)?, unit)))
            else {
                continue;
            };
            if let Some((_, meaning)) = times.iter().find(|(known, _)| *known == stem) {
                field["description"] = format!("{}. Unit: {unit}.", capital(meaning)).into();
            }
        }
    }
    schema
}

fn run<'a>(named: &'a NamedRun, identity: Object<'a>, verdict: Value) -> RunView<'a> {
    let caution =
        |caution| CautionView { caution, finding: Caution::finding(caution), advice: caution.advice() };
    RunView {
        identity,
        generator: &named.run.generator,
        state: &named.run.state,
        verdict: Some(verdict).filter(|verdict| !verdict.is_null()),
        cautions: named.run.cautions.iter().map(caution).collect(),
    }
}

/// Every verdict, load, mesh or application, safe to show on a terminal.
fn shown<T: Serialize>(all: &[T]) -> Result<Vec<Value>, RenderError> {
    let one = |one| {
        let mut value = serde_json::to_value(one)?;
        make_plain(&mut value);
        Ok(value)
    };
    all.iter().map(one).collect()
}

/// Replaces what must not reach a terminal in every text of `value`.
fn make_plain(value: &mut Value) {
    match value {
        Value::String(text) => *text = plain(text),
        Value::Array(values) => values.iter_mut().for_each(make_plain),
        Value::Object(fields) => fields.values_mut().for_each(make_plain),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn read(report: &Report, level: Level) -> Value {
        serde_json::from_str(&json(report, level).expect("it has a JSON form")).expect("JSON")
    }

    #[test]
    fn its_schema_says_of_each_key_of_a_row_what_the_catalogue_says() {
        let schema = schema();
        for kind in KINDS {
            for column in (kind.columns)() {
                let of = &schema["$defs"][kind.name]["properties"][&column.key];
                let said = of["description"].as_str().unwrap_or_default().to_lowercase();
                assert!(said.starts_with(&column.meaning().to_lowercase()), "{}: {said}", column.key);
            }
        }
        let of = |key: &str| &schema["$defs"]["size"]["properties"][key];
        assert_eq!(
            of("min_us"),
            &json!({ "type": ["number", "null"], "description": "Shortest sample. Unit: us." })
        );
        assert_eq!(of("kind"), &json!({ "const": "size" }));
    }

    #[test]
    fn the_schema_of_run_files_says_of_a_time_what_the_catalogue_says() {
        let schema = run_schema();
        let said = |row: &str, key: &str| schema["$defs"][row]["properties"][key]["description"].clone();
        for (row, name) in STORED {
            let kind = KINDS.iter().find(|kind| kind.name == name).expect("a kind");
            let of = |unit: &str| {
                let times = (kind.facts)()
                    .into_iter()
                    .filter_map(|it| Some((it.key.strip_suffix("_us")?, it.meaning)));
                let held = times.filter_map(|(stem, meaning)| {
                    Some((said(row, &format!("{stem}{unit}")).as_str()?.to_owned(), capital(meaning)))
                });
                held.collect::<Vec<_>>()
            };
            let all = [of("_ps"), of("_ns")].concat();
            assert!(all.len() >= 4, "{row} has times of {name}");
            assert!(all.iter().all(|(said, meaning)| said.starts_with(meaning.as_str())), "{all:?}");
        }
        assert_eq!(said("Round", "min_ps"), "Shortest sample. Unit: picoseconds.");
        assert!(
            said("Round", "pass").as_str().is_some_and(|said| said.contains("from 0")),
            "as it is stored"
        );
    }

    #[test]
    fn it_carries_the_curves_and_what_is_doubtful() {
        let report = fixture::two();
        let json = read(&report, Level::Point);
        assert_eq!(json["curves"].as_array().map(Vec::len), Some(2));
        let timed = report.curves.iter().flat_map(Curve::timed).count();
        assert_eq!(json["rows"].as_array().map(Vec::len), Some(timed));
        assert_eq!(json["runs"][1]["run"], "slow-start.run.json");
        assert_eq!(json["runs"][0]["source"], "measured");
        let cautions = json["runs"][0]["cautions"].as_array().expect("there are cautions");
        let caution = cautions.iter().find(|caution| caution["kind"] == "governor").expect("it is doubtful");
        assert!(caution["finding"].as_str().is_some_and(|text| text.contains("powersave")), "{caution}");
        assert!(caution["advice"].as_str().is_some_and(|text| text.contains("performance")), "{caution}");
    }

    #[test]
    fn its_rows_are_those_of_csv() {
        let report = fixture::two();
        for level in [Level::Point, Level::Round] {
            let csv = crate::csv(&report, level).expect("it has a CSV form");
            let mut reader = ::csv::Reader::from_reader(csv.as_bytes());
            let header = reader.headers().expect("a header").clone();
            let json = read(&report, level);
            let rows = json["rows"].as_array().expect("rows");
            assert_eq!(json["level"], level.to_string());
            let lines: Vec<_> = reader.records().map(|line| line.expect("a line")).collect();
            assert_eq!(lines.len(), rows.len());
            for (line, row) in lines.iter().zip(rows) {
                assert_eq!(row.as_object().map(serde_json::Map::len), Some(header.len()));
                for (name, cell) in header.iter().zip(line) {
                    let value = match &row[name] {
                        Value::Null => String::new(),
                        Value::String(text) => text.clone(),
                        value => value.to_string(),
                    };
                    assert_eq!(cell, value, "{name}");
                }
            }
        }
    }
}
