//! What differs between the runs of two sides, beside their numbers.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Field, Role};

/// A field in which two sides differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What it is.
    pub name: String,
    /// What it decides.
    pub role: Role,
    /// Its values on each side, each once and in order; empty where no run of the side knows it.
    pub values: [Vec<String>; 2],
}

impl Difference {
    /// Whether every run of one side has another value than every run of the other: what differs for
    /// certain, and not only in some runs. What no run of a side knows may be the same there.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        let [base, candidate] = &self.values;
        let known = !base.is_empty() && !candidate.is_empty();
        known && !base.iter().any(|value| candidate.contains(value))
    }
}

/// The fields in which the runs of two sides differ: first what was asked, then the hardware, then
/// settings; and of these first what differs in every run.
#[must_use]
pub fn differences(base: &[Vec<Field>], candidate: &[Vec<Field>]) -> Vec<Difference> {
    let mut found: BTreeMap<&str, (Role, [BTreeSet<&str>; 2])> = BTreeMap::new();
    for (side, runs) in [base, candidate].into_iter().enumerate() {
        for field in runs.iter().flatten() {
            let entry = found.entry(&field.name).or_insert((field.role, Default::default()));
            entry.1[side].insert(&field.value);
        }
    }
    let owned = |values: &BTreeSet<&str>| values.iter().map(|value| (*value).to_owned()).collect();
    let differ = found.into_iter().filter(|(_, (_, [base, candidate]))| base != candidate);
    let mut differences: Vec<Difference> = differ
        .map(|(name, (role, values))| Difference {
            name: name.to_owned(),
            role,
            values: values.each_ref().map(owned),
        })
        .collect();
    differences.sort_by_key(|difference| (difference.role, !difference.is_clear()));
    differences
}
