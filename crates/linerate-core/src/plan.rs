//! Everything that was asked: the effective plan of a run, as TOML for people and inside the run
//! file for ever.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::options::{MemoryOptions, SocketOptions};
use crate::pattern::Pattern;
use crate::schedule::{Bounds, Schedule, ScheduleError};
use crate::stages;
use crate::traffic::{DATAGRAM_HEADER, DEFAULT_MESSAGE, RrPlan, StreamPlan};
use crate::transport::Transport;
use crate::units::{Size, Span, span_text};

/// Default of [`Plan::time`].
pub const DEFAULT_TIME: Span = Span::from_ms(20_000);
/// Default of [`Plan::ci`].
pub const DEFAULT_TARGET: f64 = 0.02;
/// Default of [`Plan::rounds`]: the fewest whose interval leaves one outlier out on each side.
pub const DEFAULT_ROUNDS: u32 = 9;

/// The most peers of a stream.
const MOST_HOSTS: usize = 256;

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

    /// Checks every value against its range.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for the first value that cannot be carried out.
    pub fn check(&self) -> Result<(), PlanError> {
        let range = PlanError::range;
        range(
            self.time >= Span::from_ms(10) && self.time <= Span::from_ms(86_400_000),
            "time",
            self.time.to_string(),
            "from 10ms to 24h",
        )?;
        range(
            self.ci > 0.0 && self.ci <= 1.0,
            "ci",
            self.ci.to_string(),
            "a share above 0 and up to 1, such as 0.02 for 2 %",
        )?;
        range((1..=10_000).contains(&self.rounds), "rounds", self.rounds.to_string(), "from 1 to 10000")?;
        range(i64::try_from(self.seed).is_ok(), "seed", self.seed.to_string(), "below 2^63")?;
        if let Some(dscp) = self.socket.dscp {
            range(dscp < 64, "dscp", dscp.to_string(), "from 0 to 63")?;
        }
        if let Some(mss) = self.socket.mss {
            range(mss >= 88, "mss", mss.to_string(), "at least 88, Linux's smallest segment")?;
        }
        if let Some(batch) = self.socket.batch {
            range((1..=1024).contains(&batch), "batch", batch.to_string(), "from 1 to 1024 datagrams")?;
        }
        for (field, buffer) in [("sndbuf", self.socket.sndbuf), ("rcvbuf", self.socket.rcvbuf)] {
            let bytes = buffer.map_or(1, Size::bytes);
            range((1..=1 << 30).contains(&bytes), field, bytes.to_string(), "from 1 byte to 1 GiB")?;
        }
        range(self.memory.offset < 4_096, "offset", self.memory.offset.to_string(), "below a page of 4096")?;
        self.check_delivery()?;
        self.check_sharing()?;
        self.check_memory()?;
        let datagrams = self.transport.is_datagram();
        let cut =
            self.socket.gso || self.socket.gro || self.socket.dont_fragment || self.socket.batch.is_some();
        range(
            datagrams || !cut,
            "transport",
            self.transport.to_string(),
            "udp, or another of datagrams, for gso, gro, dont-fragment and batch",
        )?;
        self.check_stages()?;
        self.check_hosts()?;
        self.check_datagrams()?;
        if let Some(stream) = &self.stream {
            stream.check()?;
            let threads = stream.threads.map_or_else(String::new, |threads| threads.to_string());
            let alone = stream.threads.is_none() || !datagrams;
            range(alone, "threads", threads, "left out on datagrams: each flow's account needs a thread")?;
        }
        if let Some(rr) = &self.rr {
            rr.check()?;
            rr.check_on(self.transport)?;
        }
        self.largest().map(drop)
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

    /// Refuses calls that throw away what arrives where somebody looks at it.
    fn check_delivery(&self) -> Result<(), PlanError> {
        let receives = self.socket.receives();
        let curve = self.stream.is_none() && self.rr.is_none();
        let (looked_at, allowed) = if curve {
            (
                true,
                "one that delivers the bytes, such as send-recv: a curve checks what arrives; streams do not",
            )
        } else {
            (
                self.memory.touch,
                "one that delivers the bytes, such as send-recv: there is nothing to touch else",
            )
        };
        if receives.delivers() || !looked_at {
            return Ok(());
        }
        Err(PlanError::Range { field: "receive-io", value: receives.to_string(), allowed })
    }

    /// Refuses calls that would be others on a thread of many flows.
    fn check_sharing(&self) -> Result<(), PlanError> {
        let shared = self.stream.as_ref().is_some_and(|stream| stream.threads.is_some());
        let asked = [("io", self.socket.io), ("receive-io", self.socket.receives())];
        let waiting = asked.into_iter().find(|(_, io)| shared && !io.returns_at_once());
        waiting.map_or(Ok(()), |(field, io)| {
            let allowed = "one that can be told not to wait, such as send-recv, where threads is given";
            Err(PlanError::Range { field, value: io.to_string(), allowed })
        })
    }

    /// Refuses several hosts where there is no bulk for each, and a host that is named again: it
    /// would wait for itself.
    fn check_hosts(&self) -> Result<(), PlanError> {
        let Some(last) = self.more_hosts.last() else { return Ok(()) };
        let refuse = |value: &str, allowed| {
            Err(PlanError::Range { field: "more-hosts", value: value.to_owned(), allowed })
        };
        if self.stream.is_none() || self.rr.is_some() {
            return refuse(last, "left out but for a stream: only bulk goes to several hosts");
        }
        let mut named: Vec<&String> = self.host.iter().collect();
        if named.is_empty() {
            return refuse(last, "left out where host is");
        }
        if self.more_hosts.len() >= MOST_HOSTS {
            return refuse(last, "at most 255 hosts");
        }
        for host in &self.more_hosts {
            if named.contains(&host) {
                return refuse(host, "another host than the others");
            }
            named.push(host);
        }
        Ok(())
    }

    /// Refuses places in memory for what always lies in one: requests, and messages that are stamped.
    fn check_memory(&self) -> Result<(), PlanError> {
        let bulk = self.stream.is_some() || self.rr.as_ref().is_some_and(|rr| rr.under_load > 0);
        let allowed = match (&self.stages, &self.rr) {
            (Some(_), _) => "left out where stages are asked for: messages that are stamped lie in one place",
            (_, Some(_)) if !bulk => {
                "left out where nothing but requests is asked for: theirs lie in one place"
            }
            _ => return Ok(()),
        };
        PlanError::range(self.memory.is_plain(), "memory", self.memory.named(), allowed)
    }

    /// Refuses messages that no datagram carries.
    fn check_datagrams(&self) -> Result<(), PlanError> {
        let bulk = self.stream.as_ref().and_then(|stream| stream.message);
        let headed = matches!(self.transport, Transport::Udp | Transport::UnixDatagram);
        if let Some(message) = bulk.filter(|_| headed) {
            let allowed = "at least 24 B on datagrams, which begin with so much of linerate's own";
            PlanError::range(message.0 >= DATAGRAM_HEADER, "message", message.to_string(), allowed)?;
        }
        let Some(longest) = self.transport.longest_datagram() else { return Ok(()) };
        let curve = if self.has_loads() { None } else { self.sizes()?.into_iter().max().map(Size) };
        let rr = self.rr.as_ref();
        let sizes = [
            ("message", bulk),
            ("request", rr.map(|rr| rr.request)),
            ("response", rr.map(|rr| rr.response)),
            ("the largest size", curve),
        ];
        let allowed = "at most 65507 B over IPv4 and 65527 B over IPv6: one datagram of UDP carries it";
        let mut sizes = sizes.into_iter().filter_map(|(field, size)| Some((field, size?)));
        sizes.try_for_each(|(field, size)| {
            PlanError::range(size.0 <= longest, field, size.to_string(), allowed)
        })
    }

    /// Refuses stages of what the kernel does not stamp.
    fn check_stages(&self) -> Result<(), PlanError> {
        let Some(messages) = self.stages else { return Ok(()) };
        let enough = (stages::FEWEST_MESSAGES..=stages::MOST_MESSAGES).contains(&messages);
        PlanError::range(enough, "stages", messages.to_string(), "from 10 to 200 messages")?;
        PlanError::range(
            stages::stamped(self.transport),
            "transport",
            self.transport.to_string(),
            "tcp or udp where stages are asked for: the kernel stamps the messages of no other",
        )?;
        let verb = if self.rr.is_some() { "rr" } else { "stream" };
        let curve = self.stream.is_none() && self.rr.is_none();
        PlanError::range(
            curve,
            "stages",
            format!("given with [{verb}]"),
            "left out: they belong to a curve",
        )?;
        let allowed = "left out where no size is up to 64 KiB: theirs are looked at";
        PlanError::range(!stages::sizes(&self.sizes()?).is_empty(), "stages", messages.to_string(), allowed)
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
    fn values_outside_their_range_are_refused_by_name() {
        for (text, field) in [
            ("ci = 0.0", "ci"),
            ("time = '0s'", "time"),
            ("rounds = 0", "rounds"),
            ("socket.dscp = 64", "dscp"),
            ("socket.batch = 0", "batch"),
            ("socket.batch = 1025", "batch"),
            ("socket.mss = 1", "mss"),
            ("socket.rcvbuf = 0", "rcvbuf"),
            ("from = 2\nto = 1", "from"),
            ("memory.offset = 4096", "offset"),
            ("rr = {}\nmemory.working-set = '1MiB'", "memory is working-set"),
            (
                "rr = {}\nmemory = { touch = true, offset = 1, huge-pages = true }",
                "memory is touch, offset, huge-pages",
            ),
            ("stages = 50\nmemory.touch = true", "memory is touch"),
            ("stages = 9", "stages is 9"),
            ("stages = 201", "stages is 201"),
            ("stages = 50\nschedule = 'list:1048576'", "stages is 50"),
            ("stages = 50\ntransport = 'quic'", "transport is quic"),
            ("stages = 50\nrr = {}", "stages is given with [rr]"),
            ("more-hosts = ['a']", "more-hosts is a; it must be left out but for a stream"),
            ("more-hosts = ['a']\nstream = {}", "more-hosts is a; it must be left out where host is"),
            ("host = 'a'\nmore-hosts = ['b', 'a']\nstream = {}", "more-hosts is a; it must be another host"),
            ("socket.io = 'splice'", "receive-io is splice"),
            ("socket.receive-io = 'truncate'", "receive-io is truncate"),
            ("stream = { threads = 1 }\nsocket.io = 'sendfile'", "io is sendfile"),
            (
                "stream = { threads = 1 }\nsocket.receive-io = 'uring-multishot'",
                "receive-io is uring-multishot",
            ),
            ("stream = {}\nmemory.touch = true\nsocket.io = 'splice'", "receive-io is splice"),
        ] {
            let plan = Plan::from_toml(text).expect(text);
            let error = plan.check().expect_err(text);
            assert!(error.to_string().starts_with(field), "{error}");
        }
    }

    #[test]
    fn what_arrives_may_be_thrown_away_where_nobody_looks() {
        for text in
            ["stream = {}\nsocket.io = 'truncate'", "socket.io = 'splice'\nsocket.receive-io = 'send-recv'"]
        {
            Plan::from_toml(text).expect(text).check().expect(text);
        }
    }

    #[test]
    fn places_in_memory_are_those_of_curves_and_of_bulk() {
        for text in ["", "stream = {}", "rr = { under-load = 2 }", "stream = { threads = 1 }"] {
            let text =
                format!("{text}\nmemory = {{ working-set = '1MiB', touch = true, huge-pages = true }}");
            Plan::from_toml(&text).expect(&text).check().expect(&text);
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
