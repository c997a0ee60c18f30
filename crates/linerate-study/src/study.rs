//! A model under load, once or at every point of a grid, with one seed or several: the plan and the
//! result of each run.

mod estimate;
mod measure;

use linerate_sim::load::LoadOutcome;
use linerate_sim::plan::ModelPlan;
use toml::Value;

pub use estimate::Estimate;
pub use measure::{MEASURES, Measure};

/// Everything that one command ran.
#[derive(Debug)]
pub struct Study {
    /// The plan's name: of its file, or as it is shipped.
    pub name: String,
    /// The plan before anything was swept.
    pub plan: ModelPlan,
    /// What was swept, as paths in the plan.
    pub keys: Vec<String>,
    /// The points of the grid, the last key changing first.
    pub points: Vec<Point>,
    /// How many runs were asked for; fewer were done if the user ended it.
    pub asked: usize,
}

/// A point of the grid.
#[derive(Debug)]
pub struct Point {
    /// A value for each of the study's keys.
    pub set: Vec<Value>,
    /// What the runs showed, one a seed.
    pub runs: Vec<LoadOutcome>,
}

impl Study {
    /// The only run, if one was asked for and done.
    pub fn single(&self) -> Option<&LoadOutcome> {
        let [point] = &self.points[..] else { return None };
        (self.asked == 1).then(|| point.runs.first()).flatten()
    }

    /// Whether the value of `key` changes from point to point.
    pub fn sweeps(&self, key: &str) -> bool {
        self.keys.iter().any(|swept| swept == key)
    }

    /// How many runs were done.
    pub fn done(&self) -> usize {
        self.points.iter().map(|point| point.runs.len()).sum()
    }

    /// How many seeds each point was asked to be run with.
    pub fn seeds(&self) -> usize {
        self.asked / self.points.len().max(1)
    }

    /// Whether every run that was asked for was done.
    pub fn complete(&self) -> bool {
        self.done() == self.asked
    }

    /// Every caution of any run, each once, as `finding; advice`.
    pub fn cautions(&self) -> Vec<[String; 2]> {
        let mut found: Vec<[String; 2]> = Vec::new();
        for caution in self.points.iter().flat_map(|point| &point.runs).flat_map(|run| &run.cautions) {
            let text = [caution.finding(), caution.advice().to_owned()];
            if !found.contains(&text) {
                found.push(text);
            }
        }
        if !self.complete() {
            found.push([
                format!("{} of {} runs were done", self.done(), self.asked),
                "run it again for the rest".to_owned(),
            ]);
        }
        found
    }
}

impl Point {
    /// The mean of a measure over the runs that have it. Absent if no run has it.
    pub fn estimate(&self, measure: &Measure) -> Option<Estimate> {
        let values: Vec<f64> = self.runs.iter().filter_map(measure.of).collect();
        Estimate::of(&values)
    }
}

/// A value of a plan as people write it: text without quotes.
pub fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
