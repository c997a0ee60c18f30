//! Experiments: factors and their levels, the order in which cells are run, and what an effect is worth.

mod budget;
mod cell;
mod check;
mod command;
mod costs;
pub mod design;
mod distribution;
pub mod drift;
pub mod effects;
mod evidence;
mod factor;
mod findings;
pub mod front;
mod ledger;
mod measured;
mod mix;
pub mod order;
mod plan;
mod prices;
pub mod search;
pub mod sequential;
pub mod staircase;
mod target;
mod way;

pub use budget::{Budget, OnFailure};
pub use cell::Conditions;
pub use check::PlanError;
pub use command::{Command, Metric, Reading, Readings};
pub use costs::{Costs, Offer};
pub use evidence::evidence;
pub use factor::{Factor, Level, text};
pub use findings::{
    BestFound, CellFound, CellValue, DriftFound, EffectFound, EffectVerdict, Elsewhere, Explanation,
    FactorShown, FigureFound, Findings, SettingShown, Trade,
};
pub use ledger::{Entry, Granted, Ledger, Outcome, Slot};
pub use measured::{FigureName, Measured};
pub use plan::{Bench, DesignPlan, ExperimentPlan, MOST_FACTORS};
pub use prices::{Bill, Count, Each, Part, Prices};
pub use target::{ParseTargetError, Target, put};
pub use way::{SearchFound, Stairs, StepFound, StepVerdict, TotalFound, TriedLevel, WayFound};

#[cfg(test)]
mod tests;
