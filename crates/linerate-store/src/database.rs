//! The seam between the history and the two databases.
//!
//! A statement is written once, for both: values stand as `?1`, and only what both understand is used.
//! What differs (opening, locking, transactions, errors, space) is in [`sqlite`] and [`postgres`].

#[cfg(feature = "postgres")]
mod postgres;
mod schema;
mod sqlite;
mod value;

use crate::error::StoreError;
use crate::location::Location;

#[cfg(feature = "postgres")]
use postgres::Postgres;
use sqlite::Sqlite;

pub(crate) use schema::FORMAT;
pub(crate) use value::{Row, Value};

/// Statements within one transaction.
pub(crate) trait Session {
    /// Runs a statement; gives how many rows it changed.
    fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError>;

    /// Runs a query and hands over each of its rows.
    fn each(&mut self, sql: &str, values: &[Value<'_>], row: &mut EachRow<'_>) -> Result<(), StoreError>;
}

/// What takes the rows of a query.
pub(crate) type EachRow<'f> = dyn FnMut(&Row<'_>) -> Result<(), StoreError> + 'f;

impl dyn Session + '_ {
    /// Every row of a query, as `read` has it.
    pub(crate) fn all<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = Vec::new();
        self.each(sql, values, &mut |row| {
            rows.push(read(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The first row of a query, if it has one.
    pub(crate) fn first<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.all(sql, values, read)?.into_iter().next())
    }

    /// Inserts `rows`, each of as many values as `into` has columns, in few statements. `into` is
    /// `TABLE (COLUMNS)`.
    pub(crate) fn insert<'a, const N: usize>(
        &mut self,
        into: &str,
        rows: impl IntoIterator<Item = [Value<'a>; N]>,
    ) -> Result<(), StoreError> {
        let rows: Vec<_> = rows.into_iter().collect();
        for chunk in rows.chunks(ROWS_AT_ONCE) {
            let row = |row: usize| {
                let places = (1..=N).map(|column| format!("?{}", row * N + column));
                format!("({})", places.collect::<Vec<_>>().join(", "))
            };
            let all = (0..chunk.len()).map(row).collect::<Vec<_>>().join(", ");
            self.execute(&format!("INSERT INTO {into} VALUES {all}"), chunk.as_flattened())?;
        }
        Ok(())
    }
}

/// How many rows one statement inserts. Both databases take thousands of values a statement.
const ROWS_AT_ONCE: usize = 64;

/// How long a writer waits for another. Unit: seconds.
const LOCK_WAIT_S: u64 = 5;

/// An open history.
#[derive(Debug)]
pub(crate) enum Database {
    Sqlite(Sqlite),
    #[cfg(feature = "postgres")]
    Postgres(Box<Postgres>),
}

impl Database {
    /// Opens the history at `location`. What is not there is made if `create` is set.
    pub(crate) fn open(location: &Location, create: bool) -> Result<Self, StoreError> {
        match location {
            Location::File(path) => Sqlite::open(path, create).map(Self::Sqlite),
            #[cfg(not(feature = "postgres"))]
            Location::Postgres(_) => Err(StoreError::Unsupported { location: location.to_string() }),
            #[cfg(feature = "postgres")]
            Location::Postgres(url) => {
                Postgres::open(url, create).map(|database| Self::Postgres(Box::new(database)))
            }
        }
    }

    /// Reads: everything that `work` sees is of one moment. `work` may be run again.
    pub(crate) fn read<T>(
        &mut self,
        mut work: impl FnMut(&mut dyn Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self {
            Self::Sqlite(database) => database.read(&mut work),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.read(&mut work),
        }
    }

    /// Writes: all of `work` or nothing, and one writer at a time. `work` may be run again, also when it
    /// has already taken effect and only the word of it was lost.
    pub(crate) fn write<T>(
        &mut self,
        mut work: impl FnMut(&mut dyn Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self {
            Self::Sqlite(database) => database.write(&mut work),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.write(&mut work),
        }
    }

    /// What the database itself finds wrong with its content.
    pub(crate) fn check(&mut self) -> Result<Vec<String>, StoreError> {
        match self {
            Self::Sqlite(database) => database.check(),
            // It has no such check of its own; its constraints cannot be broken.
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(Vec::new()),
        }
    }

    /// Gives space back that nothing uses any more.
    pub(crate) fn reclaim(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(database) => database.reclaim(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.reclaim(),
        }
    }

    /// How much space the history takes. Unit: bytes.
    pub(crate) fn size_bytes(&mut self) -> Result<u64, StoreError> {
        match self {
            Self::Sqlite(database) => database.size_bytes(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.size_bytes(),
        }
    }
}
