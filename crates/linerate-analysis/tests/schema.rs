//! The published schemas, and what they say of names.

use std::collections::BTreeSet;

use linerate_core::plan::Plan;
use linerate_core::run::Run;
use serde_json::Value;

use crate::virtual_bench::run_file::{a_run_of_an_application, a_run_of_everything, run};

/// What a name ends in whose value is a time or a rate.
const UNITS: [&str; 6] = ["ps", "ns", "us", "bps", "mbps", "ps_and_bytes"];

/// Refuses `text` unless it is as `schema` says.
fn accept(schema: &Value, text: &str) {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let validator = jsonschema::validator_for(schema).expect("a schema");
    let errors: Vec<String> =
        validator.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn the_schema_of_runs_describes_what_is_written() {
    let schema = Run::schema().to_value();
    accept(&schema, &run(1).to_json());
    accept(&schema, &a_run_of_everything().to_json());
    accept(&schema, &a_run_of_an_application().to_json());
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/runs/format-3.run.json");
    accept(&schema, &std::fs::read_to_string(sample).expect("it is committed"));
}

#[test]
fn the_schema_of_runs_refuses_what_is_none() {
    let validator = jsonschema::validator_for(&Run::schema().to_value()).expect("a schema");
    let whole: Value = serde_json::from_str(&run(1).to_json()).expect("JSON");
    assert!(validator.is_valid(&whole));
    for key in ["format", "id", "plan", "nodes", "paths", "cautions"] {
        let mut part = whole.clone();
        part.as_object_mut().expect("a run").remove(key);
        assert!(!validator.is_valid(&part), "without {key}");
    }
    let mut wrong = whole;
    wrong["series"][0]["points"][0]["rounds"][0]["median_ps"] = Value::from("2 us");
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn the_schema_of_plans_accepts_what_people_write() {
    let schema = Plan::schema().to_value();
    for plan in [
        "",
        "host = 'node7'\nschedule = 'octave:4'\nto = '64KiB'\ntime = '250ms'\n[socket]\nsndbuf = 1",
        "table = ['buffers=8KiB,64KiB']\n[stream]\nflows = 2\nrate-bps = 1e9\nwarm-up = '1s'",
        "[app]\nname = 'md'\nranks = [1, 2]\nrepeat = 2\n[app.options]\ncells = [6, 6, 6]\nfrom = { x = 'y' }",
        "[rr]\nrate = 100.0\n[local]\nbind = '127.0.0.1'\nfamily = '4'\n[output]\nlabels = { kernel = '6.18' }",
    ] {
        let read = Plan::from_toml(plan).expect(plan);
        let written: Value = toml::from_str(plan).expect("TOML");
        accept(&schema, &written.to_string());
        let printed: Value = toml::from_str(&read.to_toml()).expect("TOML");
        accept(&schema, &printed.to_string());
    }
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for plan in [r#"{"no-such-key": 1}"#, r#"{"time": "soon"}"#, r#"{"transport": "pigeon"}"#] {
        assert!(!validator.is_valid(&serde_json::from_str(plan).expect("JSON")), "{plan}");
    }
}

#[test]
fn every_time_and_rate_of_a_run_file_has_its_unit_in_its_name() {
    let schema = Run::schema().to_value();
    let mut found = BTreeSet::new();
    quantities(&schema, "", &mut found);
    for name in ["median_ps", "link_bps", "run_delay_ps"] {
        assert!(found.contains(name), "{name} in {found:?}");
    }
    let bare: Vec<&String> = found
        .iter()
        .filter(|name| {
            !UNITS
                .iter()
                .any(|unit| name.ends_with(&format!("_{unit}")) || name.ends_with(&format!("-{unit}")))
        })
        .collect();
    assert!(bare.is_empty(), "{bare:?}");
}

/// The names of all properties in `part` whose values are spans or rates, or hold some without a
/// name of their own.
fn quantities(part: &Value, name: &str, found: &mut BTreeSet<String>) {
    match part {
        Value::Object(keys) => {
            for (key, value) in keys {
                match (key.as_str(), value) {
                    ("properties", Value::Object(properties)) => {
                        properties.iter().for_each(|(name, value)| quantities(value, name, found));
                    }
                    ("$defs", Value::Object(types)) => {
                        // A fact has the name of what it is known of.
                        let named = types.iter().filter(|(name, _)| !name.starts_with("Fact"));
                        named.for_each(|(_, value)| quantities(value, "", found));
                    }
                    ("$ref", Value::String(path)) => {
                        let held = path.trim_start_matches("#/$defs/");
                        if matches!(held.trim_start_matches("Fact_of_"), "Span" | "Rate") {
                            found.insert(name.to_owned());
                        }
                    }
                    _ => quantities(value, name, found),
                }
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| quantities(part, name, found)),
        _ => {}
    }
}
