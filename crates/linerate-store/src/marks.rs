//! What people say of runs: tags, baselines, what they think of a change.

use std::collections::BTreeMap;

use crate::database::{Session, Value};
use crate::error::StoreError;
use crate::record::{PathId, key_objection};
use crate::runs::run_number;

/// What the user said of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeState {
    /// It is real.
    Confirmed,
    /// It is to be left out.
    Muted,
}

impl ChangeState {
    fn code(self) -> i64 {
        match self {
            Self::Confirmed => 1,
            Self::Muted => 2,
        }
    }

    fn of(code: i64) -> Option<Self> {
        [Self::Confirmed, Self::Muted].into_iter().find(|state| state.code() == code)
    }
}

/// Gives a run a tag, in place of any with the same key.
pub(crate) fn tag(session: &mut dyn Session, id: &str, key: &str, value: &str) -> Result<(), StoreError> {
    if let Some(reason) = key_objection(key) {
        return Err(StoreError::Word { word: key.to_owned(), reason });
    }
    let number = run_number(session, id)?;
    session.execute(
        "INSERT INTO tag (run, key, value, by_hand) VALUES (?1, ?2, ?3, 1) ON CONFLICT (run, key) DO UPDATE SET \
         value = excluded.value, by_hand = 1",
        &[Value::Integer(number), Value::Text(key), Value::Text(value)],
    )?;
    Ok(())
}

/// Takes a tag from a run; whether it had it.
pub(crate) fn untag(session: &mut dyn Session, id: &str, key: &str) -> Result<bool, StoreError> {
    let number = run_number(session, id)?;
    let values = [Value::Integer(number), Value::Text(key)];
    Ok(session.execute("DELETE FROM tag WHERE run = ?1 AND key = ?2", &values)? > 0)
}

/// The ids of the baseline's runs, in the order in which they began.
pub(crate) fn baseline(session: &mut dyn Session, shown: i64) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT r.id FROM baseline b JOIN run r ON r.number = b.run WHERE r.shown = ?1 ORDER BY \
               r.started_us, r.id";
    session.all(sql, &[Value::Integer(shown)], |row| row.text(0))
}

/// Makes the runs `ids` the baseline of a path, in place of any other.
pub(crate) fn set_baseline(
    session: &mut dyn Session,
    path: &PathId,
    shown: i64,
    ids: &[&str],
) -> Result<(), StoreError> {
    session.execute(
        "DELETE FROM baseline WHERE run IN (SELECT r.number FROM run r WHERE r.shown = ?1)",
        &[Value::Integer(shown)],
    )?;
    for id in ids {
        let sql = "SELECT number, shown FROM run WHERE id = ?1";
        let run = session.first(sql, &[Value::Text(id)], |row| Ok((row.integer(0)?, row.integer(1)?)))?;
        let (number, on) = run.ok_or_else(|| StoreError::NoRun((*id).to_owned()))?;
        if on != shown {
            return Err(StoreError::OtherPath { run: (*id).to_owned(), path: path.to_string() });
        }
        let sql = "INSERT INTO baseline (run) VALUES (?1) ON CONFLICT DO NOTHING";
        session.execute(sql, &[Value::Integer(number)])?;
    }
    Ok(())
}

/// What is said of changes, by their identity.
pub(crate) fn changes(session: &mut dyn Session) -> Result<BTreeMap<String, ChangeState>, StoreError> {
    let rows = session.all("SELECT identity, state FROM change", &[], |row| {
        Ok((row.text(0)?, ChangeState::of(row.integer(1)?)))
    })?;
    Ok(rows.into_iter().filter_map(|(identity, state)| Some((identity, state?))).collect())
}

/// Says something of a change, or takes it back.
pub(crate) fn set_change(
    session: &mut dyn Session,
    identity: &str,
    state: Option<ChangeState>,
) -> Result<(), StoreError> {
    if let Some(reason) = key_objection(identity) {
        return Err(StoreError::Word { word: identity.to_owned(), reason });
    }
    let identity = Value::Text(identity);
    match state {
        None => session.execute("DELETE FROM change WHERE identity = ?1", &[identity]),
        Some(state) => session.execute(
            "INSERT INTO change (identity, state) VALUES (?1, ?2) ON CONFLICT (identity) DO UPDATE SET state = \
             excluded.state",
            &[identity, Value::Integer(state.code())],
        ),
    }
    .map(|_| ())
}
