//! The runs of both sides, as the sheets that are compared.

use std::collections::BTreeMap;

use super::{CompareError, RunNote};
use crate::figures::Sheet;
use crate::identity::{Difference, Field, Role, differences, fields};
use crate::report::NamedRun;
use linerate_core::run::Source;

/// Both sides, each in the order in which its runs began. The repetitions of a side are its runs; of one run of several
/// passes over new connections, the passes.
pub(super) struct Sides<'a> {
    pub(super) runs: [Vec<&'a NamedRun>; 2],
    pub(super) sheets: [Vec<Sheet>; 2],
    pub(super) fields: [Vec<Vec<Field>>; 2],
    /// When each run began. Unit: microseconds since 1970.
    began: [Vec<Option<i64>>; 2],
}

impl<'a> Sides<'a> {
    pub(super) fn new(
        base: &'a [NamedRun],
        candidate: &'a [NamedRun],
        began: fn(&str) -> Option<i64>,
    ) -> Result<Self, CompareError> {
        if base.is_empty() || candidate.is_empty() {
            return Err(CompareError::NoRuns);
        }
        let mut known: BTreeMap<&str, &str> = BTreeMap::new();
        for named in base.iter().chain(candidate).filter(|named| !named.run.id.is_empty()) {
            if let Some(other) = known.insert(&named.run.id, &named.name) {
                return Err(CompareError::SameRun(other.to_owned(), named.name.clone()));
            }
        }
        let runs = [base, candidate].map(|side| {
            let mut runs: Vec<&NamedRun> = side.iter().collect();
            runs.sort_by_key(|named| began(&named.run.started));
            runs
        });
        let sheets = runs.each_ref().map(|side| match side.as_slice() {
            [one] => Sheet::of_passes(&one.name, &one.run),
            several => several.iter().map(|named| Sheet::of_run(&named.name, &named.run)).collect(),
        });
        let fields = runs.each_ref().map(|side| side.iter().map(|named| fields(&named.run)).collect());
        let began = runs.each_ref().map(|side| side.iter().map(|named| began(&named.run.started)).collect());
        Ok(Self { runs, sheets, fields, began })
    }

    pub(super) fn counts(&self) -> [usize; 2] {
        self.sheets.each_ref().map(Vec::len)
    }

    /// How many passes of its only run stand for the runs of a side, if they do.
    pub(super) fn passes(&self) -> [Option<usize>; 2] {
        [0, 1].map(|side| Some(self.sheets[side].len()).filter(|sheets| *sheets > self.runs[side].len()))
    }

    pub(super) fn differences(&self) -> Vec<Difference> {
        differences(&self.fields[0], &self.fields[1])
    }

    /// Refuses runs that were asked different things. What one side does not know is no difference where
    /// it cannot know it: a link, and everything in the file of another program.
    pub(super) fn check(&self, differences: &[Difference]) -> Result<(), CompareError> {
        let imported = self.runs.iter().flatten().any(|run| matches!(run.run.source, Source::Imported(_)));
        let counts = |difference: &&Difference| {
            let unknown = difference.values.iter().any(Vec::is_empty);
            difference.role == Role::Task && !(unknown && (imported || difference.name == "link"))
        };
        let other: Vec<Difference> = differences.iter().filter(counts).cloned().collect();
        if other.is_empty() { Ok(()) } else { Err(CompareError::OtherTask(other)) }
    }

    /// Whether every number comes from a model and no run of a side differs from another of it.
    pub(super) fn without_chance(&self) -> bool {
        let modelled = |named: &&NamedRun| matches!(named.run.source, Source::Modelled(_));
        let alike = |side: &Vec<Sheet>| {
            side.iter().all(|sheet| sheet.figures == side[0].figures && sheet.curves == side[0].curves)
        };
        self.runs.iter().flatten().all(modelled) && self.sheets.iter().all(alike)
    }

    /// Whether all runs of one side began before any of the other.
    pub(super) fn one_after_the_other(&self) -> bool {
        let times = self.began.each_ref().map(|side| side.iter().copied().collect::<Option<Vec<i64>>>());
        let [Some(base), Some(candidate)] = times else { return false };
        base.last() < candidate.first() || candidate.last() < base.first()
    }

    pub(super) fn notes(&self) -> [Vec<RunNote>; 2] {
        let passes = self.passes();
        [0, 1].map(|side| {
            let note = |named: &&NamedRun| RunNote {
                name: named.name.clone(),
                id: named.run.id.clone(),
                started: named.run.started.clone(),
                passes: passes[side],
            };
            self.runs[side].iter().map(note).collect()
        })
    }
}
