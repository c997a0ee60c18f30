//! The folder of an experiment: its plan, its ledger, its runs and its page.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use linerate_core::experiment::{Entry, Ledger};

use crate::store;
use crate::trouble::Trouble;

/// The plan as it was last given.
const PLAN: &str = "plan.toml";
const LEDGER: &str = "ledger.jsonl";
/// Which settings are as before: those of the last time.
const RESTORED: &str = "restored.json";
/// Where run files and outputs of commands lie.
pub(super) const RUNS: &str = "runs";
/// Where the plans of the cells lie.
pub(super) const CONDITIONS: &str = "conditions";

/// The folder of an experiment, which no other process writes to as long as this lives.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    ledger: File,
}

impl Folder {
    /// Opens the folder, or makes it.
    pub(super) fn open(path: &Path) -> Result<Self, Trouble> {
        for part in [path.to_owned(), path.join(RUNS), path.join(CONDITIONS)] {
            fs::create_dir_all(&part).map_err(|error| unwritten(&part, &error))?;
        }
        let file = path.join(LEDGER);
        let ledger = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&file)
            .map_err(|error| unwritten(&file, &error))?;
        if ledger.try_lock().is_err() {
            return Err(Trouble::new(
                format!("failed to use {}: another process runs this experiment", path.display()),
                "wait until it has ended, or choose another folder with --to",
            ));
        }
        Ok(Self { path: path.to_owned(), ledger })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the plan, so that `resume` and `report` need only the folder.
    pub(super) fn keep_plan(&self, text: &str) -> Result<(), Trouble> {
        store::replace(&self.path.join(PLAN), text)
    }

    /// Adds a run, which is on the disk when this returns.
    pub(super) fn add(&mut self, entry: &Entry) -> Result<(), Trouble> {
        // A process that was killed may have left half a line.
        let torn = !ends_with_newline(&self.path.join(LEDGER)).unwrap_or(true);
        let line = format!("{}{}\n", if torn { "\n" } else { "" }, entry.to_line());
        self.ledger
            .write_all(line.as_bytes())
            .and_then(|()| self.ledger.sync_data())
            .map_err(|error| unwritten(&self.path.join(LEDGER), &error))
    }

    pub(super) fn ledger(&self) -> Result<Ledger, Trouble> {
        ledger(&self.path)
    }
}

/// What the ledger in a folder holds.
pub(super) fn ledger(folder: &Path) -> Result<Ledger, Trouble> {
    let path = folder.join(LEDGER);
    let bytes = fs::read(&path).map_err(|error| unread(&path, &error))?;
    Ok(Ledger::from_lines(&String::from_utf8_lossy(&bytes)))
}

/// The plan in a folder.
pub(super) fn plan(folder: &Path) -> Result<String, Trouble> {
    let path = folder.join(PLAN);
    store::text(&path).map_err(|error| unread(&path, &error))
}

fn ends_with_newline(path: &Path) -> io::Result<bool> {
    let bytes = fs::read(path)?;
    Ok(bytes.last().is_none_or(|last| *last == b'\n'))
}

fn unread(path: &Path, error: &io::Error) -> Trouble {
    Trouble::file(
        "read",
        path,
        error,
        "name the folder of an experiment, as `linerate experiment PLAN` makes it",
    )
}

fn unwritten(path: &Path, error: &io::Error) -> Trouble {
    let help =
        "free space there, or choose another folder with --to; the runs that are in the ledger are kept";
    Trouble::file("write", path, error, help)
}

/// The experiment's name, from its folder's.
pub(super) fn name(folder: &Path) -> String {
    let name = folder.file_stem().or_else(|| folder.file_name());
    name.map_or_else(|| "experiment".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Notes which settings were put back: host, name, and whether.
pub(super) fn note_restored(folder: &Path, restored: &[(String, String, bool)]) -> Result<(), Trouble> {
    if restored.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_string(restored).expect("names have a JSON form");
    store::replace(&folder.join(RESTORED), &text)
}

/// What was noted last; nothing if the file is not there or cannot be read.
pub(super) fn restored(folder: &Path) -> Vec<(String, String, bool)> {
    let text = fs::read(folder.join(RESTORED)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}
