//! Several changes, one after the other: each is measured against the best so far and kept if it helps.
//!
//! The search is pure: [`Staircase::next`] says which two settings to measure, and in what order;
//! [`Staircase::told`] takes the results; what comes next depends on the results alone. It is resumed from
//! its stored form, or by telling it the results again.

mod look;
mod record;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::sequential::{Boundaries, BoundaryError, Sides, Spending};
use look::Look;
pub use record::{Step, Total, Verdict};

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// How many candidate changes there are. They are tried in order.
    pub candidates: usize,
    /// The most looks at one candidate.
    pub looks: usize,
    /// Pairs of measurements between two looks.
    pub pairs: usize,
    /// Pairs of base and best in the end: at least 2.
    pub fresh_pairs: usize,
    /// False alarms over all candidates and looks together, half of them in the good direction. Each
    /// candidate has its share.
    pub alpha: f64,
    /// How each candidate spends its share over the looks.
    pub spending: Spending,
}

/// Two settings to measure, one right after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// The changes in each setting, in the order of measuring; the base has none.
    pub settings: [Vec<usize>; 2],
    /// What is tried: the candidate, or nothing in the final comparison of base and best.
    pub candidate: Option<usize>,
}

/// A sequence of decisions about candidate changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Staircase {
    question: Question,
    boundaries: Vec<f64>,
    kept: Vec<usize>,
    steps: Vec<Step>,
    /// With less without, of the pairs of the candidate that is tried now, or of base and best.
    differences: Vec<f64>,
    total: Option<Total>,
}

/// Why a staircase cannot begin or go on. The text fits after "failed to try changes: ".
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StaircaseError {
    /// Nothing to try, or nothing to look at.
    #[error("it takes at least one candidate, one pair between looks and two pairs in the end")]
    Nothing,
    /// A candidate would have a single pair, which has no spread.
    #[error("one look after one pair decides nothing: ask for more looks or more pairs")]
    SinglePair,
    /// The boundaries cannot be computed.
    #[error("{0}")]
    Boundaries(#[from] BoundaryError),
    /// A result came after the end.
    #[error("all candidates are decided: there is nothing to add")]
    Ended,
    /// A result is not a number.
    #[error("a result is not a finite number: say that the candidate failed")]
    NotFinite,
}

impl Staircase {
    /// # Errors
    ///
    /// If there is nothing to try, or if the looks or alpha give no boundaries.
    pub fn new(question: Question) -> Result<Self, StaircaseError> {
        if question.candidates == 0 || question.pairs == 0 || question.fresh_pairs < 2 {
            return Err(StaircaseError::Nothing);
        }
        if question.looks.saturating_mul(question.pairs) < 2 {
            return Err(StaircaseError::SinglePair);
        }
        let boundaries = Boundaries {
            spending: question.spending,
            sides: Sides::Two,
            alpha: question.alpha / question.candidates as f64,
            looks: question.looks,
        }
        .values()?;
        let (kept, steps, differences) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { question, boundaries, kept, steps, differences, total: None })
    }

    /// The pair to measure now. Absent at the end. The order within pairs is A B, B A, B A, A B and so on,
    /// so that drift cancels.
    #[must_use]
    pub fn next(&self) -> Option<Pair> {
        if self.total.is_some() {
            return None;
        }
        let candidate = self.candidate();
        let mut settings = match candidate {
            Some(candidate) => [self.kept.clone(), [&self.kept[..], &[candidate]].concat()],
            None => [Vec::new(), self.kept.clone()],
        };
        if self.with_first() {
            settings.reverse();
        }
        Some(Pair { settings, candidate })
    }

    /// Takes the two results of the pair in the order of measuring. More is better; give logarithms where
    /// ratios are meant, and negative values where less is better.
    ///
    /// # Errors
    ///
    /// If nothing was asked for, or if a result is not finite.
    pub fn told(&mut self, results: [f64; 2]) -> Result<(), StaircaseError> {
        if self.total.is_some() {
            return Err(StaircaseError::Ended);
        }
        let difference = results[1] - results[0];
        if !difference.is_finite() {
            return Err(StaircaseError::NotFinite);
        }
        self.differences.push(if self.with_first() { -difference } else { difference });
        match self.candidate() {
            Some(candidate) => self.judge(candidate),
            None if self.differences.len() == self.question.fresh_pairs => self.conclude(),
            None => {}
        }
        Ok(())
    }

    /// The setting with the candidate could not be measured: it is recorded and left out. In the final
    /// comparison there is then no total.
    ///
    /// # Errors
    ///
    /// If nothing was asked for.
    pub fn failed(&mut self, reason: &str) -> Result<(), StaircaseError> {
        let reason = reason.to_owned();
        match self.candidate() {
            _ if self.total.is_some() => return Err(StaircaseError::Ended),
            Some(candidate) => {
                let looks = self.differences.len() / self.question.pairs;
                self.record(
                    candidate,
                    Verdict::NotMeasured { reason },
                    Look::at(&self.differences, None),
                    looks,
                );
            }
            None => self.total = Some(Total::NotMeasured { reason }),
        }
        Ok(())
    }

    /// What was decided, in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The changes that were kept so far.
    #[must_use]
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// What all kept changes give together. Absent before the end.
    #[must_use]
    pub fn total(&self) -> Option<&Total> {
        self.total.as_ref()
    }

    /// The candidate that is tried now. Absent when all are decided.
    fn candidate(&self) -> Option<usize> {
        Some(self.steps.len()).filter(|next| *next < self.question.candidates)
    }

    fn with_first(&self) -> bool {
        self.differences.len().count_ones() % 2 == 1
    }

    /// Decides, if it is time for a look.
    fn judge(&mut self, candidate: usize) {
        let count = self.differences.len();
        if !count.is_multiple_of(self.question.pairs) {
            return;
        }
        let looks = count / self.question.pairs;
        let look = Look::at(&self.differences, Some(self.boundaries[looks - 1]));
        let last = looks == self.question.looks;
        match look.crossed {
            Some(true) => self.record(candidate, Verdict::Kept, look, looks),
            Some(false) => self.record(candidate, Verdict::Worse, look, looks),
            None if last => self.record(candidate, Verdict::NoDifference, look, looks),
            None => {}
        }
    }

    fn record(&mut self, candidate: usize, verdict: Verdict, look: Look, looks: usize) {
        if verdict == Verdict::Kept {
            self.kept.push(candidate);
        }
        let pairs = self.differences.len();
        let Look { estimate, interval, .. } = look;
        self.steps.push(Step { candidate, verdict, estimate, interval, looks, pairs });
        self.differences.clear();
        if self.candidate().is_none() && self.kept.is_empty() {
            self.total = Some(Total::NothingKept);
        }
    }

    fn conclude(&mut self) {
        let (estimate, interval) = look::fresh(&self.differences, self.question.alpha);
        self.total = Some(Total::Measured { estimate, interval, pairs: self.differences.len() });
    }
}

#[cfg(test)]
mod tests;
