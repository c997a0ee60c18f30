//! Histories for tests: a file in a folder of its own, and a database of a real server.

#[path = "../../linerate-core/tests/support/guard.rs"]
pub(crate) mod guard;
#[cfg(feature = "postgres")]
pub(crate) mod proxy;
#[cfg(feature = "postgres")]
pub(crate) mod server;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;

use linerate_store::{Access, Better, FigureRow, Fingerprint, Location, PathId, Record, Store};
use tempfile::TempDir;

#[cfg(feature = "postgres")]
use server::Server;

/// Says why a test does nothing; in CI that is a failure.
pub(crate) fn missing(what: impl Display) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs {what}");
    eprintln!("skipped: {what} is missing");
}

/// A place for a history of each kind, removed in the end.
pub(crate) struct Place {
    pub(crate) location: Location,
    _folder: Option<TempDir>,
}

impl Place {
    /// A file that is not there yet.
    pub(crate) fn file() -> Self {
        let folder = tempfile::Builder::new().prefix("linerate-store-").tempdir().expect("a folder");
        guard::remove_at_end(folder.path());
        let location = Location::File(folder.path().join("linerate/history.db"));
        Self { location, _folder: Some(folder) }
    }

    /// A database that is new, or none, with a word, where there is no server.
    #[cfg(feature = "postgres")]
    pub(crate) fn database() -> Option<Self> {
        let server = Server::shared()?;
        Some(Self { location: server.new_database(), _folder: None })
    }

    /// The file, if it is one.
    pub(crate) fn path(&self) -> PathBuf {
        match &self.location {
            Location::File(path) => path.clone(),
            Location::Postgres(_) => panic!("it is no file"),
        }
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(self.location.clone(), Access::Create).unwrap_or_else(|error| panic!("failed to {error}"))
    }
}

/// Runs `body` on both databases, on a server only if that is built in.
pub(crate) fn on_both(body: impl Fn(&Place)) {
    body(&Place::file());
    #[cfg(feature = "postgres")]
    if let Some(place) = Place::database() {
        body(&place);
    }
}

/// A day. Unit: microseconds.
pub(crate) const DAY_US: i64 = 86_400_000_000;

/// The path `name`.
pub(crate) fn path(name: &str) -> Fingerprint {
    let fields =
        [("transport", "tcp"), ("peer", name)].map(|(key, value)| (key.to_owned(), value.to_owned()));
    Fingerprint {
        version: 1,
        hash: format!("{:0>8}{name}", name.len()),
        name: format!("to {name}"),
        fields: fields.to_vec(),
    }
}

/// The id of the path `name`.
pub(crate) fn id_of(name: &str) -> PathId {
    path(name).id()
}

/// Run `id` of the path `name`, which began on `day`.
pub(crate) fn record(id: &str, name: &str, day: i64) -> Record {
    let text = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    };
    let figure = |key: &str, value: f64, better| FigureRow {
        key: key.to_owned(),
        value,
        low: Some(value * 0.5),
        high: None,
        better,
    };
    Record {
        id: id.to_owned(),
        content: format!("{id} measured"),
        path: path(name),
        started_us: day * DAY_US,
        started: format!("day {day}"),
        file: format!("/runs/{id}.run.json"),
        facts: text(&[("kernel", "6.1"), ("driver", "veth")]),
        tags: BTreeMap::new(),
        figures: vec![
            figure("latency", 20.0 + day as f64, Some(Better::Lower)),
            figure("peak", 9.5, Some(Better::Higher)),
            FigureRow { low: None, ..figure("size", -1e-300, None) },
        ],
        curve: format!("\0curve of {id}").into_bytes(),
    }
}

/// Record with other facts: name and value of one of them.
pub(crate) fn with_fact(mut record: Record, key: &str, value: &str) -> Record {
    record.facts.insert(key.to_owned(), value.to_owned());
    record
}

/// Record with a tag.
pub(crate) fn with_tag(mut record: Record, key: &str, value: &str) -> Record {
    record.tags.insert(key.to_owned(), value.to_owned());
    record
}
