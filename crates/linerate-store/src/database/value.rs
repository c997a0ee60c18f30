//! Values that go into statements, and rows that come out of them.

use crate::error::StoreError;

/// A value of a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl From<Option<f64>> for Value<'_> {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::Null, Self::Real)
    }
}

/// A row of a query.
pub(crate) struct Row<'a> {
    pub(super) location: &'a str,
    pub(super) cells: Cells<'a>,
}

pub(super) enum Cells<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    #[cfg(feature = "postgres")]
    Postgres(&'a tokio_postgres::Row),
}

impl Row<'_> {
    /// A whole number.
    pub(crate) fn integer(&self, column: usize) -> Result<i64, StoreError> {
        match self.cells {
            Cells::Sqlite(row) => row.get(column).map_err(|error| self.damaged(&error)),
            #[cfg(feature = "postgres")]
            Cells::Postgres(row) => row.try_get(column).map_err(|error| self.damaged(&error)),
        }
    }

    /// A whole number, if there is one.
    pub(crate) fn maybe_integer(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self.cells {
            Cells::Sqlite(row) => row.get(column).map_err(|error| self.damaged(&error)),
            #[cfg(feature = "postgres")]
            Cells::Postgres(row) => row.try_get(column).map_err(|error| self.damaged(&error)),
        }
    }

    /// A whole number that is not negative.
    pub(crate) fn count(&self, column: usize) -> Result<u64, StoreError> {
        u64::try_from(self.integer(column)?).map_err(|error| self.damaged(&error))
    }

    /// The version of a rule.
    pub(crate) fn version(&self, column: usize) -> Result<u32, StoreError> {
        u32::try_from(self.integer(column)?).map_err(|error| self.damaged(&error))
    }

    /// A number.
    pub(crate) fn real(&self, column: usize) -> Result<f64, StoreError> {
        match self.cells {
            Cells::Sqlite(row) => row.get(column).map_err(|error| self.damaged(&error)),
            #[cfg(feature = "postgres")]
            Cells::Postgres(row) => row.try_get(column).map_err(|error| self.damaged(&error)),
        }
    }

    /// A number, if there is one.
    pub(crate) fn maybe_real(&self, column: usize) -> Result<Option<f64>, StoreError> {
        match self.cells {
            Cells::Sqlite(row) => row.get(column).map_err(|error| self.damaged(&error)),
            #[cfg(feature = "postgres")]
            Cells::Postgres(row) => row.try_get(column).map_err(|error| self.damaged(&error)),
        }
    }

    /// A text.
    pub(crate) fn text(&self, column: usize) -> Result<String, StoreError> {
        match self.cells {
            Cells::Sqlite(row) => row.get(column).map_err(|error| self.damaged(&error)),
            #[cfg(feature = "postgres")]
            Cells::Postgres(row) => row.try_get(column).map_err(|error| self.damaged(&error)),
        }
    }

    /// Bytes.
    pub(crate) fn bytes(&self, column: usize) -> Result<Vec<u8>, StoreError> {
        match self.cells {
            Cells::Sqlite(row) => row.get(column).map_err(|error| self.damaged(&error)),
            #[cfg(feature = "postgres")]
            Cells::Postgres(row) => row.try_get(column).map_err(|error| self.damaged(&error)),
        }
    }

    fn damaged(&self, error: &dyn std::error::Error) -> StoreError {
        StoreError::Damaged { location: self.location.to_owned(), finding: error.to_string() }
    }
}
