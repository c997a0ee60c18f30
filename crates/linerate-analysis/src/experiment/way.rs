//! What designs that find their own way found: staircases and searches.

use serde::Serialize;

/// What a design found on its way.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WayFound {
    /// Changes on top of each other.
    Staircase(Stairs),
    /// A value that was searched.
    Search(SearchFound),
}

/// A staircase: each change tried on top of the best so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stairs {
    /// The title of the goal.
    pub goal: String,
    /// Its unit.
    pub unit: String,
    /// The goal in the base cell, before the first step.
    pub base: Option<f64>,
    /// The steps, in their order.
    pub steps: Vec<StepFound>,
    /// The best against the base, by runs of their own after the last step: without the luck that chose the steps.
    pub total: Option<TotalFound>,
    /// Whether every change was tried.
    pub complete: bool,
}

/// One change, tried on top of those that were kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepFound {
    /// Such as `MTU = 9000`.
    pub change: String,
    /// The changes that were in force.
    pub on_top_of: Vec<String>,
    /// The goal without and with it, in the same pairs of runs. Unit: that of [`Stairs`].
    pub values: Option<[f64; 2]>,
    /// The ratio with to without it, or the difference.
    pub effect: Option<f64>,
    /// Its interval, which holds although the result was looked at several times.
    pub interval: Option<[f64; 2]>,
    /// Pairs of runs.
    pub pairs: u32,
    /// Looks at the result.
    pub looks: u32,
    /// What followed.
    pub verdict: StepVerdict,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepVerdict {
    /// Better with confidence: it stays.
    Kept,
    /// Worse with confidence: it was taken back.
    Worse,
    /// Shown to be too small to matter: it was taken back.
    Small,
    /// Neither better nor worse with confidence, nor shown to be too small to matter: it was taken back.
    Inconclusive,
    /// It could not be measured: why.
    Failed(String),
    /// It is still being tried.
    UnderWay,
}

/// The best cell of a staircase against its base.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TotalFound {
    /// What the best cell is called.
    pub best: String,
    /// The goal in the base and in the best cell. Unit: that of [`Stairs`].
    pub values: [f64; 2],
    /// The ratio, or the difference.
    pub effect: f64,
    /// Its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// Pairs of runs.
    pub pairs: u32,
}

/// A value that was searched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchFound {
    /// The factor.
    pub factor: String,
    /// What was asked, in words: `the highest rate with a loss of at most 0 %`.
    pub question: String,
    /// The answer: a level. Absent if none fits, or more runs are needed.
    pub answer: Option<String>,
    /// What the answer means, in words: what bounds it, and what is doubtful.
    pub remark: Option<String>,
    /// The levels that were tried, in the order of the factor.
    pub tried: Vec<TriedLevel>,
    /// The figure that decides.
    pub figure: String,
    /// Its unit.
    pub unit: String,
}

/// A level that a search tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TriedLevel {
    /// Its name.
    pub level: String,
    /// The deciding figure of its runs.
    pub values: Vec<f64>,
    /// Its interval, if it decides.
    pub interval: Option<[f64; 2]>,
    /// Whether it fits; absent if that cannot be told.
    pub passes: Option<bool>,
}
