//! The smallest level that keeps most of the peak.

use serde::{Deserialize, Serialize};

use super::SearchError;
use crate::inference::Welch;

/// What is enough.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Enough {
    /// The share of the peak that must be kept, such as .95.
    pub share: f64,
    /// How often each level is measured: at least 2.
    pub repeats: usize,
    /// What the interval of a ratio leaves out, half on each side. Each level is judged by itself.
    pub alpha: f64,
}

/// A binary search for the smallest level that keeps a share of what the largest gives. The largest is
/// measured first, so a drift of the bench from then on is part of every ratio: see
/// [`drift`](crate::experiment::drift).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmallestEnough {
    enough: Enough,
    /// For each level, the smallest first, the logarithms of its results.
    results: Vec<Vec<f64>>,
}

/// What a search for the smallest level found. Levels are positions, the smallest 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Smallest {
    /// The smallest level that certainly keeps the share: the lower end of its interval does. The largest
    /// level if no other does.
    pub level: usize,
    /// Smaller levels that were measured and of which it cannot be told: the interval holds the share.
    pub cannot_tell: Vec<usize>,
    /// Levels that certainly give more than the largest, which is then not the peak.
    pub above_peak: Vec<usize>,
    /// A level that certainly does not keep the share and a smaller one that does: a larger level is not
    /// always better, and the result is one of several.
    pub not_monotone: Option<[usize; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Keeps,
    Loses,
    CannotTell,
}

impl SmallestEnough {
    /// A search among so many levels in rising order.
    ///
    /// # Errors
    ///
    /// If there is no level, if the share or alpha does not lie between 0 and 1, or with less than two
    /// repetitions.
    pub fn new(levels: usize, enough: Enough) -> Result<Self, SearchError> {
        if levels == 0 {
            return Err(SearchError::Levels);
        }
        if enough.repeats < 2 {
            return Err(SearchError::Repeats { asked: enough.repeats, least: 2 });
        }
        for share in [enough.share, enough.alpha] {
            if !(share > 0.0 && share < 1.0) {
                return Err(SearchError::Share(share));
            }
        }
        Ok(Self { enough, results: vec![Vec::new(); levels] })
    }

    /// The level to measure now. Absent at the end.
    #[must_use]
    pub fn next(&self) -> Option<usize> {
        self.bisect().err()
    }

    /// Takes the result of the measurement that [`next`](Self::next) asked for: a positive number, more is
    /// better.
    ///
    /// # Errors
    ///
    /// If the search has ended, or if the result is not positive and finite.
    pub fn told(&mut self, result: f64) -> Result<(), SearchError> {
        if !(result > 0.0 && result.is_finite()) {
            return Err(SearchError::Result(result));
        }
        let level = self.next().ok_or(SearchError::Ended)?;
        self.results[level].push(result.ln());
        Ok(())
    }

    /// The interval of the ratio of a level to the largest, as logarithms. Absent before all its repetitions are there.
    #[must_use]
    pub fn interval(&self, level: usize) -> Option<[f64; 2]> {
        self.ratio(level)
    }

    /// Whether a level keeps the share. Absent if that cannot be told, or not yet.
    #[must_use]
    pub fn keeps(&self, level: usize) -> Option<bool> {
        match self.verdict(level)? {
            Verdict::Keeps => Some(true),
            Verdict::Loses => Some(false),
            Verdict::CannotTell => None,
        }
    }

    /// What was found. Absent before the end.
    #[must_use]
    pub fn found(&self) -> Option<Smallest> {
        let level = self.bisect().ok()?;
        let with =
            |verdict| (0..self.results.len()).filter(move |level| self.verdict(*level) == Some(verdict));
        let loses = with(Verdict::Loses).next_back();
        let keeps = with(Verdict::Keeps).next();
        Some(Smallest {
            level,
            cannot_tell: with(Verdict::CannotTell).filter(|other| *other < level).collect(),
            above_peak: self.above_peak(),
            not_monotone: loses.zip(keeps).filter(|(loses, keeps)| keeps < loses).map(Into::into),
        })
    }

    /// The result, or the level to measure.
    fn bisect(&self) -> Result<usize, usize> {
        let peak = self.results.len() - 1;
        if self.results[peak].len() < self.enough.repeats {
            return Err(peak);
        }
        let (mut low, mut high) = (0, peak);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.verdict(middle) {
                None => return Err(middle),
                Some(Verdict::Keeps) => high = middle,
                Some(Verdict::Loses | Verdict::CannotTell) => low = middle + 1,
            }
        }
        Ok(high)
    }

    /// Absent before all repetitions are there.
    fn verdict(&self, level: usize) -> Option<Verdict> {
        let peak = self.results.len() - 1;
        if level == peak {
            return Some(Verdict::Keeps);
        }
        let [low, high] = self.ratio(level)?;
        let share = self.enough.share.ln();
        Some(if low >= share {
            Verdict::Keeps
        } else if high < share {
            Verdict::Loses
        } else {
            Verdict::CannotTell
        })
    }

    /// The interval of the logarithm of the ratio to the peak.
    fn ratio(&self, level: usize) -> Option<[f64; 2]> {
        let results = &self.results[level];
        let complete = results.len() >= self.enough.repeats;
        let peak = self.results.last().filter(|_| complete)?;
        Welch::new(peak, results, None).map(|welch| welch.interval(self.enough.alpha))
    }

    fn above_peak(&self) -> Vec<usize> {
        let below = 0..self.results.len() - 1;
        below.filter(|level| self.ratio(*level).is_some_and(|[low, _]| low > 0.0)).collect()
    }
}
