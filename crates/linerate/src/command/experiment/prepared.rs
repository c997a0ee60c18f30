//! A cell, ready to be run: its plan, its model or laboratory with everything set, and what it is known by.

use linerate_analysis::experiment::{Conditions, ExperimentPlan, put};
use linerate_core::lab::{LabPlan, Layout};
use linerate_core::plan::Plan;
use linerate_core::units::Span;
use linerate_sim::plan::ModelPlan;
use linerate_study::changed;
use sha2::{Digest as _, Sha256};

use super::hosts;
use crate::command::lab_plan;
use crate::command::model::Given as GivenModel;
use crate::trouble::Trouble;

/// A plan as a file: what to call it, and what is in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Written {
    pub(super) name: String,
    pub(super) text: String,
}

/// What one run does.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// `measure`, `stream` or `rr`.
    Task { plan: Box<Plan>, model: Option<Box<(String, ModelPlan)>>, lab: Option<Written> },
    /// A program and its arguments.
    Command(Vec<String>),
}

/// A cell that can be run.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    /// What is run under which conditions: 16 hexadecimal digits.
    pub(super) id: String,
    /// How the files of its runs begin: another for every cell, also under the same conditions.
    pub(super) stem: String,
    pub(super) work: Work,
    pub(super) conditions: Conditions,
}

impl Prepared {
    /// The cell with these levels.
    ///
    /// # Errors
    ///
    /// What cannot be set, or cannot be run so, with the cell's name.
    pub(super) fn of(experiment: &ExperimentPlan, cell: &[usize]) -> Result<Self, Trouble> {
        let name = experiment.cell_name(cell);
        let conditions = experiment.conditions(cell).map_err(|error| refused(&name, &error.to_string()))?;
        hosts::wanted(&conditions, hosts::interface(&experiment.bench).as_deref())?;
        let work = if conditions.run.is_empty() {
            task(experiment, &conditions, &name)?
        } else {
            Work::Command(conditions.run.clone())
        };
        let id = id(&work, &conditions);
        Ok(Self { stem: digits(Sha256::new().chain_update(&id).chain_update(&name)), id, work, conditions })
    }

    /// How long its task asks for. Absent for models and commands, which take what they take.
    pub(super) fn asked_time(&self) -> Option<Span> {
        let Work::Task { plan, model: None, .. } = &self.work else { return None };
        let times = match plan.curve() {
            Some(curve) => u64::from(curve.repeat.max(1)),
            None => plan.loads().map_or(1, |loads| loads.len() as u64),
        };
        Some(Span::from_ps(plan.common.time.as_ps().saturating_mul(times)))
    }
}

fn refused(cell: &str, reason: &str) -> Trouble {
    Trouble::new(
        format!("failed to plan the cell {cell}: {reason}"),
        "correct the level or its key in the plan; `linerate experiment PLAN --dry-run` tries every cell",
    )
}

fn task(experiment: &ExperimentPlan, conditions: &Conditions, cell: &str) -> Result<Work, Trouble> {
    let model = conditions.model.as_ref().map(|(name, sets)| model(name, sets)).transpose()?;
    let lab = conditions.lab.as_ref().map(|(name, sets)| lab_plan(name, sets, cell)).transpose()?;
    let mut table = match &model {
        // A model's file says how it is measured; the experiment's task goes over it.
        Some((_, model)) => toml::from_str(&model.measure.to_toml()).expect("a plan is TOML"),
        None => toml::Table::new(),
    };
    over(&mut table, &conditions.task);
    let text = toml::to_string(&table).expect("a table has a TOML form");
    let mut plan = Plan::from_toml(&text)
        .map_err(|error| refused(cell, &format!("the task cannot be read: {}", plain(&error))))?;
    if let Some(host) = &experiment.bench.host {
        plan.common.host = Some(host.clone());
    }
    plan.check().map_err(|error| refused(cell, &format!("the task cannot be carried out: {error}")))?;
    Ok(Work::Task { plan: Box::new(plan), model: model.map(Box::new), lab })
}

/// The parser's sentence, without the excerpt that it draws.
fn plain(error: &linerate_core::plan::PlanError) -> String {
    match error {
        linerate_core::plan::PlanError::Syntax(error) => error.message().to_owned(),
        other => other.to_string(),
    }
}

/// Puts every value of `top` over those of `table`, table by table.
fn over(table: &mut toml::Table, top: &toml::Table) {
    for (key, value) in top {
        match (table.get_mut(key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => over(below, above),
            _ => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

fn model(name: &str, sets: &[(String, String)]) -> Result<(String, ModelPlan), Trouble> {
    let GivenModel { name, plan } = GivenModel::read(name)?;
    let sets: Vec<String> = sets.iter().map(|(key, value)| format!("{key}={value}")).collect();
    Ok((name, changed(&plan, &sets)?))
}

fn lab_plan(name: &str, sets: &[(String, toml::Value)], cell: &str) -> Result<Written, Trouble> {
    let lab_plan::Given { name, plan } = lab_plan::Given::read(name)?;
    let mut table: toml::Table = toml::from_str(&plan.to_toml()).expect("a laboratory is TOML");
    for (key, value) in sets {
        put(&mut table, key, value.clone())
            .map_err(|reason| refused(cell, &format!("lab.{key}: {reason}")))?;
    }
    let text = toml::to_string(&table).expect("a table has a TOML form");
    let plan = LabPlan::from_toml(&text).and_then(|plan| Layout::of(&plan).map(|_| plan));
    let plan = plan.map_err(|error| {
        let reason = match &error {
            linerate_core::lab::LabPlanError::Syntax(error) => error.message().to_owned(),
            other => other.to_string(),
        };
        refused(cell, &format!("the laboratory cannot be made: {reason}"))
    })?;
    Ok(Written { name, text: plan.to_toml() })
}

/// What is run under which conditions. Not the seed of a repetition, nor where results go.
fn id(work: &Work, conditions: &Conditions) -> String {
    let mut hash = Sha256::new();
    let mut add = |what: &str, text: &str| hash.update(format!("{what} {}\n{text}\n", text.len()));
    match work {
        Work::Task { plan, model, lab } => {
            add("plan", &plan.to_toml());
            if let Some(model) = model {
                add("model", &model.1.to_toml());
            }
            if let Some(lab) = lab {
                add("lab", &lab.text);
            }
        }
        Work::Command(words) => words.iter().for_each(|word| add("word", word)),
    }
    for (host, settings) in [("here", &conditions.here), ("there", &conditions.there)] {
        settings.iter().for_each(|(name, value)| add(host, &format!("{name}={value}")));
    }
    for (factor, level, _) in &conditions.by_hand {
        add("by hand", &format!("{factor}={level}"));
    }
    digits(hash)
}

/// The first 16 hexadecimal digits.
fn digits(hash: Sha256) -> String {
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
