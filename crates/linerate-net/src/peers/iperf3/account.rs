//! What an iperf3 server reports at the end of a test, as the other half of each flow.

use linerate_core::traffic::{Datagrams, Direction, Ended, FlowAccount, HalfAccount, Interval, StreamPlan};
use linerate_core::units::Span;

use super::message::{COOKIE, Results, StreamResult, count, stream_id};
use crate::traffic::FlowReport;

/// What is known of a test at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub(super) bulk: &'a StreamPlan,
    /// What the server reported, if it did.
    pub(super) results: Option<&'a Results>,
    /// Whether datagrams carry it.
    pub(super) datagrams: bool,
    pub(super) round_trip: Span,
    /// Payload of a datagram. Unit: bytes.
    pub(super) length: u64,
    /// When this end said that the test has ended, since the load began.
    pub(super) ended: Span,
}

/// What reaches the server so much later than on an idle path has waited in a queue.
const LATE: Span = Span::from_ms(10);

impl Known<'_> {
    /// Both halves of each flow. The streams of what is sent come before those of what is received.
    pub(super) fn flows(&self, ours: Vec<FlowReport>) -> Vec<FlowAccount> {
        let streams = self.results.map(Results::by_number).unwrap_or_default();
        let flow = |(place, report): (usize, FlowReport)| {
            let FlowReport { flow, direction, half, .. } = report;
            let told = streams.get(&stream_id(place)).copied();
            let missing = || Ended::Failed("the server sent no account of it".to_owned());
            let (sender, receiver) = match (direction, told) {
                (Direction::Receive, Some(told)) => self.received(half, &told),
                (Direction::Receive, None) => {
                    (HalfAccount { ended: missing(), ..HalfAccount::default() }, half)
                }
                (_, Some(told)) => {
                    let receiver = self.arrived(&half, &told);
                    (half, receiver)
                }
                (_, None) => {
                    let seen = HalfAccount { ended: missing(), ..acknowledged(&half, self.bulk.warm_up) };
                    (half, seen)
                }
            };
            FlowAccount { flow, peer: 0, direction, sender, receiver }
        };
        ours.into_iter().enumerate().map(flow).collect()
    }

    /// What the server received of what `sender` sent. How it arrived over time is known from the acknowledgements.
    fn arrived(&self, sender: &HalfAccount, told: &StreamResult) -> HalfAccount {
        let seen = acknowledged(sender, self.bulk.warm_up);
        let reported = count(told.bytes);
        let omitted = self.bulk.warm_up > Span::ZERO;
        // What all has arrived was counted or omitted.
        let whole = !self.datagrams && !sender.cut_off && omitted;
        let bytes = if whole { sender.bytes.max(reported) } else { reported };
        let since = sender.first.unwrap_or_default() + self.bulk.warm_up;
        // What was acknowledged and not read when the test ended is in the server's buffer, or it counted wrongly.
        let window = sender.tcp.iter().map(|sample| sample.snd_wnd).max().unwrap_or(0);
        let unread = !self.datagrams && bytes < sender.bytes && sender.bytes - bytes <= window;
        // While the word of the end waited in a queue, what was before it there arrived.
        let ended = self.ended(told).filter(|ended| sender.cut_off || *ended > self.ended + LATE);
        HalfAccount {
            ended: Ended::Complete,
            bytes,
            warm_up: bytes - reported,
            messages: if self.datagrams { reported / self.length.max(1) } else { 0 },
            first: sender.first,
            last: ended.or(sender.last),
            warm: Some((since, bytes - reported)),
            cut_off: sender.cut_off || unread,
            cpu: self.cpu(told),
            datagrams: self.datagrams.then(|| self.lost(sender, told)),
            ..seen
        }
    }

    /// What the server sent of what this end received as `receiver`; both halves. What it sent until it heard of the end and
    /// nobody read here was discarded.
    fn received(&self, receiver: HalfAccount, told: &StreamResult) -> (HalfAccount, HalfAccount) {
        let reported = count(told.bytes);
        let bytes = reported + receiver.warm_up;
        let retransmits = self.results.is_some_and(|results| results.sender_has_retransmits > 0.0);
        let sender = HalfAccount {
            ended: Ended::Complete,
            bytes,
            warm_up: receiver.warm_up,
            messages: bytes / self.length.max(1),
            first: receiver.first,
            last: receiver.last,
            warm: receiver.warm,
            cpu: self.cpu(told),
            retransmitted: (retransmits && !self.datagrams).then(|| count(told.retransmits)),
            ..HalfAccount::default()
        };
        let cut_off = receiver.cut_off || receiver.bytes < bytes && !self.datagrams;
        (sender, HalfAccount { cut_off, ..receiver })
    }

    /// What became of datagrams that went to the server. It counts one that came twice as one that did not get lost, and does
    /// not see that the last ones were lost: what was sent and what arrived says more, if nothing was omitted.
    fn lost(&self, sender: &HalfAccount, told: &StreamResult) -> Datagrams {
        let omitted = self.bulk.warm_up > Span::ZERO;
        let (packets, errors) = if omitted {
            let since = |all: f64, before: f64| count(all).saturating_sub(count(before));
            (since(told.packets, told.omitted_packets), since(told.errors, told.omitted_errors))
        } else {
            let received = count(told.bytes) / self.length.max(1);
            (sender.messages, sender.messages.saturating_sub(received))
        };
        let jitter = if told.jitter.is_finite() { told.jitter.clamp(0.0, 1e6) } else { 0.0 };
        Datagrams {
            sent: packets,
            received: packets.saturating_sub(errors),
            lost: errors.min(packets),
            jitter: Span::from_seconds(jitter),
            ..Datagrams::default()
        }
    }

    /// When a stream ended at the server, since the load began here: its first bytes were under way for a round trip after it
    /// had begun.
    fn ended(&self, told: &StreamResult) -> Option<Span> {
        let lasted = told.end_time - told.start_time;
        let lasted =
            (lasted.is_finite() && lasted > 0.0 && lasted < 1e6).then(|| Span::from_seconds(lasted))?;
        Some((lasted + self.bulk.warm_up).saturating_sub(self.round_trip))
    }

    /// The part of the server's processor time that a stream had, if it is known of the time that counts.
    fn cpu(&self, told: &StreamResult) -> Option<Span> {
        let results = self.results.filter(|_| self.bulk.warm_up == Span::ZERO)?;
        let share = results.cpu_util_total / 100.0 / results.streams.len().max(1) as f64;
        let spent = share * (told.end_time - told.start_time);
        (spent.is_finite() && spent > 0.0 && spent < 1e6).then(|| Span::from_seconds(spent))
    }
}

/// What arrived at the other end of a flow of TCP, by what was acknowledged at each look; of datagrams nothing is.
fn acknowledged(sender: &HalfAccount, warm_up: Span) -> HalfAccount {
    // The cookie was acknowledged too, and the connection's beginning counts as a byte.
    let mut before = COOKIE as u64 + 1;
    let looks = sender.tcp.iter().filter(|sample| sample.sends()).map(|sample| {
        let bytes = sample.acknowledged.saturating_sub(before);
        before = before.max(sample.acknowledged);
        Interval { until: sample.at, bytes }
    });
    let looks: Vec<_> = looks.collect();
    let mut left = looks.iter().peekable();
    let intervals = sender.intervals.iter().map(|interval| {
        let mut bytes = 0;
        while let Some(look) = left.next_if(|look| look.until <= interval.until + LATE) {
            bytes += look.bytes;
        }
        Interval { until: interval.until, bytes }
    });
    let intervals = if looks.is_empty() { Vec::new() } else { intervals.collect() };
    HalfAccount { intervals, ..HalfAccount::of_intervals(looks, warm_up) }
}
