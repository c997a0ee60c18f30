//! Bulk: every option of `linerate stream` that no other task has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::NO_ROUNDS;
use super::load::{MOST, MOST_FLOWS, MOST_MESSAGE};
use super::{Asked, Bound, Common, DATAGRAM_HEADER, DEFAULT_MESSAGE, Direction, Level, Load, PlanError};
use crate::grid::{Axis, Grid};
use crate::options::MemoryOptions;
use crate::transport::Transport;
use crate::units::{Rate, Size, Span, SpanText, span_text};

/// Default of [`StreamPlan::stall`].
pub const DEFAULT_STALL: Span = Span::from_ms(1_000);
/// The most peers of a stream.
const MOST_HOSTS: usize = 256;

/// The most rows of a table: more is a mistake more often than a wish.
const MOST_ROWS: usize = 10_000;

/// Bulk between this host and one or many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamTask {
    /// The bulk to each host.
    pub bulk: StreamPlan,
    /// More peers, each with flows of its own.
    pub more_hosts: Vec<String>,
    /// How the loads differ, if there are several.
    pub table: Grid,
}

impl StreamTask {
    /// The loads, one after the other: one for each row of the table.
    ///
    /// # Errors
    ///
    /// When a value of the table cannot be read.
    pub(super) fn loads(&self, common: &Common) -> Result<Vec<Asked>, PlanError> {
        let rows = self.table.count();
        let fits = rows.is_some_and(|rows| rows <= MOST_ROWS);
        PlanError::range(fits, "table", "of too many rows".to_owned(), "of at most 10000")?;
        let stream = Some(self.bulk.clone());
        let load = Load { stream, socket: common.socket.clone(), time: common.time, ..Load::default() };
        let mut loads = vec![Asked::alone(load)];
        for Axis { key, values } in self.table.axes() {
            let spread = loads.iter().flat_map(|asked| values.iter().map(|value| asked.with(key, value)));
            loads = spread.collect::<Result<_, _>>()?;
        }
        Ok(loads)
    }

    /// The largest message of all its loads. Unit: bytes.
    pub(super) fn largest(&self, common: &Common) -> Result<u64, PlanError> {
        let loads = self.loads(common)?;
        let messages = loads.iter().filter_map(|asked| asked.load.stream.as_ref()?.message);
        Ok(messages.max().map_or(DEFAULT_MESSAGE, Size::bytes))
    }

    /// Checks the options of bulk together with those of `common`.
    pub(super) fn check(&self, common: &Common) -> Result<(), PlanError> {
        self.check_hosts(common)?;
        common.check_level(Level::Round, NO_ROUNDS)?;
        let touched = "one that delivers the bytes, such as send-recv: there is nothing to touch else";
        common.check_delivery(common.memory.touch, touched)?;
        self.check_sharing(common)?;
        common.check_waiting("block for bulk: its receivers sleep when there is nothing")?;
        if common.transport.is_datagram() {
            let plain = MemoryOptions { touch: common.memory.touch, ..MemoryOptions::default() };
            let allowed = "left out of bulk on datagrams, but for touch: their messages lie in one place";
            PlanError::range(common.memory == plain, "memory", common.memory.named(), allowed)?;
        }
        self.loads(common)?.into_iter().try_for_each(|Asked { load, .. }| {
            let row = Common { socket: load.socket, ..common.clone() };
            row.check()?;
            load.stream.iter().try_for_each(|bulk| bulk.check_on(&row))
        })
    }

    /// Refuses I/O engines that cannot run on a thread with many flows.
    fn check_sharing(&self, common: &Common) -> Result<(), PlanError> {
        let Some(threads) = self.bulk.threads else { return Ok(()) };
        for (field, io) in [("io", common.socket.io), ("receive-io", common.socket.receives())] {
            let allowed = "one that can be told not to wait, such as send-recv, where threads is given";
            PlanError::range(io.returns_at_once(), field, io.to_string(), allowed)?;
        }
        let allowed = "left out on datagrams: each flow's account needs a thread";
        PlanError::range(!common.transport.is_datagram(), "threads", threads.to_string(), allowed)
    }

    /// Refuses a host that is named twice, because it would wait for itself, and too many hosts.
    fn check_hosts(&self, common: &Common) -> Result<(), PlanError> {
        let Some(last) = self.more_hosts.last() else { return Ok(()) };
        let range = |ok, host: &str, allowed| PlanError::range(ok, "more-hosts", host.to_owned(), allowed);
        let mut named: Vec<&String> = common.host.iter().collect();
        range(!named.is_empty(), last, "left out where host is")?;
        range(self.more_hosts.len() < MOST_HOSTS, last, "at most 255 hosts")?;
        let flows = u64::from(self.bulk.flows).saturating_mul(self.more_hosts.len() as u64 + 1);
        range(flows <= u64::from(MOST_FLOWS), last, "so few that all have 4096 flows together")?;
        for host in &self.more_hosts {
            range(!named.contains(&host), host, "another host than the others")?;
            named.push(host);
        }
        Ok(())
    }
}

impl Asked {
    /// The same with another value of a table's `key`: `buffers` sets both buffers at both ends
    /// (`auto` leaves them to the system), `messages` sets the bytes of one call.
    pub(crate) fn with(&self, key: &str, value: &str) -> Result<Self, PlanError> {
        let refuse = |allowed| PlanError::Range { field: "table", value: format!("{key}={value}"), allowed };
        let sizes = "made of sizes, such as buffers=auto,8KiB or messages=1KiB";
        let mut load = self.load.clone();
        let named = match key {
            "buffers" => {
                let size = Size::or_auto(value).map_err(|_| refuse(sizes))?;
                (load.socket.sndbuf, load.socket.rcvbuf) = (size, size);
                format!("buffers={}", size.map_or_else(|| "auto".to_owned(), |size| size.to_string()))
            }
            "messages" => {
                let size = value.parse::<Size>().map_err(|_| refuse(sizes))?;
                load.stream.get_or_insert_default().message = Some(size);
                format!("messages={size}")
            }
            _ => return Err(refuse("of buffers or messages, such as buffers=8KiB,64KiB")),
        };
        let label = if self.label.is_empty() { named } else { format!("{} {named}", self.label) };
        Ok(Self { label, load })
    }
}

/// What bulk one load puts on the path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StreamPlan {
    /// End after exactly this many bytes of payload in each flow. If absent, time or count bounds
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Size>,
    /// End after this many messages in each flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Payload of one call. If absent, 128 KiB, and on datagrams what fits one packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Size>,
    /// Flows in each direction.
    pub flows: u32,
    /// Threads that share the flows of one direction. If absent, each flow has a thread of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Which way the bulk goes.
    pub direction: Direction,
    /// Payload rate of all flows of one direction together. If absent, as fast as possible.
    #[serde(rename = "rate-bps", alias = "rate", skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Payload rate at which the receiving applications of one direction read together. If absent, as fast as
    /// possible.
    #[serde(rename = "read-rate-bps", skip_serializing_if = "Option::is_none")]
    pub read_rate: Option<Rate>,
    /// How often each flow is sampled.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub interval: Span,
    /// Initial period of each flow whose bytes are counted but left out of the rate.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub warm_up: Span,
    /// A flow that moved no byte for this long has stalled.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub stall: Span,
}

impl StreamPlan {
    /// What ends each flow, if the whole plan allows `time`.
    #[must_use]
    pub const fn bound(&self, time: Span) -> Bound {
        match (self.bytes, self.count) {
            (Some(bytes), _) => Bound::Bytes(bytes.0),
            (None, Some(count)) => Bound::Count(count),
            (None, None) => Bound::Time(Span::from_ps(time.as_ps().saturating_add(self.warm_up.as_ps()))),
        }
    }
}

impl StreamPlan {
    /// Whether time ends each flow, not bytes or messages.
    #[must_use]
    pub const fn lasts(&self) -> bool {
        self.bytes.is_none() && self.count.is_none()
    }

    /// Payload of one call at a sender whose channel prefers `natural`, unless the plan says. A paced flow
    /// has messages small enough that it does not go in bursts: what its pace takes 10 ms for, or 1 KiB if
    /// that takes longer, but never more than 250 ms. Unit: bytes.
    #[must_use]
    pub fn message_bytes(&self, natural: u64) -> u64 {
        match (self.message, self.rate_each()) {
            (Some(message), _) => message.0,
            (None, None) => natural,
            (None, Some(each)) => {
                let within = |seconds: f64| (each.bits_per_second() / 8.0 * seconds).ceil() as u64;
                within(0.010)
                    .max(within(0.250).min(1 << 10))
                    .clamp(DATAGRAM_HEADER, natural.max(DATAGRAM_HEADER))
            }
        }
    }

    /// The pace of each flow, if there is one.
    #[must_use]
    pub fn rate_each(&self) -> Option<Rate> {
        let rate = self.rate?.bits_per_second() / f64::from(self.flows.max(1));
        Some(Rate::from_bits_per_second(rate))
    }

    /// The time between two departures of a paced flow.
    #[must_use]
    pub fn step(&self) -> Option<Span> {
        let bits = self.message_bytes(DEFAULT_MESSAGE) as f64 * 8.0;
        Some(Span::from_seconds(bits / self.rate_each()?.bits_per_second()))
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
        for (field, bound) in [("bytes", self.bytes.map(Size::bytes)), ("count", self.count)] {
            let fits = (1..=MOST).contains(&bound.unwrap_or(1));
            range(fits, field, bound.unwrap_or(0).to_string(), "from 1 to 2^60")?;
        }
        if let Some(message) = self.message {
            let fits = (1..=MOST_MESSAGE).contains(&message.0);
            range(fits, "message", message.to_string(), "from 1 byte to 1 GiB")?;
        }
        for (field, rate) in [("rate", self.rate), ("read-rate", self.read_rate)] {
            let Some(rate) = rate else { continue };
            let bits = rate.bits_per_second();
            range((1.0..=1e13).contains(&bits), field, rate.to_string(), "from 1 bit/s to 10 Tbit/s")?;
        }
        if let Some(read) = self.read_rate {
            let allowed = "left out where threads is given: a reader that pauses needs a thread";
            range(self.threads.is_none(), "read-rate", read.to_string(), allowed)?;
        }
        range(
            self.interval >= Span::from_ms(10) && self.interval <= Span::from_ms(3_600_000),
            "interval",
            self.interval.exact(),
            "from 10ms to 1h",
        )?;
        let stall = Span::from_ms(1)..=Span::from_ms(3_600_000);
        range(stall.contains(&self.stall), "stall", self.stall.exact(), "from 1ms to 1h")?;
        range(self.warm_up <= Span::from_ms(3_600_000), "warm-up", self.warm_up.exact(), "at most 1h")
    }

    /// Checks every value against its range and what `common` says.
    fn check_on(&self, common: &Common) -> Result<(), PlanError> {
        self.check()?;
        let Some(message) = self.message else { return Ok(()) };
        if matches!(common.transport, Transport::Udp | Transport::UnixDatagram) {
            let allowed = "at least 24 B on datagrams, which begin with so much of linerate's own";
            PlanError::range(message.0 >= DATAGRAM_HEADER, "message", message.to_string(), allowed)?;
        }
        common.check_datagram("message", message)
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
            read_rate: None,
            interval: Span::from_ms(1_000),
            warm_up: Span::ZERO,
            stall: DEFAULT_STALL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paced_flow_does_not_go_in_bursts() {
        let message = |rate: Option<f64>, flows: u32| {
            let rate = rate.map(Rate::from_bits_per_second);
            StreamPlan { rate, flows, ..StreamPlan::default() }.message_bytes(DEFAULT_MESSAGE)
        };
        assert_eq!(message(None, 8), DEFAULT_MESSAGE);
        assert_eq!(message(Some(1e9), 1), DEFAULT_MESSAGE, "131 kB take 1 ms");
        assert_eq!(message(Some(1e6), 1), 1_250, "10 ms of it");
        assert_eq!(message(Some(1e5), 1), 1_024, "82 ms");
        assert_eq!(message(Some(64e3), 3), 667, "250 ms of each flow's part");
        assert_eq!(message(Some(1.0), 1), DATAGRAM_HEADER, "a datagram needs so much");
        let asked = StreamPlan { message: Some(Size(7)), ..StreamPlan::default() };
        assert_eq!(asked.message_bytes(DEFAULT_MESSAGE), 7);
    }

    #[test]
    fn the_step_of_a_pace_is_the_time_of_a_message_of_one_flow() {
        let rate = Some(Rate::from_bits_per_second(2e5));
        let plan = StreamPlan { rate, flows: 2, message: Some(Size(12_500)), ..StreamPlan::default() };
        assert_eq!(plan.step(), Some(Span::from_ms(1_000)));
        assert_eq!(StreamPlan::default().step(), None);
    }
}
