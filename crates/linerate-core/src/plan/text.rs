//! The written form of a plan: one table whose keys are those of every task. It is the form of the
//! first version, and read for ever.

use serde::{Deserialize, Serialize};

use super::common::{Common, LocalOptions, Output, RemoteOptions};
use super::{CurvePlan, Plan, PlanError, RrPlan, StreamPlan, StreamTask, Task};
use crate::grid::Grid;
use crate::options::{MemoryOptions, SocketOptions};
use crate::pattern::Pattern;
use crate::schedule::Schedule;
use crate::transport::Transport;
use crate::units::{Size, Span, span_text};

/// A plan as it is written. `[stream]` makes the task bulk and `[rr]` requests; without either it is
/// a curve, whose options stand at the top. Beside the others these are left out, and passed over
/// where an earlier linerate wrote them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct PlanText {
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more_hosts: Vec<String>,
    #[serde(skip_serializing_if = "is_default")]
    transport: Transport,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<Pattern>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<Schedule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Size>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Size>,
    #[serde(skip_serializing_if = "Option::is_none")]
    perturb: Option<Size>,
    #[serde(with = "span_text")]
    time: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    ci: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u32>,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<u32>,
    #[serde(skip_serializing_if = "Grid::is_empty")]
    table: Grid,
    socket: SocketOptions,
    #[serde(skip_serializing_if = "is_default")]
    memory: MemoryOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<StreamPlan>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rr: Option<RrPlan>,
    local: LocalOptions,
    remote: RemoteOptions,
    output: Output,
}

impl Default for PlanText {
    fn default() -> Self {
        Plan::default().into()
    }
}

/// Whether a part of a plan says nothing of its own, and can be left out of its text.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl From<Plan> for PlanText {
    fn from(plan: Plan) -> Self {
        let Common { host, transport, time, seed, socket, memory, local, remote, output } = plan.common;
        let mut text = Self {
            host,
            more_hosts: Vec::new(),
            transport,
            pattern: None,
            schedule: None,
            from: None,
            to: None,
            perturb: None,
            time,
            ci: None,
            rounds: None,
            seed,
            stages: None,
            table: Grid::default(),
            socket,
            memory,
            stream: None,
            rr: None,
            local,
            remote,
            output,
        };
        match plan.task {
            Task::Curve(CurvePlan { pattern, schedule, from, to, perturb, ci, rounds, stages }) => {
                (text.pattern, text.schedule) = (Some(pattern), Some(schedule));
                (text.from, text.to, text.perturb) = (from, to, perturb);
                (text.ci, text.rounds, text.stages) = (Some(ci), Some(rounds), stages);
            }
            Task::Stream(StreamTask { bulk, more_hosts, table }) => {
                (text.stream, text.more_hosts, text.table) = (Some(bulk), more_hosts, table);
            }
            Task::Requests(rr) => text.rr = Some(rr),
        }
        text
    }
}

impl TryFrom<PlanText> for Plan {
    type Error = PlanError;

    /// # Errors
    ///
    /// When it has options of another task than its own.
    fn try_from(text: PlanText) -> Result<Self, PlanError> {
        let task = text.task()?;
        let PlanText { host, transport, time, seed, socket, memory, local, remote, output, .. } = text;
        let common = Common { host, transport, time, seed, socket, memory, local, remote, output };
        Ok(Self { common, task })
    }
}

impl PlanText {
    fn task(&self) -> Result<Task, PlanError> {
        let bulk_only = |given: Option<String>, field: &'static str| {
            let ok = given.is_none() || (self.stream.is_some() && self.rr.is_none());
            let allowed = "left out but for a stream: only bulk goes to several hosts and has a table";
            PlanError::range(ok, field, given.unwrap_or_default(), allowed)
        };
        bulk_only(self.more_hosts.last().cloned(), "more-hosts")?;
        bulk_only(self.table.axes().first().map(ToString::to_string), "table")?;
        let curve = self.stream.is_none() && self.rr.is_none();
        let verb = if self.rr.is_some() { "rr" } else { "stream" };
        let allowed = "left out: they belong to a curve";
        PlanError::range(curve || self.stages.is_none(), "stages", format!("given with [{verb}]"), allowed)?;
        match (&self.stream, &self.rr) {
            (Some(_), Some(_)) => Err(PlanError::Range {
                field: "stream",
                value: "given with [rr]".to_owned(),
                allowed: "left out: a plan has one task",
            }),
            (Some(bulk), None) => {
                let (more_hosts, table) = (self.more_hosts.clone(), self.table.clone());
                Ok(Task::Stream(StreamTask { bulk: bulk.clone(), more_hosts, table }))
            }
            (None, Some(rr)) => Ok(Task::Requests(rr.clone())),
            (None, None) => Ok(Task::Curve(self.curve())),
        }
    }

    fn curve(&self) -> CurvePlan {
        let usual = CurvePlan::default();
        CurvePlan {
            pattern: self.pattern.unwrap_or(usual.pattern),
            schedule: self.schedule.clone().unwrap_or(usual.schedule),
            from: self.from,
            to: self.to,
            perturb: self.perturb,
            ci: self.ci.unwrap_or(usual.ci),
            rounds: self.rounds.unwrap_or(usual.rounds),
            stages: self.stages,
        }
    }
}
