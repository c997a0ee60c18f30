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
    /// There is a change, and its whole interval is smaller than the threshold.
    Small,
    /// If there is a change, it is smaller than the threshold: so says the whole interval.
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
    /// Its 95 % interval, wide enough for all questions of the family together where that is known.
    pub interval: Option<[f64; 2]>,
    /// Its 95 % interval by itself, which decides whether it is the same.
    #[serde(default)]
    pub alone: Option<[f64; 2]>,
    /// The probability of as much by chance, corrected over all questions of the family.
    pub p: Option<f64>,
    /// The smallest change that would have been found in four of five cases: a ratio less 1, or a
    /// difference. With one run a side, the change below which nothing is news.
    pub visible: Option<f64>,
    /// What is said of it.
    pub verdict: Verdict,
    /// It changed, and the estimate is more than the threshold. What is also worse is a finding.
    pub beyond: bool,
    /// Where that is open: how many runs a side would decide it in four of five cases if the estimate stays what
    /// it is. Absent where the spread is not known, and where more than 1000 would.
    #[serde(default)]
    pub runs_needed: Option<u32>,
}

impl Change {
    /// It is neither shown to be less than the threshold nor, changed, estimated to be more.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !self.beyond && !matches!(self.verdict, Verdict::Small | Verdict::Same)
    }

    /// A finding: worse, and estimated to be so by more than the threshold.
    #[must_use]
    pub const fn is_finding(&self) -> bool {
        self.beyond && matches!(self.verdict, Verdict::Worse)
    }
}
