//! The catalogue: what can be said of something that was observed, each fact in one row.
//!
//! A [`Kind`] is what facts are of: a curve, a flow, a pair of ranks. Its facts are a table, and all that shows them reads
//! it: columns on a screen, CSV, JSON, OpenMetrics, comparisons, histories, experiments and docs/format.md. A fact is
//! added by adding its row.

mod apps;
mod band;
mod curves;
mod listed;
mod loads;
mod meshes;
mod traces;
mod unit;

use linerate_core::plan::Level;
use linerate_core::traffic::Direction as Way;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::report::{NamedRun, Report};
pub use apps::{Case, Cases, RankCount, RankCounts, RankPair, Traffic};
pub use band::Band;
pub use curves::{Keys, OfBand, Rounds, Size, SizeBands, SizeRound, Sizes, Whole};
pub use listed::{Column, End, KINDS, Listed, Row};
pub use loads::{
    Direction, Directions, Flow, Flows, Interval, Intervals, Percentile, Percentiles, RequestLoads,
};
pub use meshes::{Collectives, MeshNodes, Pair, Pairs, Togethers, Views};
pub use traces::{Messages, OfStage, Stages, Traced};
pub use unit::Unit;

/// What facts are of.
pub trait Kind: Sized + 'static {
    /// What a row is called.
    const NAME: &'static str;
    /// The levels of rows that have it.
    const LEVELS: &'static [Level];
    /// Whether a run can have such rows.
    const OF: fn(&NamedRun) -> bool;
    /// The parts of a subject that have rows of their own.
    const PARTS: fn() -> Vec<Part> = || vec![Part::Whole];
    /// What the facts are read from.
    type Row<'r>;
    /// Its facts, in the order of their columns.
    const FACTS: &'static [Fact<Self>];

    /// What a row is of, by which it is found in other runs: the pattern of a curve, the name of a load.
    fn subject(_: &Self::Row<'_>) -> String {
        String::new()
    }

    /// Which part of the subject.
    fn part(_: &Self::Row<'_>) -> Part {
        Part::Whole
    }

    /// The rows of `report`, each with the index of its run.
    fn rows(report: &Report) -> impl Iterator<Item = (usize, Self::Row<'_>)>;
}

/// Reads a fact of a row.
pub type Getter<K> = for<'a, 'r> fn(&'a <K as Kind>::Row<'r>) -> Value;
/// Reads the ends of its 95 % interval.
pub type Ends<K> = for<'a, 'r> fn(&'a <K as Kind>::Row<'r>) -> Option<[f64; 2]>;

/// A fact of a kind.
pub struct Fact<K: Kind> {
    /// What there is to say of it.
    pub about: About,
    /// Its value; null if it is unknown.
    pub value: Getter<K>,
    /// The interval of the value, if it can have one.
    pub ends: Option<Ends<K>>,
}

/// What there is to say of a fact, of whatever it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// A column of CSV, a key of JSON.
    pub key: &'static str,
    /// What its values are counted in.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// In a few words, after "the".
    pub meaning: &'static str,
    /// How a table on a screen shows it.
    pub column: Option<Heading>,
    /// How runs are compared by it.
    pub followed: Option<Followed>,
}

/// The heading of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Without the unit.
    pub title: &'static str,
    /// The highest is left out first on a narrow terminal; 0 never.
    pub expendable: u8,
    /// When it is there at all.
    pub when: When,
    /// The same of the column of its interval, if it has one.
    pub interval: u8,
}

/// When a table on a screen has a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// If a row has a value that is not 0; one that is never left out, always.
    Known,
    /// If two rows differ in it.
    Differs,
    /// If a row has another value than this.
    Unless(&'static str),
}

/// A fact by which runs are compared, and followed over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Followed {
    /// Its name in keys, such as `rate` of `stream/rate-send`.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// How two values are compared.
    pub by: By,
    /// Its metric: the name before the unit, and a quantile.
    pub metric: (&'static str, Option<&'static str>),
    /// Whether a short table shows it.
    pub is_headline: bool,
}

/// What of a subject a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// All of it.
    Whole,
    /// The flows of a direction.
    Way(Way),
    /// A band of sizes.
    Band(Band),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum By {
    /// By their ratio.
    Ratio,
    /// Counts and shares that are often 0: by their difference. One below this says nothing; without a number, one
    /// below what says nothing of a ratio.
    Difference(Option<f64>),
}

// The thresholds are constants, and no NaN.
impl Eq for By {}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less is better.
    Less,
    /// More is better.
    More,
    /// Neither: it tells where something lies.
    Neither,
}

impl<K: Kind> Fact<K> {
    /// A fact of which neither way is better.
    #[must_use]
    pub const fn new(key: &'static str, unit: Unit, meaning: &'static str, value: Getter<K>) -> Self {
        let about = About { key, unit, better: Better::Neither, meaning, column: None, followed: None };
        Self { about, value, ends: None }
    }

    /// Less is better.
    #[must_use]
    pub const fn less(mut self) -> Self {
        self.about.better = Better::Less;
        self
    }

    /// More is better.
    #[must_use]
    pub const fn more(mut self) -> Self {
        self.about.better = Better::More;
        self
    }

    /// Its value has a 95 % interval.
    #[must_use]
    pub const fn within(mut self, ends: Ends<K>) -> Self {
        self.ends = Some(ends);
        self
    }

    /// A table on a screen has a column of it.
    #[must_use]
    pub const fn column(self, title: &'static str, expendable: u8) -> Self {
        self.heading(Heading { title, expendable, when: When::Known, interval: 1 })
    }

    /// A table on a screen has this column of it.
    #[must_use]
    pub const fn heading(mut self, heading: Heading) -> Self {
        self.about.column = Some(heading);
        self
    }

    /// A table on a screen has a column of it at times.
    #[must_use]
    pub const fn column_when(self, title: &'static str, expendable: u8, when: When) -> Self {
        self.heading(Heading { title, expendable, when, interval: 1 })
    }

    /// Runs are compared by it.
    #[must_use]
    pub const fn followed(mut self, followed: Followed) -> Self {
        self.about.followed = Some(followed);
        self
    }
}

impl Followed {
    /// By ratio, with a metric of the same name.
    #[must_use]
    pub const fn new(name: &'static str, title: &'static str, metric: &'static str) -> Self {
        Self { name, title, by: By::Ratio, metric: (metric, None), is_headline: false }
    }

    /// A short table shows it.
    #[must_use]
    pub const fn headline(mut self) -> Self {
        self.is_headline = true;
        self
    }

    /// Of a quantile.
    #[must_use]
    pub const fn quantile(mut self, quantile: &'static str) -> Self {
        self.metric.1 = Some(quantile);
        self
    }

    /// Compared by difference; one below `least`, if it is given, says nothing.
    #[must_use]
    pub const fn by_difference(mut self, least: Option<f64>) -> Self {
        self.by = By::Difference(least);
        self
    }
}
