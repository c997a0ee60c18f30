//! Levels that a person sets: what is in force now, what is to be done, and whether the environment agrees.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use linerate_analysis::experiment::{Conditions, Outcome};
use linerate_analysis::identity::fields;

use crate::store::{self, Writer};
use crate::trouble::Trouble;

/// Where the levels lie that are in force.
const FILE: &str = "by-hand.json";

/// The levels that a person has set, by factor.
#[derive(Debug)]
pub(super) struct ByHand {
    path: PathBuf,
    in_force: BTreeMap<String, String>,
    /// Whether a person has just said that what was asked is done.
    done: bool,
}

impl ByHand {
    /// What the folder says is in force. With `done`, what it asked for last has been done since.
    pub(super) fn read(folder: &Path, done: bool) -> Result<Self, Trouble> {
        let path = folder.join(FILE);
        let in_force = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                Trouble::new(
                    format!("failed to read {}: {error}", path.display()),
                    "remove the file; the experiment then asks again for what a person has to set",
                )
            })?,
            Err(_) => BTreeMap::new(),
        };
        Ok(Self { path, in_force, done })
    }

    /// Whether the levels that a cell needs are in force; else what a person has to do, and the ledger remembers that
    /// it was asked.
    pub(super) fn require(&mut self, cell: &Conditions, files: &Writer) -> Result<(), Vec<String>> {
        let missing: Vec<_> = cell
            .by_hand
            .iter()
            .filter(|(factor, level, _)| self.in_force.get(factor) != Some(level))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let sentences = missing.iter().map(|(_, _, what)| what.clone()).collect();
        if !self.done {
            return Err(sentences);
        }
        // One word of a person stands for one change, not for all that come.
        self.done = false;
        for (factor, level, _) in missing {
            self.in_force.insert(factor.clone(), level.clone());
        }
        let text = serde_json::to_string(&self.in_force).expect("names have a JSON form");
        files.replace(&self.path, &text).map_err(|_| sentences)
    }

    /// The run in `file`, if its environment is as the levels say; else why it does not count.
    pub(super) fn confirmed(
        &mut self,
        folder: &Path,
        file: String,
        cell: &Conditions,
    ) -> Result<Outcome, Trouble> {
        if cell.expect.is_empty() {
            return Ok(Outcome::Run(file));
        }
        let run = store::load(&folder.join(&file))?.run;
        let known = fields(&run);
        for (name, expected) in &cell.expect {
            let found = known.iter().find(|field| field.name == *name).map(|field| field.value.as_str());
            if found.is_some_and(|found| found.contains(expected.as_str())) {
                continue;
            }
            for (factor, _, _) in &cell.by_hand {
                self.in_force.remove(factor);
            }
            fs::remove_file(&self.path).unwrap_or(());
            let found = found.unwrap_or("not known");
            return Ok(Outcome::Failed(format!(
                "find the level in force: {name} is {found}, not {expected}"
            )));
        }
        Ok(Outcome::Run(file))
    }
}
