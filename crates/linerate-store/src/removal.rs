//! Runs and paths are forgotten. Run files stay.

use crate::database::{Session, Value};
use crate::error::StoreError;
use crate::path::tidy;

/// A run that was forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Its id.
    pub id: String,
    /// Its run file, which is left alone: `history import` would record it again.
    pub file: String,
}

/// Forgets the run `id`; none if it is not known.
pub(crate) fn run(session: &mut dyn Session, id: &str) -> Result<Option<Removed>, StoreError> {
    Ok(remove(session, "id = ?1", Value::Text(id))?.pop())
}

/// Forgets every run that is shown under a path.
pub(crate) fn path(session: &mut dyn Session, shown: i64) -> Result<Vec<Removed>, StoreError> {
    remove(session, "shown = ?1", Value::Integer(shown))
}

fn remove(session: &mut dyn Session, which: &str, value: Value<'_>) -> Result<Vec<Removed>, StoreError> {
    let sql = format!("SELECT id, file FROM run WHERE {which} ORDER BY started_us, id");
    let removed = session.all(&sql, &[value], |row| Ok(Removed { id: row.text(0)?, file: row.text(1)? }))?;
    // Its tags, figures and curve go with it.
    session.execute(&format!("DELETE FROM run WHERE {which}"), &[value])?;
    let unused = "DELETE FROM environment WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.environment = \
                  environment.number)";
    session.execute(unused, &[])?;
    tidy(session)?;
    Ok(removed)
}
