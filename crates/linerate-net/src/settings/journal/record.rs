//! The records of a journal, and what they say in all.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::origin::{Namespace, Process};
use super::super::{Name, network};
use super::{FORMAT, JournalError, Setting, Value};

/// Who changes settings, where and what for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub(in super::super) format: u32,
    pub(in super::super) process: Process,
    pub(in super::super) boot: String,
    pub(in super::super) namespace: Namespace,
    /// What for.
    pub what: String,
}

impl About {
    /// The process that made the changes.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.process.pid
    }

    /// Where they were made: "the host", or the file or the number of a network namespace.
    #[must_use]
    pub fn place(&self) -> String {
        match (&self.namespace.path, self.namespace.host) {
            (_, true) => "the host".to_owned(),
            (Some(path), false) => format!("the network namespace {}", path.display()),
            (None, false) => {
                format!("the network namespace net:[{}], which has no name", self.namespace.inode)
            }
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub(in super::super) enum Record {
    /// The first.
    Begin(About),
    /// What a setting was before its first change.
    Original { setting: Setting, value: Value },
    /// What it is about to be set to.
    Set { setting: Setting, value: Value },
    /// What it has been since that was done.
    Granted { setting: Setting, value: Value },
    /// What else is to be put back: what changes have taken with them, or the next one may. It replaces the one before.
    Beside { values: Vec<(Setting, Value)> },
    /// That it is as it was, or nothing is to be put back.
    Restored { setting: Setting },
}

impl Record {
    /// Its line.
    pub(super) fn line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("it has texts and numbers only");
        line.push('\n');
        line
    }
}

/// One setting of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Entry {
    pub(in super::super) setting: Setting,
    pub(in super::super) original: Value,
    /// The last value that it was to be set to; absent if it never was.
    pub(in super::super) asked: Option<Value>,
    /// The value that it had after; absent if that is not known, because the process was stopped before.
    pub(in super::super) granted: Option<Value>,
    /// It was never changed on purpose.
    pub(in super::super) beside: bool,
}

impl Entry {
    /// Its original value, for people.
    pub(in super::super) fn shown(&self) -> Value {
        if self.setting.name == Name::Network {
            network::summary(&self.original)
        } else {
            self.original.clone()
        }
    }
}

/// The settings of a journal that are still to be put back: those that were changed, in the order of their first change,
/// and what changes have taken with them, in the order in which it is put back.
pub(in super::super) fn entries(records: &[Record]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut owed: Vec<Entry> = Vec::new();
    for record in records {
        let of = |wanted: &Setting| entries.iter().position(|entry| entry.setting == *wanted);
        match record {
            Record::Begin(_) => {}
            Record::Original { setting, value } if of(setting).is_none() => entries.push(Entry {
                setting: setting.clone(),
                original: value.clone(),
                asked: None,
                granted: None,
                beside: false,
            }),
            Record::Beside { values } => {
                let owe = |(setting, value): &(Setting, Value)| Entry {
                    setting: setting.clone(),
                    original: value.clone(),
                    asked: Some(value.clone()),
                    granted: None,
                    beside: true,
                };
                owed = values.iter().map(owe).collect();
            }
            Record::Original { .. } => {}
            Record::Set { setting, value } => {
                if let Some(at) = of(setting) {
                    (entries[at].asked, entries[at].granted) = (Some(value.clone()), None);
                }
            }
            Record::Granted { setting, value } => {
                if let Some(at) = of(setting) {
                    entries[at].granted = Some(value.clone());
                }
            }
            Record::Restored { setting } => {
                // What was changed on purpose is put back first.
                let of = if of(setting).is_some() { &mut entries } else { &mut owed };
                of.retain(|entry| entry.setting != *setting);
            }
        }
    }
    entries.append(&mut owed);
    entries
}

/// Reads whole lines. None at all is a journal that had not begun: nothing was changed.
pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Vec<Record>, JournalError> {
    let damaged = |why: String| JournalError::Damaged { path: path.to_owned(), why };
    let mut records = Vec::new();
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if number == 0
            && let Some(format) = format_of(line).filter(|format| *format > FORMAT)
        {
            return Err(JournalError::Later { path: path.to_owned(), format });
        }
        let record = serde_json::from_slice(line);
        let record: Record = record.map_err(|error| damaged(format!("line {}: {error}", number + 1)))?;
        if matches!(record, Record::Begin(_)) != (number == 0) {
            return Err(damaged(format!("line {}: its beginning is not there", number + 1)));
        }
        records.push(record);
    }
    Ok(records)
}

/// The format that the first line states, whatever else it says.
fn format_of(line: &[u8]) -> Option<u32> {
    let line: serde_json::Value = serde_json::from_slice(line).ok()?;
    u32::try_from(line.get("format")?.as_u64()?).ok()
}
