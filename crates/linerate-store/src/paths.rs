//! The list of paths.

use std::collections::BTreeMap;

use crate::alias::Aliases;
use crate::database::{Session, Value};
use crate::error::StoreError;
use crate::filter::Filter;
use crate::path::load;
use crate::record::{Fingerprint, PathId};

/// A path as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSummary {
    /// What its runs have in common.
    pub fingerprint: Fingerprint,
    /// The paths that are merged into it.
    pub merged: Vec<PathId>,
    /// How many runs meet the filter.
    pub runs: u64,
    /// When the first of them began. Unit: microseconds since the epoch.
    pub first_us: i64,
    /// When the last of them began. Unit: microseconds since the epoch.
    pub last_us: i64,
    /// How many runs are its baseline.
    pub baseline: u64,
    /// The last values of the figures asked for, oldest first.
    pub recent: BTreeMap<String, Vec<f64>>,
}

/// Which figures a list shows the last values of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    /// The figures; those that a path does not have are left out.
    pub keys: Vec<String>,
    /// Of how many runs.
    pub runs: u32,
}

/// The paths with runs that meet `filter`, by name. As many statements for one path as for a thousand.
pub(crate) fn list(
    session: &mut dyn Session,
    filter: &Filter,
    recent: &Recent,
) -> Result<Vec<PathSummary>, StoreError> {
    let condition = filter.condition(None);
    let paths = load(session)?;
    let mut list: BTreeMap<i64, PathSummary> = BTreeMap::new();
    let sql = format!(
        "SELECT r.shown, count(*), min(r.started_us), max(r.started_us) FROM run r WHERE {} GROUP BY r.shown",
        condition.sql
    );
    session.each(&sql, &condition.values, &mut |row| {
        let number = row.integer(0)?;
        let fingerprint = paths.get(&number).cloned().unwrap_or_default();
        let summary = PathSummary {
            fingerprint,
            merged: Vec::new(),
            runs: row.count(1)?,
            first_us: row.integer(2)?,
            last_us: row.integer(3)?,
            baseline: 0,
            recent: BTreeMap::new(),
        };
        list.insert(number, summary);
        Ok(())
    })?;
    for (path, target) in Aliases::load(session)?.merged() {
        if let (Some(summary), Some(path)) = (list.get_mut(&target), paths.get(&path)) {
            summary.merged.push(path.id());
        }
    }
    let sql = "SELECT r.shown, count(*) FROM baseline b JOIN run r ON r.number = b.run GROUP BY r.shown";
    session.each(sql, &[], &mut |row| {
        if let Some(summary) = list.get_mut(&row.integer(0)?) {
            summary.baseline = row.count(1)?;
        }
        Ok(())
    })?;
    add_recent(session, filter, recent, &mut list)?;
    let mut list: Vec<_> = list.into_values().collect();
    list.sort_by(|a, b| {
        let order = |path: &PathSummary| (path.fingerprint.name.clone(), path.fingerprint.id());
        order(a).cmp(&order(b))
    });
    Ok(list)
}

/// Adds the last values of the figures asked for.
fn add_recent(
    session: &mut dyn Session,
    filter: &Filter,
    recent: &Recent,
    list: &mut BTreeMap<i64, PathSummary>,
) -> Result<(), StoreError> {
    if recent.keys.is_empty() || recent.runs == 0 {
        return Ok(());
    }
    let mut newest = filter.clone();
    newest.newest = Some(newest.newest.map_or(recent.runs, |runs| runs.min(recent.runs)));
    let mut condition = newest.condition(None);
    let keys: Vec<_> = recent.keys.iter().map(|key| condition.place(Value::Text(key))).collect();
    let sql = format!(
        "SELECT r.shown, n.name, f.value FROM run r JOIN figure f ON f.run = r.number JOIN figure_name n ON \
         n.number = f.name WHERE {} AND n.name IN ({}) ORDER BY r.shown, r.started_us, r.id",
        condition.sql,
        keys.join(", ")
    );
    session.each(&sql, &condition.values, &mut |row| {
        if let Some(summary) = list.get_mut(&row.integer(0)?) {
            summary.recent.entry(row.text(1)?).or_default().push(row.real(2)?);
        }
        Ok(())
    })
}
