//! From the ledger in a folder to the findings.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use linerate_analysis::experiment::{
    Entry, ExperimentPlan, Findings, Ledger, Measured, Outcome, Question, SettingShown,
};
use linerate_analysis::report::NamedRun;

use super::given::Given;
use super::prepared::Prepared;
use super::{fixed, way};
use crate::store;
use crate::trouble::Trouble;

/// What was found, and one run of each cell for the overlay of curves.
pub(super) struct Found {
    pub(super) findings: Findings,
    pub(super) curves: Vec<NamedRun>,
    /// Runs that the ledger lacks; absent if that depends on the results.
    pub(super) missing: Option<usize>,
}

/// Reads every run of the ledger that belongs to the plan.
pub(super) fn found(given: &Given, folder: &Path, ledger: &Ledger) -> Result<Found, Trouble> {
    let plan = &given.plan;
    let mut reader = Reader::new(plan, folder);
    let mut runs = Vec::new();
    let mut failed = Vec::new();
    for entry in newest(ledger) {
        let Some(cell) = reader.cell(entry)? else {
            reader.others += 1;
            continue;
        };
        match &entry.outcome {
            Outcome::Failed(reason) => failed.push([plan.cell_name(&cell), reason.clone()]),
            _ => runs.push(reader.measured(cell, entry)?),
        }
    }
    let schedule = fixed::schedule(plan)?;
    if super::folder::was_shared(folder) {
        in_planned_order(&mut runs, &schedule);
    }
    let mut cautions = Vec::new();
    if reader.others > 0 {
        cautions.push(format!(
            "{} runs of an earlier form of the plan are left out; they stay in the folder",
            reader.others
        ));
    }
    if !ledger.unread.is_empty() {
        cautions.push(format!("{} lines of the ledger cannot be read and are left out", ledger.unread.len()));
    }
    let mut missing = 0;
    for asked in &schedule {
        let id = reader.id(&asked.cell)?;
        missing += usize::from(ledger.find(plan, &asked.cell, &id, asked.slot).is_none());
    }
    let findings = Findings::of(Question {
        name: &given.name,
        plan,
        runs: &runs,
        failed,
        planned: (!plan.design.finds_its_way()).then_some(schedule.len()),
        cautions,
        way: way::found(plan, ledger, &mut reader)?,
        settings: settings(ledger, &super::folder::restored(folder)),
    });
    let missing = (!plan.design.finds_its_way()).then_some(missing);
    Ok(Found { findings, curves: reader.curves.into_values().collect(), missing })
}

/// Puts runs that were made side by side into the order that was planned: on models it stands for the time.
fn in_planned_order(runs: &mut [Measured], schedule: &[fixed::Asked]) {
    let place = |run: &Measured| {
        let slot = (run.slot.block, run.slot.check);
        let is =
            |asked: &fixed::Asked| asked.cell == run.cell && (asked.slot.block, asked.slot.check) == slot;
        schedule.iter().position(is).unwrap_or(schedule.len())
    };
    runs.sort_by_cached_key(place);
    for (nth, run) in runs.iter_mut().enumerate() {
        run.started_s = nth as f64;
    }
}

/// What was set, over all runs, and whether it is back.
fn settings(ledger: &Ledger, restored: &[(String, String, bool)]) -> Vec<SettingShown> {
    let mut shown: Vec<SettingShown> = Vec::new();
    for granted in ledger.entries.iter().flat_map(|entry| &entry.settings) {
        let known = shown.iter().position(|one| one.host == granted.host && one.setting == granted.setting);
        let place = known.unwrap_or_else(|| {
            let back =
                restored.iter().find(|(host, name, _)| *host == granted.host && *name == granted.setting);
            shown.push(SettingShown {
                host: granted.host.clone(),
                setting: granted.setting.clone(),
                original: granted.original.clone(),
                values: Vec::new(),
                restored: back.map(|(_, _, back)| *back),
            });
            shown.len() - 1
        });
        if !shown[place].values.contains(&granted.granted) {
            shown[place].values.push(granted.granted.clone());
        }
    }
    shown
}

/// The last entry of each slot that has a result; of a slot without one, its last failure.
fn newest(ledger: &Ledger) -> Vec<&Entry> {
    type Place<'l> = (&'l BTreeMap<String, String>, &'l str, u32, Option<u32>);
    let mut kept: BTreeMap<Place<'_>, (usize, &Entry)> = BTreeMap::new();
    for (nth, entry) in ledger.entries.iter().enumerate() {
        let slot = (&entry.levels, &*entry.conditions, entry.slot.block, entry.slot.check);
        let failed = |entry: &Entry| matches!(entry.outcome, Outcome::Failed(_));
        match kept.get(&slot) {
            Some((_, known)) if failed(entry) && !failed(known) => {}
            _ => {
                kept.insert(slot, (nth, entry));
            }
        }
    }
    let mut kept: Vec<(usize, &Entry)> = kept.into_values().collect();
    kept.sort_by_key(|(nth, _)| *nth);
    kept.into_iter().map(|(_, entry)| entry).collect()
}

/// What reads runs, and remembers what cells are known by.
pub(super) struct Reader<'a> {
    pub(super) plan: &'a ExperimentPlan,
    folder: &'a Path,
    ids: BTreeMap<Vec<usize>, String>,
    curves: BTreeMap<Vec<usize>, NamedRun>,
    others: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(plan: &'a ExperimentPlan, folder: &'a Path) -> Self {
        Self { plan, folder, ids: BTreeMap::new(), curves: BTreeMap::new(), others: 0 }
    }

    /// The cell that an entry is a run of, if the plan has it in this form.
    pub(super) fn cell(&mut self, entry: &Entry) -> Result<Option<Vec<usize>>, Trouble> {
        let Some(cell) = self.plan.cell_of(&entry.levels) else { return Ok(None) };
        Ok((self.id(&cell)? == entry.conditions).then_some(cell))
    }

    pub(super) fn id(&mut self, cell: &[usize]) -> Result<String, Trouble> {
        if let Some(id) = self.ids.get(cell) {
            return Ok(id.clone());
        }
        let id = Prepared::of(self.plan, cell)?.id;
        self.ids.insert(cell.to_vec(), id.clone());
        Ok(id)
    }

    /// The numbers of an entry with a result.
    pub(super) fn measured(&mut self, cell: Vec<usize>, entry: &Entry) -> Result<Measured, Trouble> {
        let (mut measured, file) = match &entry.outcome {
            Outcome::Run(file) => {
                let mut named = store::load(&self.folder.join(file))?;
                let measured = Measured::of_run(cell.clone(), entry.slot, &named.run);
                if !named.run.series.is_empty() {
                    named.name = self.plan.cell_name(&cell);
                    self.curves.entry(cell).or_insert(named);
                }
                (measured, file)
            }
            Outcome::Readings { readings, file } => (Measured::of_readings(cell, entry.slot, readings), file),
            Outcome::Failed(reason) => unreachable!("only entries with a result are read: {reason}"),
        };
        measured.file.clone_from(file);
        measured.started_s =
            entry.started.parse::<Timestamp>().map_or(0.0, |time| time.as_microsecond() as f64 / 1e6);
        Ok(measured)
    }
}
