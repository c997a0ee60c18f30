//! Putting settings back from a journal.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::journal::{self, About, ENDING, Entry, Journal, JournalError, Record, entries};
use super::origin::{Namespace, boot_id};
use super::{Scope, Setting, SettingError, Value};

/// What became of a setting.
#[derive(Debug)]
pub struct Outcome {
    /// Which.
    pub setting: Setting,
    /// What it was before the first change.
    pub original: Value,
    /// What became of it.
    pub end: End,
}

/// What became of a setting that was to be put back.
#[derive(Debug)]
pub enum End {
    /// It has its original value again.
    Back,
    /// It had its original value.
    Unchanged,
    /// Somebody else has changed it since, and it was left alone.
    Foreign {
        /// What it was given by the journal's process.
        ours: Value,
        /// What it has.
        theirs: Value,
    },
    /// There is nothing to put back: the host has started anew, or what had the setting has gone.
    Void(&'static str),
    /// It could not be put back.
    Failed(SettingError),
}

impl Outcome {
    /// Whether nothing is left to be done about it.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self.end, End::Back | End::Unchanged | End::Void(_))
    }
}

/// How a journal stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its process runs.
    Living,
    /// Its process has ended: its settings are to be put back.
    Orphaned,
    /// The host has started anew since: settings of interfaces and of other network namespaces have gone with it.
    /// Others are put back only where they still have what the journal's process gave them.
    Restarted,
    /// Its network namespace has gone, or nothing leads to it: only settings of the whole host can be put back.
    Gone,
    /// It cannot be read, and why.
    Unreadable(String),
}

/// A journal that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// Who made the changes, where and what for. Absent if it was stopped before it began, or is unreadable.
    pub about: Option<About>,
    /// How it stands.
    pub standing: Standing,
    /// The settings that are to be put back, with their original values.
    pub settings: Vec<(Setting, Value)>,
}

/// The journals in `folder`, by name. A folder that is not there has none.
///
/// # Errors
///
/// [`JournalError::File`] when the folder cannot be read.
pub fn journals(folder: &Path) -> Result<Vec<Found>, JournalError> {
    let files = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(JournalError::file("read the folder", folder))?,
    };
    let paths = files.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == ENDING)).collect();
    paths.sort();
    Ok(paths.into_iter().map(found).collect())
}

/// Puts back what the journal at `path` says, whose process has ended; see [`Changes::restore`](super::Changes::restore).
///
/// # Errors
///
/// [`JournalError::Living`] while its process runs; [`JournalError`] when the journal cannot be read or written.
pub fn restore_orphan(path: &Path, force: bool) -> Result<Vec<Outcome>, JournalError> {
    let journal = Journal::open(path)?;
    match journal::peek(path)?.into_iter().next() {
        Some(Record::Begin(about)) if standing(&about) == Standing::Living => {
            Err(JournalError::Living { path: path.to_owned(), pid: about.pid(), what: about.what })
        }
        _ => restore(&journal, force),
    }
}

/// Removes the journal at `path` and leaves its settings as they are.
///
/// # Errors
///
/// [`JournalError::File`] when it cannot be removed.
pub fn discard(path: &Path) -> Result<(), JournalError> {
    let journal = Journal::open(path)?;
    let Some(_turn) = journal.turn()? else { return Ok(()) };
    journal.remove()
}

/// Puts back what `journal` says, while nobody else does. Nothing if somebody else has.
pub(super) fn restore(journal: &Journal, force: bool) -> Result<Vec<Outcome>, JournalError> {
    let Some(_turn) = journal.turn()? else { return Ok(Vec::new()) };
    let records = journal.records()?;
    let Some(Record::Begin(about)) = records.first() else {
        // It was stopped before it began.
        journal.remove()?;
        return Ok(Vec::new());
    };
    let restarted = !is_of_this_start(about);
    let namespace = match restarted && about.namespace.host {
        true => Namespace::of_host().map_err(JournalError::Origin)?,
        false => about.namespace.clone(),
    };
    let put = |there: bool| {
        let rules = Rules { restarted, there, force };
        let (beside, changed): (Vec<_>, Vec<_>) =
            entries(&records).into_iter().partition(|entry| entry.beside);
        let all = changed.into_iter().rev().chain(beside);
        let put_back = |entry: Entry| Ok((entry.beside, rules.put_back(journal, entry)?));
        all.map(put_back).collect::<Result<Vec<_>, JournalError>>()
    };
    let mut outcomes = match namespace.within(|| put(true)).map_err(JournalError::Origin)? {
        Some(outcomes) => outcomes?,
        None => put(false)?,
    };
    if outcomes.iter().all(|(_, outcome)| outcome.is_done()) {
        journal.remove()?;
    }
    // What came back by the way is nothing to tell.
    outcomes.retain(|(beside, outcome)| !beside || !outcome.is_done());
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

/// What decides over each setting of a journal.
#[derive(Clone, Copy)]
struct Rules {
    /// The host has started anew.
    restarted: bool,
    /// This thread is in the journal's network namespace.
    there: bool,
    /// What others changed is put back too.
    force: bool,
}

impl Rules {
    /// Puts one setting back and notes it in the journal.
    fn put_back(self, journal: &Journal, entry: Entry) -> Result<Outcome, JournalError> {
        let end = self.end(&entry).unwrap_or_else(End::Failed);
        let original = entry.shown();
        let outcome = Outcome { setting: entry.setting, original, end };
        if outcome.is_done() {
            journal.append(&[Record::Restored { setting: outcome.setting.clone() }], false)?;
        }
        Ok(outcome)
    }

    fn end(self, entry: &Entry) -> Result<End, SettingError> {
        let Entry { setting, original, asked, granted, beside: _ } = entry;
        let scope = setting.name.scope();
        if self.restarted && scope == Scope::Interface {
            return Ok(End::Void("the host has started anew since"));
        }
        if !self.there && scope != Scope::Host {
            return Ok(End::Void("the network namespace has gone, or nothing leads to it"));
        }
        let Some(asked) = asked else { return Ok(End::Unchanged) };
        let now = match super::read(setting) {
            Ok(now) => now,
            Err(SettingError::NoDevice(_)) => return Ok(End::Void("the interface has gone")),
            // What somebody else put there can be replaced, if that is wanted.
            Err(SettingError::NotRestorable { .. }) if self.force => Value::default(),
            Err(error) => return Err(error),
        };
        if super::same(setting, &now, original) {
            return Ok(End::Unchanged);
        }
        // If the process was stopped before it had read back what was granted, any value may be that.
        let certain = granted.as_ref().or(self.restarted.then_some(asked));
        match certain.filter(|ours| !super::same(setting, &now, ours)) {
            Some(_) if self.restarted => return Ok(End::Void("the host has started anew since")),
            Some(ours) if !self.force => return Ok(End::Foreign { ours: ours.clone(), theirs: now }),
            _ => {}
        }
        super::put(setting, original)?;
        let now = super::read(setting)?;
        if super::same(setting, &now, original) {
            return Ok(End::Back);
        }
        Err(SettingError::Ignored { setting: setting.clone(), asked: original.clone(), granted: now })
    }
}

fn found(path: PathBuf) -> Found {
    match journal::peek(&path) {
        Ok(records) => {
            let about = match records.first() {
                Some(Record::Begin(about)) => Some(about.clone()),
                _ => None,
            };
            let standing = about.as_ref().map_or(Standing::Orphaned, standing);
            let settings = shown(&records);
            Found { path, about, standing, settings }
        }
        Err(error) => {
            let standing = Standing::Unreadable(error.to_string());
            Found { path, about: None, standing, settings: Vec::new() }
        }
    }
}

/// What was changed on purpose; what was taken with it only if nothing else is left.
fn shown(records: &[Record]) -> Vec<(Setting, Value)> {
    let (beside, changed): (Vec<_>, Vec<_>) = entries(records).into_iter().partition(|entry| entry.beside);
    let shown = if changed.is_empty() { beside } else { changed };
    shown.into_iter().map(|entry| (entry.setting.clone(), entry.shown())).collect()
}

fn standing(about: &About) -> Standing {
    if !is_of_this_start(about) {
        return Standing::Restarted;
    }
    if about.process.is_alive() {
        return Standing::Living;
    }
    match about.namespace.within(|| ()) {
        Ok(None) => Standing::Gone,
        // A namespace that may not be entered is there.
        Ok(Some(())) | Err(_) => Standing::Orphaned,
    }
}

/// Whether the journal was begun since the host started. Where that is not known, it was.
fn is_of_this_start(about: &About) -> bool {
    boot_id().map_or(true, |boot| boot == about.boot)
}
