//! What people said, to be taken into another history: no run file has it.

use std::collections::BTreeMap;

use crate::alias::{self, Alias};
use crate::database::{Session, Value};
use crate::error::StoreError;
use crate::marks::{self, ChangeState};
use crate::path;
use crate::record::PathId;

/// What people said of runs, paths and changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Tags given by hand: run, key, value.
    pub tags: Vec<[String; 3]>,
    /// The runs of each path's baseline.
    pub baselines: BTreeMap<PathId, Vec<String>>,
    /// What each path is called.
    pub names: BTreeMap<PathId, String>,
    /// What is shown elsewhere.
    pub aliases: Vec<Alias>,
    /// What is thought of changes, by their identity.
    pub changes: BTreeMap<String, ChangeState>,
}

pub(crate) fn load(session: &mut dyn Session) -> Result<Notes, StoreError> {
    let sql = "SELECT r.id, t.key, t.value FROM tag t JOIN run r ON r.number = t.run WHERE t.by_hand = 1 ORDER BY \
               r.id, t.key";
    let tags = session.all(sql, &[], |row| Ok([row.text(0)?, row.text(1)?, row.text(2)?]))?;
    let paths = path::load(session)?;
    let mut baselines = BTreeMap::new();
    for (number, path) in &paths {
        let runs = marks::baseline(session, *number)?;
        if !runs.is_empty() {
            baselines.insert(path.id(), runs);
        }
    }
    Ok(Notes {
        tags,
        baselines,
        names: paths.into_values().map(|path| (path.id(), path.name)).collect(),
        aliases: alias::list(session)?,
        changes: marks::changes(session)?,
    })
}

/// Says all of `notes` here too, in place of what is said here of the same; gives what could not be
/// said, because the run or the path is not known here, or means another.
pub(crate) fn apply(session: &mut dyn Session, notes: &Notes) -> Result<Vec<StoreError>, StoreError> {
    let mut unsaid = Vec::new();
    let mut tried = |said: Result<(), StoreError>| match said {
        Err(
            error @ (StoreError::NoRun(_)
            | StoreError::NoPath(_)
            | StoreError::OtherPath { .. }
            | StoreError::Circle { .. }
            | StoreError::Word { .. }),
        ) => {
            unsaid.push(error);
            Ok(())
        }
        said => said,
    };
    let name = |id: &PathId| notes.names.get(id).cloned().unwrap_or_else(|| id.to_string());
    // A path that was split off may be what others are merged into.
    let (splits, merges): (Vec<_>, Vec<_>) = notes.aliases.iter().partition(|alias| alias.fact.is_some());
    for Alias { path, fact, target } in splits.into_iter().chain(merges) {
        tried(match fact {
            Some((key, value)) => alias::split(session, path, (key, value), &name(target)).map(drop),
            None => alias::merge(session, path, target),
        })?;
    }
    for (path, name) in &notes.names {
        // Paths that have no run here need no name.
        if path::known_number(session, path)?.is_some() {
            path::rename(session, path, name)?;
        }
    }
    for [run, key, value] in &notes.tags {
        tried(marks::tag(session, run, key, value))?;
    }
    for (path, runs) in &notes.baselines {
        tried(baseline(session, path, runs))?;
    }
    for (identity, state) in &notes.changes {
        tried(marks::set_change(session, identity, Some(*state)))?;
    }
    Ok(unsaid)
}

/// Sets the baseline of a path to those of `runs` that are known.
fn baseline(session: &mut dyn Session, path: &PathId, runs: &[String]) -> Result<(), StoreError> {
    let shown = alias::shown_number(session, path)?;
    let mut known = Vec::new();
    for run in runs {
        let sql = "SELECT 1 FROM run WHERE id = ?1 AND shown = ?2";
        let values = [Value::Text(run), Value::Integer(shown)];
        if session.first(sql, &values, |row| row.integer(0))?.is_some() {
            known.push(run.as_str());
        }
    }
    match known[..] {
        [] => Err(StoreError::NoRun(format!("{} of the baseline of {path}", runs.join(", ")))),
        _ => marks::set_baseline(session, path, shown, &known),
    }
}
