//! What a staircase decided.

use serde::{Deserialize, Serialize};

/// The decision about one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its position among the candidates.
    pub candidate: usize,
    /// What was decided.
    pub verdict: Verdict,
    /// Mean difference that it makes, in the unit of the results. Kept changes are overestimated, since they
    /// were kept for it: see [`Total`]. Absent without a pair.
    pub estimate: Option<f64>,
    /// The repeated interval of the difference: with the boundary of this look in the place of the usual
    /// limit, and so valid for all looks together. Absent at looks too early to have one.
    pub interval: Option<[f64; 2]>,
    /// How often it was looked at.
    pub looks: usize,
    /// How many pairs were measured.
    pub pairs: usize,
}

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It helps and belongs to the best setting from here on.
    Kept,
    /// It harms.
    Worse,
    /// Neither was seen after the last look.
    NoDifference,
    /// It could not be measured.
    NotMeasured {
        /// Why.
        reason: String,
    },
}

/// What all kept changes give together, from pairs that decided nothing and so are not biased.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Total {
    /// No change was kept: the best is the base.
    NothingKept,
    /// Best less base.
    Measured {
        /// Mean difference, in the unit of the results.
        estimate: f64,
        /// Its interval, which leaves out the alpha of the question.
        interval: [f64; 2],
        /// How many pairs were measured.
        pairs: usize,
    },
    /// The best or the base could not be measured.
    NotMeasured {
        /// Why.
        reason: String,
    },
}
