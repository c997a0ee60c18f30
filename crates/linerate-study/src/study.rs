//! Models under load, once or at every point of a grid, with one seed or several: the plans and the
//! result of each run.

mod estimate;
mod measure;

use linerate_core::caution::Caution;
use linerate_sim::load::LoadOutcome;
use linerate_sim::model::Ceiling;
use linerate_sim::plan::ModelPlan;
use toml::Value;

pub use estimate::Estimate;
pub use measure::{MEASURES, Measure};

/// Everything that one command ran.
#[derive(Debug)]
pub struct Study {
    /// The plans before anything was swept, at least one. Of several, [`PLAN`] is the first key.
    pub plans: Vec<Named>,
    /// What was swept, as paths in the plan.
    pub keys: Vec<String>,
    /// The points of the grid, the last key changing first.
    pub points: Vec<Point>,
    /// How many runs were asked for; fewer were done if the user ended it.
    pub asked: usize,
}

/// The key by which points say which of several plans they are of.
pub const PLAN: &str = "plan";

/// A plan and its name: of its file, or as it is shipped.
#[derive(Clone, Debug)]
pub struct Named {
    /// See the type.
    pub name: String,
    /// See the type.
    pub plan: ModelPlan,
}

/// A point of the grid.
#[derive(Debug)]
pub struct Point {
    /// A value for each of the study's keys.
    pub set: Vec<Value>,
    /// What the runs showed, one a seed.
    pub runs: Vec<LoadOutcome>,
    /// What theory says of them, where it says something.
    pub ceiling: Option<Ceiling>,
}

impl Study {
    /// The only run, if one was asked for and done.
    pub fn single(&self) -> Option<&LoadOutcome> {
        let [point] = &self.points[..] else { return None };
        (self.asked == 1).then(|| point.runs.first()).flatten()
    }

    /// The names of the plans, as one text.
    pub fn name(&self) -> String {
        self.plans.iter().map(|named| named.name.as_str()).collect::<Vec<_>>().join(", ")
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

    /// Every caution of any run, each once, as `finding; advice`. Of the runs that lost much, the one
    /// that lost the largest share speaks for all.
    pub fn cautions(&self) -> Vec<[String; 2]> {
        let mut found: Vec<[String; 2]> = Vec::new();
        let cautions = || self.points.iter().flat_map(|point| &point.runs).flat_map(|run| &run.cautions);
        for caution in cautions().filter(|caution| lost_share(caution).is_none()) {
            let text = [caution.finding(), caution.advice().into_owned()];
            if !found.contains(&text) {
                found.push(text);
            }
        }
        let losses: Vec<&Caution> = cautions().filter(|caution| lost_share(caution).is_some()).collect();
        let worst = losses
            .iter()
            .max_by(|one, other| lost_share(one).unwrap_or(0.0).total_cmp(&lost_share(other).unwrap_or(0.0)));
        if let Some(worst) = worst {
            let of = format!("{} of {} runs lost much; in the worst ", losses.len(), self.done());
            let of = if self.done() == 1 { String::new() } else { of };
            found.push([of + &worst.finding(), worst.advice().into_owned()]);
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

/// The share of its frames that a run lost, if that is what the caution says.
fn lost_share(caution: &Caution) -> Option<f64> {
    match caution {
        Caution::FramesLost { lost, offered, .. } => Some(*lost as f64 / (*offered).max(1) as f64),
        _ => None,
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

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
