//! What an error of SQLite means for the user.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::error::StoreError;

use super::super::LOCK_WAIT_S;

/// SQLite's own code of an error, if it is one of SQLite.
pub(super) fn code(error: &rusqlite::Error) -> Option<ErrorCode> {
    error.sqlite_error_code()
}

/// Whether the file system of `file` has no room left for others than root.
fn is_full(file: &Path) -> bool {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    rustix::fs::statfs(folder).is_ok_and(|there| there.f_bavail == 0)
}

/// What an error of SQLite means for the user.
pub(super) fn translate(location: &str, error: &rusqlite::Error) -> StoreError {
    let location = location.to_owned();
    match code(error) {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Busy { location, seconds: LOCK_WAIT_S }
        }
        Some(ErrorCode::DiskFull) => StoreError::Full { location },
        // SQLite calls it so only where it writes rows, not where it cannot make the index of its log.
        Some(ErrorCode::SystemIoFailure) if is_full(Path::new(&location)) => StoreError::Full { location },
        Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { location },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged { location, finding: error.to_string() }
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::Open { location, reason: error.to_string() }
        }
        _ => StoreError::Database { location, reason: error.to_string() },
    }
}
