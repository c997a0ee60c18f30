//! The highest value whose loss is within a limit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Places, SearchError};

/// What passes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Passing {
    /// The largest loss that passes, in the unit of the results; 0 for none at all.
    pub limit: f64,
    /// How often a value is tried: all must pass. It fails at the first that does not.
    pub repeats: usize,
    /// How many untried values above the one found are tried in the end, to see whether one passes there.
    pub probes: usize,
}

/// A binary search for the highest value that passes. The highest of all is tried first, then the lowest.
/// Source: RFC 2544, section 26.1 (throughput), with repetitions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HighestPass {
    places: Places,
    last: u64,
    passing: Passing,
    /// What was lost at each place.
    losses: BTreeMap<u64, Vec<f64>>,
}

/// What a search for the highest value found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Highest {
    /// The highest value that passes below every failure of the search. Absent if the lowest fails.
    pub value: Option<f64>,
    /// The next value, which fails. Absent if the highest of all passes: then the limit lies beyond.
    pub fails: Option<f64>,
    /// A value that failed and a higher one that passed: loss does not only depend on the value, and the
    /// result is one of several. Absent if there are none among those tried.
    pub not_monotone: Option<[f64; 2]>,
    /// How many trials it took.
    pub trials: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Passes,
    Fails,
}

/// Where the search stands.
enum Standing {
    Try(u64),
    Found { passes: Option<u64>, fails: Option<u64> },
}

impl HighestPass {
    /// # Errors
    ///
    /// If the values are none, if nothing is repeated at least once, or if the limit is negative or not a
    /// number.
    pub fn new(places: Places, passing: Passing) -> Result<Self, SearchError> {
        let last = places.last()?;
        if passing.repeats == 0 {
            return Err(SearchError::Repeats { asked: 0, least: 1 });
        }
        if !(passing.limit >= 0.0 && passing.limit.is_finite()) {
            return Err(SearchError::Share(passing.limit));
        }
        Ok(Self { places, last, passing, losses: BTreeMap::new() })
    }

    /// The value to try now. Absent at the end.
    #[must_use]
    pub fn next(&self) -> Option<f64> {
        match self.standing() {
            Standing::Try(place) => Some(self.places.value(place)),
            Standing::Found { .. } => None,
        }
    }

    /// Takes the loss of the trial that [`next`](Self::next) asked for.
    ///
    /// # Errors
    ///
    /// If the search has ended, or if the loss is negative or not a finite number.
    pub fn told(&mut self, loss: f64) -> Result<(), SearchError> {
        if !(loss >= 0.0 && loss.is_finite()) {
            return Err(SearchError::Result(loss));
        }
        match self.standing() {
            Standing::Try(place) => self.losses.entry(place).or_default().push(loss),
            Standing::Found { .. } => return Err(SearchError::Ended),
        }
        Ok(())
    }

    /// What was found. Absent before the end.
    #[must_use]
    pub fn found(&self) -> Option<Highest> {
        let Standing::Found { passes, fails } = self.standing() else { return None };
        let value = |place: u64| self.places.value(place);
        Some(Highest {
            value: passes.map(value),
            fails: fails.map(value),
            not_monotone: self.not_monotone(),
            trials: self.losses.values().map(Vec::len).sum(),
        })
    }

    fn verdict(&self, place: u64) -> Option<Verdict> {
        let losses = self.losses.get(&place)?;
        if losses.iter().any(|loss| *loss > self.passing.limit) {
            return Some(Verdict::Fails);
        }
        (losses.len() >= self.passing.repeats).then_some(Verdict::Passes)
    }

    fn standing(&self) -> Standing {
        match self.verdict(self.last) {
            None => return Standing::Try(self.last),
            Some(Verdict::Passes) => return Standing::Found { passes: Some(self.last), fails: None },
            Some(Verdict::Fails) => {}
        }
        let (passes, fails) = match self.verdict(0) {
            None => return Standing::Try(0),
            Some(Verdict::Fails) => (None, 0),
            Some(Verdict::Passes) => match self.bisect() {
                Ok(passes) => (Some(passes), passes + 1),
                Err(place) => return Standing::Try(place),
            },
        };
        match self.probes(fails).find(|place| self.verdict(*place).is_none()) {
            Some(place) => Standing::Try(place),
            None => Standing::Found { passes, fails: Some(fails) },
        }
    }

    /// The place that passes below one that fails; or the place to try.
    fn bisect(&self) -> Result<u64, u64> {
        let (mut passes, mut fails) = (0, self.last);
        while fails - passes > 1 {
            let middle = passes + (fails - passes) / 2;
            match self.verdict(middle) {
                None => return Err(middle),
                Some(Verdict::Passes) => passes = middle,
                Some(Verdict::Fails) => fails = middle,
            }
        }
        Ok(passes)
    }

    /// Places spread evenly between one that fails and the last.
    fn probes(&self, fails: u64) -> impl Iterator<Item = u64> {
        let (last, parts) = (self.last, self.passing.probes as u128 + 1);
        let place = move |nth: u128| fails + (u128::from(last - fails) * nth / parts) as u64;
        (1..parts).map(place).filter(move |place| *place > fails && *place < last)
    }

    fn not_monotone(&self) -> Option<[f64; 2]> {
        let with = |verdict| self.losses.keys().filter(move |place| self.verdict(**place) == Some(verdict));
        let fails = with(Verdict::Fails).next()?;
        let passes = with(Verdict::Passes).next_back()?;
        (passes > fails).then(|| [self.places.value(*fails), self.places.value(*passes)])
    }
}
