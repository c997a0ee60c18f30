//! An experiment as people write it, in TOML.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use super::{Budget, Command, Factor, Prices};

/// Most factors of an experiment: their pairs are analysed too.
pub const MOST_FACTORS: usize = 20;

/// An experiment as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExperimentPlan {
    /// One line about it, shown in lists and on its page.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Seed of the order of cells, and of everything random in them.
    pub seed: u64,
    /// The figure that decides what is better, such as `ping-pong/peak` or `stream/rate-send`; of a command, the
    /// name of a metric. If absent, the first one that has a better direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What is run in every cell: a plan of `measure`, `stream` or `rr`, as `--print-plan` shows it.
    #[serde(skip_serializing_if = "toml::Table::is_empty")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub task: toml::Table,
    /// Or a program of this host, whose metrics are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    /// What it runs on.
    #[serde(skip_serializing_if = "is_default")]
    pub bench: Bench,
    /// How cells are chosen and repeated.
    pub design: DesignPlan,
    /// How long it may take, and what happens when a cell fails.
    #[serde(skip_serializing_if = "is_default")]
    pub budget: Budget,
    /// What varies.
    pub factor: Vec<Factor>,
    /// What the parts cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
}

/// What an experiment runs on. Without any key: both ends on this host, over its loopback.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bench {
    /// A server on another host: `HOST` or `HOST:PORT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The file with the server's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_file: Option<String>,
    /// A laboratory: a file, or a plan that comes with linerate. It is made anew for every cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lab: Option<String>,
    /// The host of the laboratory that measures. If absent, its first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// A model: a file, a plan that comes with linerate, or `lab:PLAN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The interface whose settings factors change, where they do not name one with `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// What every cell sets, by key as in a factor; factors go over it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub set: BTreeMap<String, toml::Value>,
}

/// How cells are chosen and repeated. A cell is one level of every factor; the first level of each is the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum DesignPlan {
    /// The base, and every other level by itself.
    OneAtATime {
        /// How often each cell is measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocks: Option<u32>,
    },
    /// Every combination.
    Full {
        /// How often each cell is measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocks: Option<u32>,
    },
    /// Every combination of factors with two levels (2^k).
    TwoLevel {
        /// How often each cell is measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocks: Option<u32>,
    },
    /// A fraction of them, in which effects stand for several.
    Fraction {
        /// How many cells: 4, 8, 16, 32 or 64.
        runs: u32,
        /// How often each cell is measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocks: Option<u32>,
    },
    /// Combinations drawn by chance.
    Random {
        /// How many, the base among them.
        cells: u32,
        /// How often each cell is measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocks: Option<u32>,
    },
    /// Combinations in which each level of a factor is as frequent as the others.
    LatinHypercube {
        /// How many.
        cells: u32,
        /// How often each cell is measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocks: Option<u32>,
    },
    /// Every combination, in an order in which a drift cancels: A B B A.
    InTurn {
        /// How often each cell is measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocks: Option<u32>,
    },
    /// Each change tried on top of the best so far, and kept if it is better with confidence. The changes are the
    /// levels after the first of each factor, in their order.
    Staircase {
        /// Pairs of runs, before and after the change, between two looks at the result.
        #[serde(default = "default_pairs")]
        pairs: u32,
        /// Looks at most before a change is given up.
        #[serde(default = "default_looks")]
        looks: u32,
    },
    /// The highest level of the one factor at which no more than a share is lost (RFC 2544, section 26.1).
    HighestLoad {
        /// Largest share of datagrams that may be lost.
        #[serde(default)]
        loss: f64,
        /// Runs of each level that must all pass.
        #[serde(default = "default_repeats")]
        repeats: u32,
    },
    /// The smallest level of the one factor that keeps a share of the goal at the largest.
    Smallest {
        /// The share.
        #[serde(default = "default_keep")]
        keep: f64,
        /// Runs of each level.
        #[serde(default = "default_smallest_repeats")]
        repeats: u32,
    },
}

fn default_pairs() -> u32 {
    3
}

fn default_looks() -> u32 {
    5
}

fn default_repeats() -> u32 {
    2
}

fn default_keep() -> f64 {
    0.95
}

fn default_smallest_repeats() -> u32 {
    5
}

impl Default for DesignPlan {
    fn default() -> Self {
        Self::OneAtATime { blocks: None }
    }
}

impl DesignPlan {
    /// Its name in plans.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::OneAtATime { .. } => "one-at-a-time",
            Self::Full { .. } => "full",
            Self::TwoLevel { .. } => "two-level",
            Self::Fraction { .. } => "fraction",
            Self::Random { .. } => "random",
            Self::LatinHypercube { .. } => "latin-hypercube",
            Self::InTurn { .. } => "in-turn",
            Self::Staircase { .. } => "staircase",
            Self::HighestLoad { .. } => "highest-load",
            Self::Smallest { .. } => "smallest",
        }
    }

    /// How often each cell is measured, if the plan says so. [`None`] too for designs that find their own way.
    #[must_use]
    pub const fn blocks(&self) -> Option<u32> {
        match self {
            Self::OneAtATime { blocks }
            | Self::Full { blocks }
            | Self::TwoLevel { blocks }
            | Self::Fraction { blocks, .. }
            | Self::Random { blocks, .. }
            | Self::LatinHypercube { blocks, .. }
            | Self::InTurn { blocks } => *blocks,
            Self::Staircase { .. } | Self::HighestLoad { .. } | Self::Smallest { .. } => None,
        }
    }

    /// Whether the next cell depends on the results of those before.
    #[must_use]
    pub const fn finds_its_way(&self) -> bool {
        matches!(self, Self::Staircase { .. } | Self::HighestLoad { .. } | Self::Smallest { .. })
    }
}

impl ExperimentPlan {
    /// Reads one.
    ///
    /// # Errors
    ///
    /// What TOML says of a text that is none, or of an unknown key. Whether it makes sense,
    /// [`ExperimentPlan::check`] says.
    pub fn from_toml(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// It as TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("every field has a TOML form")
    }

    /// The JSON Schema of an experiment: the tables of the TOML form in JSON.
    #[must_use]
    pub fn schema() -> Schema {
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Self>()
    }

    /// How often each cell is measured: as the plan says, else once on a model and five times elsewhere.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.design.blocks().unwrap_or(if self.is_modelled() { 1 } else { 5 })
    }

    /// Whether nothing but models is run.
    #[must_use]
    pub fn is_modelled(&self) -> bool {
        match &self.command {
            Some(command) => command.run.starts_with(&["linerate".to_owned(), "model".to_owned()]),
            None => self.bench.model.is_some() || self.factor.iter().any(|factor| factor.sets("model")),
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
