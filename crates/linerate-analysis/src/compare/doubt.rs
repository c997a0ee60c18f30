//! What is doubtful about a comparison, with advice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::CurveChange;
use super::method::{ASSUMED_SPREAD, Method};
use super::sides::Sides;
use crate::identity::{Field, Role};
use crate::report::NamedRun;
use linerate_core::run::State;

/// Something doubtful.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Doubt {
    /// One run a side, and nothing says how much runs of this path differ.
    OneEach {
        /// If the figures of runs differ by so much (standard deviation, a share), ...
        assumed: f64,
        /// ... differences below this mean nothing: a share.
        below: f64,
    },
    /// Two or three runs a side see large changes only.
    FewRuns,
    /// The repetitions of a side are passes of one run.
    Passes {
        /// How many on each side; absent where they are runs.
        of: [Option<usize>; 2],
    },
    /// All runs of one side came before those of the other.
    OneAfterTheOther,
    /// The runs of one side differ among themselves.
    Mixed {
        /// 0: the first side, 1: the second.
        side: usize,
        /// In what.
        names: Vec<String>,
    },
    /// A run did not come to its end.
    Unfinished {
        /// Which.
        run: String,
    },
    /// Some sizes are not known of every run.
    SizesLeftOut {
        /// How many.
        count: usize,
    },
}

impl Doubt {
    /// What is doubtful.
    #[must_use]
    pub fn finding(&self) -> String {
        match self {
            Self::OneEach { assumed, below } => format!(
                "one run each, and nothing says how much runs of this path differ: if it is {:.0} %, differences below about {:.0} % mean nothing",
                assumed * 100.0,
                below * 100.0
            ),
            Self::FewRuns => "with so few runs only large changes can be seen".to_owned(),
            Self::Passes { of } => format!(
                "{}: passes share hosts, placement and time, so what changes from run to run is not in the intervals",
                match of {
                    [Some(base), Some(candidate)] if base == candidate => format!("each side is {base} passes of one run"),
                    [Some(base), Some(candidate)] => format!("the base is {base} passes of one run, the candidate {candidate}"),
                    [Some(base), None] => format!("the base is {base} passes of one run"),
                    [_, candidate] => format!("the candidate is {} passes of one run", candidate.unwrap_or_default()),
                }
            ),
            Self::OneAfterTheOther => {
                "all runs of one side came before those of the other, so a drift of the hosts looks like a change"
                    .to_owned()
            }
            Self::Mixed { side, names } => format!(
                "the runs of {} differ among themselves: {}",
                ["the base", "the candidate"][*side],
                names.join(", ")
            ),
            Self::Unfinished { run } => format!("{run} did not come to its end, so its figures are of what it reached"),
            Self::SizesLeftOut { count: 1 } => "one size is not known of every run, and is left out".to_owned(),
            Self::SizesLeftOut { count } => format!("{count} sizes are not known of every run, and are left out"),
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::OneEach { .. } | Self::FewRuns | Self::Passes { .. } => {
                "measure at least four runs a side, in turn"
            }
            Self::OneAfterTheOther => "measure the sides in turn",
            Self::Mixed { .. } => "compare runs that differ in one thing",
            Self::Unfinished { .. } => "measure it again",
            Self::SizesLeftOut { .. } => "measure all runs with one schedule and enough time",
        }
    }
}

/// The change of which one run a side is news, if runs differ by `spread`: t for a spread that is known.
fn news(spread: f64) -> f64 {
    (1.959_964 * std::f64::consts::SQRT_2 * spread).exp_m1()
}

pub(super) fn doubts(sides: &Sides<'_>, method: Method, curves: &[CurveChange]) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if method == Method::OneEach {
        // The spread of logarithms that belongs to this coefficient of variation.
        let spread = ASSUMED_SPREAD.powi(2).ln_1p().sqrt();
        doubts.push(Doubt::OneEach { assumed: ASSUMED_SPREAD, below: news(spread) });
    }
    if method == Method::Welch {
        doubts.push(Doubt::FewRuns);
    }
    let of = sides.passes();
    if method != Method::Exact && of.iter().any(Option::is_some) {
        doubts.push(Doubt::Passes { of });
    }
    if method != Method::Exact && sides.counts().iter().sum::<usize>() > 2 && sides.one_after_the_other() {
        doubts.push(Doubt::OneAfterTheOther);
    }
    for (side, fields) in sides.fields.iter().enumerate() {
        let names = mixed(fields);
        if !names.is_empty() {
            doubts.push(Doubt::Mixed { side, names });
        }
    }
    let unfinished = |named: &&&NamedRun| named.run.state != State::Complete;
    doubts.extend(
        sides
            .runs
            .iter()
            .flatten()
            .filter(unfinished)
            .map(|named| Doubt::Unfinished { run: named.name.clone() }),
    );
    let count = curves.iter().map(|curve| curve.left_out.len()).sum();
    if count > 0 {
        doubts.push(Doubt::SizesLeftOut { count });
    }
    doubts
}

/// Settings that are not one value in all runs of a side; the grade of noise always varies.
fn mixed(runs: &[Vec<Field>]) -> Vec<String> {
    let mut values: BTreeMap<&str, &str> = BTreeMap::new();
    let mut names: Vec<String> = Vec::new();
    let settings = |field: &&Field| field.role == Role::Setting && !field.name.ends_with(" noise");
    for field in runs.iter().flatten().filter(settings) {
        let known = values.entry(&field.name).or_insert(&field.value);
        if *known != field.value && !names.contains(&field.name) {
            names.push(field.name.clone());
        }
    }
    names
}
