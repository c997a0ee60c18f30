//! Two sets of runs held against each other: what changed, by how much, and how far to trust it.
//!
//! The unit of repetition is the run; of a side that is one run of several passes, the pass. Key figures and bands of sizes are one family of questions, and
//! the sizes of a curve another; each family has 5 % false alarms in all. What differs between the two
//! sides beside their numbers comes with them. A pure function of the stored runs.

mod bottleneck;
mod change;
mod curve;
mod dips;
mod doubt;
mod error;
mod family;
mod figure;
mod method;
mod outcome;
mod sides;
mod spread;

use serde::{Deserialize, Serialize};

use crate::identity::Difference;
use crate::report::NamedRun;
use sides::Sides;

pub use bottleneck::Bottlenecks;
pub use change::{Change, Scale, Verdict};
pub use curve::{CurveChange, SizeChange};
pub use dips::{DipChange, Fate};
pub use doubt::Doubt;
pub use error::CompareError;
pub use figure::FigureChange;
pub use method::{ASSUMED_SPREAD, Intervals, Method};
pub use outcome::Outcome;
pub use spread::Spread;

/// What is asked of a comparison.
#[derive(Clone, Debug)]
pub struct Question {
    /// A change for the worse above this is a finding, and what is shown to be less is "the same"; as a share.
    pub threshold: f64,
    /// Compare runs that were asked different things too.
    pub anyway: bool,
    /// How much runs of this path differ from each other, by its history.
    pub spread: Option<Spread>,
    /// From when a run began (RFC 3339) to microseconds since 1970: the core has no calendar.
    pub began: fn(&str) -> Option<i64>,
}

impl Default for Question {
    fn default() -> Self {
        Self { threshold: 0.05, anyway: false, spread: None, began: |_| None }
    }
}

/// Two sides, and what changed from the first to the second.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The runs of each side, in the order in which they began.
    pub sides: [Vec<RunNote>; 2],
    /// What counted as a change that matters: a share.
    pub threshold: f64,
    /// What differs beside the numbers.
    pub differences: Vec<Difference>,
    /// How figures were judged.
    pub method: Method,
    /// Key figures and bands of sizes.
    pub figures: Vec<FigureChange>,
    /// Curves, size by size.
    pub curves: Vec<CurveChange>,
    /// What limits each side, where that is told of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottlenecks: Option<Bottlenecks>,
    /// What is doubtful about the comparison.
    pub doubts: Vec<Doubt>,
}

/// A run that was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunNote {
    /// What it is called.
    pub name: String,
    /// Its UUID; may be empty.
    pub id: String,
    /// When it began: RFC 3339; may be empty.
    pub started: String,
    /// How many of its passes stand for runs, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<usize>,
}

impl Comparison {
    /// What `linerate compare --format json` wrote.
    ///
    /// # Errors
    ///
    /// If it is no comparison, or has figures that this version does not know.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The figures and bands that are worse by more than the threshold.
    pub fn findings(&self) -> impl Iterator<Item = &FigureChange> {
        self.figures.iter().filter(|figure| figure.change.is_finding())
    }
}

/// Compares the runs of `candidate` with those of `base`.
///
/// # Errors
///
/// If a side has no run, if a run stands twice, if the runs were asked different things, or if they have
/// nothing in common.
pub fn compare(
    base: &[NamedRun],
    candidate: &[NamedRun],
    question: &Question,
) -> Result<Comparison, CompareError> {
    let sides = Sides::new(base, candidate, question.began)?;
    let differences = sides.differences();
    if !question.anyway {
        sides.check(&differences)?;
    }
    let method = Method::choose(&sides, question);
    let figures = figure::figures(&sides, method, question);
    let curves = curve::curves(&sides, method, question);
    if figures.is_empty() && curves.iter().all(|curve| curve.sizes.is_empty()) {
        return Err(CompareError::NothingInCommon);
    }
    let doubts = doubt::doubts(&sides, method, &curves);
    let mut comparison = Comparison {
        sides: sides.notes(),
        threshold: question.threshold,
        differences,
        method,
        figures,
        curves,
        bottlenecks: None,
        doubts,
    };
    let headline = comparison.headline().map(|figure| &figure.key);
    comparison.bottlenecks = headline.and_then(|key| bottleneck::bottlenecks(&sides, key));
    Ok(comparison)
}
