//! Designs whose cells are known before the first run.

use linerate_analysis::experiment::design::{Design, cells};
use linerate_analysis::experiment::order::Order;
use linerate_analysis::experiment::{DesignPlan, ExperimentPlan, Factor, Slot};
use linerate_core::units::Span;
use linerate_study::Shard;

use super::conductor::{Conductor, Stop};
use super::prepared::Prepared;
use crate::trouble::Trouble;

/// A block of this many cells is long enough for the base to be measured at its beginning, middle and end too.
const LONG_BLOCK: usize = 8;

/// One run that a design asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) cell: Vec<usize>,
    pub(super) slot: Slot,
}

/// The runs of a design in their order; for one that finds its own way, none.
pub(super) fn schedule(plan: &ExperimentPlan) -> Result<Vec<Asked>, Trouble> {
    let Some(design) = design(&plan.design) else { return Ok(Vec::new()) };
    let levels: Vec<usize> = plan.factor.iter().map(|factor| factor.levels.len()).collect();
    let found = cells(&design, &levels, plan.seed).map_err(|error| {
        Trouble::new(
            format!("failed to plan the design {}: {error}", plan.design.name()),
            "change [design] or the factors in the plan",
        )
    })?;
    let hard: Vec<bool> = plan.factor.iter().map(Factor::is_hard).collect();
    let blocks = plan.blocks();
    let base = found.cells.iter().position(|cell| cell.iter().all(|level| *level == 0));
    let order = Order {
        cells: &found.cells,
        hard: &hard,
        blocks: blocks as usize,
        seed: plan.seed,
        // A model does not drift, a change by hand is not undone to look, and in short blocks the base comes often
        // enough by itself.
        check: base
            .filter(|_| found.cells.len() >= LONG_BLOCK && !plan.is_modelled() && !hard.contains(&true)),
        in_turn: matches!(design, Design::InTurn),
    };
    let mut checks = (0, 0);
    let asked = order.slots().into_iter().map(|turn| {
        let block = u32::try_from(turn.block).unwrap_or(u32::MAX);
        if checks.0 != block {
            checks = (block, 0);
        }
        checks.1 += u32::from(turn.check);
        let check = turn.check.then_some(checks.1);
        let plot = u32::try_from(turn.plot).unwrap_or(u32::MAX);
        Asked { cell: found.cells[turn.cell].clone(), slot: Slot { block, plot, check } }
    });
    Ok(asked.collect())
}

/// The design, if its cells are known beforehand.
pub(super) const fn design(plan: &DesignPlan) -> Option<Design> {
    Some(match plan {
        DesignPlan::OneAtATime { .. } => Design::OneAtATime,
        DesignPlan::Full { .. } => Design::Full,
        DesignPlan::TwoLevel { .. } => Design::TwoLevel,
        DesignPlan::Fraction { runs, .. } => Design::Fraction { runs: *runs as usize },
        DesignPlan::Random { cells, .. } => Design::Random { cells: *cells as usize },
        DesignPlan::LatinHypercube { cells, .. } => Design::LatinHypercube { cells: *cells as usize },
        DesignPlan::InTurn { .. } => Design::InTurn,
        DesignPlan::Staircase { .. } | DesignPlan::HighestLoad { .. } | DesignPlan::Smallest { .. } => {
            return None;
        }
    })
}

/// Every cell of the schedule, ready to be run: what cannot be set is found before the first run.
pub(super) fn prepare(plan: &ExperimentPlan, schedule: &[Asked]) -> Result<Vec<Prepared>, Trouble> {
    let mut cells: Vec<&Vec<usize>> = schedule.iter().map(|asked| &asked.cell).collect();
    cells.sort();
    cells.dedup();
    cells.into_iter().map(|cell| Prepared::of(plan, cell)).collect()
}

/// How long all runs take that are not in the ledger yet, by what their tasks ask for.
pub(super) fn asked_time(conductor: &mut Conductor<'_>, schedule: &[Asked]) -> Result<Span, Trouble> {
    let mut sum: u64 = 0;
    for asked in schedule {
        let prepared = conductor.prepare(&asked.cell)?;
        if conductor.ledger.find(conductor.plan, &asked.cell, &prepared.id, asked.slot).is_none() {
            let pause = conductor.plan.budget.pause.unwrap_or(Span::ZERO);
            let time = prepared.asked_time().unwrap_or(Span::ZERO);
            sum = sum.saturating_add(time.as_ps()).saturating_add(pause.as_ps());
        }
    }
    Ok(Span::from_ps(sum))
}

/// Runs what the ledger does not have yet, of this part of the schedule.
pub(super) fn run(conductor: &mut Conductor<'_>, schedule: &[Asked], shard: Shard) -> Result<(), Stop> {
    for (nth, asked) in schedule.iter().enumerate().filter(|(nth, _)| shard.has(*nth)) {
        let doing = format!("run {} of {}", nth + 1, schedule.len());
        conductor.measure(&asked.cell, asked.slot, &doing)?;
    }
    Ok(())
}
