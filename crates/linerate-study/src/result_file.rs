//! The results of single runs as files, which shards leave and a merge reads.
//!
//! A file's name is the hash of everything that determines the result, so two shards that run the same write the same
//! file. Its first line says what it is and has the hash of the second, which is the result: a file that was damaged,
//! cut short or renamed is seen to be.

use std::fmt;

use linerate_sim::load::{Delays, LoadOutcome};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The version of the files. Results of another version have other names.
pub const FORMAT: u32 = 1;
/// The results of another version may be other numbers.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a result is known by: 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResultName(String);

/// Why a text is not the result that it should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultError {
    /// Its first line is not that of a result.
    #[error("it is not a result of linerate")]
    Foreign,
    /// It was written by a linerate with other files.
    #[error("its format is {0}, and this linerate reads {FORMAT}")]
    Format(u32),
    /// It is another run's.
    #[error("it is the result of another run")]
    Other,
    /// It is not what was written.
    #[error("it is damaged or cut short")]
    Damaged,
    /// It is whole and cannot be read.
    #[error("it cannot be read: {0}")]
    Form(#[from] serde_json::Error),
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    linerate: Kind,
    format: u32,
    version: String,
    name: String,
    /// SHA-256 of the second line.
    sha256: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Result,
}

impl ResultName {
    /// The name of what a run of this kind gives with these inputs.
    pub fn of(kind: &str, inputs: &[&str]) -> Self {
        let mut hash = Sha256::new();
        hash.update(format!("linerate {VERSION}, format {FORMAT}, {kind}\n"));
        inputs.iter().for_each(|input| hash.update(format!("{}\n{input}\n", input.len())));
        Self(hexadecimal(hash))
    }

    /// The name of its file.
    pub fn file(&self) -> String {
        format!("{}.jsonl", self.0)
    }

    /// `result` as a file.
    ///
    /// # Panics
    ///
    /// If `result` has no JSON form, such as a map whose keys are no text.
    pub fn write(&self, result: &impl Serialize) -> String {
        let body = serde_json::to_string(result).expect("results have a JSON form");
        let head = Head {
            linerate: Kind::Result,
            format: FORMAT,
            version: VERSION.to_owned(),
            name: self.0.clone(),
            sha256: hexadecimal(Sha256::new().chain_update(&body)),
        };
        format!("{}\n{body}\n", serde_json::to_string(&head).expect("a head has a JSON form"))
    }

    /// The result in `text`.
    ///
    /// # Errors
    ///
    /// It is not that of this name, or not whole.
    pub fn read<T: DeserializeOwned>(&self, text: &str) -> Result<T, ResultError> {
        let (head, body) = text.split_once('\n').ok_or(ResultError::Foreign)?;
        let head: Head = serde_json::from_str(head).map_err(|_| ResultError::Foreign)?;
        if head.format != FORMAT {
            return Err(ResultError::Format(head.format));
        }
        if head.name != self.0 {
            return Err(ResultError::Other);
        }
        let body = body.strip_suffix('\n').ok_or(ResultError::Damaged)?;
        if hexadecimal(Sha256::new().chain_update(body)) != head.sha256 {
            return Err(ResultError::Damaged);
        }
        Ok(serde_json::from_str(body)?)
    }
}

impl fmt::Display for ResultName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A run under load as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptLoad {
    outcome: LoadOutcome,
    /// Absent if none was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delays: Option<Delays>,
}

impl From<LoadOutcome> for KeptLoad {
    fn from(mut outcome: LoadOutcome) -> Self {
        let delays = std::mem::take(&mut outcome.delays);
        Self { outcome, delays: (delays.count() > 0).then_some(delays) }
    }
}

impl From<KeptLoad> for LoadOutcome {
    fn from(kept: KeptLoad) -> Self {
        Self { delays: kept.delays.unwrap_or_default(), ..kept.outcome }
    }
}

/// What the results in a folder are of: written once, by the shard that comes first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The format of the results.
    pub format: u32,
    /// The verb that they are of, such as `model load`.
    pub linerate: String,
    /// What it was asked, in words.
    pub asked: String,
    /// The hash of the names of all results, in their order.
    pub sha256: String,
    /// How many results there are, each once.
    pub results: usize,
    /// How many parts the first shard was told of.
    pub shards: usize,
}

impl Manifest {
    /// The manifest of these results.
    pub fn of(verb: &str, asked: String, names: &[ResultName], shards: usize) -> Self {
        let mut hash = Sha256::new();
        names.iter().for_each(|name| hash.update(&name.0));
        let mut distinct: Vec<&ResultName> = names.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let (linerate, results) = (verb.to_owned(), distinct.len());
        Self { format: FORMAT, linerate, asked, sha256: hexadecimal(hash), results, shards }
    }

    /// Whether both are of the same results, in the same order.
    pub fn is_of(&self, other: &Self) -> bool {
        (self.format, &self.linerate, &self.sha256) == (other.format, &other.linerate, &other.sha256)
    }

    /// It as a file.
    ///
    /// # Panics
    ///
    /// Never: its fields are text and numbers.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("text and numbers have a JSON form") + "\n"
    }

    /// The manifest in `text`.
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

#[cfg(test)]
mod tests;
