//! What held the flows of a load back.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::assessment::PACE_KEPT;
use linerate_core::kernel::limit::{Ends, Holder, Stretch, Verdict};
use linerate_core::run::Run;
use linerate_core::traffic::{Direction, FlowAccount, Transfer};
use linerate_core::units::Rate;

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

/// What held one flow back over time.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldFlow {
    /// Its number, from 1 in each direction.
    pub flow: u32,
    /// Which way it went.
    pub direction: Direction,
    /// One after the other.
    pub course: Vec<HeldCourse>,
}

/// A part of a flow's time, and what held the flow back in it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldCourse {
    /// Its begin, since the load began. Unit: seconds.
    pub since_s: f64,
    /// Its end.
    pub until_s: f64,
    /// The share of it that each holder has; no holder has 0.
    pub shares: Vec<(Holder, f64)>,
}

/// The shares of the time of all that held the flows of `transfer` back, in their mean, empty if that is not known; and
/// the share in which a queue stood on the path.
pub(crate) fn shares(run: &Run, transfer: &Transfer) -> (Vec<(Holder, f64)>, f64) {
    let verdicts = verdicts(run, transfer);
    let mean =
        |of: &dyn Fn(&Verdict) -> f64| verdicts.iter().map(of).sum::<f64>() / verdicts.len().max(1) as f64;
    let share = |holder: Holder| (holder, mean(&|verdict| verdict.shares.of(holder)));
    let held = Holder::ALL.into_iter().map(share).filter(|(_, share)| *share > 0.0).collect();
    (held, mean(&|verdict| verdict.queued))
}

/// Of each flow of `transfer` of which something is known.
fn verdicts(run: &Run, transfer: &Transfer) -> Vec<Verdict> {
    let link = run.payload_link();
    transfer.flows.iter().filter_map(|flow| transfer.holders(flow, link, ends(run, flow))).collect()
}

/// What holds for both ends of a flow of `run`.
fn ends(run: &Run, flow: &FlowAccount) -> Ends {
    let far = run.answering().nth(flow.peer as usize);
    let on_one_host =
        far.is_some_and(|(far, _)| run.local().environment.same_host(far.environment) == Some(true));
    let pins = [run.plan.common.local.pin, run.plan.common.remote.pin];
    let on_one_processor = match pins {
        [Some(here), Some(there)] if on_one_host => Some(here == there),
        _ => None,
    };
    Ends { modelled: run.model.is_some(), on_one_host, on_one_processor }
}

/// What held the first flows of `transfer` back over time.
pub(super) fn courses(run: &Run, transfer: &Transfer) -> Vec<HeldFlow> {
    let courses = transfer.courses(run.payload_link(), |flow| ends(run, flow));
    let part = |stretch: Stretch| HeldCourse {
        since_s: stretch.since.as_seconds(),
        until_s: stretch.until.as_seconds(),
        shares: stretch.shares.iter().filter(|(_, share)| *share > 0.0).collect(),
    };
    let flow = |(place, course): (usize, Vec<Stretch>)| {
        let FlowAccount { flow, direction, .. } = &transfer.flows[place];
        let course = course.into_iter().map(part).collect();
        HeldFlow { flow: flow + 1, direction: *direction, course }
    };
    courses.into_iter().map(flow).collect()
}

impl HeldBack {
    /// What held back `transfer` of `run`, if that is known.
    pub(crate) fn of(run: &Run, transfer: &Transfer) -> Option<Self> {
        let pace = transfer.load.stream.as_ref().and_then(|stream| stream.rate);
        let kept = |pace: &Rate| transfer.slowest().is_some_and(|rate| rate.share_of(*pace) >= PACE_KEPT);
        if let Some(pace) = pace.filter(kept) {
            // TCP counts the wait for the last acknowledgement as its own, though there is nothing
            // more to send.
            return Some(Self::Pace(pace));
        }
        let verdicts = verdicts(run, transfer);
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

    /// Whether the link was down for most of the time of a flow.
    pub(super) fn is_outage(&self) -> bool {
        match self {
            Self::Pace(_) => false,
            Self::Flow(verdict) => verdict.winner == Holder::LinkDown,
            Self::Flows { counts, .. } => counts.iter().any(|(holder, _)| *holder == Holder::LinkDown),
        }
    }
}

impl fmt::Display for HeldBack {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |verdict: &Verdict| verdict.to_string().trim_start_matches("held back ").to_owned();
        match self {
            Self::Pace(pace) => write!(out, "by the pace that was asked, {pace} a direction"),
            Self::Flow(verdict) => out.write_str(&said(verdict)),
            Self::Flows { flows, counts, first } if counts.len() == 1 => {
                let all = format!("by the {}", first.winner);
                let first = said(first);
                write!(
                    out,
                    "all {flows} flows {all}; flow #1 {}",
                    first.trim_start_matches(&all).trim_start()
                )
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use linerate_core::environment::{Environment, Fact};
    use linerate_core::plan::Plan;
    use linerate_core::run::{Answering, EndState, Source};

    #[test]
    fn each_flow_is_asked_where_its_own_ends_are() {
        let mut run = Run::new(Source::Measured, Plan::default());
        let end = |boot: &str| EndState {
            environment: Environment { boot_id: Fact::Known(boot.to_owned()), ..Environment::default() },
            ..EndState::default()
        };
        let far = ["two", "one", "three"].map(|boot| Answering { end: end(boot), ..Answering::default() });
        run.set_star(end("one"), far.into());
        let of = |peer| {
            let [sender, receiver] = [(); 2].map(|()| linerate_core::traffic::HalfAccount::default());
            ends(&run, &FlowAccount { flow: 0, peer, direction: Direction::Send, sender, receiver })
                .on_one_host
        };
        assert_eq!([0, 1, 2, 3].map(of), [false, true, false, false]);
    }
}
