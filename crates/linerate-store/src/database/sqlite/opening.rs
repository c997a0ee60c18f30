//! Opening the file: making it, or refusing what it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::error::StoreError;
use crate::journal::Journal;
#[cfg(target_os = "linux")]
use crate::journal::journal_on;

use super::super::{FORMAT, LOCK_WAIT_S, schema};
use super::Sqlite;
use super::outcome::{code, translate};

/// Marks the file as linerate's: "lrat" in `application_id`.
const APPLICATION: i64 = 0x6C72_6174;

/// How many statements are kept prepared.
const PREPARED: usize = 64;

impl Sqlite {
    /// Opens the file at `path`. One that is not there is made if `create` is set.
    pub(in crate::database) fn open(path: &Path, create: bool) -> Result<Self, StoreError> {
        let location = path.display().to_string();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        find(path, folder, create, &location)?;
        let writing = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = match connect(path, writing) {
            // On a medium that cannot be written, SQLite has no place for the log's index: read the file
            // as one that nobody changes.
            Err(error) if is_closed_to_writing(&error) => {
                let reading = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                connect(&immutable(path), reading).map_err(|_| error)
            }
            opened => opened,
        };
        let connection = connection.map_err(|error| translate(&location, &error))?;
        let mut this = Self { connection, path: path.to_owned(), location };
        this.prepare(folder)?;
        Ok(this)
    }

    /// Makes the tables where there are none, and refuses what is not ours.
    fn prepare(&mut self, folder: &Path) -> Result<(), StoreError> {
        if self.format()?.is_some() {
            return self.choose_journal(folder).map_err(|error| self.failed(&error));
        }
        // Both before the first table: it cannot be changed later.
        let fresh = self.connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL");
        fresh.and_then(|()| self.choose_journal(folder)).map_err(|error| self.failed(&error))?;
        self.make().map_err(|error| self.failed(&error))?;
        self.format().map(|_| ())
    }

    /// Makes the tables, unless somebody else made them meanwhile.
    fn make(&mut self) -> rusqlite::Result<()> {
        let work = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if number(&work, TABLES)? == 0 {
            work.execute_batch(&schema::sqlite())?;
            work.pragma_update(None, "application_id", APPLICATION)?;
            work.pragma_update(None, "user_version", FORMAT)?;
        }
        work.commit()
    }

    /// The format of the file; none if it has no content yet.
    fn format(&self) -> Result<Option<i64>, StoreError> {
        let [tables, application, format] =
            [TABLES, "PRAGMA application_id", "PRAGMA user_version"].map(|sql| number(&self.connection, sql));
        let failed = |error| self.failed(&error);
        let (tables, application) = (tables.map_err(failed)?, application.map_err(failed)?);
        let format = format.map_err(failed)?;
        let location = self.location.clone();
        match application {
            0 if tables == 0 && format == 0 => Ok(None),
            APPLICATION if format > FORMAT => {
                Err(StoreError::Newer { location, found: format, known: FORMAT })
            }
            APPLICATION if format == FORMAT && tables > 0 => Ok(Some(format)),
            APPLICATION => {
                Err(StoreError::Damaged { location, finding: format!("format {format} and {tables} tables") })
            }
            _ => Err(StoreError::Foreign { location }),
        }
    }

    /// Chooses the journal by the file system. A file that cannot be written keeps the one it has.
    fn choose_journal(&self, folder: &Path) -> rusqlite::Result<()> {
        let wanted = journal_in(folder);
        let ask = |pragma: &str| self.connection.query_row(pragma, [], |row| row.get::<_, String>(0));
        if ask("PRAGMA journal_mode")? != wanted.name() {
            match ask(&format!("PRAGMA journal_mode = {}", wanted.name())) {
                Err(error) if code(&error) == Some(ErrorCode::ReadOnly) => return Ok(()),
                // Somebody else has it open. Both journals are safe; the next to open it may change it.
                Err(error) if code(&error) == Some(ErrorCode::DatabaseBusy) => {}
                other => drop(other?),
            }
        }
        // With the log, a power failure may lose the last runs but breaks nothing, and the run files
        // stay. Without it, NORMAL could break the file.
        let synchronous = if ask("PRAGMA journal_mode")? == "wal" { "NORMAL" } else { "FULL" };
        self.connection.execute_batch(&format!("PRAGMA synchronous = {synchronous}"))
    }
}

/// The journal for a file in `folder`.
#[cfg(target_os = "linux")]
fn journal_in(folder: &Path) -> Journal {
    rustix::fs::statfs(folder).map_or(Journal::Delete, |there| journal_on(there.f_type))
}

/// Other systems number their file systems in other ways: the journal that is safe on all.
#[cfg(not(target_os = "linux"))]
fn journal_in(_folder: &Path) -> Journal {
    Journal::Delete
}

const TABLES: &str = "SELECT count(*) FROM sqlite_schema";

fn number(connection: &Connection, sql: &str) -> rusqlite::Result<i64> {
    connection.query_row(sql, [], |row| row.get(0))
}

/// Looks whether the file is there, and makes its folder if it may be made.
fn find(path: &Path, folder: &Path, create: bool, location: &str) -> Result<(), StoreError> {
    let location = location.to_owned();
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => {
            Err(StoreError::Open { location, reason: "it is a folder".to_owned() })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && create => fs::create_dir_all(folder)
            .map_err(|error| StoreError::Open { location, reason: format!("its folder: {error}") }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::Missing { location }),
        Err(error) => Err(StoreError::Open { location, reason: error.to_string() }),
        Ok(_) => Ok(()),
    }
}

fn connect(name: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(name, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(Duration::from_secs(LOCK_WAIT_S))?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    // The file may be somebody else's: nothing in its schema may run code.
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON")?;
    // The first page, and the log with it.
    number(&connection, TABLES)?;
    Ok(connection)
}

fn is_closed_to_writing(error: &rusqlite::Error) -> bool {
    matches!(code(error), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// The address of a file that nobody changes, as SQLite's URI.
fn immutable(path: &Path) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let bytes = absolute.as_os_str().as_bytes().iter();
    let escaped = bytes.map(|byte| match plain(byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    PathBuf::from(format!("file:{}?immutable=1", escaped.collect::<String>()))
}
