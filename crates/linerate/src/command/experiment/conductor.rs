//! The runs of an experiment, one after the other: what the ledger has is not run again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use linerate_analysis::experiment::{Entry, ExperimentPlan, Ledger, OnFailure, Outcome, Slot};

use super::by_hand::ByHand;
use super::cell_run::{Ended, Place};
use super::folder::Folder;
use super::hosts::Hosts;
use super::prepared::Prepared;
use crate::progress::Line;
use crate::screen::note;
use crate::signals::Interrupt;
use crate::store::Writer;
use crate::trouble::Trouble;

/// Why an experiment stops before its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// The user ended it.
    Interrupted,
    /// Its time is over.
    TimeOver,
    /// A run failed, and the plan says to stop then.
    Failed,
    /// A person has to do something first: these sentences.
    ByHand(Vec<String>),
    /// It cannot go on.
    Trouble(Trouble),
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// What runs cells and keeps their results.
pub(super) struct Conductor<'a> {
    pub(super) plan: &'a ExperimentPlan,
    pub(super) place: Place<'a>,
    pub(super) files: &'a Writer,
    pub(super) folder: &'a mut Folder,
    pub(super) ledger: Ledger,
    pub(super) by_hand: ByHand,
    pub(super) hosts: Hosts,
    pub(super) interrupt: &'a Interrupt,
    pub(super) line: &'a Line,
    pub(super) deadline: Option<Instant>,
    /// Cells that were prepared, by their levels.
    pub(super) prepared: BTreeMap<Vec<usize>, Prepared>,
    /// What goes into the labels of every run beside its levels: the experiment's name.
    pub(super) name: &'a str,
}

impl Conductor<'_> {
    /// The cell with these levels, ready to be run.
    pub(super) fn prepare(&mut self, cell: &[usize]) -> Result<Prepared, Trouble> {
        if let Some(known) = self.prepared.get(cell) {
            return Ok(known.clone());
        }
        let prepared = Prepared::of(self.plan, cell)?;
        self.prepared.insert(cell.to_vec(), prepared.clone());
        Ok(prepared)
    }

    /// The run of a cell in a slot: from the ledger, or made now. `doing` is shown meanwhile.
    pub(super) fn measure(&mut self, cell: &[usize], slot: Slot, doing: &str) -> Result<Entry, Stop> {
        let prepared = self.prepare(cell)?;
        if let Some(known) = self.ledger.find(self.plan, cell, &prepared.id, slot) {
            return Ok(known.clone());
        }
        self.by_hand.require(&prepared.conditions, self.files).map_err(Stop::ByHand)?;
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stop::TimeOver);
        }
        let name = self.plan.cell_name(cell);
        self.line.doing(&format!("{doing}: {name}"));
        self.pause();
        let started = Timestamp::now().to_string();
        let labels = self.labels(cell);
        let (outcome, seconds, settings) = match self.hosts.apply(&prepared.conditions) {
            Ok(settings) => match self.place.run(&prepared, slot, &labels, self.interrupt)? {
                Ended::Outcome(outcome, seconds) => (outcome, seconds, settings),
                Ended::Interrupted => return Err(Stop::Interrupted),
            },
            Err(trouble) => (Outcome::Failed(trouble.reason()), 0.0, Vec::new()),
        };
        let outcome = match (outcome, self.hosts.foreign()) {
            (Outcome::Failed(reason), _) => Outcome::Failed(reason),
            (_, Some(foreign)) => Outcome::Failed(format!("keep the settings: {foreign}")),
            (Outcome::Run(file), None) => {
                self.by_hand.confirmed(self.folder.path(), file, &prepared.conditions)?
            }
            (other, None) => other,
        };
        if let Outcome::Failed(reason) = &outcome {
            self.line.clear();
            note(format_args!("! {name}: failed to {reason}"));
        }
        let levels = labels.into_iter().skip(1).collect();
        let entry = Entry { conditions: prepared.id, levels, slot, started, seconds, outcome, settings };
        self.folder.add(&entry)?;
        self.ledger.entries.push(entry.clone());
        match entry.outcome {
            Outcome::Failed(_) if self.plan.budget.on_failure == OnFailure::Stop => Err(Stop::Failed),
            _ => Ok(entry),
        }
    }

    /// Waits as long as the plan says, for what the run before left behind.
    fn pause(&self) {
        let Some(pause) = self.plan.budget.pause else { return };
        let end = Instant::now() + Duration::from_nanos(pause.as_ps() / 1_000);
        while Instant::now() < end && !self.interrupt.asked() {
            std::thread::sleep(Duration::from_millis(20).min(end.saturating_duration_since(Instant::now())));
        }
    }

    /// The experiment's name, and the level of every factor.
    fn labels(&self, cell: &[usize]) -> Vec<(String, String)> {
        let level = |(factor, level): (&linerate_analysis::experiment::Factor, &usize)| {
            (factor.name.clone(), factor.levels[*level].name.clone())
        };
        let first = ("experiment".to_owned(), self.name.to_owned());
        std::iter::once(first).chain(self.plan.factor.iter().zip(cell).map(level)).collect()
    }
}
