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
    /// The model agrees, and nothing was chosen so that it would.
    Holds,
    /// It agrees because parameters were calibrated on it: not a prediction.
    Calibrated,
    /// It does not agree.
    Fails,
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
            Self::Holds => "holds",
            Self::Calibrated => "calibrated",
            Self::Fails => "fails",
            Self::CouldNot => "could not",
            Self::Contradicted => "contradicted",
            Self::NotTestable => "not testable",
        }
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
    judged.verdict = match (check.status, agreed) {
        (Status::Contradicted, _) => Verdict::Contradicted,
        (Status::NotTestable, _) => Verdict::NotTestable,
        (_, Err(Lack::Computing(trouble))) => {
            judged.trouble = Some(trouble);
            Verdict::CouldNot
        }
        (_, Err(Lack::InModel(trouble))) => {
            judged.trouble = Some(trouble);
            Verdict::Fails
        }
        (_, Ok(false)) => Verdict::Fails,
        (_, Ok(true)) if check.calibrated.is_empty() => Verdict::Holds,
        (_, Ok(true)) => Verdict::Calibrated,
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
    /// Those that hold because a standard or arithmetic says so.
    pub exact: usize,
    /// The others that hold and that nothing was calibrated on.
    pub predicted: usize,
    /// Those that agree because parameters were chosen so.
    pub calibrated: usize,
    /// Those that the model does not agree with.
    pub fail: usize,
    /// Those that could not be computed.
    pub could_not: usize,
    /// Those whose sources do not agree.
    pub contradicted: usize,
    /// Those with nothing to compare.
    pub not_testable: usize,
}

impl Tally {
    /// Counts.
    pub fn of(judged: &[Judged<'_>]) -> Self {
        let count = |verdict| judged.iter().filter(|judged| judged.verdict == verdict).count();
        let exact =
            |judged: &&Judged<'_>| judged.verdict == Verdict::Holds && judged.check.status == Status::Exact;
        let exact = judged.iter().filter(exact).count();
        Self {
            exact,
            predicted: count(Verdict::Holds) - exact,
            calibrated: count(Verdict::Calibrated),
            fail: count(Verdict::Fails),
            could_not: count(Verdict::CouldNot),
            contradicted: count(Verdict::Contradicted),
            not_testable: count(Verdict::NotTestable),
        }
    }

    /// Claims that agree with the model, for whatever reason.
    pub const fn agree(&self) -> usize {
        self.exact + self.predicted + self.calibrated
    }
}
