//! Designs that find their own way: each run depends on the results of those before.
//!
//! The ledger is their memory. A machine of the core says what is measured next; what the ledger has is told to it
//! again, so that an experiment goes on where it stopped, and a report needs no other state.

mod highest;
mod smallest;
mod staircase;

use linerate_analysis::experiment::{DesignPlan, Entry, ExperimentPlan, Ledger, Measured, Slot, WayFound};
use linerate_core::units::Span;

use super::conductor::{Conductor, Stop};
use super::findings::Reader;
use super::prepared::Prepared;
use crate::trouble::Trouble;

/// Where the runs of a machine come from: the conductor, which makes those that are missing, or the ledger alone.
trait Source {
    /// The run of a cell in a slot. Absent if it is not there and cannot be made.
    fn run(&mut self, cell: &[usize], slot: Slot, doing: &str) -> Result<Option<Measured>, Stop>;
    /// Why the last run of a cell in a slot has no result.
    fn failure(&self) -> Option<String>;
}

/// Makes what is missing.
struct Live<'c, 'a> {
    conductor: &'c mut Conductor<'a>,
    failure: Option<String>,
}

impl Source for Live<'_, '_> {
    fn run(&mut self, cell: &[usize], slot: Slot, doing: &str) -> Result<Option<Measured>, Stop> {
        let entry = self.conductor.measure(cell, slot, doing)?;
        read(self.conductor.plan, self.conductor.place.folder, cell, &entry, &mut self.failure)
            .map_err(Stop::from)
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }
}

/// Only what is there.
struct Kept<'l, 'r, 'a> {
    ledger: &'l Ledger,
    reader: &'r mut Reader<'a>,
    failure: Option<String>,
}

impl Source for Kept<'_, '_, '_> {
    fn run(&mut self, cell: &[usize], slot: Slot, _doing: &str) -> Result<Option<Measured>, Stop> {
        let id = self.reader.id(cell)?;
        let plan = self.reader.plan;
        let fits = |entry: &&Entry| entry.is_of(plan, cell, &id) && entry.slot.block == slot.block;
        self.failure = None;
        if let Some(entry) = self.ledger.find(plan, cell, &id, slot) {
            return Ok(Some(self.reader.measured(cell.to_vec(), entry)?));
        }
        if let Some(failed) = self.ledger.entries.iter().rev().find(fits)
            && let linerate_analysis::experiment::Outcome::Failed(reason) = &failed.outcome
        {
            self.failure = Some(reason.clone());
        }
        Ok(None)
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }
}

fn read(
    plan: &ExperimentPlan,
    folder: &std::path::Path,
    cell: &[usize],
    entry: &Entry,
    failure: &mut Option<String>,
) -> Result<Option<Measured>, Trouble> {
    use linerate_analysis::experiment::Outcome;
    if let Outcome::Failed(reason) = &entry.outcome {
        *failure = Some(reason.clone());
        return Ok(None);
    }
    *failure = None;
    Reader::new(plan, folder).measured(cell.to_vec(), entry).map(Some)
}

/// Runs the design, if it finds its own way.
pub(super) fn run(conductor: &mut Conductor<'_>) -> Option<Result<(), Stop>> {
    let plan = conductor.plan;
    let mut source = Live { conductor, failure: None };
    walk(plan, &mut source).map(|walked| walked.map(drop))
}

/// What the design has found, by what the ledger has.
pub(super) fn found(
    plan: &ExperimentPlan,
    ledger: &Ledger,
    reader: &mut Reader<'_>,
) -> Result<Option<WayFound>, Trouble> {
    let mut source = Kept { ledger, reader, failure: None };
    match walk(plan, &mut source) {
        None => Ok(None),
        Some(Ok(found)) => Ok(Some(found)),
        Some(Err(Stop::Trouble(trouble))) => Err(trouble),
        Some(Err(stop)) => unreachable!("the ledger alone does not stop: {stop:?}"),
    }
}

fn walk(plan: &ExperimentPlan, source: &mut impl Source) -> Option<Result<WayFound, Stop>> {
    match &plan.design {
        DesignPlan::Staircase { pairs, looks } => Some(staircase::walk(plan, [*pairs, *looks], source)),
        DesignPlan::HighestLoad { loss, repeats } => Some(highest::walk(plan, *loss, *repeats, source)),
        DesignPlan::Smallest { keep, repeats } => Some(smallest::walk(plan, *keep, *repeats, source)),
        _ => None,
    }
}

/// Every cell that the design may come to by itself, tried before the first run; how long a run of the base asks for.
pub(super) fn prepare(plan: &ExperimentPlan) -> Result<Option<Span>, Trouble> {
    if !plan.design.finds_its_way() {
        return Ok(None);
    }
    let mut cell = vec![0; plan.factor.len()];
    let time = Prepared::of(plan, &cell)?.asked_time();
    for (nth, factor) in plan.factor.iter().enumerate() {
        for level in 1..factor.levels.len() {
            cell[nth] = level;
            Prepared::of(plan, &cell)?;
        }
        cell[nth] = 0;
    }
    Ok(time)
}

/// The most runs that the design can take.
pub(super) fn most(plan: &ExperimentPlan) -> usize {
    match &plan.design {
        DesignPlan::Staircase { pairs, looks } => {
            let changes: usize = plan.factor.iter().map(|factor| factor.levels.len() - 1).sum();
            2 * (changes * (*looks * *pairs) as usize + staircase::fresh_pairs([*pairs, *looks]))
        }
        DesignPlan::HighestLoad { repeats, .. } | DesignPlan::Smallest { repeats, .. } => {
            let levels = plan.factor.first().map_or(1, |factor| factor.levels.len());
            // The ends, what halving takes, and a few beyond.
            let halvings = usize::BITS - levels.leading_zeros();
            (halvings as usize + 2 + highest::PROBES) * *repeats as usize
        }
        _ => 0,
    }
}

/// The title and the merit of the figure that decides: `goal`, or the first that has a direction.
fn goal(plan: &ExperimentPlan, run: &Measured) -> Option<linerate_analysis::experiment::FigureName> {
    linerate_analysis::experiment::FigureName::all(plan, std::slice::from_ref(run))
        .into_iter()
        .next()
        .filter(|figure| plan.goal.as_ref().is_none_or(|goal| *goal == figure.key))
}
