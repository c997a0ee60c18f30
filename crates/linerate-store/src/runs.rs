//! Runs as they are kept, without their curves.

use std::collections::BTreeMap;

use crate::database::{Session, Value};
use crate::error::StoreError;
use crate::filter::Condition;
use crate::path::load as load_paths;
use crate::record::{Better, FigureRow, PathId, Record};

/// A run as the history has it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRun {
    /// What was recorded, with the tags of today. The curve is left out.
    pub record: Record,
    /// The path that it is shown under: its own, unless that is merged or split.
    pub shown: PathId,
    /// How long its curve is; 0 if there is none, or it was pruned. Unit: bytes.
    pub curve_bytes: u64,
    /// Whether it belongs to the baseline of its path.
    pub baseline: bool,
}

/// The runs that meet `condition`, by number. Six statements, however many runs there are.
pub(crate) fn load(
    session: &mut dyn Session,
    condition: &Condition<'_>,
) -> Result<BTreeMap<i64, StoredRun>, StoreError> {
    let mut runs = rows(session, condition)?;
    let (sql, values) = (&condition.sql, &condition.values);
    let of_runs = format!("IN (SELECT r.number FROM run r WHERE {sql})");
    let facts = format!(
        "SELECT r.number, c.key, c.value FROM run r JOIN fact c ON c.environment = r.environment WHERE {sql}"
    );
    session.each(&facts, values, &mut |row| {
        if let Some(run) = runs.get_mut(&row.integer(0)?) {
            run.record.facts.insert(row.text(1)?, row.text(2)?);
        }
        Ok(())
    })?;
    session.each(&format!("SELECT run, key, value FROM tag WHERE run {of_runs}"), values, &mut |row| {
        if let Some(run) = runs.get_mut(&row.integer(0)?) {
            run.record.tags.insert(row.text(1)?, row.text(2)?);
        }
        Ok(())
    })?;
    let figures = format!(
        "SELECT f.run, n.name, f.value, f.low, f.high, f.better FROM figure f JOIN figure_name n ON n.number = \
         f.name WHERE f.run {of_runs}"
    );
    session.each(&figures, values, &mut |row| {
        if let Some(run) = runs.get_mut(&row.integer(0)?) {
            run.record.figures.push(FigureRow {
                key: row.text(1)?,
                value: row.real(2)?,
                low: row.maybe_real(3)?,
                high: row.maybe_real(4)?,
                better: Better::of(row.integer(5)?),
            });
        }
        Ok(())
    })?;
    for run in runs.values_mut() {
        run.record.figures.sort_by(|a, b| a.key.cmp(&b.key));
    }
    Ok(runs)
}

/// The runs that meet `condition`, without facts, tags and figures.
fn rows(
    session: &mut dyn Session,
    condition: &Condition<'_>,
) -> Result<BTreeMap<i64, StoredRun>, StoreError> {
    let paths = load_paths(session)?;
    let path = |number: &i64| paths.get(number).cloned().unwrap_or_default();
    let mut runs = BTreeMap::new();
    let sql = format!(
        "SELECT r.number, r.id, r.content, r.path, r.shown, r.started_us, r.started, r.file, \
         CAST(CASE WHEN b.run IS NULL THEN 0 ELSE 1 END AS BIGINT), coalesce(CAST(length(k.bytes) AS BIGINT), 0) \
         FROM run r LEFT JOIN baseline b ON b.run = r.number LEFT JOIN curve k ON k.run = r.number WHERE {}",
        condition.sql
    );
    session.each(&sql, &condition.values, &mut |row| {
        let record = Record {
            id: row.text(1)?,
            content: row.text(2)?,
            path: path(&row.integer(3)?),
            started_us: row.integer(5)?,
            started: row.text(6)?,
            file: row.text(7)?,
            ..Record::default()
        };
        let run = StoredRun {
            record,
            shown: path(&row.integer(4)?).id(),
            baseline: row.integer(8)? != 0,
            curve_bytes: row.count(9)?,
        };
        runs.insert(row.integer(0)?, run);
        Ok(())
    })?;
    Ok(runs)
}

/// The runs that meet `condition`, in the order in which they began.
pub(crate) fn in_order(
    session: &mut dyn Session,
    condition: &Condition<'_>,
) -> Result<Vec<StoredRun>, StoreError> {
    let mut runs: Vec<_> = load(session, condition)?.into_values().collect();
    runs.sort_by(|a, b| {
        let order = |run: &StoredRun| (run.record.started_us, run.record.id.clone());
        order(a).cmp(&order(b))
    });
    Ok(runs)
}

/// The number of a run, which must be known.
pub(crate) fn run_number(session: &mut dyn Session, id: &str) -> Result<i64, StoreError> {
    let number =
        session.first("SELECT number FROM run WHERE id = ?1", &[Value::Text(id)], |row| row.integer(0))?;
    number.ok_or_else(|| StoreError::NoRun(id.to_owned()))
}

/// The id that `text` means: all of it, or its first four or more characters.
pub(crate) fn find(session: &mut dyn Session, text: &str) -> Result<String, StoreError> {
    let exact = session.first("SELECT id FROM run WHERE id = ?1", &[Value::Text(text)], |row| row.text(0))?;
    if let Some(id) = exact {
        return Ok(id);
    }
    // As a range, not as a pattern: the index serves it, and no sign has a meaning of its own.
    let end = format!("{text}\u{10FFFF}");
    let sql = "SELECT id FROM run WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT 9";
    let found = session.all(sql, &[Value::Text(text), Value::Text(&end)], |row| row.text(0))?;
    match &found[..] {
        [id] if text.len() >= 4 => Ok(id.clone()),
        [_, _, ..] if text.len() >= 4 => {
            Err(StoreError::Ambiguous { text: text.to_owned(), candidates: found })
        }
        _ => Err(StoreError::NoRun(text.to_owned())),
    }
}
