//! Experiments: factors and their levels, the order in which cells are run, and what an effect is worth.
//!
//! A *factor* is something that can be set, a *level* one of its values, and level 0 its base. A *cell* is
//! one combination: for each factor the index of its level. A *block* is a day or a boot in which every
//! cell is measured once; a *plot* is a stretch in which factors that are expensive to change stay as they
//! are.
//!
//! The mathematics ([`design`], [`order`], [`effects`](mod@effects), [`staircase`], [`search`] and what they stand on) are
//! pure functions and state machines over numbers. Results come there as natural logarithms where a ratio is
//! meant, so that a difference is the logarithm of a ratio.

mod analyse;
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
mod explained;
mod factor;
mod findings;
mod found;
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
    BestFound, CellFound, CellValue, DriftFound, DriftVerdict, EffectFound, EffectVerdict, Elsewhere,
    Explanation, FactorShown, FigureFound, Findings, SettingShown, Trade,
};
pub use found::Question;
pub use ledger::{Entry, Granted, Ledger, Outcome, Slot};
pub use measured::{FigureName, Measured};
pub use plan::{Bench, DesignPlan, ExperimentPlan, MOST_FACTORS};
pub use prices::{Bill, Count, Each, Part, Prices};
pub use target::{ParseTargetError, Target, put};
pub use way::{SearchFound, Stairs, StepFound, StepVerdict, TotalFound, TriedLevel, WayFound};

#[cfg(test)]
mod synthetic;
#[cfg(test)]
mod tests;
