//! Why two sides cannot be compared.

use thiserror::Error;

use crate::identity::Difference;

/// Why two sides cannot be compared. The text fits after "failed to compare: ".
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A side has no run.
    #[error("each side needs a run")]
    NoRuns,
    /// A run stands twice.
    #[error("{0} and {1} are the same run")]
    SameRun(String, String),
    /// The runs were asked different things.
    #[error("the runs were asked different things: {}", listed(.0))]
    OtherTask(Vec<Difference>),
    /// No figure and no size is known of every run.
    #[error("no figure and no size is known on both sides")]
    NothingInCommon,
}

/// At most this many are written out.
const SHOWN: usize = 4;

fn listed(differences: &[Difference]) -> String {
    let one = |difference: &Difference| {
        let [base, candidate] = difference.values.each_ref().map(|values| match values.as_slice() {
            [] => "not said".to_owned(),
            values => values.join(" or "),
        });
        format!("{} ({base}; {candidate})", difference.name)
    };
    let mut list: Vec<String> = differences.iter().take(SHOWN).map(one).collect();
    if differences.len() > SHOWN {
        list.push(format!("and {} more", differences.len() - SHOWN));
    }
    list.join(", ")
}

impl CompareError {
    /// What the user can do about it.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::NoRuns => "name runs on both sides: `linerate compare BASE... --with CANDIDATE...`",
            Self::SameRun(..) => "name every run once: a run that stands twice looks like two that agree",
            Self::OtherTask(_) => "measure both sides with one plan, or see the numbers with --anyway",
            Self::NothingInCommon => "compare curves with curves of the same pattern, and loads with loads",
        }
    }
}
