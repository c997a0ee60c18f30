//! The options common to all tasks: which peer, which transport, how long, and where results go.

use std::collections::BTreeMap;
use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlanError;
use super::text::is_default;
use crate::options::{MemoryOptions, MpiOptions, SocketOptions, Waiting};
use crate::transport::Transport;
use crate::units::{Size, Span};

/// Default of [`Common::time`] of a curve.
pub const DEFAULT_TIME: Span = Span::from_ms(20_000);

/// Value of [`Output::report`] that writes no HTML report. A file of that name is `./none`.
pub const NO_REPORT: &str = "none";

/// The levels that a load has.
pub(super) const NO_ROUNDS: &str = "point or interval: only the sizes of a curve have rounds";

/// Where key numbers and pairs of ranks are listed: no plan says so, because linerates of before would not read the run.
const LATER: &str =
    "point here: list it from the run file, with linerate report RUN --level LEVEL --report FILE.csv";

/// The options common to all tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Common {
    /// The peer, as `HOST` or `HOST:PORT`. If absent, one is started on this host.
    pub host: Option<String>,
    /// What carries the bytes.
    pub transport: Transport,
    /// Time to spend.
    pub time: Span,
    /// Seed of everything random: the order of sizes, the payload.
    pub seed: u64,
    /// Afterwards, measure a part again with one thing changed, to confirm what limits it. Only of a curve, bulk and requests.
    pub explain: bool,
    /// The options requested for the data sockets at both ends.
    pub socket: SocketOptions,
    /// Where the messages are in memory, at both ends.
    pub memory: MemoryOptions,
    /// How an MPI carries the messages.
    pub mpi: MpiOptions,
    /// Options of this end only.
    pub local: LocalOptions,
    /// Options of the peer only.
    pub remote: RemoteOptions,
    /// Where results go.
    pub output: Output,
}

impl Default for Common {
    fn default() -> Self {
        Self {
            host: None,
            transport: Transport::default(),
            time: DEFAULT_TIME,
            seed: 1,
            explain: false,
            socket: SocketOptions::default(),
            memory: MemoryOptions::default(),
            mpi: MpiOptions::default(),
            local: LocalOptions::default(),
            remote: RemoteOptions::default(),
            output: Output::default(),
        }
    }
}

/// The largest working set. Unit: bytes.
const LARGEST_SET: u64 = 1 << 44;

/// Checks every value of a socket's options against its range.
pub(super) fn check_socket(socket: &SocketOptions) -> Result<(), PlanError> {
    let range = PlanError::range;
    if let Some(dscp) = socket.dscp {
        range(dscp < 64, "dscp", dscp.to_string(), "from 0 to 63")?;
    }
    if let Some(mss) = socket.mss {
        range(mss >= 88, "mss", mss.to_string(), "at least 88, Linux's smallest segment")?;
    }
    if let Some(batch) = socket.batch {
        range((1..=1024).contains(&batch), "batch", batch.to_string(), "from 1 to 1024 datagrams")?;
    }
    if let Some(busy_poll) = socket.busy_poll {
        range(busy_poll <= 1_000_000, "busy-poll", busy_poll.to_string(), "at most 1000000 us")?;
    }
    for (field, buffer) in [("sndbuf", socket.sndbuf), ("rcvbuf", socket.rcvbuf)] {
        let bytes = buffer.map_or(1, Size::bytes);
        range((1..=1 << 30).contains(&bytes), field, bytes.to_string(), "from 1 byte to 1 GiB")?;
    }
    Ok(())
}

impl Common {
    /// Checks every value against its range.
    pub(super) fn check(&self) -> Result<(), PlanError> {
        let range = PlanError::range;
        range(
            self.time >= Span::from_ms(10) && self.time <= Span::from_ms(86_400_000),
            "time",
            self.time.exact(),
            "from 10ms to 24h",
        )?;
        range(i64::try_from(self.seed).is_ok(), "seed", self.seed.to_string(), "below 2^63")?;
        check_socket(&self.socket)?;
        for (field, number, most, allowed) in [
            ("pin", self.local.pin, 0xffff, "a processor below 65536"),
            ("pin", self.remote.pin, 0xffff, "a processor below 65536"),
            ("cpu-latency-us", self.remote.cpu_latency_us, 1_000_000, "at most a second"),
        ] {
            let number = number.unwrap_or(0);
            range(number <= most, field, number.to_string(), allowed)?;
        }
        let set = self.memory.working_set.map_or(0, Size::bytes);
        range(set <= LARGEST_SET, "working-set", set.to_string(), "at most 16 TiB")?;
        let Output { format, level, .. } = &self.output;
        self.check_level(Level::Run, LATER)?;
        self.check_level(Level::Pair, LATER)?;
        let listed = matches!(format, Format::Csv | Format::Json) || *level == Level::Point;
        range(listed, "level", level.to_string(), "left out unless the format is csv or json")?;
        let window = self.mpi.window.unwrap_or(1);
        range((1..=1024).contains(&window), "window", window.to_string(), "from 1 to 1024 messages")?;
        range(self.memory.offset < 4_096, "offset", self.memory.offset.to_string(), "below a page of 4096")?;
        self.check_options()
    }

    /// Refuses options that the transport would ignore.
    fn check_options(&self) -> Result<(), PlanError> {
        let socket = &self.socket;
        if !socket.receives().returns_at_once() || self.transport == Transport::Memory {
            self.check_waiting(
                "block for memory, and for read-write, splice and io_uring's fixed and multishot calls: these cannot ask without waiting",
            )?;
        }
        if self.transport == Transport::Mpi {
            self.check_places()?;
        }
        let (udp, unix) = (self.transport == Transport::Udp, self.transport == Transport::UnixDatagram);
        let offload = socket.gso || socket.gro || socket.dont_fragment;
        let crosses_none = unix && (socket.dscp.is_some() || socket.busy_poll.is_some());
        for (ok, allowed) in [
            (udp || !offload, "udp for gso, gro and dont-fragment"),
            (
                udp || socket.ecn.is_none(),
                "udp for ecn: of TCP the kernel decides (sysctl net.ipv4.tcp_ecn), and QUIC's library for itself",
            ),
            (udp || unix || socket.batch.is_none(), "udp or unix-datagram for batch"),
            (self.transport == Transport::Mpi || self.mpi.is_plain(), "mpi for the options of [mpi]"),
            (!crosses_none, "another for dscp and busy-poll: this one crosses no network"),
        ] {
            PlanError::range(ok, "transport", self.transport.to_string(), allowed)?;
        }
        Ok(())
    }

    /// Refuses system calls that discard what arrives where the content is needed; `allowed` is the
    /// text of the error.
    pub(super) fn check_delivery(&self, looked_at: bool, allowed: &'static str) -> Result<(), PlanError> {
        let receives = self.socket.receives();
        let ok = receives.delivers() || !looked_at;
        PlanError::range(ok, "receive-io", receives.to_string(), allowed)
    }

    /// Refuses a message that is longer than one datagram.
    pub(super) fn check_datagram(&self, field: &'static str, size: Size) -> Result<(), PlanError> {
        let fits = self.transport.longest_datagram().is_none_or(|longest| size.0 <= longest);
        let allowed = "at most 65507 B over IPv4 and 65527 B over IPv6: one datagram of UDP carries it";
        PlanError::range(fits, field, size.to_string(), allowed)
    }

    /// Refuses receivers that spin where they would not; `allowed` is the text of the error.
    pub(super) fn check_waiting(&self, allowed: &'static str) -> Result<(), PlanError> {
        let wait = self.socket.wait;
        PlanError::range(wait == Waiting::Block, "wait", wait.to_string(), allowed)
    }

    /// Refuses processors to pin to where ranks are not linerate's to place.
    pub(super) fn check_places(&self) -> Result<(), PlanError> {
        let pins = [self.local.pin, self.remote.pin];
        let named = pins.map(|pin| pin.map_or_else(String::new, |processor| processor.to_string())).join(",");
        let allowed = "left out: what starts the ranks places them, such as mpirun --bind-to core or taskset";
        PlanError::range(pins == [None; 2], "pin", named, allowed)
    }

    /// Refuses a level without rows.
    pub(super) fn check_level(&self, lacking: Level, allowed: &'static str) -> Result<(), PlanError> {
        let level = self.output.level;
        PlanError::range(level != lacking, "level", level.to_string(), allowed)
    }

    /// Refuses memory options where every message uses the same memory; `allowed` is the text of
    /// the error.
    pub(super) fn check_memory(&self, allowed: &'static str) -> Result<(), PlanError> {
        PlanError::range(self.memory.is_plain(), "memory", self.memory.named(), allowed)
    }
}

/// Options of the initiator only. They are not sent to the peer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LocalOptions {
    /// Source address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bind: Option<IpAddr>,
    /// Interface to send through (`SO_BINDTODEVICE`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bind_dev: Option<String>,
    /// Address family: 4 or 6. If absent, that of the first address of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<Family>,
    /// Processor that the measuring thread is pinned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<u32>,
    /// The longest that processors may take to wake (`/dev/cpu_dma_latency`). Unit: microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_latency_us: Option<u32>,
}

/// Options of the responder only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RemoteOptions {
    /// Processor that the answering thread is pinned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<u32>,
    /// The longest that processors may take to wake (`/dev/cpu_dma_latency`). Unit: microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_latency_us: Option<u32>,
}

/// Where results go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Output {
    /// The run file. If absent, its name is made from host and time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// The HTML report, or [`NO_REPORT`]. If absent, it lies beside the run file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// What goes to standard output.
    pub format: Format,
    /// What a row of it is, if it is CSV or JSON.
    #[serde(skip_serializing_if = "is_default")]
    pub level: Level,
    /// Which rows the table has.
    #[serde(skip_serializing_if = "is_default")]
    pub rows: Rows,
    /// Labels of the run: names and values by which it can be found later.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// A table and a chart for people.
    #[default]
    Table,
    /// A document with the rows of `Csv`, and everything that does not fit a table.
    Json,
    /// A header with units, and a line for each row.
    Csv,
    /// Every table of the page, for a pull request or a note.
    Markdown,
    /// NetPIPE 3.x's `np.out`.
    Np,
}

impl Format {
    /// Every format by its name.
    pub const ALL: [(&str, Self); 5] = [
        ("table", Self::Table),
        ("json", Self::Json),
        ("csv", Self::Csv),
        ("markdown", Self::Markdown),
        ("np", Self::Np),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }
}

/// What a row of CSV or JSON is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// The key numbers of a run: of a curve, a direction of a load, the pairs of a mesh, a number of ranks.
    Run,
    /// A size of a curve; a flow, a direction or a percentile of a load.
    #[default]
    Point,
    /// A round of a size of a curve.
    Round,
    /// An interval of a flow of a load.
    Interval,
    /// An ordered pair of ranks of a mesh or an application.
    Pair,
}

/// Which rows a table has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    /// Of many the ones that say most: of a curve its ends, powers of two, and what the numbers below the
    /// table are about; of a load's flows the fastest and the slowest.
    #[default]
    Short,
    /// Every size, every flow.
    All,
}

impl Level {
    /// Every level.
    pub const ALL: [Self; 5] = [Self::Run, Self::Point, Self::Round, Self::Interval, Self::Pair];
}

impl std::fmt::Display for Level {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Run => "run",
            Self::Point => "point",
            Self::Round => "round",
            Self::Interval => "interval",
            Self::Pair => "pair",
        })
    }
}

/// An IP address family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Family {
    /// IPv4.
    #[serde(rename = "4")]
    V4,
    /// IPv6.
    #[serde(rename = "6")]
    V6,
}
