//! What the checks need to have run, and what came of it.

use std::collections::{BTreeMap, BTreeSet};

use linerate_sim::load::LoadOutcome;
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::data::{Claim, Claims};
use super::quantity::{Need, Quantity};
use super::runs::Run;

/// Something to be run, once, whoever needs it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Job {
    /// Nothing but what the plan says when it is built.
    Plan(Run),
    /// A load.
    Load(Run),
    /// A curve.
    Curve(Run),
}

impl Job {
    /// What is run.
    pub const fn run(&self) -> &Run {
        match self {
            Self::Plan(run) | Self::Load(run) | Self::Curve(run) => run,
        }
    }
}

/// What a job gave.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// What the built plan says.
    Plan(PlanFacts),
    /// What a run under load showed.
    Load(Box<LoadOutcome>),
    /// The measured curve.
    Curve(Curve),
}

/// What a plan says when it is built.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlanFacts {
    /// Largest IP packet. Unit: bytes.
    pub mtu: u32,
    /// Rate of its lines, line coding taken off. Unit: Mb/s.
    pub link: f64,
    /// The most payload that framing leaves of that. Unit: Mb/s.
    pub ceiling: f64,
    /// Receive buffer granted to the receiving end. Unit: bytes.
    pub receive_buffer: Option<u64>,
    /// Window that it can offer. Unit: bytes.
    pub usable_window: Option<u64>,
}

/// What every job gave, or why it gave nothing.
#[derive(Debug, Default)]
pub struct Results(pub BTreeMap<Job, Result<Answer, String>>);

impl Results {
    /// What `job` gave.
    pub fn of(&self, job: &Job) -> Result<&Answer, String> {
        match self.0.get(job) {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err("it was not run".to_owned()),
        }
    }

    /// The curve of `run`.
    pub fn curve(&self, run: Run) -> Result<&Curve, String> {
        match self.of(&Job::Curve(run))? {
            Answer::Curve(curve) => Ok(curve),
            _ => Err("it gave no curve".to_owned()),
        }
    }
}

/// Everything that has to be run to check `chosen`, each once.
pub fn jobs(claims: &Claims, chosen: &[&Claim]) -> Vec<Job> {
    let quantities = chosen.iter().flat_map(|claim| claims.check(claim).quantities());
    quantities
        .flat_map(|quantity| of_quantity(claims, quantity))
        .collect::<BTreeSet<Job>>()
        .into_iter()
        .collect()
}

/// Everything that has to be run for `quantity`.
pub(super) fn of_quantity(claims: &Claims, quantity: &Quantity) -> Vec<Job> {
    let job = |need: Need<'_>| match need {
        Need::Plan(run) => vec![Job::Plan(claims.runs.run(run))],
        Need::Load(run) => vec![Job::Load(claims.runs.run(run))],
        Need::Curve(run) => vec![Job::Curve(claims.runs.run(run))],
        Need::Sweep(swept) => {
            let sweep = claims.runs.sweeps.get(&swept.sweep);
            let runs = sweep.into_iter().flat_map(|sweep| claims.runs.swept(&swept.run, sweep));
            runs.map(|(_, run)| Job::Curve(run)).collect()
        }
    };
    quantity.needs().flat_map(job).collect()
}
