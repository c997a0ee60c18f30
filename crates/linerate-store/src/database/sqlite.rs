//! The history as one file of SQLite.

mod opening;
mod outcome;

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, TransactionBehavior};

use crate::error::StoreError;

use super::value::Cells;
use super::{EachRow, Row, Session, Value};
use outcome::translate;

#[derive(Debug)]
pub(crate) struct Sqlite {
    connection: Connection,
    path: PathBuf,
    location: String,
}

impl Sqlite {
    pub(super) fn read<T>(
        &mut self,
        work: &mut dyn FnMut(&mut dyn Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.within(TransactionBehavior::Deferred, work)
    }

    /// The transaction takes the lock at its start: one that begins as a reader could not become a
    /// writer while another writes, however long it waited (`SQLITE_BUSY_SNAPSHOT`).
    pub(super) fn write<T>(
        &mut self,
        work: &mut dyn FnMut(&mut dyn Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.within(TransactionBehavior::Immediate, work)
    }

    fn within<T>(
        &mut self,
        behavior: TransactionBehavior,
        work: &mut dyn FnMut(&mut dyn Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let location = &self.location;
        let done = match self.connection.transaction_with_behavior(behavior) {
            Err(error) => Err(translate(location, &error)),
            Ok(transaction) => work(&mut Statements { connection: &transaction, location }).and_then(
                |done| match transaction.commit() {
                    Ok(()) => Ok(done),
                    Err(error) => Err(translate(location, &error)),
                },
            ),
        };
        done.map_err(|error| self.examined(error))
    }

    /// Where there is doubt about the file, the error says what is wrong with it.
    fn examined(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Damaged { location, finding } => {
                let quick = self.findings("PRAGMA quick_check(1)").ok();
                let found = quick.and_then(|found| found.into_iter().next());
                StoreError::Damaged { location, finding: found.unwrap_or(finding) }
            }
            other => other,
        }
    }

    fn failed(&self, error: &rusqlite::Error) -> StoreError {
        self.examined(translate(&self.location, error))
    }

    pub(super) fn check(&mut self) -> Result<Vec<String>, StoreError> {
        let mut found = self.findings("PRAGMA integrity_check(10)")?;
        if found.is_empty() {
            let tables = self.findings("PRAGMA foreign_key_check")?;
            found.extend(tables.into_iter().map(|table| format!("a row of {table} belongs to nothing")));
        }
        Ok(found)
    }

    /// What one of SQLite's checks says, but for "ok".
    fn findings(&self, check: &str) -> Result<Vec<String>, StoreError> {
        let run = || {
            let mut statement = self.connection.prepare(check)?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let found = run().map_err(|error| translate(&self.location, &error))?;
        Ok(found.into_iter().filter(|line| line != "ok").collect())
    }

    pub(super) fn reclaim(&mut self) -> Result<(), StoreError> {
        let steps = |pragma: &str| {
            let mut statement = self.connection.prepare(pragma)?;
            let mut rows = statement.query([])?;
            while rows.next()?.is_some() {}
            Ok(())
        };
        // The file shrinks when the log is written back.
        let done = steps("PRAGMA incremental_vacuum").and_then(|()| steps("PRAGMA wal_checkpoint(TRUNCATE)"));
        done.map_err(|error| translate(&self.location, &error))
    }

    pub(super) fn size_bytes(&mut self) -> Result<u64, StoreError> {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        let length = |path: &Path| fs::metadata(path).map(|there| there.len());
        let file = length(&self.path).map_err(|error| StoreError::Open {
            location: self.location.clone(),
            reason: error.to_string(),
        })?;
        Ok(file + length(Path::new(&log)).unwrap_or(0))
    }
}

/// Statements on a connection.
struct Statements<'a> {
    connection: &'a Connection,
    location: &'a str,
}

impl Session for Statements<'_> {
    fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        let run = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.execute(rusqlite::params_from_iter(values))
        };
        run().map(|changed| changed as u64).map_err(|error| translate(self.location, &error))
    }

    fn each(&mut self, sql: &str, values: &[Value<'_>], each: &mut EachRow<'_>) -> Result<(), StoreError> {
        let failed = |error: rusqlite::Error| translate(self.location, &error);
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            each(&Row { location: self.location, cells: Cells::Sqlite(row) })?;
        }
        Ok(())
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null => ValueRef::Null,
            Self::Integer(value) => ValueRef::Integer(value),
            Self::Real(value) => ValueRef::Real(value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Bytes(value) => ValueRef::Blob(value),
        }))
    }
}
