//! Requests and responses: every option of `linerate rr` that no other task has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::NO_ROUNDS;
use super::load::{MOST, MOST_FLOWS, MOST_MESSAGE};
use super::{Common, DATAGRAM_TAG, Direction, Level, Load, PlanError, StreamPlan};
use crate::transport::Transport;
use crate::units::{Size, Span, SpanText, span_text};

/// How long the bulk runs before the requests beside it begin, so that it has filled the queues.
const HEAD_START: Span = Span::from_ms(1_000);
/// How much longer than the requests it runs: the last requests wait in its queue.
const TAIL: Span = Span::from_ms(500);

/// What requests one load puts on the path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RrPlan {
    /// Size of a request. Unit: bytes.
    pub request: Size,
    /// Size of a response. Unit: bytes.
    pub response: Size,
    /// Flows that send requests at the same time.
    pub flows: u32,
    /// Requests in flight at the same time in each flow of a closed loop.
    pub depth: u32,
    /// Requests a second over all flows, sent whether or not the responses have arrived (open
    /// loop). If absent, each flow sends the next request as soon as a response arrives (closed
    /// loop).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// A connection for every transaction.
    pub connect: bool,
    /// End after this many transactions in each flow, not counting the warm-up. If absent, time
    /// bounds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Initial period whose transactions are counted but left out of the latencies.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub warm_up: Span,
    /// Measure the latency again beside this many bulk flows, in each direction in turn. An open
    /// loop shows the effect best: a closed loop sends most of its requests while the queue is
    /// empty, so its median says little about a queue that is nearly always full.
    pub under_load: u32,
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
        let count = self.count.unwrap_or(1);
        range((1..=MOST).contains(&count), "count", count.to_string(), "from 1 to 2^60")?;
        if let Some(rate) = self.rate {
            range((1e-3..=1e9).contains(&rate), "rate", format!("{rate:?}"), "from 0.001 to 1e9 a second")?;
            range(self.depth == 1, "depth", self.depth.to_string(), "left out of an open loop")?;
        }
        range(!self.connect || self.depth == 1, "depth", self.depth.to_string(), "1 for --connect")?;
        range(self.under_load <= 1024, "under-load", self.under_load.to_string(), "at most 1024")?;
        range(self.warm_up <= Span::from_ms(3_600_000), "warm-up", self.warm_up.exact(), "at most 1h")
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

    /// How long the requests last after their warm-up if the whole plan allows `time`. If absent,
    /// their count bounds them. Beside bulk both bound them, because the bulk has a time.
    #[must_use]
    pub const fn lasts(&self, time: Span, beside_bulk: bool) -> Option<Span> {
        if self.count.is_none() || beside_bulk { Some(time) } else { None }
    }

    /// The loads, one after the other: the requests alone, then, with `under-load`, beside bulk
    /// flows to the peer, and beside as many from it.
    ///
    /// The bulk begins before the requests and ends after them. Its warm-up is longer by the same
    /// time, so that its rate covers the same period as the requests.
    #[must_use]
    pub fn loads(&self, common: &Common) -> Vec<Load> {
        let idle = Load {
            rr: Some(self.clone()),
            socket: common.socket.clone(),
            time: common.time,
            ..Load::default()
        };
        let loaded = |direction| {
            let warm_up = HEAD_START + self.warm_up + TAIL;
            let stream = StreamPlan { flows: self.under_load, direction, warm_up, ..StreamPlan::default() };
            Load { stream: Some(stream), head_start: HEAD_START, ..idle.clone() }
        };
        let mut loads = vec![idle.clone()];
        if self.under_load > 0 {
            loads.extend([Direction::Send, Direction::Receive].map(loaded));
        }
        loads
    }

    /// The largest message of all its loads. Unit: bytes.
    pub(super) fn largest(&self) -> u64 {
        self.request.0.max(self.response.0)
    }

    /// Checks the options of requests together with those of `common`.
    pub(super) fn check_over(&self, common: &Common) -> Result<(), PlanError> {
        self.check()?;
        self.check_on(common.transport)?;
        common.check_level(Level::Round, NO_ROUNDS)?;
        let touched = "one that delivers the bytes, such as send-recv: there is nothing to touch else";
        common.check_delivery(common.memory.touch, touched)?;
        if self.connect {
            common.check_waiting("block where each transaction has a connection of its own")?;
        }
        if self.under_load == 0 {
            common
                .check_memory("left out where nothing but requests is asked for: theirs lie in one place")?;
        }
        common.check_datagram("request", self.request)?;
        common.check_datagram("response", self.response)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Bound, Phase};

    fn loads(under_load: u32) -> Vec<Load> {
        let rr = RrPlan { under_load, warm_up: Span::from_ms(300), ..RrPlan::default() };
        rr.loads(&Common { time: Span::from_ms(2_000), ..Common::default() })
    }

    #[test]
    fn the_bulk_begins_before_the_requests_and_ends_after_them() {
        let loads = loads(3);
        assert_eq!((&loads[0].stream, loads[0].phase()), (&None, Phase::Idle));
        for (load, direction) in loads[1..].iter().zip([Direction::Send, Direction::Receive]) {
            let stream = load.stream.as_ref().expect("bulk");
            assert_eq!((stream.flows, stream.direction), (3, direction));
            let requests = load.head_start + Span::from_ms(300) + load.time;
            assert_eq!(stream.bound(load.time), Bound::Time(requests + TAIL));
            assert_eq!((&load.rr, load.phase()), (&loads[0].rr, Phase::Loaded(direction)));
        }
    }

    #[test]
    fn without_bulk_there_is_one_load() {
        assert_eq!(loads(0).len(), 1);
    }
}
