//! The folder of an experiment: its plan, its ledger, its runs and its page.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use linerate_analysis::experiment::{Entry, Ledger};
use linerate_study::Shard;

use super::outcome::{DATA, PAGE};
use crate::store::{self, Writer};
use crate::trouble::Trouble;

/// The plan as it was last given.
const PLAN: &str = "plan.toml";
const LEDGER: &str = "ledger.jsonl";
/// How the ledger of a part begins, as in `ledger-2-of-4.jsonl`.
const OF_PART: &str = "ledger-";
/// Which settings are as before: those of the last time.
const RESTORED: &str = "restored.json";
/// Where run files and outputs of commands lie.
pub(super) const RUNS: &str = "runs";
/// Where the plans of the cells lie.
pub(super) const CONDITIONS: &str = "conditions";

/// The folder of an experiment. As long as this lives no other process writes to it, or only other parts do.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Where this process adds its runs.
    own: PathBuf,
    ledger: File,
    /// Of a part: the ledger of who runs everything, held so that nobody does meanwhile.
    _whole: Option<File>,
}

impl Folder {
    /// Opens the folder, or makes it.
    ///
    /// # Errors
    ///
    /// It is used by others, cannot be written, or has files that no experiment has made.
    pub(super) fn open(path: &Path, shard: Option<Shard>, files: &Writer) -> Result<Self, Trouble> {
        files.keep(path, &[LEDGER, PLAN, RUNS, CONDITIONS, RESTORED, PAGE, DATA])?;
        let folder = |part: &Path| fs::create_dir_all(part).map_err(|error| unwritten(part, &error));
        // First, because other parts that begin know the folder of an experiment by it.
        let whole = appended(&path.join(LEDGER))?;
        [RUNS, CONDITIONS].into_iter().try_for_each(|part| folder(&path.join(part)))?;
        let Some(shard) = shard else {
            whole.try_lock().map_err(|_| in_use(path, "another process runs this experiment"))?;
            return Ok(Self { path: path.to_owned(), own: path.join(LEDGER), ledger: whole, _whole: None });
        };
        // Many shared file systems have no locks. Each part has a ledger of its own, so none is lost without.
        if matches!(whole.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            return Err(in_use(path, "another process runs this experiment as a whole"));
        }
        let own = path.join(format!("{OF_PART}{}.jsonl", part_name(shard)));
        let ledger = appended(&own)?;
        if matches!(ledger.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(in_use(path, &format!("another process runs shard {shard} of this experiment")));
        }
        Ok(Self { path: path.to_owned(), own, ledger, _whole: Some(whole) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the plan, so that `resume` and `report` need only the folder.
    pub(super) fn keep_plan(&self, text: &str, files: &Writer) -> Result<(), Trouble> {
        files.replace(&self.path.join(PLAN), text)
    }

    /// The same for a part: all parts have one plan.
    pub(super) fn keep_plan_of_parts(&self, text: &str, files: &Writer) -> Result<(), Trouble> {
        match store::text(&self.path.join(PLAN)) {
            Ok(there) if there == text => Ok(()),
            Ok(_) => Err(Trouble::new(
                format!("failed to use {}: these results are of another plan", self.path.display()),
                "give another folder with --folder; or run the plan there without --shard first",
            )),
            Err(_) => self.keep_plan(text, files),
        }
    }

    /// Adds a run, which is on the disk when this returns.
    pub(super) fn add(&mut self, entry: &Entry) -> Result<(), Trouble> {
        // A process that was killed may have left half a line.
        let torn = !ends_with_newline(&self.own).unwrap_or(true);
        let line = format!("{}{}\n", if torn { "\n" } else { "" }, entry.to_line());
        self.ledger
            .write_all(line.as_bytes())
            .and_then(|()| self.ledger.sync_data())
            .map_err(|error| unwritten(&self.own, &error))
    }

    pub(super) fn ledger(&self) -> Result<Ledger, Trouble> {
        ledger(&self.path)
    }
}

/// What the ledgers in a folder hold: that of the whole, and those of parts.
pub(super) fn ledger(folder: &Path) -> Result<Ledger, Trouble> {
    let mut ledger = read(&folder.join(LEDGER))?;
    let parts = ledgers_of_parts(folder);
    for path in &parts {
        let part = read(path)?;
        ledger.entries.extend(part.entries);
        ledger.unread.extend(part.unread);
    }
    if !parts.is_empty() {
        // The last run of a slot counts, whoever made it. A time that cannot be read is that of no run of linerate.
        ledger.entries.sort_by_key(|entry| entry.started.parse::<Timestamp>().unwrap_or_default());
    }
    Ok(ledger)
}

fn read(path: &Path) -> Result<Ledger, Trouble> {
    let bytes = fs::read(path).map_err(|error| unread(path, &error))?;
    Ok(Ledger::from_lines(&String::from_utf8_lossy(&bytes)))
}

/// The ledgers that parts of the experiment left.
fn ledgers_of_parts(folder: &Path) -> Vec<PathBuf> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    let mut names: Vec<String> =
        names.filter(|name| name.starts_with(OF_PART) && name.ends_with(".jsonl")).collect();
    names.sort_unstable();
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// Whether parts of the experiment were run side by side.
pub(super) fn was_shared(folder: &Path) -> bool {
    !ledgers_of_parts(folder).is_empty()
}

/// A part as a piece of a file's name: `2-of-4`.
pub(super) fn part_name(shard: Shard) -> String {
    shard.to_string().replace('/', "-of-")
}

fn appended(path: &Path) -> Result<File, Trouble> {
    OpenOptions::new().append(true).create(true).open(path).map_err(|error| unwritten(path, &error))
}

fn in_use(path: &Path, why: &str) -> Trouble {
    let what = format!("failed to use {}: {why}", path.display());
    Trouble::new(what, "wait until it has ended, or choose another folder with --folder")
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
        "free space there, or choose another folder with --folder; the runs that are in the ledger are kept";
    Trouble::file("write", path, error, help)
}

/// The experiment's name, from its folder's.
pub(super) fn name(folder: &Path) -> String {
    let name = folder.file_stem().or_else(|| folder.file_name());
    name.map_or_else(|| "experiment".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Notes which settings were put back: host, name, and whether.
pub(super) fn note_restored(
    folder: &Path,
    restored: &[(String, String, bool)],
    files: &Writer,
) -> Result<(), Trouble> {
    if restored.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_string(restored).expect("names have a JSON form");
    files.replace(&folder.join(RESTORED), &text)
}

/// What was noted last; nothing if the file is not there or cannot be read.
pub(super) fn restored(folder: &Path) -> Vec<(String, String, bool)> {
    let text = fs::read(folder.join(RESTORED)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}
