//! A load as JSON and as CSV.

use std::collections::BTreeMap;

use linerate_core::generator::GENERATOR;
use linerate_sim::load::LoadOutcome;
use linerate_study::{Estimate, MEASURES, Point, Study, value_text};
use serde::Serialize;
use toml::Value;

use super::super::text::plain;
use crate::error::RenderError;
use crate::rows::Rows;

/// Version of the JSON form.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct View<'a> {
    format: u32,
    generator: &'static str,
    name: String,
    /// As TOML, every value filled in; of several plans, each under its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    plans: BTreeMap<&'a str, String>,
    /// Whether every run that was asked for was done.
    complete: bool,
    points: Vec<PointView<'a>>,
}

#[derive(Serialize)]
struct PointView<'a> {
    set: BTreeMap<&'a str, &'a Value>,
    runs: Vec<RunView<'a>>,
    /// What theory says of the efficiency.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    theory: BTreeMap<&'static str, f64>,
    summary: BTreeMap<&'static str, Estimate>,
}

/// A run as the model gives it, what follows from that, and its cautions in words.
#[derive(Serialize)]
struct RunView<'a> {
    #[serde(flatten)]
    outcome: &'a LoadOutcome,
    derived: BTreeMap<&'static str, Option<f64>>,
    findings: Vec<String>,
}

/// `study` as indented JSON. In `runs` times are in picoseconds and rates in bit/s, except what is
/// `derived`, which is like the `summary`: each name has its unit (us, Mb/s of 10^6 bit/s, bytes),
/// and shares are from 0 to 1. A summary is the mean over the point's runs with half the width of
/// its 95 % interval (Student's t).
///
/// # Errors
///
/// [`RenderError::Json`] when a field has no JSON form.
pub fn json(study: &Study) -> Result<String, RenderError> {
    let run = |outcome| RunView {
        outcome,
        derived: MEASURES.iter().map(|measure| (measure.name, (measure.of)(outcome))).collect(),
        findings: outcome.cautions.iter().map(ToString::to_string).collect(),
    };
    let points = study.points.iter().map(|point| PointView {
        set: study.keys.iter().map(String::as_str).zip(&point.set).collect(),
        runs: point.runs.iter().map(run).collect(),
        theory: theory(point),
        summary: MEASURES
            .iter()
            .filter_map(|measure| Some((measure.name, point.estimate(measure)?)))
            .collect(),
    });
    let (plan, plans) = match &study.plans[..] {
        [only] => (Some(only.plan.to_toml()), BTreeMap::new()),
        several => (None, several.iter().map(|one| (one.name.as_str(), one.plan.to_toml())).collect()),
    };
    let view = View {
        format: FORMAT,
        generator: GENERATOR,
        name: study.name(),
        plan,
        plans,
        complete: study.complete(),
        points: points.collect(),
    };
    Ok(serde_json::to_string_pretty(&view)? + "\n")
}

/// The shares of a line's rate that theory gives, by name.
fn theory(point: &Point) -> BTreeMap<&'static str, f64> {
    let Some(ceiling) = point.ceiling else { return BTreeMap::new() };
    let contention = ceiling.contention.map(|share| ("metcalfe_boggs", share));
    contention.into_iter().chain([("framing", ceiling.framing)]).collect()
}

/// `study` with a line a run: the swept values under the paths of their keys, the seed, and every
/// measure under its name, which has its unit. A measure without a value is empty.
///
/// # Errors
///
/// [`RenderError::Csv`] when a line cannot be written.
pub fn csv(study: &Study) -> Result<String, RenderError> {
    let fixed = ["seed", "line_rate_mbps", "counted_us", "events"].map(str::to_owned);
    let measures = MEASURES.iter().map(|measure| measure.name.to_owned());
    let mut rows = Rows::of(study.keys.iter().cloned().chain(fixed).chain(measures))?;
    for point in &study.points {
        for run in &point.runs {
            let set = point.set.iter().map(|value| plain(&value_text(value)));
            let fixed = [
                run.seed.to_string(),
                run.line_rate.as_mbps().to_string(),
                run.counted.as_us().to_string(),
                run.events.to_string(),
            ];
            let values = MEASURES
                .iter()
                .map(|measure| (measure.of)(run).map_or_else(String::new, |value| value.to_string()));
            rows.add(set.chain(fixed).chain(values))?;
        }
    }
    rows.finish()
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn csv_and_json_carry_the_same_runs() {
        let study = fixture::sweep();
        let json: serde_json::Value = serde_json::from_str(&json(&study).expect("JSON")).expect("JSON");
        assert_eq!((json["format"].as_u64(), json["complete"].as_bool()), (Some(1), Some(true)));
        let points = json["points"].as_array().expect("points");
        let in_json: Vec<f64> = points
            .iter()
            .flat_map(|point| point["runs"].as_array().expect("runs"))
            .map(|run| run["derived"]["throughput_mbps"].as_f64().expect("a rate"))
            .collect();
        let text = csv(&study).expect("CSV");
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let column = |name: &str| header.iter().position(|heading| heading == name).expect(name);
        let lines: Vec<::csv::StringRecord> = reader.records().map(|line| line.expect("a line")).collect();
        let in_csv: Vec<f64> =
            lines.iter().map(|line| line[column("throughput_mbps")].parse().expect("a rate")).collect();
        assert_eq!(in_csv, in_json);
        assert_eq!(in_csv.len(), study.asked);
        assert_eq!(&lines[0][column("network.stations")], "2");
        assert_eq!(points[0]["set"]["network.stations"].as_i64(), Some(2));
    }

    #[test]
    fn a_summary_is_the_mean_of_its_runs() {
        let study = fixture::sweep();
        let json: serde_json::Value = serde_json::from_str(&json(&study).expect("JSON")).expect("JSON");
        let point = &json["points"][0];
        let runs = point["runs"].as_array().expect("runs");
        let sum: f64 = runs.iter().filter_map(|run| run["derived"]["efficiency"].as_f64()).sum();
        let mean = point["summary"]["efficiency"]["mean"].as_f64().expect("a mean");
        assert!((mean - sum / runs.len() as f64).abs() < 1e-12);
        assert!(point["summary"]["efficiency"]["half-width"].as_f64().is_some_and(|half| half > 0.0));
    }

    #[test]
    fn what_cannot_be_measured_is_empty() {
        let mut study = fixture::single();
        let run = &mut study.points[0].runs[0];
        run.delay = linerate_sim::load::Delay::default();
        run.delivered = 0;
        let text = csv(&study).expect("CSV");
        assert!(text.lines().nth(1).is_some_and(|line| line.contains(",,,,,,")), "{text}");
    }

    #[test]
    fn theory_has_what_it_says_something_of() {
        let mut study = fixture::single();
        let of = |study: &Study| theory(&study.points[0]).into_iter().collect::<Vec<_>>();
        let ceiling = |contention| Some(linerate_sim::model::Ceiling { framing: 0.9, contention });
        study.points[0].ceiling = ceiling(Some(0.5));
        assert_eq!(of(&study), [("framing", 0.9), ("metcalfe_boggs", 0.5)]);
        study.points[0].ceiling = ceiling(None);
        assert_eq!(of(&study), [("framing", 0.9)]);
        study.points[0].ceiling = None;
        assert_eq!(of(&study), []);
    }

    #[test]
    fn several_plans_are_each_under_their_name() {
        let of = |study: &Study| -> serde_json::Value {
            serde_json::from_str(&json(study).expect("JSON")).expect("JSON")
        };
        let several = of(&fixture::media());
        assert!(several["plan"].is_null() && several["plans"]["fddi"].is_string());
        let one = of(&fixture::single());
        assert!(one["plan"].is_string() && one["plans"].is_null());
        assert_eq!(of(&fixture::interrupted())["complete"], false);
    }
}
