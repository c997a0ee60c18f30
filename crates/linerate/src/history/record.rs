//! From a run to what the history keeps of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::UNIX_EPOCH;

use jiff::Timestamp;
use linerate_analysis::explain::{LIMITED_BY, RunVerdict};
use linerate_analysis::figures::{Better, Sheet, Value};
use linerate_analysis::identity::{Field, Fingerprint, Role, fields};
use linerate_core::run::Run;
use linerate_store::{Better as StoredBetter, FigureRow, Fingerprint as StoredFingerprint, Record};
use sha2::{Digest as _, Sha256};

use super::pack::pack;
use crate::trouble::Trouble;

/// What the history keeps of `run`, which lies in `file`.
pub(crate) fn record_of(run: &Run, file: &Path) -> Result<Record, Trouble> {
    let content = hash(run.to_json().as_bytes());
    // A file of NetPIPE has no id: its content stands for it.
    let id = if run.id.is_empty() { content[..32].to_owned() } else { run.id.clone() };
    Ok(Record {
        id,
        content,
        path: path(&Fingerprint::of(run)),
        started_us: began(run, file),
        started: run.started.clone(),
        file: std::path::absolute(file).unwrap_or_else(|_| file.to_owned()).display().to_string(),
        facts: facts(&fields(run)).into_iter().chain(limited_by(run)).collect(),
        tags: run.labels.clone(),
        figures: Sheet::of_run("", run).figures.iter().map(figure).collect(),
        curve: pack(run)?,
    })
}

/// What limits it, where that is sure or likely.
fn limited_by(run: &Run) -> Option<(String, String)> {
    Some((LIMITED_BY.to_owned(), RunVerdict::of(run)?.limited_by?))
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn path(fingerprint: &Fingerprint) -> StoredFingerprint {
    let Fingerprint { version, hash, name, fields } = fingerprint;
    let fields = fields.iter().map(|field| (field.name.clone(), field.value.clone())).collect();
    StoredFingerprint { version: *version, hash: hash.clone(), name: name.clone(), fields }
}

/// When a run began; a file that does not say is as old as its content. Unit: microseconds since 1970.
fn began(run: &Run, file: &Path) -> i64 {
    if let Ok(time) = run.started.parse::<Timestamp>() {
        return time.as_microsecond();
    }
    let changed = std::fs::metadata(file).and_then(|file| file.modified()).ok();
    let since = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_micros()).ok()).unwrap_or(0)
}

/// Settings, without what a run brings with it as tags, and without the grade of noise, which changes
/// with every run.
pub(super) fn facts(fields: &[Field]) -> BTreeMap<String, String> {
    let is_fact = |field: &&Field| {
        field.role == Role::Setting && !field.name.starts_with("label ") && !field.name.ends_with(" noise")
    };
    fields.iter().filter(is_fact).map(|field| (field.name.clone(), field.value.clone())).collect()
}

fn figure(value: &Value) -> FigureRow {
    let better = match value.key.figure.better() {
        Better::Less => Some(StoredBetter::Lower),
        Better::More => Some(StoredBetter::Higher),
        Better::Neither => None,
    };
    let [low, high] = value.interval.map_or([None; 2], |ends| ends.map(Some));
    FigureRow { key: value.key.to_string(), value: value.value, low, high, better }
}
