//! What one figure did from the first side to the second.

use serde::{Deserialize, Serialize};

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// By the ratio of the second to the first.
    Ratio,
    /// By the second less the first: what is often 0 has no ratio.
    Difference,
}

/// What is said of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The second side is better.
    Better,
    /// The second side is worse.
    Worse,
    /// It moved, and neither way is better.
    Moved,
    /// There is a change, and it is smaller than the threshold.
    Small,
    /// If there is a change, it is smaller than the threshold.
    Same,
    /// Neither a change nor its absence is shown.
    CannotTell,
    /// Not every run has the figure, or nothing says how much runs differ.
    NoVerdict,
}

/// What one figure did from the first side to the second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The middle of each side's runs, in the figure's unit: the geometric mean below five runs a side,
    /// the median from five on; for differences the mean.
    pub middle: [f64; 2],
    /// Of each side: the least and the greatest of its runs.
    pub ranges: [[f64; 2]; 2],
    /// How they are compared.
    pub scale: Scale,
    /// The ratio or the difference.
    pub estimate: f64,
    /// Its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// The probability of as much by chance, corrected over all questions of the family.
    pub p: Option<f64>,
    /// The smallest change that would have been found in four of five cases: a ratio less 1, or a
    /// difference. With one run a side, the change below which nothing is news.
    pub visible: Option<f64>,
    /// What is said of it.
    pub verdict: Verdict,
    /// Worse, and by more than the threshold: a finding.
    pub beyond: bool,
}
