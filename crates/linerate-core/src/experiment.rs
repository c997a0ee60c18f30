//! Experiments: factors and their levels, the order in which cells are run, and what an effect is worth.

mod budget;
mod cell;
mod check;
mod command;
mod factor;
mod ledger;
mod plan;
mod prices;
mod target;

pub use budget::{Budget, OnFailure};
pub use cell::Conditions;
pub use check::PlanError;
pub use command::{Command, Metric, Reading, Readings};
pub use factor::{Factor, Level, text};
pub use ledger::{Entry, Granted, Ledger, Outcome, Slot};
pub use plan::{Bench, DesignPlan, ExperimentPlan, MOST_FACTORS};
pub use prices::{Bill, Count, Each, Part, Prices};
pub use target::{ParseTargetError, Target, put};

#[cfg(test)]
mod tests;
