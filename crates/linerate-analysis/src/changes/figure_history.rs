//! What a history says: changes, outliers, and the stretches between them.

use serde::Serialize;

use super::pieces::LEAST;
use crate::figures::Key;
use crate::inference::Prior;

/// How large a change is, with its 95 % interval: the ratio of after to before, above 1 if it is more
/// than before. Of a figure that is no ratio ([`crate::figures::Figure::is_ratio`]) the difference, in
/// its unit, above 0 if it is more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Shift {
    /// The best guess. After a search it is a little too large a change.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Whether a change may raise an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// At least five runs on both sides; of an event, also too seldom by chance over a year of searches.
    Confirmed,
    /// Fewer than five runs after it, which may yet come back, or not sure enough yet: measure again before any alarm.
    Unconfirmed,
}

/// The level is another one from a run on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The first run after it. It may be off by a few runs if the step is small.
    pub at: usize,
    /// From the level before to the level after, where they meet.
    pub change: Shift,
    /// Probability of such a step anywhere in the series by chance.
    pub p: f64,
    /// Whether enough runs follow.
    pub standing: Standing,
}

/// The level moves slowly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Drift {
    /// The run at which it begins.
    pub from: usize,
    /// The run at which it ends.
    pub to: usize,
    /// From the level at its beginning to the level at its end.
    pub change: Shift,
    /// Probability of such a drift anywhere in the series by chance.
    pub p: f64,
    /// It lasts until the last run.
    pub ongoing: bool,
}

/// Runs differ more or less among each other from a run on. It says nothing of the level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SpreadChange {
    /// The first run after it.
    pub at: usize,
    /// Standard deviation after over standard deviation before, on the scale of the search. Absent if
    /// runs did not differ before.
    pub ratio: Option<f64>,
    /// Probability of such a change anywhere in the series by chance.
    pub p: f64,
}

/// Runs that are off and come back: mostly 1 or 2, never as many as make a level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Outlier {
    /// The first of them.
    pub first: usize,
    /// The last of them.
    pub last: usize,
    /// From the level around them to their mean: a ratio or a difference, as a [`Shift`] has it.
    pub change: f64,
}

/// A stretch in which nothing changed but what a drift says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// Its first run.
    pub first: usize,
    /// Its last run.
    pub last: usize,
    /// Runs that count: those with a value and no outlier.
    pub runs: usize,
    /// Level at its first run: the mean on the scale of the search (of logarithms: the geometric mean),
    /// or the value of the drift there. Unit: that of the figure.
    pub level: f64,
    /// Level at its last run.
    pub level_at_end: f64,
    /// How much the natural logarithms of its values differ from run to run, without outliers. It is
    /// what a single further run is judged by. Absent with a single run, and of a figure that is no
    /// ratio.
    pub spread: Option<Prior>,
}

/// What the end of a series says, or of a path: then that of the figure with the most to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Fewer than ten runs: two levels of five could not be told apart.
    TooFew,
    /// The last level holds.
    Steady,
    /// A drift lasts until the last run.
    Drifting,
    /// The last one to four runs are off: measure again.
    Unconfirmed,
}

/// What was found in one figure of a path. Runs are indices into [`super::Path::runs`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureHistory {
    /// The figure.
    pub key: Key,
    /// Runs with a value.
    pub runs: usize,
    /// Runs whose value cannot be searched: not finite, or not above zero. They were left out.
    pub unusable: Vec<usize>,
    /// Steps in order, an unconfirmed one last.
    pub steps: Vec<Step>,
    /// Drifts in order.
    pub drifts: Vec<Drift>,
    /// Changes of spread in order.
    pub spread_changes: Vec<SpreadChange>,
    /// Outliers in order.
    pub outliers: Vec<Outlier>,
    /// The stretches between the changes, in order.
    pub stretches: Vec<Stretch>,
    /// What the end of the series says.
    pub verdict: Verdict,
}

impl FigureHistory {
    /// The last stretch with at least five runs, by which a further run is judged.
    #[must_use]
    pub fn last_stable(&self) -> Option<&Stretch> {
        self.stretches.iter().rev().find(|stretch| stretch.runs >= LEAST)
    }

    /// How many runs follow a change at the run `at`, without outliers, before the next one. Absent of a step that
    /// fewer than five follow.
    #[must_use]
    pub fn runs_after(&self, at: usize) -> Option<usize> {
        self.stretches.iter().find(|stretch| stretch.first >= at).map(|stretch| stretch.runs)
    }

    /// The p of everything that may raise an alarm: an unconfirmed step may not.
    pub(super) fn alarms(&self) -> impl Iterator<Item = f64> {
        let confirmed = self.steps.iter().filter(|step| step.standing == Standing::Confirmed);
        let steps = confirmed.map(|step| step.p);
        let drifts = self.drifts.iter().map(|drift| drift.p);
        steps.chain(drifts).chain(self.spread_changes.iter().map(|change| change.p))
    }
}
