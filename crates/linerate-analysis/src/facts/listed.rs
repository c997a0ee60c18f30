//! Every kind of rows, whatever its facts are read from.

use linerate_core::plan::Level;
use serde_json::Value;

use super::{
    About, Cases, Collectives, Directions, Fact, Flows, Intervals, Keys, Kind, MeshNodes, Messages, Pairs,
    Part, Percentiles, RankCounts, RequestLoads, Rounds, SizeBands, Sizes, Stages, Togethers, Traffic, Views,
};
use crate::report::{NamedRun, Report};

/// A kind without the type of its rows.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// What a row is called.
    pub name: &'static str,
    /// The levels of rows that have it.
    pub levels: &'static [Level],
    /// What there is to say of its facts.
    pub facts: fn() -> Vec<&'static About>,
    /// Its columns: each fact, and behind it the ends of its interval.
    pub columns: fn() -> Vec<Column>,
    /// The parts of a subject that have rows of their own.
    pub parts: fn() -> Vec<Part>,
    /// Whether a run can have such rows.
    pub of: fn(&NamedRun) -> bool,
    /// Its rows of a report.
    pub rows: fn(&Report) -> Vec<Row>,
}

/// The index of a row's run, and a value for each column.
pub type Row = (usize, Vec<Value>);

/// A column of a kind of rows.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub key: String,
    /// The fact.
    pub about: &'static About,
    /// Which end of its interval, if it is one.
    pub end: Option<End>,
}

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The lower one.
    Low,
    /// The upper one.
    High,
}

/// Every kind, in the order in which documents have them.
pub const KINDS: [Listed; 19] = [
    Listed::of::<Keys>(),
    Listed::of::<SizeBands>(),
    Listed::of::<Sizes>(),
    Listed::of::<Rounds>(),
    Listed::of::<Flows>(),
    Listed::of::<Directions>(),
    Listed::of::<RequestLoads>(),
    Listed::of::<Percentiles>(),
    Listed::of::<Intervals>(),
    Listed::of::<Views>(),
    Listed::of::<MeshNodes>(),
    Listed::of::<Pairs>(),
    Listed::of::<Togethers>(),
    Listed::of::<Collectives>(),
    Listed::of::<RankCounts>(),
    Listed::of::<Cases>(),
    Listed::of::<Traffic>(),
    Listed::of::<Stages>(),
    Listed::of::<Messages>(),
];

impl Listed {
    /// The kind `K`.
    #[must_use]
    pub const fn of<K: Kind>() -> Self {
        Self {
            name: K::NAME,
            levels: K::LEVELS,
            facts: || K::FACTS.iter().map(|fact| &fact.about).collect(),
            columns: || K::FACTS.iter().flat_map(columns).collect(),
            parts: K::PARTS,
            of: K::OF,
            rows: |report| K::rows(report).map(|(run, row)| (run, values::<K>(&row))).collect(),
        }
    }
}

impl Column {
    /// What it is, in a few words.
    #[must_use]
    pub const fn meaning(&self) -> &'static str {
        match self.end {
            None => self.about.meaning,
            Some(End::Low) => "lower end of its 95 % interval; empty if it has none",
            Some(End::High) => "upper end of that interval",
        }
    }
}

fn columns<K: Kind>(fact: &'static Fact<K>) -> Vec<Column> {
    let about = &fact.about;
    let whole = Column { key: about.key.to_owned(), about, end: None };
    let end = |(end, word)| {
        // `median_us` has `median_low_us`.
        let key = match about.key.rsplit_once('_') {
            Some((stem, unit)) => format!("{stem}_{word}_{unit}"),
            None => format!("{}_{word}", about.key),
        };
        Column { key, about, end: Some(end) }
    };
    let ends = [(End::Low, "low"), (End::High, "high")].into_iter().filter(|_| fact.ends.is_some());
    std::iter::once(whole).chain(ends.map(end)).collect()
}

fn values<K: Kind>(row: &K::Row<'_>) -> Vec<Value> {
    let of = |fact: &Fact<K>| {
        let ends = fact.ends.map(|ends| ends(row));
        let ends = ends.into_iter().flat_map(|ends| [0, 1].map(|nth| ends.map(|ends| ends[nth]).into()));
        std::iter::once((fact.value)(row)).chain(ends).collect::<Vec<Value>>()
    };
    K::FACTS.iter().flat_map(of).collect()
}
