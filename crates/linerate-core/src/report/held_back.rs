//! What held the flows of a load back.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::assessment::PACE_KEPT;
use crate::kernel::limit::{Holder, Verdict};
use crate::run::Run;
use crate::traffic::Transfer;
use crate::units::Rate;

/// What held the flows of a load back. Its text fits "held back ...".
#[derive(Clone, Debug, PartialEq)]
pub enum HeldBack {
    /// The requested rate, of each direction.
    Pace(Rate),
    /// What the kernels of both hosts can tell of one flow.
    Flow(Verdict),
    /// The same of several flows.
    Flows {
        /// How many flows have a verdict.
        flows: usize,
        /// How many of them each holder held back; no holder has 0.
        counts: Vec<(Holder, usize)>,
        /// The verdict of the first.
        first: Verdict,
    },
}

impl HeldBack {
    /// What held back `transfer` of `run`, if that is known.
    pub(super) fn of(run: &Run, transfer: &Transfer) -> Option<Self> {
        let pace = transfer.load.stream.as_ref().and_then(|stream| stream.rate);
        let kept = |pace: &Rate| transfer.slowest().is_some_and(|rate| rate.share_of(*pace) >= PACE_KEPT);
        if let Some(pace) = pace.filter(kept) {
            // TCP counts the wait for the last acknowledgement as its own, though there is nothing
            // more to send.
            return Some(Self::Pace(pace));
        }
        let link = run.payload_link();
        let verdicts = transfer.flows.iter().filter_map(|flow| transfer.holders(flow, link));
        let verdicts: Vec<Verdict> = verdicts.collect();
        let first = *verdicts.first()?;
        if verdicts.len() == 1 {
            return Some(Self::Flow(first));
        }
        let counts = Holder::ALL.into_iter().filter_map(|holder| {
            let count = verdicts.iter().filter(|verdict| verdict.winner == holder).count();
            (count > 0).then_some((holder, count))
        });
        Some(Self::Flows { flows: verdicts.len(), counts: counts.collect(), first })
    }
}

impl fmt::Display for HeldBack {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |verdict: &Verdict| verdict.to_string().trim_start_matches("held back ").to_owned();
        match self {
            Self::Pace(pace) => write!(out, "by the pace that was asked, {pace} a direction"),
            Self::Flow(verdict) => out.write_str(&said(verdict)),
            Self::Flows { flows, counts, first } => {
                let counts: Vec<String> =
                    counts.iter().map(|(holder, count)| format!("{count} by the {holder}")).collect();
                write!(out, "of {flows} flows {}; flow #1 {}", counts.join(", "), said(first))
            }
        }
    }
}

impl Serialize for HeldBack {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
