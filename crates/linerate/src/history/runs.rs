//! Runs of the history, as they were measured.

use std::path::Path;

use linerate_analysis::compare::Spread;
use linerate_analysis::explain::LIMITED_BY;
use linerate_analysis::figures::Sheet;
use linerate_analysis::identity::{Fingerprint, fields};
use linerate_analysis::report::NamedRun;
use linerate_core::run::Run;
use linerate_store::{Filter, PathId, Store, StoreError, StoredRun};

use super::pack::unpack;
use super::record::facts;
use super::{History, trouble};
use crate::store;
use crate::trouble::Trouble;

/// The latest so many runs say how much runs of a path differ.
const LATEST: u32 = 30;
/// So much of an id names a run to people: the millisecond in which it began.
const SHORT: usize = 13;

impl History {
    /// The runs that `text` means in the history: one by its id, the baseline of a path by its name, or its
    /// last `N` runs by `NAME@N`. Absent if it means none, or there is no history.
    pub(crate) fn find(&self, text: &str) -> Result<Option<Vec<NamedRun>>, Trouble> {
        let Some(mut store) = self.existing()? else { return Ok(None) };
        let none_of = |error: &StoreError| matches!(error, StoreError::NoRun(_) | StoreError::NoPath(_));
        match store.find_run(text) {
            Ok(id) => return loaded(&mut store, &[id]).map(Some),
            Err(error) if none_of(&error) => {}
            Err(error) => return Err(trouble(&error)),
        }
        let (name, last) = match text.rsplit_once('@') {
            Some((name, last)) if last.parse::<usize>().is_ok() => (name, last.parse().ok()),
            _ => (text, None),
        };
        let path = match store.find_path(name) {
            Ok(path) => path,
            Err(error) if none_of(&error) => return Ok(None),
            Err(error) => return Err(trouble(&error)),
        };
        let ids = match last {
            Some(last) => latest(&mut store, &path, last)?,
            None => store.baseline(&path).map_err(|error| trouble(&error))?,
        };
        if ids.is_empty() {
            return Err(Trouble::new(
                format!("failed to find runs of {name}: it has no baseline"),
                format!(
                    "set one with `linerate history baseline {name} --last 5`, or write {name}@5 for its last 5 runs"
                ),
            ));
        }
        loaded(&mut store, &ids).map(Some)
    }

    /// How much runs of the path of `run` differ, by the latest of its history without those of `but`: of those
    /// with its settings, if they are enough, and otherwise of all.
    pub(crate) fn spread(&self, run: &Run, but: &[&str]) -> Result<Option<Spread>, Trouble> {
        let Some(mut store) = self.existing()? else { return Ok(None) };
        let fingerprint = Fingerprint::of(run);
        let path = PathId { version: fingerprint.version, hash: fingerprint.hash };
        let filter = Filter { newest: Some(LATEST + but.len() as u32), ..Filter::default() };
        // A path that was never recorded has none.
        let Ok(mut runs) = store.runs(&path, &filter) else { return Ok(None) };
        runs.retain(|stored| !but.contains(&stored.record.id.as_str()));
        let settings = facts(&fields(run));
        // What limited a run is no setting.
        let has_them = |stored: &&StoredRun| {
            stored.record.facts.iter().filter(|(name, _)| *name != LIMITED_BY).eq(&settings)
        };
        let alike: Vec<StoredRun> = runs.iter().filter(has_them).cloned().collect();
        match spread_of(&mut store, &alike)? {
            None => spread_of(&mut store, &runs),
            spread => Ok(spread),
        }
    }
}

fn latest(store: &mut Store, path: &PathId, count: u32) -> Result<Vec<String>, Trouble> {
    let filter = Filter { newest: Some(count), ..Filter::default() };
    let runs = store.runs(path, &filter).map_err(|error| trouble(&error))?;
    Ok(runs.into_iter().map(|run| run.record.id).collect())
}

/// These runs: from their files where they still lie there, otherwise from what the history keeps.
fn loaded(store: &mut Store, ids: &[String]) -> Result<Vec<NamedRun>, Trouble> {
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let curves = store.curves(&ids).map_err(|error| trouble(&error))?;
    let mut runs = Vec::new();
    for id in ids {
        let stored = store.run(id).map_err(|error| trouble(&error))?;
        let run = match (of_file(&stored), curves.get(id)) {
            (Some(run), _) => run,
            (None, Some(bytes)) => unpack(bytes)?,
            (None, None) => {
                return Err(Trouble::new(
                    format!(
                        "failed to read the run {id}: its curve was pruned, and {} is gone",
                        stored.record.file
                    ),
                    "choose another run",
                ));
            }
        };
        runs.push(NamedRun { name: id.chars().take(SHORT).collect(), run });
    }
    Ok(runs)
}

/// The run in its file, if it is still that one.
fn of_file(stored: &StoredRun) -> Option<Run> {
    let run = store::load(Path::new(&stored.record.file)).ok()?.run;
    (run.id == stored.record.id).then_some(run)
}

fn spread_of(store: &mut Store, runs: &[StoredRun]) -> Result<Option<Spread>, Trouble> {
    let ids: Vec<&str> = runs.iter().map(|stored| stored.record.id.as_str()).collect();
    let mut curves = store.curves(&ids).map_err(|error| trouble(&error))?;
    let packed = ids.iter().filter_map(|id| curves.remove(*id));
    let sheets: Result<Vec<Sheet>, Trouble> =
        packed.map(|bytes| Ok(Sheet::of_run("", &unpack(&bytes)?))).collect();
    Ok(Spread::of(&sheets?))
}
