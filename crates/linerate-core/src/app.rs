//! What came of an application on many ranks, whichever it was: a merit, figures and courses by name, what was checked,
//! and what each rank did with its time.

mod account;
mod check;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mesh::Rank;

pub use account::{Account, Phase};
pub use check::Check;

/// An application on many ranks, as a run keeps it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppRun {
    /// How people write it, such as `md`.
    pub name: String,
    /// What people call it, such as `Lennard-Jones MD`.
    pub title: String,
    /// What it is measured by, such as `atom-steps/s`: more is better.
    pub merit: String,
    /// What one unit of its work is, such as `step of an atom`.
    pub unit: String,
    /// What a unit of work takes where no processor does it: on a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// All ranks. The first of them take part in a case of fewer.
    pub ranks: Vec<Rank>,
    /// What came of each run of the application, in the order in which they were run.
    pub cases: Vec<AppCase>,
}

/// What a unit of work takes on a model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// What it takes. Unit: picoseconds.
    pub unit_ps: f64,
    /// Whether it was measured here, on one rank, before the model ran. Else it was given.
    pub measured: bool,
}

/// One run of the application on some ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppCase {
    /// On how many ranks.
    pub ranks: u32,
    /// How often the same was run before.
    pub repetition: u32,
    /// The merit, in the unit that [`AppRun::merit`] names.
    pub merit: f64,
    /// Whether it was ended early: the rest is of what was done until then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Numbers by name.
    pub figures: Vec<AppFigure>,
    /// Courses by name, such as the energy over the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub courses: Vec<Course>,
    /// What was checked.
    pub checks: Vec<Check>,
    /// What each rank did, by number.
    pub accounts: Vec<Account>,
}

/// A number that an application found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppFigure {
    /// What it is, such as `energy drift per atom`.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// What it is counted in; empty for a pure number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
}

/// Numbers against numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Course {
    /// What it shows, such as `energy`.
    pub name: String,
    /// Across.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// Pairs of both.
    pub points: Vec<[f64; 2]>,
}

/// What numbers of a course are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Axis {
    /// What they are, such as `time`.
    pub what: String,
    /// What they are counted in; empty for pure numbers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// Whether they are drawn by their logarithms.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub log: bool,
}

impl AppFigure {
    /// A figure.
    pub fn new(name: impl Into<String>, value: f64, unit: impl Into<String>) -> Self {
        Self { name: name.into(), value, unit: unit.into() }
    }
}

impl Axis {
    /// Numbers that are drawn as they are.
    pub fn linear(what: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { what: what.into(), unit: unit.into(), log: false }
    }

    /// Numbers that are drawn by their logarithms.
    pub fn log(what: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { log: true, ..Self::linear(what, unit) }
    }
}

impl AppCase {
    /// How long it took: until the last rank had ended. Unit: seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.accounts.iter().map(|account| account.total_ps).max().unwrap_or(0) as f64 / 1e12
    }

    /// Which share of the ranks' time was communication, and waiting for others.
    #[must_use]
    pub fn communication_share(&self) -> f64 {
        let all: f64 = self.accounts.iter().map(|account| account.total_ps as f64).sum();
        let communicated: f64 = self.accounts.iter().map(|account| account.communicated_ps as f64).sum();
        if all > 0.0 { communicated / all } else { 0.0 }
    }

    /// Messages that all ranks sent.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.accounts.iter().flat_map(|account| &account.messages).sum()
    }

    /// Payload that all ranks sent. Unit: bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.accounts.iter().flat_map(|account| &account.bytes).sum()
    }

    /// What did not hold.
    pub fn failed_checks(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_takes_as_long_as_its_slowest_rank() {
        let account = |total_ps, communicated_ps, bytes: &[u64]| Account {
            total_ps,
            communicated_ps,
            messages: bytes.iter().map(|bytes| u64::from(*bytes > 0)).collect(),
            bytes: bytes.to_vec(),
            ..Account::default()
        };
        let accounts = vec![
            account(4_000_000_000_000, 1_000_000_000_000, &[0, 7]),
            account(2_000_000_000_000, 2_000_000_000_000, &[5, 0]),
        ];
        let case = AppCase { ranks: 2, accounts, ..AppCase::default() };
        assert_eq!((case.seconds(), case.communication_share()), (4.0, 0.5));
        assert_eq!((case.messages(), case.bytes()), (2, 12));
        assert_eq!(AppCase::default().communication_share(), 0.0);
    }
}
