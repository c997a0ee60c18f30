//! What is asked of a load.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::options::SocketOptions;
use crate::plan::PlanError;
use crate::transport::Transport;
use crate::units::{Rate, Size, Span, span_text};

/// A bulk stream: every option of `linerate stream` that a curve does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StreamPlan {
    /// End after so many bytes of payload in each flow, exactly; none is bounded by time or count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Size>,
    /// End after so many messages in each flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Payload that one call hands over; none is 128 KiB, and on datagrams what fits one packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Size>,
    /// Flows in each direction.
    pub flows: u32,
    /// Threads that share the flows of one direction; none gives each flow a thread of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Which way the bulk goes.
    pub direction: Direction,
    /// Payload rate that all flows of one direction keep together; none is as fast as it goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// How often each flow is looked at.
    #[serde(with = "span_text")]
    pub interval: Span,
    /// Time at the begin of each flow whose bytes are counted but are no part of the rate.
    #[serde(with = "span_text")]
    pub warm_up: Span,
    /// A flow of which no byte moved for so long has stalled.
    #[serde(with = "span_text")]
    pub stall: Span,
}

/// Requests and responses: every option of `linerate rr` that a curve does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RrPlan {
    /// Size of a request. Unit: bytes.
    pub request: Size,
    /// Size of a response. Unit: bytes.
    pub response: Size,
    /// Flows that ask at the same time.
    pub flows: u32,
    /// Requests that are under way at the same time in each flow of a closed loop.
    pub depth: u32,
    /// Requests a second over all flows, sent whether or not the responses have come (open loop);
    /// none asks again as soon as the response is there (closed loop).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// A connection for every transaction.
    pub connect: bool,
    /// End after so many transactions in each flow, the warm-up's not counted; none is bounded by
    /// time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Time at the begin whose transactions are counted but are no part of the latencies.
    #[serde(with = "span_text")]
    pub warm_up: Span,
    /// Bulk flows beside which the latency is looked at again, in each direction in turn. An open
    /// loop shows it best: a closed one asks most of its questions while the queue is empty, and its
    /// median says little of a queue that is full nearly always.
    pub under_load: u32,
}

/// One load to put on the path: a whole `linerate stream`, a row of its table, or a phase of
/// `linerate rr`. The beginning end asks for one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Load {
    /// The bulk flows, if any.
    pub stream: Option<StreamPlan>,
    /// The flows of requests, if any.
    pub rr: Option<RrPlan>,
    /// What is asked of its sockets.
    pub socket: SocketOptions,
    /// How long it lasts where nothing else bounds it, without warm-up.
    #[serde(with = "span_text")]
    pub time: Span,
    /// How long the bulk runs before the requests begin.
    #[serde(with = "span_text")]
    pub head_start: Span,
}

/// Which way the bulk of a load goes, as the beginning end sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From the beginning end to the answering one.
    #[default]
    Send,
    /// From the answering end to the beginning one.
    Receive,
    /// Both at once, each in flows of its own.
    Both,
}

/// What ends a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Time from the first byte, warm-up included.
    Time(Span),
    /// Bytes of payload, exactly.
    Bytes(u64),
    /// Messages.
    Count(u64),
}

/// The most flows of one load in one direction.
pub const MOST_FLOWS: u32 = 4096;
/// The largest message of a load. Unit: bytes.
const MOST_MESSAGE: u64 = 1 << 30;
/// What a request and its response need at least on datagrams, where both carry a number. Unit: bytes.
pub const DATAGRAM_TAG: u64 = 16;
/// What each message of bulk begins with on datagrams of a socket, where none is shorter. Unit: bytes.
pub const DATAGRAM_HEADER: u64 = 24;
/// Default of [`StreamPlan::message`] where messages have no boundaries. Unit: bytes.
pub const DEFAULT_MESSAGE: u64 = 128 << 10;

impl StreamPlan {
    /// What ends each flow, where the whole plan allows `time`.
    #[must_use]
    pub const fn bound(&self, time: Span) -> Bound {
        match (self.bytes, self.count) {
            (Some(bytes), _) => Bound::Bytes(bytes.0),
            (None, Some(count)) => Bound::Count(count),
            (None, None) => Bound::Time(Span::from_ps(time.as_ps().saturating_add(self.warm_up.as_ps()))),
        }
    }
}

impl Load {
    /// The part that each of so many answering ends has: its share of a rate, and of all else the
    /// whole.
    #[must_use]
    pub fn share(&self, peers: u32) -> Self {
        let mut load = self.clone();
        if let Some(rate) = load.stream.as_mut().and_then(|stream| stream.rate.as_mut()) {
            *rate = Rate::from_bits_per_second(rate.bits_per_second() / f64::from(peers.max(1)));
        }
        load
    }
}

impl StreamPlan {
    /// Checks every value against its range.
    ///
    /// # Errors
    ///
    /// The first value that cannot be carried out.
    pub fn check(&self) -> Result<(), PlanError> {
        let range = PlanError::range;
        let flows = 1..=MOST_FLOWS;
        range(flows.contains(&self.flows), "flows", self.flows.to_string(), "from 1 to 4096")?;
        if let Some(threads) = self.threads {
            range(flows.contains(&threads), "threads", threads.to_string(), "from 1 to 4096")?;
        }
        let one_bound = self.bytes.is_none() || self.count.is_none();
        range(one_bound, "count", self.count.unwrap_or(0).to_string(), "left out where bytes is given")?;
        range(self.bytes != Some(Size(0)), "bytes", "0".to_owned(), "at least 1")?;
        range(self.count != Some(0), "count", "0".to_owned(), "at least 1")?;
        if let Some(message) = self.message {
            let fits = (1..=MOST_MESSAGE).contains(&message.0);
            range(fits, "message", message.to_string(), "from 1 byte to 1 GiB")?;
        }
        if let Some(rate) = self.rate {
            let bits = rate.bits_per_second();
            range((1.0..=1e13).contains(&bits), "rate", rate.to_string(), "from 1 bit/s to 10 Tbit/s")?;
        }
        range(
            self.interval >= Span::from_ms(10) && self.interval <= Span::from_ms(3_600_000),
            "interval",
            self.interval.to_string(),
            "from 10ms to 1h",
        )?;
        range(self.stall >= Span::from_ms(1), "stall", self.stall.to_string(), "at least 1ms")?;
        range(self.warm_up <= Span::from_ms(3_600_000), "warm-up", self.warm_up.to_string(), "at most 1h")
    }
}

impl RrPlan {
    /// Checks every value against its range.
    ///
    /// # Errors
    ///
    /// The first value that cannot be carried out.
    pub fn check(&self) -> Result<(), PlanError> {
        let range = PlanError::range;
        for (field, size) in [("request", self.request), ("response", self.response)] {
            let fits = (1..=MOST_MESSAGE).contains(&size.0);
            range(fits, field, size.to_string(), "from 1 byte to 1 GiB")?;
        }
        let flows = 1..=MOST_FLOWS;
        range(flows.contains(&self.flows), "flows", self.flows.to_string(), "from 1 to 4096")?;
        range((1..=65_536).contains(&self.depth), "depth", self.depth.to_string(), "from 1 to 65536")?;
        range(self.count != Some(0), "count", "0".to_owned(), "at least 1")?;
        if let Some(rate) = self.rate {
            range((1e-3..=1e9).contains(&rate), "rate", format!("{rate:?}"), "from 0.001 to 1e9 a second")?;
            range(self.depth == 1, "depth", self.depth.to_string(), "left out of an open loop")?;
        }
        range(!self.connect || self.depth == 1, "depth", self.depth.to_string(), "1 for --connect")?;
        range(self.under_load <= 1024, "under-load", self.under_load.to_string(), "at most 1024")?;
        range(self.warm_up <= Span::from_ms(3_600_000), "warm-up", self.warm_up.to_string(), "at most 1h")
    }

    /// Checks what depends on the transport.
    ///
    /// # Errors
    ///
    /// The first value that cannot be carried out on it.
    pub fn check_on(&self, transport: Transport) -> Result<(), PlanError> {
        if !transport.is_datagram() {
            return Ok(());
        }
        let range = PlanError::range;
        for (field, size) in [("request", self.request), ("response", self.response)] {
            let allowed = "at least 16 on datagrams, where each carries its number";
            range(size.0 >= DATAGRAM_TAG, field, size.to_string(), allowed)?;
        }
        range(!self.connect, "connect", "true".to_owned(), "left out on datagrams, which have no connections")
    }

    /// How long the requests last after their warm-up where the whole plan allows `time`; none
    /// leaves it to their count. Beside bulk they are bounded by both, because the bulk is.
    #[must_use]
    pub const fn lasts(&self, time: Span, beside_bulk: bool) -> Option<Span> {
        if self.count.is_none() || beside_bulk { Some(time) } else { None }
    }
}

impl Default for StreamPlan {
    fn default() -> Self {
        Self {
            bytes: None,
            count: None,
            message: None,
            flows: 1,
            threads: None,
            direction: Direction::default(),
            rate: None,
            interval: Span::from_ms(1_000),
            warm_up: Span::ZERO,
            stall: Span::from_ms(1_000),
        }
    }
}

impl Default for RrPlan {
    fn default() -> Self {
        Self {
            request: Size(1),
            response: Size(1),
            flows: 1,
            depth: 1,
            rate: None,
            connect: false,
            count: None,
            warm_up: Span::ZERO,
            under_load: 0,
        }
    }
}

impl Direction {
    /// Every direction, for help texts.
    pub const ALL: [Self; 3] = [Self::Send, Self::Receive, Self::Both];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Both => "both",
        }
    }

    /// The single directions in this one.
    #[must_use]
    pub const fn parts(self) -> &'static [Self] {
        match self {
            Self::Send => &[Self::Send],
            Self::Receive => &[Self::Receive],
            Self::Both => &[Self::Send, Self::Receive],
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Direction {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|direction| direction.name() == text);
        found.ok_or_else(|| format!("`{text}` is none of send, receive, both"))
    }
}
