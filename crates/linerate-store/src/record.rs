//! What the history keeps of one run, as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// No key, id or hash is longer: they stand in indexes, which have a limit. Unit: bytes.
const LONGEST_KEY: usize = 512;

/// One run as the history keeps it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The run's own id (a UUID), or any other text that is not empty.
    pub id: String,
    /// SHA-256 of the run's canonical JSON, in hexadecimal: whether two runs of one id are the same.
    pub content: String,
    /// What makes runs comparable.
    pub path: Fingerprint,
    /// When the run began. Unit: microseconds since the epoch, UTC.
    pub started_us: i64,
    /// The same as the run has it: RFC 3339, with the zone.
    pub started: String,
    /// Where the run file lies.
    pub file: String,
    /// What may vary between runs of one path: kernel, driver, settings.
    pub facts: BTreeMap<String, String>,
    /// The user's labels.
    pub tags: BTreeMap<String, String>,
    /// The run's figures, each key once.
    pub figures: Vec<FigureRow>,
    /// The compact curve and its rounds, as the caller packs them. Empty: none is kept.
    pub curve: Vec<u8>,
}

/// What makes runs comparable: the fields that must be equal, and their hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// The version of the rule that made the hash. Hashes of different versions are never equal.
    pub version: u32,
    /// The hash, in hexadecimal.
    pub hash: String,
    /// A name that people can read.
    pub name: String,
    /// The fields that went into the hash, to be shown.
    pub fields: Vec<(String, String)>,
}

impl Fingerprint {
    /// Names the path.
    pub fn id(&self) -> PathId {
        PathId { version: self.version, hash: self.hash.clone() }
    }
}

/// Names a path: the version of the rule and the hash. As text `2:5f1c…`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId {
    /// [`Fingerprint::version`].
    pub version: u32,
    /// [`Fingerprint::hash`].
    pub hash: String,
}

impl Display for PathId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.version, self.hash)
    }
}

impl FromStr for PathId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (version, hash) = text.split_once(':').ok_or(())?;
        Ok(Self { version: version.parse().map_err(|_| ())?, hash: hash.to_owned() })
    }
}

/// One figure of a run, such as its latency.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureRow {
    /// Its name, which is the same in every run.
    pub key: String,
    /// Its value, in the unit that the key implies. Finite.
    pub value: f64,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end of its interval.
    pub high: Option<f64>,
    /// Which values are better, if any are.
    pub better: Option<Better>,
}

/// Which values of a figure are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Higher ones: a rate.
    Higher,
    /// Lower ones: a time.
    Lower,
}

impl Better {
    /// As both databases have it.
    pub(crate) fn code(better: Option<Self>) -> i64 {
        match better {
            None => 0,
            Some(Self::Higher) => 1,
            Some(Self::Lower) => 2,
        }
    }

    pub(crate) fn of(code: i64) -> Option<Self> {
        match code {
            1 => Some(Self::Higher),
            2 => Some(Self::Lower),
            _ => None,
        }
    }
}

impl Record {
    /// Why the record cannot be kept, if it cannot: PostgreSQL takes no zero byte in a text, SQLite
    /// makes nothing of what is not a number.
    pub(crate) fn objection(&self) -> Option<String> {
        let keys = [("id", &self.id), ("content", &self.content), ("path", &self.path.hash)];
        let names = self.facts.keys().chain(self.tags.keys()).chain(self.figures.iter().map(|row| &row.key));
        let keyed = keys.into_iter().chain(names.map(|name| ("key", name)));
        for (what, text) in keyed {
            if let Some(why) = key_objection(text) {
                return Some(format!("its {what} {why}"));
            }
        }
        let texts = [&self.path.name, &self.started, &self.file].into_iter();
        let values = self.facts.values().chain(self.tags.values());
        let fields = self.path.fields.iter().flat_map(|(key, value)| [key, value]);
        if texts.chain(values).chain(fields).any(|text| text.contains('\0')) {
            return Some("one of its texts has a zero byte".to_owned());
        }
        let mut seen = BTreeSet::new();
        for row in &self.figures {
            let numbers = [Some(row.value), row.low, row.high];
            if !numbers.into_iter().flatten().all(f64::is_finite) {
                return Some(format!("its figure {} is not a finite number", row.key));
            }
            if !seen.insert(&row.key) {
                return Some(format!("it has the figure {} twice", row.key));
            }
        }
        None
    }
}

/// Why `text` cannot be a key of the store.
pub(crate) fn key_objection(text: &str) -> Option<String> {
    match text {
        "" => Some("is empty".to_owned()),
        text if text.len() > LONGEST_KEY => Some(format!("is longer than {LONGEST_KEY} bytes")),
        text if text.contains('\0') => Some("has a zero byte".to_owned()),
        _ => None,
    }
}

/// SHA-256 of `text`, in hexadecimal.
pub(crate) fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_by_version_and_hash() {
        let id = PathId { version: 2, hash: "5f1c".to_owned() };
        assert_eq!(id.to_string(), "2:5f1c");
        assert_eq!("2:5f1c".parse(), Ok(id));
        assert_eq!("5f1c".parse::<PathId>(), Err(()));
        assert_eq!("x:5f1c".parse::<PathId>(), Err(()));
    }

    #[test]
    fn which_values_are_better_is_kept() {
        for better in [None, Some(Better::Higher), Some(Better::Lower)] {
            assert_eq!(Better::of(Better::code(better)), better);
        }
    }
}
