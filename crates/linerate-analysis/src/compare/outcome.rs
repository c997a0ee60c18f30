//! What a comparison comes to, for people and for what waits on its exit code.

use serde::Serialize;

use super::{Change, Comparison, FigureChange, Method, Verdict};
use crate::figures::{Better, Key};

/// With so many runs a side whole runs can be exchanged between the sides.
const RUNS_FOR_A_SPREAD: u32 = 4;

/// What a comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// Every figure that counts is shown to be the same within the threshold.
    Equal,
    /// Of these figures some are better, and the others the same.
    Better,
    /// A figure or a band is worse: shown, and estimated to be so by more than the threshold.
    Worse,
    /// A figure or a band changed by more than the threshold, and any change was to be found.
    Changed,
    /// Nothing is shown to be worse, and of a figure that counts it is not shown that it is not.
    Inconclusive {
        /// How many more runs a side would decide in four of five cases, if every figure stays what it was
        /// estimated to be. Absent where nothing says so, and where no number that anybody measures would.
        more_runs: Option<u32>,
    },
}

impl Comparison {
    /// The figure by which the sides are compared in one sentence.
    #[must_use]
    pub fn headline(&self) -> Option<&FigureChange> {
        let key = Key::headline(self.figures.iter().map(|figure| &figure.key))?;
        self.figures.iter().find(|figure| figure.key == *key)
    }

    /// The figures that must be shown not to be worse: the headlines of which one way is better; without any, all of
    /// which one way is.
    pub fn deciding(&self) -> impl Iterator<Item = &FigureChange> {
        let headlines = self.figures.iter().any(is_headline);
        self.figures.iter().filter(move |it| is_headline(it) || !headlines && it.better != Better::Neither)
    }

    /// Those of them of which it is not shown.
    pub fn open(&self) -> impl Iterator<Item = &FigureChange> {
        self.deciding().filter(|figure| !is_fine(&figure.change))
    }

    /// What it comes to, where only what is worse counts, or `any` change.
    #[must_use]
    pub fn outcome(&self, any: bool) -> Outcome {
        if self.findings().next().is_some() {
            return Outcome::Worse;
        }
        if any && self.figures.iter().any(|figure| figure.change.beyond) {
            return Outcome::Changed;
        }
        if self.deciding().next().is_none() || self.open().next().is_some() {
            return Outcome::Inconclusive { more_runs: self.more_runs() };
        }
        let better = self.deciding().any(|figure| figure.change.verdict == Verdict::Better);
        if better { Outcome::Better } else { Outcome::Equal }
    }

    /// How many more runs a side would decide all that is open.
    fn more_runs(&self) -> Option<u32> {
        let fewest = |it: &FigureChange| u32::try_from(it.known[0].min(it.known[1])).unwrap_or(u32::MAX);
        let more = |figure: &FigureChange| match self.method {
            // One run each says nothing of the spread.
            Method::OneEach => Some(RUNS_FOR_A_SPREAD.saturating_sub(fewest(figure))),
            // Fewer than there are were not enough, whatever was to be expected.
            _ => figure.change.runs_needed.map(|needed| needed.saturating_sub(fewest(figure)).max(1)),
        };
        let all: Option<Vec<u32>> = self.open().map(more).collect();
        all?.into_iter().max()
    }
}

fn is_headline(figure: &FigureChange) -> bool {
    figure.key.figure.is_headline() && figure.better != Better::Neither
}

/// Whether it is shown not to be worse by more than the threshold.
const fn is_fine(change: &Change) -> bool {
    matches!(change.verdict, Verdict::Same | Verdict::Small | Verdict::Better)
}

#[cfg(test)]
mod tests;
