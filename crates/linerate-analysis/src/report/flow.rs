//! A bulk flow as it is shown to a reader.

use serde::Serialize;

use super::sum::Departures;
use linerate_core::environment::Fact;
use linerate_core::kernel::TcpSample;
use linerate_core::traffic::{
    Class, Datagrams, Direction, FlowAccount, HalfAccount, Interval, IoReport, Summary, Transfer,
};
use linerate_core::units::{Rate, Span};

/// The result of one bulk flow. Times are in us or s, rates are of payload in Mb/s (10^6 bit/s).
#[derive(Clone, Debug, Serialize)]
pub struct FlowResult {
    /// Its number, from 1 in each direction.
    pub flow: u32,
    /// The number of the responder, from 1.
    pub peer: u32,
    /// Which way it went.
    pub direction: Direction,
    /// Whether it completed, stalled or failed.
    pub class: FlowClass,
    /// How long nothing moved if it stalled, or why it failed.
    pub reason: Option<String>,
    /// Its rate, as its receiver counted.
    pub mbps: Option<f64>,
    /// Share of the sum of its direction, 0 to 1, if it is complete.
    #[serde(skip)]
    pub share: Option<f64>,
    /// Payload that arrived after the warm-up.
    pub bytes: u64,
    /// Segments that its sender's TCP sent again after the warm-up.
    #[serde(skip)]
    pub retransmits: Option<u64>,
    /// From the first byte to the last, at the sender.
    pub sent_in_us: Option<f64>,
    /// From the first byte to the last, at the receiver.
    pub received_in_us: Option<f64>,
    /// What happened to its datagrams.
    pub datagrams: Option<Datagrams>,
    /// How far apart its paced messages left.
    pub departures_us: Option<Departures>,
    /// What the I/O engines report.
    pub engines: Engines,
    /// Payload of a message. Unit: bytes.
    #[serde(skip)]
    pub message_bytes: u64,
    /// Send buffer that the sender has at the end. Unit: bytes.
    #[serde(skip)]
    pub sndbuf: Fact<u64>,
    /// Receive buffer that the receiver has at the end. Unit: bytes.
    #[serde(skip)]
    pub rcvbuf: Fact<u64>,
    /// What the receiver counted in each interval.
    #[serde(skip)]
    pub intervals: Vec<IntervalRate>,
    /// What it counted in each look, which may be shorter than an interval.
    #[serde(skip)]
    pub looks: Vec<IntervalRate>,
    /// What the sender's TCP said at each look.
    #[serde(skip)]
    pub tcp: Vec<TcpPoint>,
}

/// What became of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlowClass {
    /// It completed.
    Complete,
    /// No byte moved for longer than the plan allows.
    Stalled,
    /// It failed, or never began.
    Failed,
}

/// What the I/O engines of both ends of a flow report.
#[derive(Clone, Debug, Serialize)]
pub struct Engines {
    /// The end that sent.
    pub sender: Option<IoReport>,
    /// The end that received.
    pub receiver: Option<IoReport>,
}

/// What a receiver counted in an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalRate {
    /// End of the interval, since the load began. Unit: seconds.
    pub until_s: f64,
    /// Payload in it.
    pub bytes: u64,
    /// Payload over the interval's length, if that is not 0.
    pub mbps: Option<f64>,
    /// False if it is less than half as long as most of the flow's, as the last one may be: its rate
    /// means little.
    pub whole: bool,
}

/// What TCP said at a look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpPoint {
    /// When, since the load began. Unit: seconds.
    pub at_s: f64,
    /// Smoothed round-trip time.
    pub rtt_us: f64,
    /// Congestion window. Unit: segments.
    pub cwnd: u64,
    /// Segments retransmitted until then.
    pub retransmits: u64,
    /// Segments until then that queues marked (CE, RFC 3168).
    pub marked: u64,
}

impl FlowResult {
    /// The result of `flow` of `transfer`, whose directions have `sums`.
    pub(super) fn new(transfer: &Transfer, flow: &FlowAccount, sums: &[Summary]) -> Self {
        let FlowAccount { sender, receiver, .. } = flow;
        let (class, reason) = match transfer.class(flow) {
            Class::Complete => (FlowClass::Complete, None),
            Class::Stalled(silent) => (FlowClass::Stalled, Some(silent.to_string())),
            Class::Failed(reason) => (FlowClass::Failed, Some(reason)),
        };
        let rate = flow.rate();
        let sum = sums.iter().find(|sum| sum.direction == flow.direction).and_then(|sum| sum.rate);
        let share = rate.zip(sum).map(|(rate, sum)| rate.bits_per_second() / sum.bits_per_second());
        let elapsed = |half: &HalfAccount| half.elapsed().map(Span::as_us);
        Self {
            flow: flow.flow + 1,
            peer: flow.peer + 1,
            direction: flow.direction,
            class,
            reason,
            mbps: rate.map(Rate::as_mbps),
            share: share.filter(|_| class == FlowClass::Complete),
            bytes: receiver.counted(),
            retransmits: sender.retransmits(),
            sent_in_us: elapsed(sender),
            received_in_us: elapsed(receiver),
            datagrams: receiver.datagrams.clone(),
            departures_us: sender.departures.as_ref().map(Departures::of),
            engines: Engines { sender: sender.io.clone(), receiver: receiver.io.clone() },
            message_bytes: sender.bytes / sender.messages.max(1),
            sndbuf: sender.granted.sndbuf.clone(),
            rcvbuf: receiver.granted.rcvbuf.clone(),
            intervals: rates(&receiver.intervals),
            looks: rates(receiver.seen()),
            tcp: sender.tcp.iter().map(TcpPoint::of).collect(),
        }
    }
}

impl FlowResult {
    /// What the sender's TCP said nearest to a moment since the load began.
    #[must_use]
    pub fn tcp_at(&self, moment_s: f64) -> Option<&TcpPoint> {
        let after = self.tcp.partition_point(|point| point.at_s < moment_s);
        let around = [after.checked_sub(1), Some(after)].into_iter().flatten();
        let away = |point: &&TcpPoint| (point.at_s - moment_s).abs();
        around.filter_map(|place| self.tcp.get(place)).min_by(|one, other| away(one).total_cmp(&away(other)))
    }
}

impl TcpPoint {
    fn of(sample: &TcpSample) -> Self {
        let TcpSample { at, rtt, cwnd, retransmits, delivered_ce, .. } = sample;
        Self {
            at_s: at.as_seconds(),
            rtt_us: rtt.as_us(),
            cwnd: *cwnd,
            retransmits: *retransmits,
            marked: *delivered_ce,
        }
    }
}

/// The median of these spans.
pub(super) fn usual(spans: &[Span]) -> Span {
    let mut sorted = spans.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn rates(seen: &[Interval]) -> Vec<IntervalRate> {
    let ends = seen.iter().map(|interval| interval.until);
    let begins = std::iter::once(Span::ZERO).chain(ends.clone());
    let spans: Vec<Span> = ends.zip(begins).map(|(until, since)| until.saturating_sub(since)).collect();
    let shortest = usual(&spans) / 2;
    let rate = |(interval, span): (&Interval, &Span)| IntervalRate {
        until_s: interval.until.as_seconds(),
        bytes: interval.bytes,
        mbps: Rate::of(interval.bytes, *span).map(Rate::as_mbps),
        whole: *span >= shortest,
    };
    seen.iter().zip(&spans).map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_tcp_is_found_by_its_time_and_not_by_its_place() {
        let tcp = |ms: u64| TcpSample { at: Span::from_ms(ms), cwnd: ms, ..TcpSample::default() };
        let half = HalfAccount { tcp: [100, 200, 300, 401].map(tcp).into(), ..HalfAccount::default() };
        let flow = FlowAccount {
            flow: 0,
            peer: 0,
            direction: Direction::Send,
            sender: half,
            receiver: HalfAccount::default(),
        };
        let mut flow = FlowResult::new(&Transfer::default(), &flow, &[]);
        let found = |flow: &FlowResult, s| flow.tcp_at(s).map(|sample| sample.cwnd);
        assert_eq!(
            [0.0, 0.2, 0.24, 0.26, 0.4, 9.0].map(|s| found(&flow, s)),
            [100, 200, 200, 300, 401, 401].map(Some)
        );
        flow.tcp.clear();
        assert_eq!(found(&flow, 0.2), None);
    }

    #[test]
    fn an_interval_has_its_own_rate_and_a_short_one_is_no_whole_one() {
        let at = |ms, bytes| Interval { until: Span::from_ms(ms), bytes };
        let seen = rates(&[at(100, 1_000), at(200, 3_000), at(209, 500)]);
        // 1000 bytes in 100 ms are 80 kbit/s.
        let rates: Vec<f64> = seen.iter().filter_map(|it| it.mbps).map(|mbps| (mbps * 1e6).round()).collect();
        assert_eq!(rates, [80_000.0, 240_000.0, 444_444.0]);
        assert_eq!(
            seen.iter().map(|it| (it.until_s, it.bytes)).collect::<Vec<_>>(),
            [(0.1, 1_000), (0.2, 3_000), (0.209, 500)]
        );
        assert_eq!(seen.iter().map(|it| it.whole).collect::<Vec<_>>(), [true, true, false]);
    }
}
