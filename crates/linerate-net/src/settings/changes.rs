//! Changes of settings that can be taken back.

use std::path::Path;

use super::guardian::Guarded;
use super::journal::{About, Entry, FORMAT, Journal, JournalError, Record, entries};
use super::origin::{Namespace, Process, boot_id};
use super::restore::{self, Outcome};
use super::{Change, Setting, Value};

/// Changes of settings, with a journal on disk that is written before each change.
///
/// To drop it restores nothing, as little as to kill the process: [`Changes::restore`] does, or the
/// [guardian](super::guard), or [`restore_orphan`](super::restore_orphan).
#[must_use = "what is changed stays so until it is restored"]
#[derive(Debug)]
pub struct Changes {
    journal: Journal,
    about: About,
    /// What the journal says.
    records: Vec<Record>,
    guardian: Option<Guarded>,
}

/// A setting that has another value than it was given here: somebody else has changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Which.
    pub setting: Setting,
    /// What it was given here.
    pub ours: Value,
    /// What it has, or why that cannot be read.
    pub theirs: Result<Value, String>,
}

impl Changes {
    /// Opens a journal in `folder`, of changes in the calling thread's network namespace, made for `what`.
    ///
    /// # Errors
    ///
    /// [`JournalError::File`] when it cannot be written.
    pub fn begin(folder: &Path, what: &str) -> Result<Self, JournalError> {
        let about = About {
            format: FORMAT,
            process: Process::own().map_err(JournalError::Origin)?,
            boot: boot_id().map_err(JournalError::Origin)?,
            namespace: Namespace::own().map_err(JournalError::Origin)?,
            what: what.to_owned(),
        };
        let journal = Journal::create(folder, &about)?;
        Ok(Self { journal, about, records: Vec::new(), guardian: None })
    }

    /// Where the journal is.
    #[must_use]
    pub fn journal(&self) -> &Path {
        self.journal.path()
    }

    /// Lets `guardian` watch from now on: it is one of this journal, and the one before it, if any, has ended.
    pub fn guarded_by(&mut self, guardian: Guarded) {
        self.guardian = Some(guardian);
    }

    /// Sets a setting, after its original value is in the journal and on disk, and reads it back.
    ///
    /// # Errors
    ///
    /// [`JournalError::Setting`] when it cannot be read or set; what is changed of it is put back with the rest.
    /// [`JournalError::Unguarded`], [`JournalError::Restored`] and [`JournalError::Elsewhere`]: nothing is changed.
    pub fn set(&mut self, setting: &Setting, value: &Value) -> Result<Change, JournalError> {
        if let Some(guardian) = &mut self.guardian {
            guardian.check(setting)?;
        }
        if !self.about.namespace.is_own() {
            return Err(JournalError::Elsewhere(setting.clone()));
        }
        let Some(_turn) = self.journal.turn()? else {
            return Err(JournalError::Restored(setting.clone()));
        };
        let before = super::read(setting)?;
        super::check(setting, &before, value)?;
        let known = self.entries().iter().any(|entry| entry.setting == *setting);
        let original = Record::Original { setting: setting.clone(), value: before.clone() };
        let set = Record::Set { setting: setting.clone(), value: value.clone() };
        let records: Vec<Record> = (!known).then_some(original).into_iter().chain([set]).collect();
        self.journal.append(&records, !known)?;
        self.records.extend(records);
        let change = super::write_over(setting, before, value);
        // After an error too: a part may have been changed.
        let granted = change.as_ref().map(|change| change.granted.clone()).or_else(|_| super::read(setting));
        if let Ok(value) = granted {
            let granted = [Record::Granted { setting: setting.clone(), value }];
            self.journal.append(&granted, false)?;
            self.records.extend(granted);
        }
        Ok(change?)
    }

    /// Every setting that was changed here, or was about to be, with its value before, in the order of the first change.
    #[must_use]
    pub fn originals(&self) -> Vec<(Setting, Value)> {
        self.entries().into_iter().map(|entry| (entry.setting, entry.original)).collect()
    }

    /// The settings that no longer have what they were last given here.
    pub fn check(&self) -> Vec<Foreign> {
        let foreign = |entry: Entry| {
            let ours = entry.granted?;
            let theirs = super::read(&entry.setting).map_err(|error| error.to_string());
            let same = theirs.as_ref().is_ok_and(|theirs| super::same(&entry.setting, theirs, &ours));
            (!same).then_some(Foreign { setting: entry.setting, ours, theirs })
        };
        self.entries().into_iter().filter_map(foreign).collect()
    }

    /// Puts every setting back to its original value, the last first. One that somebody else has changed since is left
    /// alone, unless `force`. One that fails does not keep the others. The journal is removed when all are back, else
    /// it is kept with those that are left.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the journal cannot be read or written.
    pub fn restore(self, force: bool) -> Result<Vec<Outcome>, JournalError> {
        // The guardian, if any, hears of it when `self` ends, and finds nothing left.
        restore::restore(&self.journal, force)
    }

    fn entries(&self) -> Vec<Entry> {
        entries(&self.records)
    }
}
