//! The claims as they are stored: facts in a table, checks and runs in TOML.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::check::{Check, Status};
use super::quantity::Quantity;
use super::runs::Runs;

/// Everything about published claims, in the order in which it is stored.
#[derive(Debug)]
pub struct Claims {
    /// Papers, posts and lectures.
    pub sources: Vec<Source>,
    /// What they say, a row each.
    pub claims: Vec<Claim>,
    /// By the claim's name.
    pub checks: BTreeMap<String, Check>,
    /// Where they do not agree.
    pub contradictions: Vec<Contradiction>,
    /// What the checks name: runs, sweeps, values and charts.
    pub runs: Runs,
}

/// A paper, a post, a lecture.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The source's number in claims.
    pub number: String,
    /// Authors and title.
    pub title: String,
    /// The letter that its claims begin with. Empty if it has no letter.
    pub claims: String,
}

/// What was published: a fact and a figure, and where it was measured.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The letter of its source and a number, such as F063.
    pub id: String,
    /// The source's number.
    pub source: String,
    /// Processor of the hosts.
    pub cpu: String,
    /// Network adapter.
    pub nic: String,
    /// Driver of the adapter.
    pub driver: String,
    /// Operating system and its version.
    pub kernel: String,
    /// Largest IP packet, as it was written. Unit: bytes.
    pub mtu: String,
    /// Size of the socket buffers, as it was written.
    pub socket_buffer: String,
    /// How it was measured: a pattern or a program.
    pub mode: String,
    /// What the value is of.
    pub metric: String,
    /// As it was written, even if it is not a number.
    pub value: String,
    /// Unit of the value.
    pub unit: String,
    /// M measured, A arithmetic, S standard or specification, C configuration, Q said in words, $ price.
    pub kind: String,
}

/// Where sources do not agree, and what is done about it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// By which it is named, such as X1.
    pub id: String,
    /// The claims that it touches.
    pub claims: Vec<String>,
    /// What does not agree.
    pub problem: String,
    /// What the checks do about it.
    pub treatment: String,
}

/// Why the data cannot be read. The texts fit "failed to ...".
#[derive(Debug, thiserror::Error)]
pub(super) enum DataError {
    /// The table of claims.
    #[error("read the table of claims: {0}")]
    Table(#[from] csv::Error),
    /// A file of checks, runs, sources or contradictions.
    #[error("read {file}: {source}")]
    Toml {
        /// Which.
        file: &'static str,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// Claims and checks do not match.
    #[error("check {claim}: {reason}")]
    Check {
        /// Which claim.
        claim: String,
        /// Why.
        reason: String,
    },
}

/// The stored texts.
pub(super) struct Texts<'a> {
    pub(super) claims: &'a str,
    pub(super) sources: &'a str,
    pub(super) contradictions: &'a str,
    pub(super) runs: &'a str,
    /// Checks, with the names of their files.
    pub(super) checks: &'a [(&'static str, &'a str)],
}

macro_rules! stored {
    ($name:literal) => {
        include_str!(concat!("../../claims/", $name))
    };
}

impl Claims {
    /// Those that come with linerate.
    pub fn shipped() -> Self {
        let texts = Texts {
            claims: stored!("claims.tsv"),
            sources: stored!("sources.toml"),
            contradictions: stored!("contradictions.toml"),
            runs: stored!("runs.toml"),
            checks: &[
                ("f.toml", stored!("f.toml")),
                ("p.toml", stored!("p.toml")),
                ("a.toml", stored!("a.toml")),
                ("t.toml", stored!("t.toml")),
            ],
        };
        Self::read(&texts).expect("the tests read the same texts")
    }

    /// Reads and checks the stored texts.
    pub(super) fn read(texts: &Texts<'_>) -> Result<Self, DataError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Sources {
            source: Vec<Source>,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Contradictions {
            contradiction: Vec<Contradiction>,
        }
        let mut checks = BTreeMap::new();
        for (file, text) in texts.checks {
            add(&mut checks, toml_of(file, text)?)?;
        }
        let sources: Sources = toml_of("sources.toml", texts.sources)?;
        let contradictions: Contradictions = toml_of("contradictions.toml", texts.contradictions)?;
        let read = Self {
            sources: sources.source,
            claims: table(texts.claims)?,
            checks,
            contradictions: contradictions.contradiction,
            runs: toml_of("runs.toml", texts.runs)?,
        };
        read.fits()?;
        Ok(read)
    }

    /// The claim of this name.
    pub fn claim(&self, id: &str) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.id == id)
    }

    /// How `claim` is checked.
    pub fn check(&self, claim: &Claim) -> &Check {
        self.checks.get(&claim.id).expect("reading found a check for every claim")
    }

    /// The contradictions that touch `claim`.
    pub fn contradictions_of(&self, claim: &Claim) -> impl Iterator<Item = &Contradiction> {
        self.contradictions.iter().filter(|contradiction| contradiction.claims.contains(&claim.id))
    }

    /// Every claim has one check, every check its claim, and all names exist.
    fn fits(&self) -> Result<(), DataError> {
        let refuse = |claim: &str, reason: String| Err(DataError::Check { claim: claim.to_owned(), reason });
        for claim in &self.claims {
            if !self.checks.contains_key(&claim.id) {
                return refuse(&claim.id, "it has no check".to_owned());
            }
        }
        for (id, check) in &self.checks {
            if self.claim(id).is_none() {
                return refuse(id, "there is no such claim".to_owned());
            }
            if let Err(reason) = check.fits() {
                return refuse(id, reason);
            }
            if let Some(name) = check.quantities().flat_map(|quantity| quantity.unknown(self)).next() {
                return refuse(id, format!("it names {name}, which does not exist"));
            }
        }
        for (name, value) in &self.runs.values {
            let of_claims =
                |part: &&Quantity| !matches!(part, Quantity::Value(_)) && part.needs().next().is_none();
            if !value.parts().iter().all(of_claims) || !value.unknown(self).is_empty() {
                return refuse(name, "a named value is made of claims alone".to_owned());
            }
        }
        let touched = self.contradictions.iter().flat_map(|it| it.claims.iter().map(move |id| (it, id)));
        for (contradiction, id) in touched {
            if self.claim(id).is_none() {
                return refuse(&contradiction.id, format!("there is no claim {id}"));
            }
        }
        Ok(())
    }
}

/// A file of checks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Checks {
    #[serde(default)]
    claims: BTreeMap<String, Check>,
    #[serde(default)]
    not_testable: Vec<NotTestable>,
}

/// Claims that are not tested for one reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NotTestable {
    reason: String,
    claims: Vec<String>,
}

fn add(checks: &mut BTreeMap<String, Check>, file: Checks) -> Result<(), DataError> {
    let untested = file.not_testable.into_iter().flat_map(|group| {
        let check = Check { reason: Some(group.reason), ..Check::of(Status::NotTestable) };
        group.claims.into_iter().map(move |id| (id, check.clone()))
    });
    for (id, check) in file.claims.into_iter().chain(untested) {
        if checks.insert(id.clone(), check).is_some() {
            return Err(DataError::Check { claim: id, reason: "it has two checks".to_owned() });
        }
    }
    Ok(())
}

fn table(text: &str) -> Result<Vec<Claim>, DataError> {
    let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').quoting(false).from_reader(text.as_bytes());
    Ok(reader.deserialize().collect::<Result<Vec<Claim>, csv::Error>>()?)
}

fn toml_of<T: serde::de::DeserializeOwned>(file: &'static str, text: &str) -> Result<T, DataError> {
    toml::from_str(text).map_err(|source| DataError::Toml { file, source: Box::new(source) })
}
