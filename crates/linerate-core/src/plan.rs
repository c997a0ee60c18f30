//! Everything that was asked: the effective plan of a run, as TOML for people and inside the run
//! file for ever.

mod check;

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::options::{MemoryOptions, SocketOptions};
use crate::pattern::Pattern;
use crate::schedule::{Bounds, Schedule, ScheduleError};
use crate::traffic::{DEFAULT_MESSAGE, RrPlan, StreamPlan};
use crate::transport::Transport;
use crate::units::{Size, Span, span_text};

/// Default of [`Plan::time`].
pub const DEFAULT_TIME: Span = Span::from_ms(20_000);
/// Default of [`Plan::ci`].
pub const DEFAULT_TARGET: f64 = 0.02;
/// Default of [`Plan::rounds`]: the fewest whose interval leaves one outlier out on each side.
pub const DEFAULT_ROUNDS: u32 = 9;

/// A measurement to make. Every option of `linerate measure` is a field here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// The peer, as `HOST` or `HOST:PORT`; none starts one on this host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// More peers, of a bulk stream: each has flows of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more_hosts: Vec<String>,
    /// What carries the bytes.
    #[serde(skip_serializing_if = "is_default")]
    pub transport: Transport,
    /// Who sends when.
    pub pattern: Pattern,
    /// Which sizes.
    pub schedule: Schedule,
    /// Smallest base size. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Size>,
    /// Largest base size. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Size>,
    /// Distance of the extra sizes around a base size. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perturb: Option<Size>,
    /// Time to spend on verifying and measuring.
    #[serde(with = "span_text")]
    pub time: Span,
    /// Target half-width of the 95 % interval of the median, as a share of the median.
    pub ci: f64,
    /// Rounds that every size gets before the rest of the time goes where it is needed.
    pub rounds: u32,
    /// Seed of the order of sizes and of the payload.
    pub seed: u64,
    /// What is asked of the data sockets at both ends.
    pub socket: SocketOptions,
    /// Where the messages are in memory, at both ends.
    #[serde(skip_serializing_if = "is_default")]
    pub memory: MemoryOptions,
    /// After the curve, the stages of so many messages of each of its sizes up to 64 KiB, at most 24
    /// of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages: Option<u32>,
    /// A bulk stream instead of a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamPlan>,
    /// Requests and responses instead of a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rr: Option<RrPlan>,
    /// What concerns this end only.
    pub local: LocalOptions,
    /// What concerns the peer only.
    pub remote: RemoteOptions,
    /// What is written where.
    pub output: Output,
}

/// What concerns the initiating end only; it is not sent to the peer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LocalOptions {
    /// Source address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bind: Option<IpAddr>,
    /// Interface to send through (`SO_BINDTODEVICE`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bind_dev: Option<String>,
    /// Address family: 4 or 6; none takes what the name resolves to first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<Family>,
    /// Processor that the measuring thread is tied to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<u32>,
}

/// What concerns the answering end only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RemoteOptions {
    /// Processor that the answering thread is tied to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<u32>,
}

/// What is written where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Output {
    /// The run file; none makes a name from host and time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// The HTML report; none puts it beside the run file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// What goes to standard output.
    pub format: Format,
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// A table and a chart for people.
    #[default]
    Table,
    /// The run file's content.
    Json,
    /// A header with units, and a line for each size.
    Csv,
    /// NetPIPE 3.x's `np.out`.
    Np,
}

/// An IP address family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Family {
    /// IPv4.
    #[serde(rename = "4")]
    V4,
    /// IPv6.
    #[serde(rename = "6")]
    V6,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            host: None,
            more_hosts: Vec::new(),
            transport: Transport::default(),
            pattern: Pattern::default(),
            schedule: Schedule::default(),
            from: None,
            to: None,
            perturb: None,
            time: DEFAULT_TIME,
            ci: DEFAULT_TARGET,
            rounds: DEFAULT_ROUNDS,
            seed: 1,
            socket: SocketOptions::default(),
            memory: MemoryOptions::default(),
            stages: None,
            stream: None,
            rr: None,
            local: LocalOptions::default(),
            remote: RemoteOptions::default(),
            output: Output::default(),
        }
    }
}

/// Whether a part of a plan says nothing of its own, and can be left out of its text.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Why a plan cannot be carried out.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The text is not TOML, or a field is unknown or of the wrong kind.
    #[error(transparent)]
    Syntax(#[from] toml::de::Error),
    /// The sizes make no schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// A value is outside its range.
    #[error("{field} is {value}; it must be {allowed}")]
    Range {
        /// The option.
        field: &'static str,
        /// What was given.
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
    /// Exactly that.
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
    /// # Errors
    ///
    /// [`PlanError::Syntax`] with the place in the text.
    pub fn from_toml(text: &str) -> Result<Self, PlanError> {
        Ok(toml::from_str(text)?)
    }

    /// The plan as TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("every field of a plan has a TOML form")
    }

    /// Message sizes in the order of the schedule.
    ///
    /// # Errors
    ///
    /// When the schedule and its bounds leave nothing to measure.
    pub fn sizes(&self) -> Result<Vec<u64>, PlanError> {
        let list = matches!(self.schedule, Schedule::List(_));
        let longest = self.transport.longest_message().filter(|_| !list).map(Size);
        let bounds = Bounds { from: self.from, to: self.to.or(longest), perturb: self.perturb };
        Ok(self.schedule.sizes(bounds)?)
    }

    /// Whether it asks for loads rather than for a curve.
    #[must_use]
    pub const fn has_loads(&self) -> bool {
        self.stream.is_some() || self.rr.is_some()
    }

    /// The largest message that it moves. Unit: bytes.
    ///
    /// # Errors
    ///
    /// When a curve's schedule and its bounds leave nothing to measure.
    pub fn largest(&self) -> Result<u64, PlanError> {
        let bulk = |stream: &StreamPlan| stream.message.map_or(DEFAULT_MESSAGE, Size::bytes);
        let asked = self.rr.as_ref().map(|rr| rr.request.0.max(rr.response.0));
        match (self.stream.as_ref().map(bulk), asked) {
            (None, None) => Ok(self.sizes()?.into_iter().max().unwrap_or(1)),
            (bulk, asked) => Ok(bulk.unwrap_or(1).max(asked.unwrap_or(1))),
        }
    }

    /// The part of the plan that the peer is told: without what concerns this end only.
    #[must_use]
    pub fn for_peer(&self) -> Self {
        let (local, output) = (LocalOptions::default(), Output::default());
        Self { host: None, more_hosts: Vec::new(), local, output, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Plan {
        Plan {
            host: Some("node7:5003".to_owned()),
            stream: Some(StreamPlan::default()),
            more_hosts: vec!["node8".to_owned()],
            schedule: Schedule::List(vec![Size(1), Size(65536)]),
            from: Some(Size(1)),
            to: Some(Size(1 << 20)),
            perturb: Some(Size(5)),
            time: Span::from_ms(2_500),
            socket: SocketOptions {
                sndbuf: Some(Size(65000)),
                congestion: Some("cubic".to_owned()),
                mss: Some(1400),
                dscp: Some(46),
                ..SocketOptions::default()
            },
            local: LocalOptions { family: Some(Family::V6), pin: Some(1), ..LocalOptions::default() },
            output: Output { out: Some("a.run.json".to_owned()), ..Output::default() },
            ..Plan::default()
        }
    }

    #[test]
    fn a_plan_survives_toml() {
        for plan in [Plan::default(), full()] {
            let text = plan.to_toml();
            assert_eq!(Plan::from_toml(&text).expect(&text), plan, "{text}");
            plan.check().expect("it can be carried out");
        }
    }

    #[test]
    fn an_unknown_field_is_refused_by_name() {
        for text in ["patern = 'stream'", "[socket]\nbufer = 1", "[local]\nkey = 'x'"] {
            let error = Plan::from_toml(text).expect_err(text);
            assert!(error.to_string().contains("unknown field"), "{error}");
        }
    }

    #[test]
    fn the_peer_is_not_told_what_is_local() {
        let told = full().for_peer();
        assert_eq!((told.host, told.local, told.output), (None, LocalOptions::default(), Output::default()));
        assert!(told.more_hosts.is_empty());
        assert_eq!(told.socket, full().socket);
    }
}
