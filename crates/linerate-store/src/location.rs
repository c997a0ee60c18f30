//! Where a history is kept.

use std::ffi::OsStr;
use std::fmt::{self, Debug, Display};
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// Where a history is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A file of SQLite.
    File(PathBuf),
    /// A database of a PostgreSQL server.
    Postgres(PostgresUrl),
}

impl Location {
    /// What the user wrote: `postgres://…` or `postgresql://…` is a server, anything else a file.
    pub fn parse(text: &OsStr) -> Self {
        match text.to_str() {
            Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Self::Postgres(PostgresUrl(url.to_owned()))
            }
            _ => Self::File(PathBuf::from(text)),
        }
    }

    /// Whether this linerate can keep a history there: on a server only with the feature `postgres`.
    pub fn check_supported(&self) -> Result<(), StoreError> {
        match self {
            Self::Postgres(_) if !cfg!(feature = "postgres") => {
                Err(StoreError::Unsupported { location: self.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// The user's own history, by the XDG base directory specification: in `$XDG_DATA_HOME`, or in
    /// `~/.local/share` if that is unset, empty or relative. None if neither says where.
    pub fn of_user(xdg_data_home: Option<&OsStr>, home: Option<&OsStr>) -> Option<Self> {
        let absolute = |name: &&OsStr| Path::new(name).is_absolute();
        let data = match xdg_data_home.filter(absolute) {
            Some(data) => PathBuf::from(data),
            None => Path::new(home.filter(absolute)?).join(".local/share"),
        };
        Some(Self::File(data.join("linerate/history.db")))
    }
}

/// Without a password.
impl Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Postgres(url) => f.write_str(&url.masked()),
        }
    }
}

/// The words of an address whose values are shown; one that is misspelt may be the password.
const SHOWN: [&str; 9] = [
    "host",
    "hostaddr",
    "port",
    "user",
    "dbname",
    "sslmode",
    "sslrootcert",
    "connect_timeout",
    "application_name",
];

/// The address of a PostgreSQL database. It may hold a password, which is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

impl PostgresUrl {
    /// The address with its password.
    #[cfg(feature = "postgres")]
    pub(crate) fn secret(&self) -> &str {
        &self.0
    }

    /// The address with `***` in place of the password. Hides too much rather than too little: a
    /// password may hold signs that should have been escaped.
    pub fn masked(&self) -> String {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("postgres", &self.0));
        let rest = match rest.rsplit_once('@') {
            Some((login, rest)) => match login.split_once(':') {
                Some((user, _)) => format!("{user}:***@{rest}"),
                None => format!("{login}@{rest}"),
            },
            None => rest.to_owned(),
        };
        let Some((front, query)) = rest.split_once('?') else { return format!("{scheme}://{rest}") };
        let words = query.split('&').map(|word| match word.split_once('=') {
            Some((key, _)) if !SHOWN.contains(&key) => format!("{key}=***"),
            _ => word.to_owned(),
        });
        let rest = format!("{front}?{}", words.collect::<Vec<_>>().join("&"));
        format!("{scheme}://{rest}")
    }
}

impl Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresUrl({})", self.masked())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(url: &str) -> String {
        Location::parse(OsStr::new(url)).to_string()
    }

    #[test]
    fn a_password_is_never_shown() {
        assert_eq!(masked("postgres://me:secret@db/team"), "postgres://me:***@db/team");
        assert_eq!(masked("postgresql://me@db:5433/team"), "postgresql://me@db:5433/team");
        assert_eq!(masked("postgres:///team?host=/run&user=me"), "postgres:///team?host=/run&user=me");
        for url in [
            "postgres://me:secret@db/team",
            "postgres://me:se@secret@db/team",
            "postgres://me:a/secret@db/team",
            "postgres://me:a?secret@db/team",
            "postgres://:secret@/team",
            "postgres:///team?password=secret&user=me@x",
            "postgres:///team?user=me&Password=secret",
            "postgres:///team?user=me&sslpassword=secret",
            "postgres:///team?user=me&pasword=secret",
        ] {
            let location = Location::parse(OsStr::new(url));
            assert!(!location.to_string().contains("secret"), "{location}");
            assert!(!format!("{location:?}").contains("secret"), "{location:?}");
        }
    }

    #[test]
    fn what_is_no_server_is_a_file() {
        assert_eq!(Location::parse(OsStr::new("x.db")), Location::File("x.db".into()));
        assert_eq!(Location::parse(OsStr::new("postgres.db")), Location::File("postgres.db".into()));
    }

    #[test]
    fn the_users_history_lies_where_xdg_says() {
        let of = |data: Option<&str>, home: Option<&str>| {
            Location::of_user(data.map(OsStr::new), home.map(OsStr::new)).map(|location| location.to_string())
        };
        let default = Some("/home/me/.local/share/linerate/history.db".to_owned());
        assert_eq!(of(Some("/data"), Some("/home/me")), Some("/data/linerate/history.db".to_owned()));
        assert_eq!(of(None, Some("/home/me")), default);
        assert_eq!(of(Some(""), Some("/home/me")), default);
        assert_eq!(of(Some("relative"), Some("/home/me")), default);
        assert_eq!(of(None, Some("")), None);
        assert_eq!(of(None, None), None);
    }
}
