//! What an error of PostgreSQL means for the user. The codes are those of appendix A of its
//! documentation.

use std::error::Error as _;

use tokio_postgres::Error;

use crate::error::StoreError;

use super::super::LOCK_WAIT_S;

/// What an error of PostgreSQL means for the user.
pub(super) fn translate(location: &str, error: &Error) -> StoreError {
    let location = location.to_owned();
    let reason = reason(error);
    let Some(code) = error.code().map(tokio_postgres::error::SqlState::code) else {
        return if breaks(error) {
            StoreError::Lost { location, reason }
        } else {
            StoreError::Database { location, reason }
        };
    };
    match code {
        // serialization_failure, deadlock_detected
        "40001" | "40P01" => StoreError::Contended { location, reason },
        // lock_not_available
        "55P03" => StoreError::Busy { location, seconds: LOCK_WAIT_S },
        // disk_full, out_of_memory on the server's side
        "53100" => StoreError::Full { location },
        // read_only_sql_transaction
        "25006" => StoreError::ReadOnly { location },
        // data_corrupted, index_corrupted
        "XX001" | "XX002" => StoreError::Damaged { location, finding: reason },
        // insufficient_privilege; invalid authorization
        "42501" => StoreError::Refused { location, reason },
        code if code.starts_with("28") => StoreError::Refused { location, reason },
        // The database of this name does not exist.
        "3D000" => StoreError::Open { location, reason },
        // too_many_connections, idle sessions ended, admin_shutdown, crash_shutdown, cannot_connect_now
        "53300" | "25P03" | "57P01" | "57P02" | "57P03" | "57P05" => StoreError::Lost { location, reason },
        code if code.starts_with("08") => StoreError::Lost { location, reason },
        _ => StoreError::Database { location, reason },
    }
}

/// Whether the connection is gone, or was never there.
fn breaks(error: &Error) -> bool {
    let io = error.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>);
    // TLS fails with an error of I/O inside; that is no broken connection, and happens again.
    let tls = error.to_string().contains("TLS");
    error.is_closed() || (io && !tls)
}

/// The whole text of an error: what the library says, and why.
pub(super) fn reason(error: &Error) -> String {
    if let Some(said) = error.as_db_error() {
        return said.message().to_owned();
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let said = inner.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        source = inner.source();
    }
    text
}
