//! The written form of a plan: one table with the keys of every task. The first version wrote this
//! form, and it stays readable.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::{Common, LocalOptions, Output, RemoteOptions};
use super::{AppPlan, CurvePlan, MeshPlan, Plan, PlanError, RrPlan, StreamPlan, StreamTask, Task, TracePlan};
use crate::grid::Grid;
use crate::options::{MemoryOptions, MpiOptions, SocketOptions};
use crate::pattern::Pattern;
use crate::schedule::Schedule;
use crate::transport::Transport;
use crate::units::{Size, Span, SpanText, span_text};

/// A plan as it is written. `[stream]` makes the task bulk, `[rr]` requests, `[mesh]` every pair of many ranks, `[app]` an application on them and
/// `[trace]` single messages on their way; without any it is a curve, whose options stand at the top level. The other tasks omit these; if an earlier
/// linerate wrote them there, they are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct PlanText {
    /// The peer, as `HOST` or `HOST:PORT`. If absent, one is started on this host.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    /// Of a stream: more responders, each with flows of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more_hosts: Vec<String>,
    /// What carries the bytes.
    #[serde(skip_serializing_if = "is_default")]
    transport: Transport,
    /// Of a curve: who sends when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<Pattern>,
    /// Of a curve: which message sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<Schedule>,
    /// Of a curve: smallest size. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Size>,
    /// Of a curve: largest size. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Size>,
    /// Of a curve: also measure this many bytes below and above each size.
    #[serde(skip_serializing_if = "Option::is_none")]
    perturb: Option<Size>,
    /// Time to spend.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    time: Span,
    /// Of a curve: measure a size until the 95 % interval of its median is within this share.
    #[serde(skip_serializing_if = "Option::is_none")]
    ci: Option<f64>,
    /// Of a curve: rounds that every size gets before the rest of the time goes where it is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u32>,
    /// Of a curve: whole passes, each with new connections and for `time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<u32>,
    /// Seed of everything random: the order of sizes, the payload.
    seed: u64,
    /// Of a curve: messages of each size whose stages are shown afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<u32>,
    /// Of a curve, bulk and requests: afterwards measure a part again with one thing changed, to confirm what limits it.
    #[serde(skip_serializing_if = "is_default")]
    explain: bool,
    /// Of a stream: a load for every combination of these values.
    #[serde(skip_serializing_if = "Grid::is_empty")]
    table: Grid,
    /// The options requested for the data sockets at both ends.
    socket: SocketOptions,
    /// Where the messages are in memory, at both ends.
    #[serde(skip_serializing_if = "is_default")]
    memory: MemoryOptions,
    /// How an MPI carries the messages of a curve.
    #[serde(skip_serializing_if = "is_default")]
    mpi: MpiOptions,
    /// Bulk instead of a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<StreamPlan>,
    /// Requests and responses instead of a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    rr: Option<RrPlan>,
    /// Every pair of many ranks instead of a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<MeshPlan>,
    /// An application on many ranks instead of a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<AppPlan>,
    /// Single messages on their way instead of a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TracePlan>,
    /// Options of the initiator.
    local: LocalOptions,
    /// Options of the responder.
    remote: RemoteOptions,
    /// Where results go.
    output: Output,
}

impl Default for PlanText {
    fn default() -> Self {
        Plan::default().into()
    }
}

/// Whether a part of a plan has only defaults, so that the text can omit it.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Whether a key at the top belongs to the task of `verb`, or to every task.
pub(super) fn is_of(key: &str, verb: &str) -> bool {
    match key {
        "pattern" | "schedule" | "from" | "to" | "perturb" | "ci" | "rounds" | "repeat" | "stages" => {
            verb == "measure"
        }
        "explain" => matches!(verb, "measure" | "stream" | "rr"),
        "more-hosts" | "table" => verb == "stream",
        "stream" | "rr" | "mesh" | "app" | "trace" => verb == key,
        _ => true,
    }
}

impl From<Plan> for PlanText {
    fn from(plan: Plan) -> Self {
        let Common { host, transport, time, seed, explain, socket, memory, mpi, local, remote, output } =
            plan.common;
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
            repeat: None,
            seed,
            stages: None,
            explain,
            table: Grid::default(),
            socket,
            memory,
            mpi,
            stream: None,
            rr: None,
            mesh: None,
            app: None,
            trace: None,
            local,
            remote,
            output,
        };
        match plan.task {
            Task::Curve(CurvePlan { pattern, schedule, from, to, perturb, ci, rounds, repeat, stages }) => {
                (text.pattern, text.schedule) = (Some(pattern), Some(schedule));
                (text.from, text.to, text.perturb) = (from, to, perturb);
                (text.ci, text.rounds, text.stages) = (Some(ci), Some(rounds), stages);
                text.repeat = (repeat != 1).then_some(repeat);
            }
            Task::Stream(StreamTask { bulk, more_hosts, table }) => {
                (text.stream, text.more_hosts, text.table) = (Some(bulk), more_hosts, table);
            }
            Task::Requests(rr) => text.rr = Some(rr),
            Task::Mesh(mesh) => text.mesh = Some(mesh),
            Task::App(app) => text.app = Some(app),
            Task::Trace(trace) => text.trace = Some(trace),
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
        let PlanText {
            host, transport, time, seed, explain, socket, memory, mpi, local, remote, output, ..
        } = text;
        let common =
            Common { host, transport, time, seed, explain, socket, memory, mpi, local, remote, output };
        Ok(Self { common, task })
    }
}

impl PlanText {
    fn task(&self) -> Result<Task, PlanError> {
        let tasks = [
            ("stream", self.stream.is_some()),
            ("rr", self.rr.is_some()),
            ("mesh", self.mesh.is_some()),
            ("app", self.app.is_some()),
            ("trace", self.trace.is_some()),
        ];
        let mut given = tasks.iter().filter(|(_, given)| *given).map(|(verb, _)| *verb);
        let (verb, another) = (given.next(), given.next());
        if let (Some(verb), Some(another)) = (verb, another) {
            let value = format!("given with [{another}]");
            return Err(PlanError::Range { field: verb, value, allowed: "left out: a plan has one task" });
        }
        let bulk_only = |given: Option<String>, field: &'static str| {
            let ok = given.is_none() || self.stream.is_some();
            let allowed = "left out but for a stream: only bulk goes to several hosts and has a table";
            PlanError::range(ok, field, given.unwrap_or_default(), allowed)
        };
        bulk_only(self.more_hosts.last().cloned(), "more-hosts")?;
        bulk_only(self.table.axes().first().map(ToString::to_string), "table")?;
        for (field, given) in [("stages", self.stages.is_some()), ("repeat", self.repeat.is_some())] {
            let value = format!("given with [{}]", verb.unwrap_or_default());
            PlanError::range(verb.is_none() || !given, field, value, "left out: they belong to a curve")?;
        }
        Ok(if let Some(bulk) = &self.stream {
            let (more_hosts, table) = (self.more_hosts.clone(), self.table.clone());
            Task::Stream(StreamTask { bulk: bulk.clone(), more_hosts, table })
        } else if let Some(rr) = &self.rr {
            Task::Requests(rr.clone())
        } else if let Some(mesh) = &self.mesh {
            Task::Mesh(mesh.clone())
        } else if let Some(app) = &self.app {
            Task::App(app.clone())
        } else if let Some(trace) = &self.trace {
            Task::Trace(trace.clone())
        } else {
            Task::Curve(self.curve())
        })
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
            repeat: self.repeat.unwrap_or(usual.repeat),
            stages: self.stages,
        }
    }
}
