//! One row of the catalogue: what can be said of something that was observed.

use serde::Serialize;
use serde_json::Value;

/// Which way of a fact is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Better {
    Lower,
    Higher,
    Neither,
}

/// A fact of a thing `R`: a column of CSV, a key of JSON, a row of docs/format.md.
pub(crate) struct Fact<R> {
    pub(crate) key: &'static str,
    /// Such as `us`; empty for names, words and counts.
    pub(crate) unit: &'static str,
    pub(crate) better: Better,
    /// In a few words, after "the".
    pub(crate) meaning: &'static str,
    pub(crate) value: fn(&R) -> Value,
}

/// A fact of which neither way is better.
pub(super) const fn fact<R>(
    key: &'static str,
    unit: &'static str,
    meaning: &'static str,
    value: fn(&R) -> Value,
) -> Fact<R> {
    Fact { key, unit, better: Better::Neither, meaning, value }
}

/// A fact of which less is better.
pub(super) const fn less<R>(
    key: &'static str,
    unit: &'static str,
    meaning: &'static str,
    value: fn(&R) -> Value,
) -> Fact<R> {
    Fact { better: Better::Lower, ..fact(key, unit, meaning, value) }
}

/// A fact of which more is better.
pub(super) const fn more<R>(
    key: &'static str,
    unit: &'static str,
    meaning: &'static str,
    value: fn(&R) -> Value,
) -> Fact<R> {
    Fact { better: Better::Higher, ..fact(key, unit, meaning, value) }
}

/// What the catalogue says of a fact, of whatever it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Described {
    /// The kind of rows that have it.
    pub(crate) kind: &'static str,
    pub(crate) key: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) better: Better,
    pub(crate) meaning: &'static str,
}

/// The facts of a kind without their values.
pub(super) fn described<R>(kind: &'static str, facts: &[Fact<R>]) -> Vec<Described> {
    let row =
        |&Fact { key, unit, better, meaning, .. }: &Fact<R>| Described { kind, key, unit, better, meaning };
    facts.iter().map(row).collect()
}
