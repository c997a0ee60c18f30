//! Paths and their fingerprints.

use std::collections::BTreeMap;

use crate::database::{Session, Value};
use crate::error::StoreError;
use crate::record::{Fingerprint, PathId};

/// Every path, by number.
pub(crate) fn load(session: &mut dyn Session) -> Result<BTreeMap<i64, Fingerprint>, StoreError> {
    let mut paths = BTreeMap::new();
    session.each("SELECT number, version, hash, name FROM path", &[], &mut |row| {
        let fingerprint = Fingerprint {
            version: row.version(1)?,
            hash: row.text(2)?,
            name: row.text(3)?,
            fields: Vec::new(),
        };
        paths.insert(row.integer(0)?, fingerprint);
        Ok(())
    })?;
    session.each("SELECT path, key, value FROM path_field ORDER BY path, place", &[], &mut |row| {
        if let Some(path) = paths.get_mut(&row.integer(0)?) {
            path.fields.push((row.text(1)?, row.text(2)?));
        }
        Ok(())
    })?;
    Ok(paths)
}

/// The number of a path, if it is known.
pub(crate) fn known_number(session: &mut dyn Session, id: &PathId) -> Result<Option<i64>, StoreError> {
    let values = [Value::Integer(id.version.into()), Value::Text(&id.hash)];
    session.first("SELECT number FROM path WHERE version = ?1 AND hash = ?2", &values, |row| row.integer(0))
}

/// The number of a path, which must be known.
pub(crate) fn path_number(session: &mut dyn Session, id: &PathId) -> Result<i64, StoreError> {
    known_number(session, id)?.ok_or_else(|| StoreError::NoPath(id.to_string()))
}

/// The number of a path, which is entered if it is new.
pub(crate) fn enter(session: &mut dyn Session, path: &Fingerprint) -> Result<i64, StoreError> {
    if let Some(number) = known_number(session, &path.id())? {
        return Ok(number);
    }
    let values = [Value::Integer(path.version.into()), Value::Text(&path.hash), Value::Text(&path.name)];
    session.execute("INSERT INTO path (version, hash, name) VALUES (?1, ?2, ?3)", &values)?;
    let number = path_number(session, &path.id())?;
    let fields = path.fields.iter().zip(0_i64..).map(|((key, value), place)| {
        [Value::Integer(number), Value::Integer(place), Value::Text(key), Value::Text(value)]
    });
    session.insert("path_field (path, place, key, value)", fields)?;
    Ok(number)
}

/// Removes paths that no run and no alias needs.
pub(crate) fn tidy(session: &mut dyn Session) -> Result<(), StoreError> {
    session.execute(
        "DELETE FROM path WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.path = path.number OR r.shown = \
         path.number) AND NOT EXISTS (SELECT 1 FROM alias a WHERE a.path = path.number OR a.target = path.number)",
        &[],
    )?;
    Ok(())
}

/// Gives a path another name.
pub(crate) fn rename(session: &mut dyn Session, id: &PathId, name: &str) -> Result<(), StoreError> {
    let number = path_number(session, id)?;
    session.execute(
        "UPDATE path SET name = ?1 WHERE number = ?2",
        &[Value::Text(name), Value::Integer(number)],
    )?;
    Ok(())
}

/// The path that `text` means: its id, its name, or the first four or more digits of its hash.
pub(crate) fn find(session: &mut dyn Session, text: &str) -> Result<PathId, StoreError> {
    let paths = load(session)?;
    let all = || paths.values();
    let exact: Vec<_> = all().filter(|path| path.id().to_string() == text || path.name == text).collect();
    let hash = text.split_once(':').map_or(text, |(_, hash)| hash);
    let fits = |path: &&Fingerprint| {
        hash.len() >= 4 && (path.hash.starts_with(text) || path.id().to_string().starts_with(text))
    };
    let found = if exact.is_empty() { all().filter(fits).collect() } else { exact };
    match found[..] {
        [] => Err(StoreError::NoPath(text.to_owned())),
        [path] => Ok(path.id()),
        _ => Err(StoreError::Ambiguous {
            text: text.to_owned(),
            candidates: found.iter().map(|path| format!("{} ({})", path.id(), path.name)).collect(),
        }),
    }
}
