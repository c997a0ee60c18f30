//! The figures by which runs are compared and followed over time: the facts of the catalogue that are
//! [followed](crate::facts::Followed), each with a value and which way is better.

mod key;
mod sheet;

use serde::Serialize;

pub use crate::facts::{Band, Better, Part, Unit};
use crate::facts::{Fact, Kind};
pub use key::{Figure, Key, ParseKeyError};
pub use sheet::{Sheet, SizeTimes};

/// A figure of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Value {
    /// Which figure.
    pub key: Key,
    /// Its value, in the [`Figure::unit`].
    pub value: f64,
    /// Its 95 % interval within the run, if there is one.
    pub interval: Option<[f64; 2]>,
}

/// The facts of `row` that are followed, and that it has.
#[must_use]
pub fn values<K: Kind>(row: &K::Row<'_>) -> Vec<Value> {
    let of = |fact: &'static Fact<K>| {
        let figure = Figure::of(&fact.about, K::part(row))?;
        let value = (fact.value)(row);
        let value = value.as_f64().filter(|value| value.is_finite())?;
        // What has no logarithm has no ratio; of the rest none may be less than nothing.
        let usable = value > 0.0 || (value == 0.0 && !figure.is_ratio());
        let interval = fact.ends.and_then(|ends| ends(row));
        usable.then(|| Value { key: Key { subject: K::subject(row), figure }, value, interval })
    };
    K::FACTS.iter().filter_map(of).collect()
}
