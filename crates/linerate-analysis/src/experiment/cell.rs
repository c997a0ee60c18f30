//! A cell of an experiment: one level of every factor, and what is run in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Value;

use super::factor::text;
use super::target::{Target, put};
use super::{ExperimentPlan, PlanError};

/// What is run in a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// The plan of the run, with the cell's values. Empty for a command.
    pub task: toml::Table,
    /// The program and its arguments, with the levels in them. Empty for a task.
    pub run: Vec<String>,
    /// The model, and what is set in it, in this order.
    pub model: Option<(String, Vec<(String, String)>)>,
    /// The laboratory, and what is set in it.
    pub lab: Option<(String, Vec<(String, Value)>)>,
    /// Settings of this host, with their values.
    pub here: Vec<(String, String)>,
    /// Settings of the other host.
    pub there: Vec<(String, String)>,
    /// What the environment must say.
    pub expect: BTreeMap<String, String>,
    /// Levels that a person sets: the factor, the level, and what to do.
    pub by_hand: Vec<(String, String, String)>,
}

impl ExperimentPlan {
    /// What is run in the cell with these levels, a number for each factor.
    ///
    /// # Errors
    ///
    /// A key that names nothing, or a value that cannot be put where the key says.
    pub fn conditions(&self, cell: &[usize]) -> Result<Conditions, PlanError> {
        let mut conditions = Conditions {
            task: self.task.clone(),
            model: self.bench.model.clone().map(|model| (model, Vec::new())),
            lab: self.bench.lab.clone().map(|lab| (lab, Vec::new())),
            ..Conditions::default()
        };
        let always = self.bench.set.iter().map(|(key, value)| (key.as_str(), value));
        let of_levels = self.factor.iter().zip(cell).flat_map(|(factor, level)| factor.assignments(*level));
        let all: Vec<(&str, &Value)> = always.chain(of_levels).collect();
        // Another model or laboratory comes before what is set in it.
        let is_whole = |key: &str| matches!(key, "model" | "lab");
        for (key, value) in all.iter().filter(|(key, _)| is_whole(key)) {
            conditions.assign(key, value)?;
        }
        for (key, value) in all.iter().filter(|(key, _)| !is_whole(key)) {
            conditions.assign(key, value)?;
        }
        for (factor, level) in self.factor.iter().zip(cell) {
            let level = &factor.levels[*level];
            conditions.expect.extend(level.expect.clone());
            if let Some(what) = &factor.manual {
                let what = what.replace("{level}", &level.name);
                conditions.by_hand.push((factor.name.clone(), level.name.clone(), what));
            }
        }
        if let Some(command) = &self.command {
            conditions.run = command.run.iter().map(|word| self.filled(word, cell)).collect();
        }
        Ok(conditions)
    }

    /// `word` with the levels of the cell in the place of `{NAME}`.
    fn filled(&self, word: &str, cell: &[usize]) -> String {
        self.factor.iter().zip(cell).fold(word.to_owned(), |word, (factor, level)| {
            let level = &factor.levels[*level];
            let value = level.value.as_ref().map_or_else(|| level.name.clone(), text);
            word.replace(&format!("{{{}}}", factor.name), &value)
        })
    }

    /// The cell with levels of these names, by factor. A factor that is not among them came later, and had its base;
    /// a level that the plan does not have belongs to no cell.
    #[must_use]
    pub fn cell_of(&self, levels: &BTreeMap<String, String>) -> Option<Vec<usize>> {
        let level = |factor: &super::Factor| match levels.get(&factor.name) {
            Some(name) => factor.levels.iter().position(|level| level.name == *name),
            None => Some(0),
        };
        self.factor.iter().map(level).collect()
    }

    /// What a cell is called: `MTU = 9000, buffer = 64KiB`. Without factors, `the only cell`.
    #[must_use]
    pub fn cell_name(&self, cell: &[usize]) -> String {
        let level = |(factor, level): (&super::Factor, &usize)| {
            format!("{} = {}", factor.name, factor.levels[*level].name)
        };
        let named: Vec<String> = self.factor.iter().zip(cell).map(level).collect();
        if named.is_empty() { "the only cell".to_owned() } else { named.join(", ") }
    }
}

impl Conditions {
    fn assign(&mut self, key: &str, value: &Value) -> Result<(), PlanError> {
        let wrong = |reason: String| PlanError::Key { key: key.to_owned(), reason };
        match key.parse().map_err(|error: super::target::ParseTargetError| wrong(error.to_string()))? {
            Target::Task(path) => put(&mut self.task, &path, value.clone()).map_err(wrong)?,
            Target::Model => self.model = Some((text(value), Vec::new())),
            Target::Lab => self.lab = Some((text(value), Vec::new())),
            Target::ModelKey(key) => {
                let (_, sets) = self.model.as_mut().ok_or_else(|| {
                    wrong(
                        "the experiment has no model; name one under [bench], such as model = \"gigabit\""
                            .to_owned(),
                    )
                })?;
                over(sets, key, value.to_string());
            }
            Target::LabKey(key) => {
                let (_, sets) = self.lab.as_mut().ok_or_else(|| {
                    wrong(
                        "the experiment has no laboratory; name one under [bench], such as lab = \"pair\""
                            .to_owned(),
                    )
                })?;
                over(sets, key, value.clone());
            }
            Target::Here(setting) => over(&mut self.here, setting, text(value)),
            Target::There(setting) => over(&mut self.there, setting, text(value)),
        }
        Ok(())
    }
}

/// Sets `key`, in the place of an earlier value if it has one.
fn over<V>(sets: &mut Vec<(String, V)>, key: String, value: V) {
    match sets.iter_mut().find(|(known, _)| *known == key) {
        Some((_, earlier)) => *earlier = value,
        None => sets.push((key, value)),
    }
}
