//! Verdicts of checks.

use serde::Serialize;

use super::Status;
use super::check::{Check, Compare};
use super::data::{Claim, Claims};
use super::evaluate::{Evaluator, Lack};
use super::results::Results;

/// Equal figures may differ by rounding. Unit: share.
const ROUNDING: f64 = 1e-9;

/// What a check says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A standard, the method or arithmetic says it, and the model has it: no statement about
    /// networks.
    Definition,
    /// The model agrees, and nothing was chosen so that it would.
    Predicted,
    /// It agrees because parameters were calibrated on it: not a prediction.
    Calibrated,
    /// It does not agree, as is known and recorded.
    Missed,
    /// It does not agree, and should.
    Fails,
    /// A recorded miss is none any more, or the model gives something else than what was recorded.
    OutOfDate,
    /// It could not be computed.
    CouldNot,
    /// The sources disagree.
    Contradicted,
    /// There is nothing to compare.
    NotTestable,
}

impl Verdict {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Predicted => "predicted",
            Self::Calibrated => "calibrated",
            Self::Missed => "missed",
            Self::Fails => "fails",
            Self::OutOfDate => "out of date",
            Self::CouldNot => "could not",
            Self::Contradicted => "contradicted",
            Self::NotTestable => "not testable",
        }
    }

    /// Whether nobody expected it: the model or the record of what it misses has to change.
    pub const fn is_finding(self) -> bool {
        matches!(self, Self::Fails | Self::OutOfDate)
    }
}

/// What the model gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Modelled {
    /// Nothing was asked, or nothing could be computed.
    Nothing,
    /// A figure.
    One(f64),
    /// Figures that should fall from each to the next.
    Order(Vec<f64>),
}

/// A claim, and what its check says.
#[derive(Clone, Debug)]
pub struct Judged<'a> {
    /// What was published.
    pub claim: &'a Claim,
    /// How it is checked.
    pub check: &'a Check,
    /// What the model was compared with.
    pub published: Option<f64>,
    /// Least and most that the modelled figure may be. Absent for an order.
    pub allowed: Option<[f64; 2]>,
    /// What the model gave.
    pub modelled: Modelled,
    /// What the comparison says.
    pub verdict: Verdict,
    /// Why it could not be computed, or what the model lacks.
    pub trouble: Option<String>,
}

/// Checks `claim` against what was run.
pub fn judge<'a>(claims: &'a Claims, claim: &'a Claim, results: &Results) -> Judged<'a> {
    let check = claims.check(claim);
    let evaluator = Evaluator { claims, results };
    let published = check.published.as_ref().map(|quantity| evaluator.value(quantity));
    let published = match published {
        Some(value) => value.map(Some),
        None => Ok(check.number(claim)),
    };
    let mut judged = Judged {
        claim,
        check,
        published: published.clone().ok().flatten(),
        allowed: None,
        modelled: Modelled::Nothing,
        verdict: Verdict::NotTestable,
        trouble: None,
    };
    if check.status.is_tested() {
        judged.allowed = allowed(check, judged.published);
    }
    let modelled = published.and_then(|_| modelled(check, evaluator));
    let agreed = modelled.and_then(|modelled| {
        judged.modelled = modelled;
        judged.agrees()
    });
    (judged.verdict, judged.trouble) = match (check.status, agreed) {
        (Status::Contradicted, _) => (Verdict::Contradicted, None),
        (Status::NotTestable, _) => (Verdict::NotTestable, None),
        (_, Err(Lack::Computing(trouble))) => (Verdict::CouldNot, Some(trouble)),
        (_, Err(Lack::InModel(trouble))) => judged.disagreed(Some(trouble)),
        (_, Ok(false)) => judged.disagreed(None),
        (_, Ok(true)) => judged.agreed(),
    };
    judged
}

fn modelled(check: &Check, evaluator: Evaluator<'_>) -> Result<Modelled, Lack> {
    if !check.descending.is_empty() {
        let terms = check.descending.iter().map(|quantity| evaluator.value(quantity));
        return Ok(Modelled::Order(terms.collect::<Result<_, _>>()?));
    }
    check.model.as_ref().map_or(Ok(Modelled::Nothing), |model| evaluator.value(model).map(Modelled::One))
}

/// The interval of a modelled figure. Absent without a published one.
fn allowed(check: &Check, published: Option<f64>) -> Option<[f64; 2]> {
    if check.within.is_some() || !check.descending.is_empty() {
        return check.within;
    }
    let published = published?;
    let off = published.abs() * check.tolerance;
    let [low, high] = [published - off, published + off];
    Some(match check.compare {
        Compare::Equal => [low, high],
        Compare::AtLeast => [low, f64::INFINITY],
        Compare::AtMost => [f64::NEG_INFINITY, high],
    })
}

impl Judged<'_> {
    /// The verdict on a claim that the model agrees with.
    fn agreed(&self) -> (Verdict, Option<String>) {
        if self.check.missed.is_some() {
            return (Verdict::OutOfDate, Some("a miss is recorded, and it holds".to_owned()));
        }
        let verdict = match self.check.status {
            Status::Definition => Verdict::Definition,
            _ if self.check.calibrated.is_empty() => Verdict::Predicted,
            _ => Verdict::Calibrated,
        };
        (verdict, None)
    }

    /// The verdict on one that it does not agree with.
    fn disagreed(&self, trouble: Option<String>) -> (Verdict, Option<String>) {
        let Some(miss) = &self.check.missed else { return (Verdict::Fails, trouble) };
        let modelled = match &self.modelled {
            Modelled::Nothing => &[],
            Modelled::One(value) => std::slice::from_ref(value),
            Modelled::Order(terms) => &terms[..],
        };
        if miss.is(modelled) {
            return (Verdict::Missed, trouble);
        }
        let recorded = format!("a miss is recorded, but with {:?}", miss.modelled);
        let parts: Vec<String> = trouble.into_iter().chain([recorded]).collect();
        (Verdict::OutOfDate, Some(parts.join("; ")))
    }

    /// Whether the model agrees.
    fn agrees(&self) -> Result<bool, Lack> {
        match (&self.modelled, self.allowed) {
            (Modelled::Order(terms), _) => {
                Ok(terms.windows(2).all(|pair| pair[0] > pair[1] * (1.0 + self.check.margin)))
            }
            (Modelled::One(value), Some([low, high])) => {
                let rounding = value.abs() * ROUNDING;
                Ok(low - rounding <= *value && *value <= high + rounding)
            }
            (Modelled::One(_), None) => Err("there is no published figure".to_owned().into()),
            (Modelled::Nothing, _) => Err("nothing says what to compute".to_owned().into()),
        }
    }
}

/// How many claims have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tally {
    /// See [`Verdict::Definition`].
    pub definition: usize,
    /// See [`Verdict::Predicted`].
    pub predicted: usize,
    /// See [`Verdict::Calibrated`].
    pub calibrated: usize,
    /// See [`Verdict::Missed`].
    pub missed: usize,
    /// See [`Verdict::Contradicted`].
    pub contradicted: usize,
    /// See [`Verdict::NotTestable`].
    pub not_testable: usize,
    /// See [`Verdict::Fails`].
    pub fail: usize,
    /// See [`Verdict::OutOfDate`].
    pub out_of_date: usize,
    /// See [`Verdict::CouldNot`].
    pub could_not: usize,
}

impl Tally {
    /// Counts.
    pub fn of(judged: &[Judged<'_>]) -> Self {
        let count = |verdict| judged.iter().filter(|judged| judged.verdict == verdict).count();
        Self {
            definition: count(Verdict::Definition),
            predicted: count(Verdict::Predicted),
            calibrated: count(Verdict::Calibrated),
            missed: count(Verdict::Missed),
            contradicted: count(Verdict::Contradicted),
            not_testable: count(Verdict::NotTestable),
            fail: count(Verdict::Fails),
            out_of_date: count(Verdict::OutOfDate),
            could_not: count(Verdict::CouldNot),
        }
    }

    /// Verdicts that nobody expected.
    pub const fn findings(&self) -> usize {
        self.fail + self.out_of_date
    }
}

#[cfg(test)]
mod tests;
