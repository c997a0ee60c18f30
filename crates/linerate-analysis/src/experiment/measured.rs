//! One run of an experiment as the numbers that are analysed.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{ExperimentPlan, Readings, Slot, evidence};
use crate::facts::By;
use crate::figures::{Better, Key, Sheet};
use linerate_core::caution::Caution;
use linerate_core::run::Run;

/// Smaller effects on a ratio do not matter: a share.
const SMALLEST_ASKED: f64 = 0.05;

/// One run of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// For each factor the index of its level.
    pub cell: Vec<usize>,
    /// Which repetition.
    pub slot: Slot,
    /// When it began, since any zero. Unit: seconds.
    pub started_s: f64,
    /// Where its result lies.
    pub file: String,
    /// The value of each figure, by its name.
    pub values: BTreeMap<String, f64>,
    /// Counters that may explain them.
    pub evidence: BTreeMap<String, f64>,
    /// What was doubtful in it.
    pub cautions: Vec<Caution>,
}

/// A figure of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureName {
    /// Its name in plans, such as `ping-pong/peak`.
    pub key: String,
    /// What people call it.
    pub title: String,
    /// What it is counted in.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
    /// Whether its values are compared by their ratio, else by their difference.
    pub is_ratio: bool,
}

impl Measured {
    /// The numbers of a run file. Where it lies, and when it began, are left to the caller.
    #[must_use]
    pub fn of_run(cell: Vec<usize>, slot: Slot, run: &Run) -> Self {
        let sheet = Sheet::of_run("", run);
        let values = sheet.figures.iter().map(|value| (value.key.to_string(), value.value)).collect();
        let cautions = run.cautions.clone();
        Self { values, evidence: evidence(run), cautions, ..Self::empty(cell, slot) }
    }

    /// Those of a command.
    #[must_use]
    pub fn of_readings(cell: Vec<usize>, slot: Slot, readings: &Readings) -> Self {
        Self { values: readings.metrics.clone(), ..Self::empty(cell, slot) }
    }

    fn empty(cell: Vec<usize>, slot: Slot) -> Self {
        Self {
            cell,
            slot,
            started_s: 0.0,
            file: String::new(),
            values: BTreeMap::new(),
            evidence: BTreeMap::new(),
            cautions: Vec::new(),
        }
    }
}

impl FigureName {
    /// The figures that the runs have, the goal first.
    #[must_use]
    pub fn all(plan: &ExperimentPlan, runs: &[Measured]) -> Vec<Self> {
        let mut keys: Vec<&String> = Vec::new();
        for key in runs.iter().flat_map(|run| run.values.keys()) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let positive =
            |key: &String| runs.iter().filter_map(|run| run.values.get(key)).all(|value| *value > 0.0);
        let mut figures: Vec<Self> =
            keys.into_iter().filter_map(|key| Self::of(plan, key, positive(key))).collect();
        let goal = plan.goal.clone().or_else(|| {
            let keys: Vec<Key> = figures.iter().filter_map(|figure| figure.key.parse().ok()).collect();
            // Those of a command are none of the catalogue.
            let of = |better| figures.iter().find(|figure| figure.better == better).map(|it| it.key.clone());
            Key::headline(&keys).map(Key::to_string).or_else(|| of(Better::More)).or_else(|| of(Better::Less))
        });
        figures.sort_by_key(|figure| goal.as_ref() != Some(&figure.key));
        figures
    }

    /// The figure of this name. Of a command, ratios are meant where every value is above 0.
    fn of(plan: &ExperimentPlan, key: &str, positive: bool) -> Option<Self> {
        if let Some(command) = &plan.command {
            let metric = command.metric.get(key)?;
            let (unit, better) = (metric.unit.clone(), metric.better);
            return Some(Self {
                key: key.to_owned(),
                title: key.to_owned(),
                unit,
                better,
                is_ratio: positive,
            });
        }
        key.parse().ok().map(|key| Self::of_key(&key))
    }

    /// The key figure of a run.
    #[must_use]
    pub fn of_key(key: &Key) -> Self {
        let figure = key.figure;
        Self {
            key: key.to_string(),
            title: format!("{} {}", key.subject, figure.title()),
            unit: figure.unit().symbol().to_owned(),
            better: figure.better(),
            is_ratio: figure.is_ratio(),
        }
    }

    /// A value as it is analysed: the logarithm where ratios are meant. Absent for a value that has none.
    #[must_use]
    pub fn scaled(&self, value: f64) -> Option<f64> {
        let scaled = if self.is_ratio { value.ln() } else { value };
        scaled.is_finite().then_some(scaled)
    }

    /// The reverse.
    #[must_use]
    pub fn unscaled(&self, scaled: f64) -> f64 {
        if self.is_ratio { scaled.exp() } else { scaled }
    }

    /// The least effect that matters, scaled: of a ratio 5 %, which is what people look for; of a difference what the
    /// catalogue says. Of what it does not know none is too small.
    #[must_use]
    pub fn margin(&self) -> f64 {
        match self.key.parse::<Key>().map(|key| key.figure.by()) {
            _ if self.is_ratio => SMALLEST_ASKED.ln_1p(),
            Ok(By::Difference(Some(least))) => least,
            _ => 0.0,
        }
    }

    /// The scaled value where more is better.
    #[must_use]
    pub fn merit(&self, value: f64) -> Option<f64> {
        let scaled = self.scaled(value)?;
        Some(if self.better == Better::Less { -scaled } else { scaled })
    }
}
