//! A program as the task of an experiment: how it is run, and which numbers are read from what it prints.

use std::collections::BTreeMap;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figures::Better;

/// A program of this host. It runs without a shell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Command {
    /// The program and its arguments. `{NAME}` stands for the level of the factor of that name, and `linerate` as the
    /// first word for this program.
    pub run: Vec<String>,
    /// What is read from what it prints, by name.
    pub metric: BTreeMap<String, Metric>,
    /// Lists that are kept as they are, by name: such as the rate of every second.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub series: BTreeMap<String, Reading>,
}

/// A number of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Metric {
    /// Where it stands: a JSON pointer (RFC 6901) in what the program prints, such as `/end/sum/bits_per_second`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
    /// Or a regular expression whose first group is the number; the last match counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What it is counted in, for tables.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// What the number is multiplied by to be in that unit. If absent, 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub scale: f64,
    /// Which way is better. If absent, more is.
    #[serde(default = "more")]
    pub better: Better,
}

/// Where numbers stand in what a program prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Reading {
    /// A JSON pointer with `*` for every element of one list, such as `/intervals/*/sum/bits_per_second`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
    /// Or a regular expression: every match's first group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

fn one() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_one(scale: &f64) -> bool {
    (scale - 1.0).abs() < f64::EPSILON
}

fn more() -> Better {
    Better::More
}

/// What was read of a program's output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Readings {
    /// The number of every metric, in its unit.
    pub metrics: BTreeMap<String, f64>,
    /// The lists.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub series: BTreeMap<String, Vec<f64>>,
}

impl Command {
    /// Whether every pattern can be read.
    ///
    /// # Errors
    ///
    /// The first that cannot, and why.
    pub(super) fn compile(&self) -> Result<(), String> {
        let of_metrics = self.metric.iter().map(|(name, metric)| ("metric", name, &metric.pattern));
        let of_series = self.series.iter().map(|(name, reading)| ("series", name, &reading.pattern));
        for (kind, name, pattern) in of_metrics.chain(of_series) {
            let Some(pattern) = pattern else { continue };
            let wrong = |reason: String| format!("command.{kind}.{name}.pattern: {reason}");
            let read = Regex::new(pattern).map_err(|error| wrong(error.to_string()))?;
            if read.captures_len() < 2 {
                return Err(wrong("it has no group; put ( ) around the number".to_owned()));
            }
        }
        Ok(())
    }

    /// The numbers in `output`.
    ///
    /// # Errors
    ///
    /// The first metric that is not there, or no number.
    pub fn read(&self, output: &str) -> Result<Readings, String> {
        let mut readings = Readings::default();
        for (name, metric) in &self.metric {
            let found = numbers(output, metric.json.as_deref(), metric.pattern.as_deref())
                .map_err(|reason| format!("read the metric {name}: {reason}"))?;
            let last =
                found.last().ok_or_else(|| format!("read the metric {name}: it is not in the output"))?;
            readings.metrics.insert(name.clone(), last * metric.scale);
        }
        for (name, reading) in &self.series {
            let found = numbers(output, reading.json.as_deref(), reading.pattern.as_deref())
                .map_err(|reason| format!("read the series {name}: {reason}"))?;
            readings.series.insert(name.clone(), found);
        }
        Ok(readings)
    }
}

/// Every number at a JSON pointer, or of the first group of a pattern.
fn numbers(output: &str, json: Option<&str>, pattern: Option<&str>) -> Result<Vec<f64>, String> {
    if let Some(pointer) = json {
        let value: serde_json::Value =
            serde_json::from_str(output).map_err(|error| format!("the output is no JSON: {error}"))?;
        let found = match pointer.split_once("/*") {
            None => vec![value.pointer(pointer)],
            Some((list, rest)) => {
                let list = value.pointer(list).and_then(serde_json::Value::as_array);
                let list = list.ok_or_else(|| format!("there is no list at {pointer}"))?;
                list.iter().map(|element| element.pointer(rest)).collect()
            }
        };
        let number = |value: Option<&serde_json::Value>| {
            value
                .and_then(serde_json::Value::as_f64)
                .ok_or_else(|| format!("there is no number at {pointer}"))
        };
        return found.into_iter().map(number).collect();
    }
    let pattern = Regex::new(pattern.unwrap_or_default()).map_err(|error| error.to_string())?;
    let number = |found: regex::Captures<'_>| {
        let text = found.get(1).map_or("", |group| group.as_str());
        text.parse().map_err(|_| format!("'{text}' is no number"))
    };
    pattern.captures_iter(output).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Command {
        toml::from_str(text).expect("a command")
    }

    #[test]
    fn numbers_are_read_from_json_and_by_pattern() {
        let program = command(
            "run = ['x']\nmetric.rate = { json = '/end/bps', scale = 1e-6, unit = 'Mb/s' }\n\
             series.each = { json = '/intervals/*/bps' }",
        );
        let output = r#"{"end": {"bps": 94100000}, "intervals": [{"bps": 1}, {"bps": 2.5}]}"#;
        let readings = program.read(output).expect("numbers");
        assert!((readings.metrics["rate"] - 94.1).abs() < 1e-9);
        assert_eq!(readings.series["each"], [1.0, 2.5]);

        let program = command("run = ['x']\nmetric.rtt = { pattern = 'time=([0-9.]+) ms', better = 'less' }");
        let output = "time=0.05 ms\ntime=0.04 ms\n";
        assert!(
            (program.read(output).expect("numbers").metrics["rtt"] - 0.04).abs() < 1e-9,
            "the last counts"
        );
    }

    #[test]
    fn what_is_not_there_is_named() {
        let program = command("run = ['x']\nmetric.rate = { json = '/end/bps' }");
        let error = program.read("{}").expect_err("no number");
        assert_eq!(error, "read the metric rate: there is no number at /end/bps");
        assert!(program.read("oops").expect_err("no JSON").contains("the output is no JSON"));
        let program = command("run = ['x']\nmetric.rate = { pattern = 'a([0-9]+)' }");
        assert_eq!(program.read("b"), Err("read the metric rate: it is not in the output".to_owned()));
        let program = command("run = ['x']\nmetric.rate = { pattern = 'a[0-9]+' }");
        assert!(program.compile().expect_err("no group").contains("put ( ) around the number"));
        let program = command("run = ['x']\nmetric.rate = { pattern = '(' }");
        assert!(program.compile().is_err());
    }
}
