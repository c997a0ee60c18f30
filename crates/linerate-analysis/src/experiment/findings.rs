//! What an experiment found: everything that its tables and its page show.

use serde::Serialize;

use super::costs::Costs;
use super::measured::FigureName;

/// What an experiment found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// Its name.
    pub name: String,
    /// One line about it.
    pub about: String,
    /// The name of its design.
    pub design: &'static str,
    /// What it ran on.
    pub bench: String,
    /// How often each cell is meant to be measured.
    pub blocks: u32,
    /// The seed of the order.
    pub seed: u64,
    /// Whether all numbers are of models that repeat themselves: differences then have no noise, and no interval.
    pub is_exact: bool,
    /// What varied.
    pub factors: Vec<FactorShown>,
    /// The cells that have results, in their order.
    pub cells: Vec<CellFound>,
    /// The figures, the goal first.
    pub figures: Vec<FigureFound>,
    /// What the design's own way found: a staircase or a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<super::way::WayFound>,
    /// What the cells cost, and which give most for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// The cells that nothing beats in rate and latency together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trade: Option<Trade>,
    /// What was set on hosts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingShown>,
    /// Runs that failed: the cell and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<[String; 2]>,
    /// What is doubtful.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<String>,
    /// Runs that the design asks for; absent where it depends on the results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<usize>,
    /// Runs that have a result.
    pub done: usize,
}

/// A factor, as tables show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FactorShown {
    /// Its name.
    pub name: String,
    /// The names of its levels; the first is the base.
    pub levels: Vec<String>,
    /// Whether it is expensive to change.
    pub hard: bool,
}

/// A cell with results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CellFound {
    /// For each factor the index of its level.
    pub levels: Vec<usize>,
    /// What it is called.
    pub name: String,
    /// Where its runs lie.
    pub files: Vec<String>,
}

/// One figure over all cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureFound {
    /// Which.
    #[serde(flatten)]
    pub figure: FigureName,
    /// Its value in each of [`Findings::cells`].
    pub cells: Vec<Option<CellValue>>,
    /// What each level does against the base, averaged over the other factors.
    pub effects: Vec<EffectFound>,
    /// What two factors do together beyond what each does.
    pub pairs: Vec<EffectFound>,
    /// The best cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<BestFound>,
    /// What the cell says that was measured again and again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftFound>,
    /// Runs that are too far from the others for noise of the usual kind: the cell and its file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outliers: Vec<[String; 2]>,
    /// Whether the noise was taken from the small effects, since nothing was repeated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_lenth: bool,
}

/// A figure in a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellValue {
    /// The mean of its runs; of a ratio the geometric mean. Unit: the figure's.
    pub value: f64,
    /// Its 95 % interval over runs, if there are two or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// The runs.
    pub runs: Vec<f64>,
}

/// One difference, and how sure it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectFound {
    /// Such as `MTU = 9000`, or `MTU x buffer`.
    pub what: String,
    /// The factors, by position.
    pub factors: Vec<usize>,
    /// Of one factor: the level, by position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// The ratio against the base, or the difference. Absent if it cannot be estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// Its 95 % interval, not corrected for how much was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// The probability of one as large where there is none, corrected for everything that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// What follows.
    pub verdict: EffectVerdict,
    /// Why there is no test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untested: Option<String>,
    /// Other effects that these cells cannot tell from it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Counters that changed with it, the surest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explained_by: Vec<Explanation>,
}

/// What follows of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EffectVerdict {
    /// It is better than the base.
    Better,
    /// It is worse.
    Worse,
    /// It differs, where neither way is better.
    Differs,
    /// It is shown to be too small to matter, if it is there at all.
    Small,
    /// Neither is shown: that there is a difference, and that it is too small to matter.
    Inconclusive,
    /// There is no test.
    Untested,
}

impl EffectVerdict {
    /// Whether there is a difference.
    #[must_use]
    pub const fn is_seen(self) -> bool {
        matches!(self, Self::Better | Self::Worse | Self::Differs)
    }

    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Differs => "differs",
            Self::Small => "too small to matter",
            Self::Inconclusive => "inconclusive",
            Self::Untested => "not tested",
        }
    }
}

/// A counter that changed with an effect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The counter.
    pub counter: String,
    /// Its mean at the base and at the level.
    pub means: [f64; 2],
    /// The probability of such a change where there is none, corrected for all counters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
}

/// The best cell, and what cannot be told from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BestFound {
    /// Its index in [`Findings::cells`].
    pub cell: usize,
    /// Cells that may be as good.
    pub as_good: Vec<usize>,
    /// What it costs elsewhere: the other figures there against the base cell.
    pub elsewhere: Vec<Elsewhere>,
}

/// Another figure of the best cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Elsewhere {
    /// Its title.
    pub figure: String,
    /// The ratio of its mean to that of the base cell, or the difference.
    pub change: f64,
    /// Whether that is for the worse; absent if neither way is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worse: Option<bool>,
}

/// A drift of the cell that was measured again and again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DriftFound {
    /// By how much it changed from the first run to the last: a ratio, or a difference.
    pub change: f64,
    /// Its 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// The probability of as much where there is none.
    pub p: Option<f64>,
    /// Whether small effects are in doubt.
    pub verdict: DriftVerdict,
}

/// What follows of a drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriftVerdict {
    /// There is one, and it is not shown to be less than half of the smallest effect that was seen: small effects are
    /// in doubt.
    Matters,
    /// Its whole interval is less than half of that.
    Small,
    /// Neither is shown.
    Inconclusive,
}

/// Rate against latency.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trade {
    /// The titles of the two figures: more of the first is better, less of the second.
    pub figures: [String; 2],
    /// Cells that no other beats in both, the highest rate first.
    pub cells: Vec<usize>,
}

/// What a setting was, and became.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SettingShown {
    /// `here` or `there`.
    pub host: String,
    /// Its name.
    pub setting: String,
    /// What it was before.
    pub original: String,
    /// Every value that it had meanwhile, as granted.
    pub values: Vec<String>,
    /// Whether it is back; absent if that is not known yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored: Option<bool>,
}
