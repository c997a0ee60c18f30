//! The result of a load.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::endpoint::LinkError;
use crate::kernel::{Effort, HostSample, TcpSample};
use crate::options::{Ecn, Granted};
use crate::plan::{Direction, Load};
use crate::stats::Histogram;
use crate::units::Span;

/// One load from its first byte to its last, as both ends saw it: a row of `linerate stream`, or a
/// phase of `linerate rr`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Transfer {
    /// How it differs from the others of the run, such as `buffers=64 KiB messages=4 KiB`. Empty if
    /// it is the only one.
    pub label: String,
    /// The load as requested.
    pub load: Load,
    /// The bulk flows, in the order of their numbers.
    pub flows: Vec<FlowAccount>,
    /// The flows of requests.
    pub latencies: Vec<Latency>,
    /// What the hosts did meanwhile, at each look: the initiator first, then the responders.
    pub hosts: Vec<Vec<HostSample>>,
}

/// So many samples of a connection are kept of a transfer without its course.
const KEPT_SAMPLES: usize = 32;

impl Transfer {
    /// The same without what happened when: no intervals, no looks, nothing of the hosts, and few samples of each sender.
    #[must_use]
    pub fn without_course(mut self) -> Self {
        self.hosts.clear();
        for flow in &mut self.flows {
            for half in [&mut flow.sender, &mut flow.receiver] {
                half.intervals.clear();
                half.looks.clear();
            }
            flow.receiver.tcp.clear();
            let samples = std::mem::take(&mut flow.sender.tcp);
            let every = samples.len().div_ceil(KEPT_SAMPLES).max(1);
            flow.sender.tcp = samples.into_iter().step_by(every).collect();
        }
        for latency in &mut self.latencies {
            latency.looks.clear();
            latency.tcp.clear();
        }
        self
    }
}

/// One bulk flow, as both its ends saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlowAccount {
    /// Its number, from 0 in each direction, over all responders.
    pub flow: u32,
    /// Which responder it went to or came from: 0 is the first.
    #[serde(default, skip_serializing_if = "is_first")]
    pub peer: u32,
    /// Which way it went: `send` or `receive`, as the initiator sees it.
    pub direction: Direction,
    /// The end that sent.
    pub sender: HalfAccount,
    /// The end that received.
    pub receiver: HalfAccount,
}

/// One bulk flow at one of its ends. Times are since the load began at this end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HalfAccount {
    /// How it ended.
    pub ended: Ended,
    /// Payload that passed, warm-up included. Unit: bytes.
    pub bytes: u64,
    /// Of these, those of the warm-up.
    #[serde(rename = "warm_up_bytes", skip_serializing_if = "is_zero")]
    pub warm_up: u64,
    /// Messages that passed: calls that sent a whole message, or datagrams.
    pub messages: u64,
    /// When the first byte was passed to the kernel (sender) or had arrived (receiver).
    #[serde(rename = "first_ps", alias = "first")]
    pub first: Option<Span>,
    /// When the last byte was acknowledged (sender: the receiver has read it and said so) or had
    /// arrived (receiver).
    #[serde(rename = "last_ps", alias = "last")]
    pub last: Option<Span>,
    /// The first moment after the warm-up at which bytes were counted, and how many had passed
    /// by then; the rate counts from here. Without a warm-up at the first bytes.
    #[serde(rename = "warm_ps_and_bytes", alias = "warm")]
    pub warm: Option<(Span, u64)>,
    /// The end of the window that the rate is counted over, if that is not the last byte: a paced flow
    /// lasts until its time is over.
    #[serde(rename = "until_ps", skip_serializing_if = "Option::is_none")]
    pub until: Option<Span>,
    /// Whether the time was over before everything had arrived: what still waited in buffers and queues was
    /// discarded.
    #[serde(skip_serializing_if = "is_false")]
    pub cut_off: bool,
    /// The longest time in which no byte moved between the first and the last.
    #[serde(rename = "silence_ps", alias = "silence")]
    pub silence: Span,
    /// Processor time of the flow's thread after the warm-up; of a shared thread, its flows' equal parts.
    #[serde(rename = "cpu_ps", alias = "cpu")]
    pub cpu: Option<Span>,
    /// What was counted at each interval.
    pub intervals: Vec<Interval>,
    /// What was counted at each look, if there were looks within the intervals; only of the first
    /// flows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<Interval>,
    /// What TCP said at each look, if TCP carries the flow.
    pub tcp: Vec<TcpSample>,
    /// Segments that TCP sent again after the warm-up, where only the number is known: of another tool's server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retransmitted: Option<u64>,
    /// What the socket has at the end, after autotuning.
    pub granted: Granted,
    /// What happened to single datagrams; only at the receiver of a datagram transport.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub datagrams: Option<Datagrams>,
    /// Times between the departures of paced messages; only at a paced sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub departures: Option<Histogram>,
    /// What the I/O engine reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io: Option<IoReport>,
}

impl FlowAccount {
    /// Whether its time was over before everything had arrived.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.sender.cut_off || self.receiver.cut_off
    }

    /// Payload that still waited in buffers and queues when its time was over, and was discarded. Unit: bytes.
    #[must_use]
    pub fn cut_off(&self) -> u64 {
        if self.is_cut_off() { self.sender.bytes.saturating_sub(self.receiver.bytes) } else { 0 }
    }
}

impl HalfAccount {
    /// What is known of an end whose account did not come, from what it had counted in `intervals` until then,
    /// of a flow with such a warm-up. Its times are known to an interval.
    #[must_use]
    pub fn of_intervals(intervals: Vec<Interval>, warm_up: Span) -> Self {
        let mut half = Self::default();
        let mut before = Span::ZERO;
        for Interval { until, bytes } in &intervals {
            if *bytes > 0 {
                let first = *half.first.get_or_insert(before);
                half.silence = half.silence.max(before.saturating_sub(half.last.unwrap_or(before)));
                half.last = Some(*until);
                half.bytes += bytes;
                if warm_up == Span::ZERO {
                    half.warm = Some((first, 0));
                } else if half.warm.is_none() && until.saturating_sub(first) >= warm_up {
                    half.warm = Some((*until, half.bytes));
                    half.warm_up = half.bytes;
                }
            }
            before = *until;
        }
        Self { intervals, ..half }
    }
}

/// How one end of a flow ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// It never began.
    #[default]
    Never,
    /// It reached its bound.
    Complete,
    /// No byte moved for this long, and it was given up.
    #[serde(rename = "stalled_ps", alias = "stalled")]
    Stalled(Span),
    /// It failed, and why; the others went on.
    Failed(String),
}

impl From<Result<(), LinkError>> for Ended {
    fn from(ended: Result<(), LinkError>) -> Self {
        match ended {
            Ok(()) => Self::Complete,
            Err(LinkError::Stalled(span)) => Self::Stalled(span),
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}

/// What one end counted between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The end of the interval, since the load began at this end.
    #[serde(rename = "until_ps", alias = "until")]
    pub until: Span,
    /// Payload in it. Unit: bytes.
    pub bytes: u64,
}

/// What happened to the datagrams of a flow after its warm-up, by their sequence numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Datagrams {
    /// Sent, as the sender counted them.
    pub sent: u64,
    /// Arrived, without repetitions.
    pub received: u64,
    /// Arrived again.
    pub duplicated: u64,
    /// Arrived after one that was sent later (RFC 4737, type-P-reordered).
    pub reordered: u64,
    /// Never arrived: dropped by the receiving host, because the socket's buffer was full
    /// (`SO_RXQ_OVFL`).
    pub dropped_by_socket: u64,
    /// `UdpRcvbufErrors` of the receiving host meanwhile (/proc/net/snmp), which counts other sockets too.
    pub host_buffer_errors: Option<u64>,
    /// Never arrived for another reason: lost on the path.
    pub lost: u64,
    /// Not of this flow: another source, another token, a number that was never sent.
    pub foreign: u64,
    /// Smoothed difference of transit times (RFC 3550, section 6.4.1), at the end.
    #[serde(rename = "jitter_ps", alias = "jitter")]
    pub jitter: Span,
    /// With which code point of explicit congestion notification those arrived, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<EcnCounts>,
}

/// Datagrams that arrived, by their code point of explicit congestion notification (RFC 3168).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EcnCounts {
    /// The code point that all left with.
    pub sent_as: Ecn,
    /// Arrived with it.
    pub unchanged: u64,
    /// Arrived as CE: a queue on the path marked them.
    pub marked: u64,
    /// Arrived as Not-ECT: a hop cleared it.
    pub bleached: u64,
    /// Arrived with the other of ECT(0) and ECT(1).
    pub changed: u64,
}

impl EcnCounts {
    /// Of datagrams that left as `sent_as`, how many arrived with each code point, by its two bits.
    #[must_use]
    pub fn new(sent_as: Ecn, [bleached, ect1, ect0, marked]: [u64; 4]) -> Self {
        let (unchanged, changed) = match sent_as {
            Ecn::Ect0 => (ect0, ect1),
            Ecn::Ect1 => (ect1, ect0),
        };
        Self { sent_as, unchanged, marked, bleached, changed }
    }

    /// All that arrived.
    #[must_use]
    pub const fn arrived(&self) -> u64 {
        self.unchanged + self.marked + self.bleached + self.changed
    }

    /// Those of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            sent_as: self.sent_as,
            unchanged: self.unchanged + other.unchanged,
            marked: self.marked + other.marked,
            bleached: self.bleached + other.bleached,
            changed: self.changed + other.changed,
        }
    }
}

/// What an I/O engine reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IoReport {
    /// Sends that asked for zero copy.
    pub zero_copy_asked: u64,
    /// Of these, the ones that the kernel copied after all.
    pub zero_copy_copied: u64,
    /// Bytes that arrived by mapping pages instead of a copy.
    pub mapped_bytes: u64,
    /// Bytes that the kernel discarded as requested, without a copy to the application.
    pub discarded_bytes: u64,
}

/// The requests of one flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Latency {
    /// Its number.
    pub flow: u32,
    /// How it ended.
    pub ended: Ended,
    /// Transactions that ended, warm-up included.
    pub transactions: u64,
    /// Those of the warm-up.
    pub warm_up: u64,
    /// Requests without a response in time; only on datagrams.
    pub lost: u64,
    /// Responses that came too late or twice. They are not transactions.
    pub late: u64,
    /// Requests of an open loop that were due and never sent, because this end or the path was too
    /// slow for the rate. Their times are missing from `response`, which then looks too good.
    pub unsent: u64,
    /// From the first request to the last response, warm-up excluded.
    #[serde(rename = "span_ps", alias = "span")]
    pub span: Span,
    /// From the request's departure to the last byte of its response, warm-up excluded. With a
    /// connection per transaction it includes making the connection.
    pub service: Histogram,
    /// The same from the moment at which an open loop meant to send; of a closed loop it would be
    /// the same as `service` and is empty.
    pub response: Histogram,
    /// With a connection per transaction, the time to make the connection until the peer has
    /// accepted it: one round trip more than the transport's own handshake.
    pub connect: Histogram,
    /// The course of `response` if it has times, else of `service`; only of the first flows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<LatencyLook>,
    /// What TCP said at each look at the connection of the end that asks; only without `TCP_NODELAY` and
    /// without bulk beside the requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tcp: Vec<TcpSample>,
    /// What the end that asks and the end that answers spent on them, from before the first to after the last. Absent unless
    /// both say, and with a connection for each transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Box<[Effort; 2]>>,
}

/// The requests of one flow from one look to the next, those of the warm-up included. Times are known
/// to 1.6 %, the longest exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LatencyLook {
    /// Its end, since the first request could begin.
    #[serde(rename = "until_ps")]
    pub until: Span,
    /// Transactions that ended in it.
    pub transactions: u64,
    /// Their median. Absent if there are fewer than two.
    #[serde(rename = "p50_ps", skip_serializing_if = "Option::is_none")]
    pub p50: Option<Span>,
    /// Their 99th percentile. Absent if there are fewer than 100.
    #[serde(rename = "p99_ps", skip_serializing_if = "Option::is_none")]
    pub p99: Option<Span>,
    /// The longest. Absent if there are none.
    #[serde(rename = "max_ps", skip_serializing_if = "Option::is_none")]
    pub max: Option<Span>,
}

impl Latency {
    /// All flows of a load as one: counts added, times merged, the longest span. It completed if
    /// all flows did; otherwise it ended like the first that did not.
    #[must_use]
    pub fn together(flows: &[Self]) -> Self {
        let mut whole = Self { ended: Ended::Complete, ..Self::default() };
        for flow in flows {
            if whole.ended == Ended::Complete {
                whole.ended = flow.ended.clone();
            }
            whole.transactions += flow.transactions;
            whole.warm_up += flow.warm_up;
            whole.lost += flow.lost;
            whole.late += flow.late;
            whole.unsent += flow.unsent;
            whole.span = whole.span.max(flow.span);
            whole.service.add(&flow.service);
            whole.response.add(&flow.response);
            whole.connect.add(&flow.connect);
        }
        whole.effort =
            flows.iter().map(|flow| flow.effort.as_deref()).collect::<Option<Vec<_>>>().map(|all| {
                let mut both = [Effort::default(); 2];
                for of_flow in all {
                    both.iter_mut().zip(of_flow).for_each(|(sum, end)| sum.absorb(end));
                }
                Box::new(both)
            });
        whole
    }

    /// The share of the looks at which a request, or the rest of one, waited for the acknowledgement of what
    /// was under way, as Nagle's algorithm demands. Absent if nobody looked.
    #[must_use]
    pub fn held_by_nagle(&self) -> Option<f64> {
        let held = self.tcp.iter().filter(|look| look.small_segment_waits()).count();
        (!self.tcp.is_empty()).then(|| held as f64 / self.tcp.len() as f64)
    }

    /// Transactions a second after the warm-up. Absent with fewer than two.
    #[must_use]
    pub fn per_second(&self) -> Option<f64> {
        let counted = self.transactions.saturating_sub(self.warm_up);
        (counted > 1 && self.span > Span::ZERO).then(|| counted as f64 / self.span.as_seconds())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

const fn is_false(flag: &bool) -> bool {
    !*flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_first(peer: &u32) -> bool {
    *peer == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_last_reported_of_a_lost_end_has_a_rate_and_its_silence() {
        let counted = [0, 1_000, 0, 0, 500, 0].into_iter().zip(1..);
        let intervals: Vec<_> =
            counted.map(|(bytes, second)| Interval { until: Span::from_ms(second * 1_000), bytes }).collect();
        let half = HalfAccount::of_intervals(intervals.clone(), Span::ZERO);
        let times = (half.first, half.last, half.silence);
        let ms = Span::from_ms;
        assert_eq!(times, (Some(ms(1_000)), Some(ms(5_000)), ms(2_000)));
        assert_eq!((half.bytes, half.rate()), (1_500, crate::units::Rate::of(1_500, ms(4_000))));
        let warm = HalfAccount::of_intervals(intervals, ms(1_000));
        assert_eq!(warm.warm, Some((ms(2_000), 1_000)));
        assert_eq!(HalfAccount::of_intervals(Vec::new(), Span::ZERO).rate(), None);
    }

    #[test]
    fn flows_of_requests_add_up_and_one_that_failed_is_seen() {
        let flow = |ended, transactions| {
            let mut service = Histogram::default();
            service.record(Span::from_us(transactions));
            let span = Span::from_ms(transactions);
            Latency { ended, transactions, warm_up: 10, span, service, ..Latency::default() }
        };
        let broken = Ended::Failed("reset".to_owned());
        let whole = Latency::together(&[
            flow(Ended::Complete, 110),
            flow(broken.clone(), 20),
            flow(Ended::Complete, 500),
        ]);
        assert_eq!((&whole.ended, whole.transactions, whole.warm_up), (&broken, 630, 30));
        assert_eq!((whole.service.count(), whole.span), (3, Span::from_ms(500)));
        assert_eq!(whole.per_second(), Some(1_200.0));
        assert_eq!(Latency::default().per_second(), None);
    }
}
