//! What programs read and write: schemas, `-` for a file, and events.

use std::io::Write as _;
use std::process::Stdio;

use linerate_core::run::Run;
use serde_json::Value;

use crate::support::Desk;

/// Refuses `document` unless it is as `linerate schema OF` says.
fn accept(desk: &Desk, of: &str, what: &str, document: &Value) {
    let schema = desk.linerate(&["schema", of]).done().stdout;
    let schema = serde_json::from_str(&schema).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> =
        validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}");
}

/// What linerate says on standard output when it reads `input`.
fn fed(desk: &Desk, arguments: &[&str], input: &str) -> String {
    let mut command = desk.command(env!("CARGO_BIN_EXE_linerate"), arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary is built");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_run_goes_through_pipes_and_is_as_its_schema_says() {
    let desk = Desk::new();
    let plan = "time = '200ms'\nschedule = 'list:1,64'";
    let text = fed(&desk, &["measure", "--plan", "-", "--out", "-"], plan);
    let run = Run::from_json(&text).expect("all of standard output is the run");
    assert_eq!(run.series[0].points.len(), 2);
    accept(&desk, "run", "a curve", &serde_json::from_str(&text).expect("JSON"));
    assert!(fed(&desk, &["report", "-"], &text).contains("64"));
    for level in ["run", "point", "round"] {
        let report = fed(&desk, &["report", "-", "--format", "json", "--level", level], &text);
        accept(&desk, "report", level, &serde_json::from_str(&report).expect("JSON"));
    }
    let left: Vec<_> = std::fs::read_dir(desk.folder()).expect("a folder").collect();
    assert!(left.is_empty(), "no file was asked for: {left:?}");
}

#[test]
fn plans_are_as_their_schemas_say() {
    let desk = Desk::new();
    for verb in ["measure", "stream", "rr"] {
        let plan = desk.linerate(&[verb, "--print-plan"]).done().stdout;
        accept(&desk, "plan", verb, &toml::from_str(&plan).expect("TOML"));
    }
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../plans")).expect("plans") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let text = std::fs::read_to_string(&path).expect("a plan");
            let plan: Value = toml::from_str(&text).expect("TOML");
            accept(&desk, "model", &path.display().to_string(), &plan);
            if let Some(measure) = plan.get("measure") {
                accept(&desk, "plan", &path.display().to_string(), measure);
            }
        }
    }
}

#[test]
fn events_tell_a_program_what_happens() {
    let desk = Desk::new();
    let options =
        ["stream", "--time", "300ms", "--interval", "100ms", "--out", "x.run.json", "--progress", "ndjson"];
    let said = desk.linerate(&options).done();
    let events: Vec<Value> =
        said.stderr.lines().map(|line| serde_json::from_str(line).expect("JSON on every line")).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().expect("a name")).collect();
    assert_eq!((names[0], names[names.len() - 1]), ("started", "ended"), "{names:?}");
    for name in ["interval", "load", "saved"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let load = events.iter().find(|event| event["event"] == "load").expect("a load ended");
    assert!(load.get("phase").is_none(), "bulk alone has no phase: {load}");
    let id = desk.run_file("x.run.json").id;
    assert!(events.iter().all(|event| event["run"] == id.as_str()), "{events:?}");
    assert!(events.iter().map(|event| event["seconds"].as_f64().expect("a number")).is_sorted());
    let last = &events[events.len() - 1];
    assert_eq!((&last["state"], &last["exit"]), (&Value::from("complete"), &Value::from(0)));
    let said =
        desk.linerate(&["measure", "--time", "200ms", "--schedule", "list:1", "--progress", "ndjson"]).done();
    for name in ["\"trial\"", "\"round\"", "\"median_ps\""] {
        assert!(said.stderr.contains(name), "{name} in {}", said.stderr);
    }
}
