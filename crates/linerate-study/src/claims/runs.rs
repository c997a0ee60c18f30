//! What the checks run: shipped plans with changes, sweeps of a key, and what is drawn of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::quantity::Quantity;

/// A shipped plan with changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The plan's name.
    pub plan: String,
    /// `KEY=VALUE`, as `--set` takes it.
    #[serde(default)]
    pub set: Vec<String>,
}

impl Run {
    /// The same with one more change.
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.set.push(format!("{key}={value}"));
        self
    }
}

/// A key and the values that it is tried with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// As `--set` takes it.
    pub key: String,
    /// What a chart calls it, with its unit.
    pub axis: String,
    /// Numbers, as `--set` takes them.
    pub values: Vec<String>,
}

/// A chart of the page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Anchor of the chart on the page.
    pub id: String,
    /// Heading of the chart.
    pub title: String,
    /// What the chart shows.
    pub caption: String,
    /// Names of runs.
    pub curves: Vec<String>,
    /// With this, peaks against the key's values; else throughput against message size.
    pub sweep: Option<String>,
    /// Published figures to mark.
    pub marks: Vec<Mark>,
}

/// A published figure in a chart.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Whose number, in Mb/s or Gb/s, is marked.
    pub claim: String,
    /// At which message size; a line without it. Unit: bytes.
    pub size: Option<u64>,
    /// At which value of the sweep.
    pub at: Option<f64>,
}

/// Everything that the checks name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Runs {
    /// Runs by name.
    pub runs: BTreeMap<String, Run>,
    /// Sweeps by name.
    pub sweeps: BTreeMap<String, Sweep>,
    /// Numbers that several checks use.
    pub values: BTreeMap<String, Quantity>,
    /// Charts, in the order of the page.
    #[serde(rename = "figure")]
    pub figures: Vec<Figure>,
}

impl Runs {
    /// The run of this name; a name that is not in the list is a plan's.
    pub fn run(&self, name: &str) -> Run {
        let plan = || Run { plan: name.to_owned(), set: Vec::new() };
        self.runs.get(name).cloned().unwrap_or_else(plan)
    }

    /// The run `name` at every value of a sweep.
    pub fn swept<'a>(&self, name: &str, sweep: &'a Sweep) -> impl Iterator<Item = (&'a str, Run)> {
        let run = self.run(name);
        sweep.values.iter().map(move |value| (value.as_str(), run.clone().with(&sweep.key, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_run_with_changes_or_a_plan() {
        let runs: Runs = toml::from_str(
            "[runs]\nslow = { plan = 'gigabit', set = ['seed=2'] }\n\
             [sweeps]\nmtu = { key = 'network.mtu', axis = 'MTU', values = ['576', '1500'] }",
        )
        .expect("runs");
        let run = |plan: &str, set: &[&str]| Run {
            plan: plan.to_owned(),
            set: set.iter().map(|one| (*one).to_owned()).collect(),
        };
        assert_eq!(runs.run("slow"), run("gigabit", &["seed=2"]));
        assert_eq!(runs.run("fddi"), run("fddi", &[]));
        let swept: Vec<(&str, Run)> = runs.swept("slow", &runs.sweeps["mtu"]).collect();
        assert_eq!(
            swept,
            [
                ("576", run("gigabit", &["seed=2", "network.mtu=576"])),
                ("1500", run("gigabit", &["seed=2", "network.mtu=1500"])),
            ]
        );
    }
}
