//! The report as JSON: what a reader is shown, derived numbers included. The run file is another
//! thing: it has everything that was stored and nothing that follows from it.

use linerate_core::caution::Caution;
use linerate_core::report::{Ceiling, Curve, NamedRun, Report};
use linerate_core::run::{Source, State};
use serde::Serialize;
use serde_json::Value;

use super::traffic;
use crate::error::RenderError;

#[derive(Serialize)]
struct View<'a> {
    runs: Vec<RunView<'a>>,
    curves: &'a [Curve],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    loads: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    latencies: Vec<Value>,
    ceilings: &'a [Ceiling],
}

#[derive(Serialize)]
struct RunView<'a> {
    name: &'a str,
    generator: &'a str,
    started: &'a str,
    source: &'a Source,
    state: &'a State,
    cautions: Vec<CautionView<'a>>,
}

/// A caution as data and as the text that people are shown.
#[derive(Serialize)]
struct CautionView<'a> {
    #[serde(flatten)]
    caution: &'a Caution,
    finding: String,
    advice: &'static str,
}

/// `report` as indented JSON. Times are in us, rates in Mb/s (10^6 bit/s), sizes in bytes, except
/// what is `derived`, whose times are in picoseconds and whose rates are in bit/s. A single run of
/// loads has a form of its own, without curves.
///
/// # Errors
///
/// [`RenderError::Json`] when a field has no JSON form.
pub fn json(report: &Report) -> Result<String, RenderError> {
    if let [named] = &report.runs[..]
        && named.has_loads()
    {
        return traffic::json(report, &named.run);
    }
    let view = View {
        runs: report.runs.iter().map(run).collect(),
        curves: &report.curves,
        loads: traffic::loads(report)?,
        latencies: traffic::latencies(report),
        ceilings: &report.ceilings,
    };
    Ok(serde_json::to_string_pretty(&view)? + "\n")
}

fn run(named: &NamedRun) -> RunView<'_> {
    let caution =
        |caution| CautionView { caution, finding: Caution::finding(caution), advice: caution.advice() };
    RunView {
        name: &named.name,
        generator: &named.run.generator,
        started: &named.run.started,
        source: &named.run.source,
        state: &named.run.state,
        cautions: named.run.cautions.iter().map(caution).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn it_carries_the_curves_and_what_is_doubtful() {
        let report = fixture::two();
        let json: Value = serde_json::from_str(&json(&report).expect("it has a JSON form")).expect("JSON");
        assert_eq!(json["curves"].as_array().map(Vec::len), Some(2));
        assert_eq!(json["curves"][0]["points"].as_array().map(Vec::len), Some(124));
        assert_eq!(json["runs"][1]["name"], "slow-start.run.json");
        assert_eq!(json["runs"][0]["source"], "measured");
        let cautions = json["runs"][0]["cautions"].as_array().expect("there are cautions");
        let caution = cautions.iter().find(|caution| caution["kind"] == "governor").expect("it is doubtful");
        assert!(caution["finding"].as_str().is_some_and(|text| text.contains("powersave")), "{caution}");
        assert!(caution["advice"].as_str().is_some_and(|text| text.contains("performance")), "{caution}");
    }
}
