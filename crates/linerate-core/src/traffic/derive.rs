//! What the accounts of a load show: rates, classes, shares. Pure functions of what is stored.

use super::{Direction, Ended, FlowAccount, HalfAccount, Interval, Transfer};
use crate::kernel::HostSample;
use crate::kernel::limit::{Ends, Known, Verdict, holders};
use crate::plan::DEFAULT_STALL;
use crate::units::{Rate, Span};

/// Flows share fairly while Jain's index of an interval is at least this. Flows within some 20 % of
/// each other reach it.
pub const FAIR: f64 = 0.95;
/// A silence of fewer round trips may be a retransmission or two (RFC 6298).
const STALL_ROUND_TRIPS: u64 = 4;

/// What became of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// It completed.
    Complete,
    /// No byte moved for longer than the plan, the round trip and the pace allow.
    Stalled(Span),
    /// It failed, or never began.
    Failed(String),
}

/// All flows of one direction of a transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Which way.
    pub direction: Direction,
    /// Flows that completed.
    pub complete: u32,
    /// Flows that stalled.
    pub stalled: u32,
    /// Flows that failed.
    pub failed: u32,
    /// Payload of all flows that the receivers took after the warm-up. Unit: bytes.
    pub bytes: u64,
    /// Payload rate of all flows together after their warm-up, whatever became of them: from the moment
    /// when the first flow starts to count to the last byte of the last flow.
    pub rate: Option<Rate>,
    /// Jain's index of the flows' rates, 1/n to 1. Source: Jain, Chiu and Hawe, DEC-TR-301.
    pub fairness: Option<f64>,
    /// The moment from which the flows shared fairly to the end. Absent if they never did, or
    /// without intervals of several flows.
    pub converged: Option<Span>,
    /// Processor time of the flows' threads for each 10^9 bytes: of the senders, of the receivers.
    /// Unit: seconds.
    pub cpu_per_gigabyte: [Option<f64>; 2],
}

impl HalfAccount {
    /// What was counted at each look: the intervals if there were none within them.
    #[must_use]
    pub fn seen(&self) -> &[Interval] {
        if self.looks.is_empty() { &self.intervals } else { &self.looks }
    }

    /// From the first byte to the last.
    #[must_use]
    pub fn elapsed(&self) -> Option<Span> {
        Some(self.last?.saturating_sub(self.first?))
    }

    /// Payload that passed after the warm-up. Unit: bytes.
    #[must_use]
    pub const fn counted(&self) -> u64 {
        self.bytes.saturating_sub(self.warm_up)
    }

    /// When what counts began, if there was a warm-up.
    #[must_use]
    pub fn counted_since(&self) -> Option<Span> {
        self.warm.filter(|_| self.warm_up > 0).map(|(since, _)| since)
    }

    /// Segments that TCP sent again after the warm-up, as far as looks or the end itself tell.
    #[must_use]
    pub fn retransmits(&self) -> Option<u64> {
        if self.retransmitted.is_some() {
            return self.retransmitted;
        }
        let since = self.counted_since();
        let before = self.tcp.iter().take_while(|look| Some(look.at) <= since).last();
        let before = before.map_or(0, |look| look.retransmits);
        Some(self.tcp.last()?.retransmits.saturating_sub(before))
    }

    /// Payload rate after the warm-up. At a receiver without one it counts from the arrival of the
    /// first bytes, which are left out with the time before them.
    #[must_use]
    pub fn rate(&self) -> Option<Rate> {
        let (since, before) = self.warm?;
        Rate::of(self.bytes.checked_sub(before)?, self.counted_until()?.saturating_sub(since))
    }

    /// The end of what the rate is counted over.
    fn counted_until(&self) -> Option<Span> {
        self.until.or(self.last)
    }
}

impl FlowAccount {
    /// What became of the flow, if a silence of more than `stall` is a stall.
    #[must_use]
    pub fn class(&self, stall: Span) -> Class {
        let cut_off = self.is_cut_off();
        for half in [&self.sender, &self.receiver] {
            match &half.ended {
                Ended::Stalled(silent) => return Class::Stalled(*silent),
                Ended::Failed(reason) => return Class::Failed(reason.clone()),
                Ended::Never | Ended::Complete => {}
            }
        }
        if self.sender.ended == Ended::Never || self.receiver.ended == Ended::Never {
            return Class::Failed("the peer sent no account of it".to_owned());
        }
        if self.sender.bytes != self.receiver.bytes && self.receiver.datagrams.is_none() && !cut_off {
            let (sent, received) = (self.sender.bytes, self.receiver.bytes);
            return Class::Failed(format!("{sent} B were sent and {received} B received"));
        }
        // A sender is silent for as long as its full buffer takes to empty, while bytes arrive.
        let silence = self.receiver.silence;
        if silence > stall { Class::Stalled(silence) } else { Class::Complete }
    }

    /// The flow's rate, as its receiver counted.
    #[must_use]
    pub fn rate(&self) -> Option<Rate> {
        self.receiver.rate()
    }
}

impl Transfer {
    /// Whether anything passed: a byte of bulk arrived, or a transaction after the warm-up ended.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.flows.iter().any(|flow| flow.receiver.bytes > 0)
            || self.latencies.iter().any(|latency| latency.service.count() > 0)
    }

    /// What became of `flow`.
    #[must_use]
    pub fn class(&self, flow: &FlowAccount) -> Class {
        flow.class(self.stall(flow))
    }

    /// The shortest silence of `flow` that is a stall: what the plan says, and no less than
    /// [`STALL_ROUND_TRIPS`] of the longest round trips of it or of the first flow, or two departures of a
    /// paced flow.
    fn stall(&self, flow: &FlowAccount) -> Span {
        let Some(stream) = &self.load.stream else { return DEFAULT_STALL };
        if flow.receiver.silence <= stream.stall {
            return stream.stall;
        }
        // The server of another tool says nothing of its TCP.
        let samples = self.flows.first().into_iter().chain([flow]).flat_map(
            |FlowAccount { sender, receiver, .. }| {
                if sender.tcp.is_empty() { &receiver.tcp } else { &sender.tcp }
            },
        );
        let round_trip = samples.map(|sample| sample.rtt).max().unwrap_or_default();
        let paced = stream.step().unwrap_or_default() * 2;
        stream.stall.max(round_trip * STALL_ROUND_TRIPS).max(paced)
    }

    /// What all flows of each direction did.
    #[must_use]
    pub fn summaries(&self) -> Vec<Summary> {
        let both = [Direction::Send, Direction::Receive];
        both.into_iter().filter_map(|direction| self.summary(direction)).collect()
    }

    /// The rate of the slower direction, of those in which a flow completed.
    #[must_use]
    pub fn slowest(&self) -> Option<Rate> {
        let rates = self.summaries().into_iter().filter_map(|summary| summary.rate);
        rates.min_by(|one, other| one.bits_per_second().total_cmp(&other.bits_per_second()))
    }

    /// What held `flow` back, as far as the kernels of both hosts can tell; `link` is the highest
    /// rate of payload that the path allows. Absent for a flow that TCP does not carry.
    #[must_use]
    pub fn holders(&self, flow: &FlowAccount, link: Option<Rate>, ends: Ends) -> Option<Verdict> {
        let flows: Vec<_> = self.flows.iter().filter(|other| other.direction == flow.direction).collect();
        let rate = together(&flows);
        holders(&Known { link, rate, span: flow.sender.elapsed()?, ..self.known_of(flow, ends) })
    }

    /// What both `ends` saw of `flow`.
    pub(super) fn known_of<'a>(&'a self, flow: &'a FlowAccount, ends: Ends) -> Known<'a> {
        let (sender, receiver) = (&flow.sender.tcp, &flow.receiver.tcp);
        let back =
            |other: &&FlowAccount| other.direction != flow.direction && other.sender.departures.is_some();
        let paced = [flow.sender.departures.is_some(), self.flows.iter().any(|other| back(&other))];
        Known { sender, receiver, hosts: self.hosts_of(flow), paced, ends, ..Known::default() }
    }

    /// What the host that sent `flow` did, and the one that received it.
    fn hosts_of(&self, flow: &FlowAccount) -> [&[HostSample]; 2] {
        let (here, there) = (self.host(0), self.host(flow.peer as usize + 1));
        match flow.direction {
            Direction::Receive => [there, here],
            Direction::Send | Direction::Both => [here, there],
        }
    }

    /// What the host at `place` of [`Transfer::hosts`] did. Empty if it reported nothing.
    fn host(&self, place: usize) -> &[HostSample] {
        self.hosts.get(place).map_or(&[], Vec::as_slice)
    }

    fn summary(&self, direction: Direction) -> Option<Summary> {
        let flows: Vec<_> = self.flows.iter().filter(|flow| flow.direction == direction).collect();
        if flows.is_empty() {
            return None;
        }
        let classes: Vec<_> = flows.iter().map(|flow| self.class(flow)).collect();
        let count = |wanted: fn(&Class) -> bool| {
            u32::try_from(classes.iter().filter(|class| wanted(class)).count()).unwrap_or(u32::MAX)
        };
        let rates: Vec<_> = flows.iter().map(|flow| flow.rate().map_or(0.0, Rate::bits_per_second)).collect();
        Some(Summary {
            direction,
            complete: count(|class| *class == Class::Complete),
            stalled: count(|class| matches!(class, Class::Stalled(_))),
            failed: count(|class| matches!(class, Class::Failed(_))),
            bytes: flows.iter().map(|flow| flow.receiver.counted()).sum(),
            rate: together(&flows),
            fairness: jain(&rates),
            converged: converged(&flows),
            cpu_per_gigabyte: [
                cpu_per_gigabyte(flows.iter().map(|flow| &flow.sender)),
                cpu_per_gigabyte(flows.iter().map(|flow| &flow.receiver)),
            ],
        })
    }
}

/// Jain's fairness index of `rates`, from 1/n where one has all to 1 where all are equal. Absent if
/// there are no rates, or if nothing moved.
///
/// Source: Jain, Chiu and Hawe, "A quantitative measure of fairness", DEC-TR-301, 1984.
#[must_use]
pub fn jain(rates: &[f64]) -> Option<f64> {
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    (squares > 0.0).then(|| sum * sum / (rates.len() as f64 * squares))
}

fn together(flows: &[&FlowAccount]) -> Option<Rate> {
    let receivers = || flows.iter().map(|flow| &flow.receiver);
    let since = receivers().filter_map(|half| Some(half.warm?.0)).min()?;
    // The first bytes of the flow that came first were on their way for an unknown time; those of the others came
    // while the clock ran. Flows of one pace begin together.
    let counted = flows.iter().filter_map(|flow| {
        let (warm, before) = flow.receiver.warm?;
        let came_since =
            warm > since && flow.receiver.first == Some(warm) && flow.sender.departures.is_none();
        Some(flow.receiver.bytes.saturating_sub(if came_since { 0 } else { before }))
    });
    let counted = counted.sum();
    let until = receivers().filter_map(HalfAccount::counted_until).max()?;
    Rate::of(counted, until.saturating_sub(since))
}

fn converged(flows: &[&FlowAccount]) -> Option<Span> {
    let series: Vec<&[Interval]> = flows.iter().map(|flow| flow.receiver.intervals.as_slice()).collect();
    let shortest = series.iter().map(|intervals| intervals.len()).min()?;
    if flows.len() < 2 || shortest == 0 {
        return None;
    }
    let fair = |place: &usize| {
        let rates: Vec<_> = series.iter().map(|intervals| intervals[*place].bytes as f64).collect();
        jain(&rates).is_some_and(|index| index >= FAIR)
    };
    // The last interval is cut short where the flows end, and says little.
    let last = shortest.saturating_sub(1).max(1);
    let unfair = (0..last).rev().find(|place| !fair(place));
    match unfair {
        None => Some(Span::ZERO),
        Some(place) if place + 1 < last => Some(series[0][place].until),
        Some(_) => None,
    }
}

fn cpu_per_gigabyte<'a>(halves: impl Iterator<Item = &'a HalfAccount>) -> Option<f64> {
    let (mut seconds, mut bytes) = (0.0, 0_u64);
    for half in halves {
        seconds += half.cpu?.as_seconds();
        bytes += half.counted();
    }
    (bytes > 0).then(|| seconds / (bytes as f64 / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Latency;

    const STALL: Span = Span::from_ms(1_000);

    fn half(bytes: u64, ms: u64) -> HalfAccount {
        HalfAccount {
            ended: Ended::Complete,
            bytes,
            first: Some(Span::ZERO),
            last: Some(Span::from_ms(ms)),
            warm: Some((Span::ZERO, 0)),
            cpu: Some(Span::from_ms(ms / 2)),
            ..HalfAccount::default()
        }
    }

    fn flow(number: u32, bytes: u64) -> FlowAccount {
        let (sender, receiver) = (half(bytes, 1_010), half(bytes, 1_000));
        FlowAccount { flow: number, peer: 0, direction: Direction::Send, sender, receiver }
    }

    #[test]
    fn flows_of_one_direction_are_summed_and_their_shares_indexed() {
        let flows = vec![flow(0, 100_000_000), flow(1, 25_000_000)];
        let transfer = Transfer { flows, ..Transfer::default() };
        let [summary] = transfer.summaries().try_into().expect("one direction");
        assert!((summary.rate.expect("it moved").as_mbps() - 1000.0).abs() < 1e-6);
        // (100 + 25)^2 / (2 (100^2 + 25^2))
        assert!((summary.fairness.expect("two flows") - 15_625.0 / 21_250.0).abs() < 1e-12);
        assert_eq!((summary.complete, summary.stalled, summary.failed), (2, 0, 0));
        assert!((summary.cpu_per_gigabyte[1].expect("it was counted") - 8.0).abs() < 1e-9);
    }

    #[test]
    fn a_flow_that_stalls_is_told_apart_and_its_bytes_count() {
        let mut stalled = flow(1, 1);
        stalled.receiver.silence = Span::from_ms(15_000);
        let transfer = Transfer { flows: vec![flow(0, 125_000_000), stalled], ..Transfer::default() };
        let [summary] = transfer.summaries().try_into().expect("one direction");
        assert_eq!((summary.complete, summary.stalled), (1, 1));
        assert!((summary.rate.expect("both moved").as_mbps() - 1_000.000_008).abs() < 1e-6);
        assert_eq!(transfer.flows[1].class(STALL), Class::Stalled(Span::from_ms(15_000)));
    }

    #[test]
    fn a_sender_that_waits_for_room_while_bytes_arrive_has_not_stalled() {
        let mut waited = flow(0, 1_000);
        waited.sender.silence = Span::from_ms(1_100);
        assert_eq!(waited.class(STALL), Class::Complete);
    }

    #[test]
    fn ends_that_count_differently_are_a_failure() {
        let mut lying = flow(0, 1000);
        lying.receiver.bytes = 999;
        assert!(matches!(lying.class(STALL), Class::Failed(reason) if reason.contains("999")));
    }

    #[test]
    fn the_warm_up_is_counted_but_is_no_part_of_the_rate() {
        let account = HalfAccount { warm: Some((Span::from_ms(500), 900)), ..half(1000, 1_000) };
        assert_eq!(account.rate(), Rate::of(100, Span::from_ms(500)));
        assert_eq!(account.bytes, 1000);
    }

    #[test]
    fn one_byte_or_one_counted_transaction_has_passed() {
        let latency = |counted: bool| {
            let mut latency = Latency { transactions: 5, warm_up: 5, ..Latency::default() };
            if counted {
                latency.service.record(Span::from_us(1));
            }
            latency
        };
        let passed = |bytes, counted| {
            let (flows, latencies) = (vec![flow(0, bytes)], vec![latency(counted)]);
            Transfer { flows, latencies, ..Transfer::default() }.has_passed()
        };
        assert!(passed(1, false) && passed(0, true) && !passed(0, false));
        assert!(!Transfer::default().has_passed());
    }

    #[test]
    fn flows_converge_when_they_share_to_the_end() {
        let intervals = |bytes: [u64; 5]| {
            let each = bytes
                .iter()
                .zip(1..)
                .map(|(bytes, place)| Interval { until: Span::from_ms(place * 100), bytes: *bytes });
            each.collect::<Vec<_>>()
        };
        let (mut one, mut other) = (flow(0, 1), flow(1, 1));
        one.receiver.intervals = intervals([90, 80, 50, 50, 10]);
        other.receiver.intervals = intervals([10, 20, 50, 50, 0]);
        assert_eq!(converged(&[&one, &other]), Some(Span::from_ms(200)));
        one.receiver.intervals = intervals([90, 80, 90, 90, 90]);
        assert_eq!(converged(&[&one, &other]), None);
        assert_eq!(converged(&[&one]), None);
    }
}
