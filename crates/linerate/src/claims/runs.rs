//! What the checks run: shipped plans with changes, sweeps of a key, and what is drawn of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::quantity::Quantity;

/// A shipped plan with changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    /// The plan's name.
    pub(crate) plan: String,
    /// `KEY=VALUE`, as `--set` takes it.
    #[serde(default)]
    pub(crate) set: Vec<String>,
}

impl Run {
    /// The same with one more change.
    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        self.set.push(format!("{key}={value}"));
        self
    }
}

/// A key and the values that it is tried with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sweep {
    /// As `--set` takes it.
    pub(crate) key: String,
    /// What a chart calls it, with its unit.
    pub(crate) axis: String,
    /// Numbers, as `--set` takes them.
    pub(crate) values: Vec<String>,
}

/// A chart of the page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) caption: String,
    /// Names of runs.
    pub(crate) curves: Vec<String>,
    /// With this, peaks against the key's values; else throughput against message size.
    pub(crate) sweep: Option<String>,
    /// Published figures to mark.
    pub(crate) marks: Vec<Mark>,
}

/// A published figure in a chart.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mark {
    /// Whose number, in Mb/s or Gb/s, is marked.
    pub(crate) claim: String,
    /// At which message size; a line without it. Unit: bytes.
    pub(crate) size: Option<u64>,
    /// At which value of the sweep.
    pub(crate) at: Option<f64>,
}

/// Everything that the checks name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Runs {
    pub(crate) runs: BTreeMap<String, Run>,
    pub(crate) sweeps: BTreeMap<String, Sweep>,
    /// Numbers that several checks use.
    pub(crate) values: BTreeMap<String, Quantity>,
    #[serde(rename = "figure")]
    pub(crate) figures: Vec<Figure>,
}

impl Runs {
    /// The run of this name; a name that is not in the list is a plan's.
    pub(crate) fn run(&self, name: &str) -> Run {
        let plan = || Run { plan: name.to_owned(), set: Vec::new() };
        self.runs.get(name).cloned().unwrap_or_else(plan)
    }

    /// The run `name` at every value of a sweep.
    pub(crate) fn swept<'a>(&self, name: &str, sweep: &'a Sweep) -> impl Iterator<Item = (&'a str, Run)> {
        let run = self.run(name);
        sweep.values.iter().map(move |value| (value.as_str(), run.clone().with(&sweep.key, value)))
    }
}
