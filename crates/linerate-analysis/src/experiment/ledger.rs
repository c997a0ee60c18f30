//! What an experiment keeps on disk: a line for every run that ended, with what it was and where its result lies.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ExperimentPlan, Readings};

/// A run of a cell that ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What was run: the same for runs of the same task under the same conditions.
    pub conditions: String,
    /// The level of every factor, by name.
    pub levels: BTreeMap<String, String>,
    /// Which repetition of it.
    pub slot: Slot,
    /// When it began: RFC 3339.
    pub started: String,
    /// How long it took. Unit: seconds.
    pub seconds: f64,
    /// How it ended.
    pub outcome: Outcome,
    /// What was set for it, with what was asked and what was granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Granted>,
}

/// Which repetition of a cell a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Slot {
    /// The block; of a design that finds its own way, the number of the run.
    pub block: u32,
    /// The whole plot: what ran between two changes of the factors that are expensive to change.
    #[serde(default)]
    pub plot: u32,
    /// Of the cell that is measured again and again to show a drift: which time in its block, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<u32>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// With a run file, named from the ledger's folder.
    Run(String),
    /// With the numbers of a command; what it printed lies in the file.
    Readings {
        /// The numbers.
        readings: Readings,
        /// What it printed, named from the ledger's folder.
        file: String,
    },
    /// Without a result.
    Failed(String),
}

/// A setting of a host, while a cell ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Granted {
    /// `here` or `there`.
    pub host: String,
    /// Its name.
    pub setting: String,
    /// What the plan asks for.
    pub asked: String,
    /// What the host made of it.
    pub granted: String,
    /// What it was before the experiment.
    pub original: String,
}

/// What a ledger holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// The runs, in the order in which they ended.
    pub entries: Vec<Entry>,
    /// Lines that could not be read: their numbers, from 1. The last line of a process that was killed is one.
    pub unread: Vec<usize>,
}

impl Entry {
    /// Whether it is a run of `cell` under these conditions.
    #[must_use]
    pub fn is_of(&self, plan: &ExperimentPlan, cell: &[usize], conditions: &str) -> bool {
        self.conditions == conditions && plan.cell_of(&self.levels).is_some_and(|of| of == cell)
    }
}

impl Ledger {
    /// Reads one, line by line.
    #[must_use]
    pub fn from_lines(text: &str) -> Self {
        let mut ledger = Self::default();
        for (nth, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(entry) => ledger.entries.push(entry),
                Err(_) => ledger.unread.push(nth + 1),
            }
        }
        ledger
    }

    /// The run of these conditions in this slot that has a result and belongs to `cell`, the last if there are several.
    /// Two cells may be run under the same conditions, to see how much equal runs differ.
    #[must_use]
    pub fn find(
        &self,
        plan: &ExperimentPlan,
        cell: &[usize],
        conditions: &str,
        slot: Slot,
    ) -> Option<&Entry> {
        let fits = |entry: &&Entry| {
            entry.is_of(plan, cell, conditions)
                && (entry.slot.block, entry.slot.check) == (slot.block, slot.check)
                && !matches!(entry.outcome, Outcome::Failed(_))
        };
        self.entries.iter().rev().find(fits)
    }
}

impl Entry {
    /// It as a line, without its end.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("every field has a JSON form")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(block: u32, outcome: Outcome) -> Entry {
        Entry {
            conditions: "abc".to_owned(),
            levels: BTreeMap::from([("MTU".to_owned(), "9000".to_owned())]),
            slot: Slot { block, ..Slot::default() },
            started: "2026-11-24T03:00:00Z".to_owned(),
            seconds: 1.5,
            outcome,
            settings: Vec::new(),
        }
    }

    #[test]
    fn a_ledger_is_read_line_by_line_also_when_its_last_is_torn() {
        let first = entry(0, Outcome::Run("runs/a.run.json.zst".to_owned()));
        let second = entry(1, Outcome::Failed("connect".to_owned()));
        let torn = &second.to_line()[..40];
        let text = format!("{}\n{}\n\n{torn}", first.to_line(), second.to_line());
        let ledger = Ledger::from_lines(&text);
        assert_eq!(ledger.entries, [first.clone(), second]);
        assert_eq!(ledger.unread, [4]);
        let plan = ExperimentPlan::from_toml(
            "[[factor]]\nname = 'MTU'\nlevels = [1500, 9000]\n[[factor]]\nname = 'later'\nlevels = ['base', 'other']",
        )
        .expect("a plan");
        let find = |cell: [usize; 2], conditions, slot| ledger.find(&plan, &cell, conditions, slot);
        assert_eq!(find([1, 0], "abc", Slot::default()), Some(&first));
        assert_eq!(find([1, 0], "abc", Slot { block: 1, ..Slot::default() }), None, "it failed");
        assert_eq!(find([1, 0], "abd", Slot::default()), None);
        assert_eq!(find([1, 0], "abc", Slot { plot: 7, ..Slot::default() }), Some(&first), "plots may move");
        assert_eq!(find([0, 0], "abc", Slot::default()), None, "another cell under the same conditions");
        assert_eq!(find([1, 1], "abc", Slot::default()), None, "what came later had its base");
    }
}
