//! A run enters the history.

use std::collections::BTreeMap;

use crate::alias::Aliases;
use crate::database::{Session, Value};
use crate::error::StoreError;
use crate::path::enter;
use crate::record::{Better, FigureRow, Record, sha256};
use crate::runs::run_number;

/// What becomes of a run that is already there, with the same content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// It stays as it is; only where its file lies is noted anew.
    #[default]
    Keep,
    /// What was computed from its file is replaced: path, facts, figures, curve. Tags and baselines stay.
    /// For a linerate that computes more, or computes it in another way.
    Renew,
}

/// What became of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It is new.
    Added {
        /// When the latest run of its path began, if that is later than this run: either this run is an
        /// old one, or a clock went backwards. Unit: microseconds since the epoch.
        later_us: Option<i64>,
    },
    /// The same run is already there.
    AlreadyThere,
    /// The same run was there, and what was computed from it is replaced.
    Renewed,
    /// It is not recorded: another run has its id, or it cannot be kept.
    Refused(StoreError),
}

/// Records runs, each for itself: one that is refused does not hinder the others.
pub(crate) fn record_all(
    session: &mut dyn Session,
    records: &[Record],
    existing: Existing,
) -> Result<Vec<Recorded>, StoreError> {
    let mut names = figure_names(session)?;
    let aliases = Aliases::load(session)?;
    let mut done = Vec::with_capacity(records.len());
    for record in records {
        done.push(record_one(session, record, existing, &aliases, &mut names)?);
    }
    Ok(done)
}

fn record_one(
    session: &mut dyn Session,
    record: &Record,
    existing: Existing,
    aliases: &Aliases,
    names: &mut BTreeMap<String, i64>,
) -> Result<Recorded, StoreError> {
    if let Some(reason) = record.objection() {
        return Ok(Recorded::Refused(StoreError::Invalid { file: record.file.clone(), reason }));
    }
    let sql = "SELECT number, content, file FROM run WHERE id = ?1";
    let known = session
        .first(sql, &[Value::Text(&record.id)], |row| Ok((row.integer(0)?, row.text(1)?, row.text(2)?)))?;
    let Some((number, content, file)) = known else {
        let shown = place(session, record, aliases)?;
        let sql = "SELECT max(started_us) FROM run WHERE shown = ?1 AND started_us > ?2";
        let values = [Value::Integer(shown.shown), Value::Integer(record.started_us)];
        let later_us = session.first(sql, &values, |row| row.maybe_integer(0))?.flatten();
        let number = insert_run(session, record, &shown)?;
        insert_parts(session, record, number, names)?;
        return Ok(Recorded::Added { later_us });
    };
    if content != record.content {
        let (id, new) = (record.id.clone(), record.file.clone());
        return Ok(Recorded::Refused(StoreError::Conflict { id, file: new, known: file }));
    }
    if existing == Existing::Renew {
        renew(session, record, number, aliases, names)?;
        return Ok(Recorded::Renewed);
    }
    if file != record.file {
        let values = [Value::Text(&record.file), Value::Integer(number)];
        session.execute("UPDATE run SET file = ?1 WHERE number = ?2", &values)?;
    }
    Ok(Recorded::AlreadyThere)
}

/// Where a run belongs, by number.
struct Place {
    path: i64,
    shown: i64,
    environment: i64,
}

fn place(session: &mut dyn Session, record: &Record, aliases: &Aliases) -> Result<Place, StoreError> {
    let path = enter(session, &record.path)?;
    let environment = enter_environment(session, &record.facts)?;
    Ok(Place { path, shown: aliases.shown(path, &record.facts), environment })
}

fn insert_run(session: &mut dyn Session, record: &Record, place: &Place) -> Result<i64, StoreError> {
    session.execute(
        "INSERT INTO run (id, content, path, shown, environment, started_us, started, file) VALUES (?1, ?2, ?3, \
         ?4, ?5, ?6, ?7, ?8)",
        &[
            Value::Text(&record.id),
            Value::Text(&record.content),
            Value::Integer(place.path),
            Value::Integer(place.shown),
            Value::Integer(place.environment),
            Value::Integer(record.started_us),
            Value::Text(&record.started),
            Value::Text(&record.file),
        ],
    )?;
    run_number(session, &record.id)
}

/// Inserts a run's tags, figures and curve.
fn insert_parts(
    session: &mut dyn Session,
    record: &Record,
    number: i64,
    names: &mut BTreeMap<String, i64>,
) -> Result<(), StoreError> {
    let tags = record.tags.iter().map(|(key, value)| {
        [Value::Integer(number), Value::Text(key), Value::Text(value), Value::Integer(0)]
    });
    session.insert("tag (run, key, value, by_hand)", tags)?;
    insert_figures(session, number, &record.figures, names)?;
    insert_curve(session, number, &record.curve)
}

fn insert_figures(
    session: &mut dyn Session,
    number: i64,
    figures: &[FigureRow],
    names: &mut BTreeMap<String, i64>,
) -> Result<(), StoreError> {
    if figures.iter().any(|figure| !names.contains_key(&figure.key)) {
        let new = figures.iter().map(|figure| figure.key.as_str()).filter(|key| !names.contains_key(*key));
        session.insert("figure_name (name)", new.map(|key| [Value::Text(key)]))?;
        *names = figure_names(session)?;
    }
    let rows = figures.iter().filter_map(|figure| {
        let better = Value::Integer(Better::code(figure.better));
        let name = Value::Integer(*names.get(&figure.key)?);
        let run = Value::Integer(number);
        Some([run, name, Value::Real(figure.value), figure.low.into(), figure.high.into(), better])
    });
    session.insert("figure (run, name, value, low, high, better)", rows)
}

fn insert_curve(session: &mut dyn Session, number: i64, curve: &[u8]) -> Result<(), StoreError> {
    if !curve.is_empty() {
        let values = [Value::Integer(number), Value::Bytes(curve)];
        session.execute("INSERT INTO curve (run, bytes) VALUES (?1, ?2)", &values)?;
    }
    Ok(())
}

/// The numbers of all figures, by name.
fn figure_names(session: &mut dyn Session) -> Result<BTreeMap<String, i64>, StoreError> {
    let rows = session
        .all("SELECT name, number FROM figure_name", &[], |row| Ok((row.text(0)?, row.integer(1)?)))?;
    Ok(rows.into_iter().collect())
}

/// Replaces what was computed from the file of a run.
fn renew(
    session: &mut dyn Session,
    record: &Record,
    number: i64,
    aliases: &Aliases,
    names: &mut BTreeMap<String, i64>,
) -> Result<(), StoreError> {
    let place = place(session, record, aliases)?;
    let of_run = [Value::Integer(number)];
    session.execute("DELETE FROM figure WHERE run = ?1", &of_run)?;
    session.execute("DELETE FROM curve WHERE run = ?1", &of_run)?;
    session.execute(
        "UPDATE run SET path = ?1, shown = ?2, environment = ?3, started_us = ?4, started = ?5, file = ?6 WHERE \
         number = ?7",
        &[
            Value::Integer(place.path),
            Value::Integer(place.shown),
            Value::Integer(place.environment),
            Value::Integer(record.started_us),
            Value::Text(&record.started),
            Value::Text(&record.file),
            Value::Integer(number),
        ],
    )?;
    insert_figures(session, number, &record.figures, names)?;
    insert_curve(session, number, &record.curve)
}

/// The number of these facts, which are entered if they are new.
fn enter_environment(session: &mut dyn Session, facts: &BTreeMap<String, String>) -> Result<i64, StoreError> {
    // The lengths keep ("a", "bc") apart from ("ab", "c").
    let text = |(key, value): (&String, &String)| format!("{}:{key}{}:{value}", key.len(), value.len());
    let hash = sha256(&facts.iter().map(text).collect::<String>());
    let sql = "SELECT number FROM environment WHERE hash = ?1";
    if let Some(number) = session.first(sql, &[Value::Text(&hash)], |row| row.integer(0))? {
        return Ok(number);
    }
    session.execute("INSERT INTO environment (hash) VALUES (?1)", &[Value::Text(&hash)])?;
    let number = session.first(sql, &[Value::Text(&hash)], |row| row.integer(0))?.unwrap_or_default();
    let rows =
        facts.iter().map(|(key, value)| [Value::Integer(number), Value::Text(key), Value::Text(value)]);
    session.insert("fact (environment, key, value)", rows)?;
    Ok(number)
}
