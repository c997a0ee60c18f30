//! Everything that was requested: the options common to all tasks, and the task. People write it as
//! TOML; the run file holds it.

mod app;
mod common;
mod curve;
mod layers;
mod load;
mod mesh;
mod requests;
mod stream;
mod text;
mod tool;
mod trace;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::schedule::ScheduleError;

pub use app::{AppOptions, AppPlan, app_option};
pub use common::{
    Common, DEFAULT_TIME, Family, Format, Level, LocalOptions, NO_REPORT, Output, RemoteOptions, Rows,
};
pub use curve::{CurvePlan, DEFAULT_ROUNDS, DEFAULT_TARGET};
pub(crate) use layers::line_of;
pub use layers::{Layer, Layered};
pub use load::{
    Asked, Bound, DATAGRAM_HEADER, DATAGRAM_TAG, DEFAULT_MESSAGE, Direction, Load, MOST_FLOWS, Phase,
};
pub use mesh::{DEFAULT_MATCHINGS, DEFAULT_VISIT, LARGEST_CALL, MeshMemory, MeshPlan, MeshSchedule, Probe};
pub(crate) use mesh::{LARGEST, LONGEST_PASS};
pub use requests::RrPlan;
pub use stream::{DEFAULT_STALL, StreamPlan, StreamTask};
pub use tool::Tool;
pub use trace::{LARGEST_TRACED, MOST_TRACED, TracePlan};

/// Something to measure: the options common to all tasks, and the task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "text::PlanText", into = "text::PlanText")]
pub struct Plan {
    /// Which peer, which transport, how long.
    pub common: Common,
    /// What is measured.
    pub task: Task,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Latency and throughput at every message size.
    Curve(CurvePlan),
    /// Bulk.
    Stream(StreamTask),
    /// Requests and responses.
    Requests(RrPlan),
    /// Every pair of many ranks.
    Mesh(MeshPlan),
    /// An application on many ranks.
    App(AppPlan),
    /// Where single messages are, and when.
    Trace(TracePlan),
}

impl Default for Task {
    fn default() -> Self {
        Self::Curve(CurvePlan::default())
    }
}

impl Task {
    /// The verb that carries it out.
    #[must_use]
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Curve(_) => "measure",
            Self::Stream(_) => "stream",
            Self::Requests(_) => "rr",
            Self::Mesh(_) => "mesh",
            Self::App(_) => "app",
            Self::Trace(_) => "trace",
        }
    }
}

/// Why a plan cannot be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The text is not TOML, or a field is unknown or of the wrong kind.
    #[error(transparent)]
    Syntax(#[from] toml::de::Error),
    /// The sizes do not make a schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// A value is outside its range.
    #[error("{field} is {value}; it must be {allowed}")]
    Range {
        /// The option.
        field: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },
}

impl PlanError {
    /// [`PlanError::Range`], unless it is `ok`.
    ///
    /// # Errors
    ///
    /// This error.
    pub(crate) fn range(
        ok: bool,
        field: &'static str,
        value: String,
        allowed: &'static str,
    ) -> Result<(), Self> {
        if ok { Ok(()) } else { Err(Self::Range { field, value, allowed }) }
    }
}

impl Plan {
    /// Reads a plan from TOML.
    ///
    /// ```
    /// use linerate_core::plan::Plan;
    ///
    /// let plan = Plan::from_toml("schedule = 'list:1,1KiB'\ntime = '2s'")?;
    /// assert_eq!(plan.curve().expect("it asks for a curve").sizes(&plan.common)?, [1, 1_024]);
    /// let error = Plan::from_toml("colour = 'red'").expect_err("no plan has a colour");
    /// assert!(error.to_string().contains("colour"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PlanError::Syntax`] with the place in the text.
    pub fn from_toml(text: &str) -> Result<Self, PlanError> {
        Ok(toml::from_str(text)?)
    }

    /// The JSON Schema of a plan: the tables of the TOML form in JSON.
    #[must_use]
    pub fn schema() -> Schema {
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Self>()
    }

    /// The plan as TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("every field of a plan has a TOML form")
    }

    /// Checks every value against its range.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for the first value that cannot be carried out.
    pub fn check(&self) -> Result<(), PlanError> {
        self.common.check()?;
        if let (Some(ecn), None) = (self.common.socket.ecn, self.stream()) {
            PlanError::range(
                false,
                "ecn",
                ecn.to_string(),
                "left out: only the datagrams of stream are counted",
            )?;
        }
        let is_explained = matches!(self.task, Task::Curve(_) | Task::Stream(_) | Task::Requests(_));
        let allowed = "left out: only measure, stream and rr measure again with one thing changed";
        PlanError::range(is_explained || !self.common.explain, "explain", "on".to_owned(), allowed)?;
        match &self.task {
            Task::Curve(curve) => curve.check(&self.common),
            Task::Stream(stream) => stream.check(&self.common),
            Task::Requests(rr) => rr.check_over(&self.common),
            Task::Mesh(mesh) => mesh.check(&self.common),
            Task::App(app) => app.check(&self.common),
            Task::Trace(trace) => trace.check(&self.common),
        }?;
        Tool::check(self)
    }

    /// What is asked of the network, as a text that is equal for two plans if that is: without where the results go, and
    /// without the options of one end. 64 hexadecimal digits.
    #[must_use]
    pub fn question(&self) -> String {
        let mut asked = self.clone();
        asked.common.output = Output::default();
        (asked.common.local, asked.common.remote) = (LocalOptions::default(), RemoteOptions::default());
        (asked.common.host, asked.common.explain) = (None, false);
        Sha256::digest(asked.to_toml()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The curve, if that is the task.
    #[must_use]
    pub const fn curve(&self) -> Option<&CurvePlan> {
        if let Task::Curve(curve) = &self.task { Some(curve) } else { None }
    }

    /// Message sizes of its curve in the order of the schedule. Empty for loads.
    ///
    /// # Errors
    ///
    /// When the schedule and its bounds leave nothing to measure.
    pub fn sizes(&self) -> Result<Vec<u64>, PlanError> {
        self.curve().map_or(Ok(Vec::new()), |curve| curve.sizes(&self.common))
    }

    /// The bulk, if that is the task.
    #[must_use]
    pub const fn stream(&self) -> Option<&StreamTask> {
        if let Task::Stream(stream) = &self.task { Some(stream) } else { None }
    }

    /// The requests, if they are the task.
    #[must_use]
    pub const fn requests(&self) -> Option<&RrPlan> {
        if let Task::Requests(rr) = &self.task { Some(rr) } else { None }
    }

    /// The pairs of many ranks, if they are the task.
    #[must_use]
    pub const fn mesh(&self) -> Option<&MeshPlan> {
        if let Task::Mesh(mesh) = &self.task { Some(mesh) } else { None }
    }

    /// The application on many ranks, if that is the task.
    #[must_use]
    pub const fn app(&self) -> Option<&AppPlan> {
        if let Task::App(app) = &self.task { Some(app) } else { None }
    }

    /// The messages that are traced, if they are the task.
    #[must_use]
    pub const fn trace(&self) -> Option<&TracePlan> {
        if let Task::Trace(trace) = &self.task { Some(trace) } else { None }
    }

    /// Whether many ranks carry it out.
    #[must_use]
    pub const fn is_of_ranks(&self) -> bool {
        matches!(self.task, Task::Mesh(_) | Task::App(_))
    }

    /// Whether it asks for loads.
    #[must_use]
    pub const fn has_loads(&self) -> bool {
        matches!(self.task, Task::Stream(_) | Task::Requests(_))
    }

    /// The loads that it puts on the path, one after the other. Empty for other tasks.
    ///
    /// # Errors
    ///
    /// When a row of a table cannot be read.
    pub fn loads(&self) -> Result<Vec<Asked>, PlanError> {
        match &self.task {
            Task::Curve(_) | Task::Mesh(_) | Task::App(_) | Task::Trace(_) => Ok(Vec::new()),
            Task::Stream(stream) => stream.loads(&self.common),
            Task::Requests(rr) => Ok(rr.loads(&self.common).into_iter().map(Asked::alone).collect()),
        }
    }

    /// Every peer that it names, in order.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        let more = if let Task::Stream(stream) = &self.task { stream.more_hosts.as_slice() } else { &[] };
        self.common.host.iter().chain(more).map(String::as_str)
    }

    /// The largest message that it moves. Unit: bytes.
    ///
    /// # Errors
    ///
    /// When a curve's schedule and its bounds leave nothing to measure, or a table cannot be read.
    pub fn largest(&self) -> Result<u64, PlanError> {
        match &self.task {
            Task::Curve(curve) => curve.largest(&self.common),
            Task::Stream(stream) => stream.largest(&self.common),
            Task::Requests(rr) => Ok(rr.largest()),
            Task::Mesh(mesh) => Ok(mesh.largest()),
            // What it sends is its own affair.
            Task::App(_) => Ok(0),
            Task::Trace(trace) => Ok(trace.largest()),
        }
    }

    /// The part of the plan that the peer receives, without the options of this end only.
    #[must_use]
    pub fn for_peer(&self) -> Self {
        let mut plan = self.clone();
        (plan.common.host, plan.common.explain) = (None, false);
        (plan.common.local, plan.common.output) = (LocalOptions::default(), Output::default());
        if let Task::Stream(stream) = &mut plan.task {
            stream.more_hosts = Vec::new();
        }
        plan
    }
}

#[cfg(test)]
mod tests;
