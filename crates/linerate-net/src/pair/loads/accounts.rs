//! The servers' accounts of a load's flows, beside this end's.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use linerate_core::traffic::{Direction, Ended, FlowAccount, HalfAccount, Interval, Load, MOST_FLOWS};
use linerate_core::units::Span;

use super::super::PairError;
use super::super::conversation::hear;
use crate::control::{Control, REPORT, Reply};
use crate::flow::Answered;
use crate::traffic::{Carried, FlowReport, bulk_flows};

/// Who waits for the server ends the wait, not the time: the load may be of any length.
const LONG: Duration = Duration::from_secs(7 * 24 * 3600);
/// How late a report may be that comes once a second, the end of the flows here included.
const SLACK: Duration = Duration::from_secs(1);
/// More reports of a flow are not kept: two days of one a second.
const MOST_LOOKS: usize = 2 * 24 * 3600;

/// What a server has told of its end of a load so far.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) carried: Carried,
    pub(super) answered: Vec<Answered>,
    /// What each of its flows had moved at each report, in the order of their channels.
    looks: Vec<Vec<Interval>>,
    /// Whether the last report was of flows that had ended, and when it came.
    over: bool,
    heard: Option<Instant>,
    /// How it ended: all was told, or why not. Absent while more may come.
    pub(super) ended: Option<Result<(), PairError>>,
}

impl Told {
    fn take(&mut self, reply: Reply) -> Result<(), PairError> {
        match reply {
            Reply::Look { until, first, bytes, over } => {
                (self.over, self.heard) = (over, Some(Instant::now()));
                let flows = (first as usize + bytes.len()).min(MOST_FLOWS as usize * 2);
                if self.looks.len() < flows {
                    self.looks.resize(flows, Vec::new());
                }
                let reported = self.looks.iter_mut().skip(first as usize).zip(bytes);
                // A server that reports more often than a load is long does not fill the memory.
                for (looks, bytes) in reported.filter(|(looks, _)| looks.len() < MOST_LOOKS) {
                    looks.push(Interval { until, bytes });
                }
            }
            Reply::Flow { flow, direction, half } => {
                self.carried.reports.push(FlowReport { flow, direction, half: *half, processor: None });
            }
            Reply::More { flow, direction, intervals, looks, samples } => {
                let named = |told: &&mut FlowReport| (told.flow, told.direction) == (flow, direction);
                if let Some(told) = self.carried.reports.iter_mut().find(named) {
                    told.half.intervals.extend(intervals);
                    told.half.looks.extend(looks);
                    told.half.tcp.extend(samples);
                }
            }
            Reply::Hosts(samples) => self.carried.host.extend(samples),
            Reply::Answered { flow, transactions, bytes, effort } => {
                let effort = effort.map(|effort| *effort);
                self.answered.push(Answered { flow, transactions, bytes, effort });
            }
            Reply::Several(replies) => replies.into_iter().try_for_each(|reply| self.take(reply))?,
            Reply::Told => self.ended = Some(Ok(())),
            other => return Err(PairError::unexpected(other)),
        }
        Ok(())
    }

    /// Whether it is known what the flows of `load` brought there, whatever details did not come. What the server
    /// sent has arrived here or has not.
    pub(super) fn is_accounted(&self, load: &Load) -> bool {
        let requests = load.rr.as_ref().map_or(0, |rr| rr.flows as usize);
        let to_there = |direction: Direction| direction == Direction::Send;
        let told = self.carried.reports.iter().filter(|told| to_there(told.direction)).count();
        let bulk = self.over || told >= bulk_flows(load).filter(|(_, way)| to_there(*way)).count();
        bulk && self.answered.len() >= requests
    }

    /// Whether it is known what a flow had brought there `by` then.
    pub(super) fn covers(&self, place: usize, by: Span) -> bool {
        self.over || self.ended.is_some() || self.looks_of(place).last().is_some_and(|look| look.until >= by)
    }

    /// What a flow had brought there `by` then, as if it came evenly between two reports. Unit: bytes.
    pub(super) fn arrived_by(&self, place: usize, by: Span) -> u64 {
        let (mut since, mut arrived) = (Span::ZERO, 0);
        for Interval { until, bytes } in self.looks_of(place) {
            let whole = until.saturating_sub(since).as_ps().max(1);
            let part = by.saturating_sub(since).as_ps().min(whole);
            arrived += (*bytes as f64 * (part as f64 / whole as f64)) as u64;
            since = *until;
        }
        arrived
    }

    fn looks_of(&self, place: usize) -> &[Interval] {
        self.looks.get(place).map_or(&[], Vec::as_slice)
    }

    /// Whether its reports still came when the load ended, after which it was waited for so long: what it has to say
    /// waits in a queue.
    pub(super) fn is_alive(&self, waited: Span) -> bool {
        let since_end = waited.to_duration();
        waited > Span::ZERO && self.heard.is_some_and(|heard| heard.elapsed() < since_end + REPORT + SLACK)
    }

    /// Puts what was last reported in the place of accounts that did not come; whether it is `accounted` without them.
    pub(super) fn complete(&mut self, load: &Load, accounted: bool) {
        self.looks.resize(bulk_flows(load).count(), Vec::new());
        let warm_up = load.stream.as_ref().map_or(Span::ZERO, |stream| stream.warm_up);
        for ((flow, direction), looks) in bulk_flows(load).zip(std::mem::take(&mut self.looks)) {
            let told = |told: &FlowReport| (told.flow, told.direction) == (flow, direction);
            if !self.carried.reports.iter().any(told) {
                let (ended, cut_off) = if accounted {
                    (Ended::Complete, true)
                } else {
                    (Ended::Failed("the account of its other end did not come".to_owned()), false)
                };
                let half = HalfAccount { ended, cut_off, ..HalfAccount::of_intervals(looks, warm_up) };
                self.carried.reports.push(FlowReport { flow, direction, half, processor: None });
            }
        }
    }
}

pub(super) fn lock(told: &Mutex<Told>) -> MutexGuard<'_, Told> {
    told.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hears what the server says of its end of a load until it has told all.
pub(super) fn hear_load(control: &Control, told: &Mutex<Told>) {
    while lock(told).ended.is_none() {
        let heard = hear(control, LONG);
        let mut told = lock(told);
        if let Err(error) = heard.and_then(|reply| told.take(reply)) {
            told.ended = Some(Err(error));
        }
    }
}

/// Both ends' accounts of each flow.
pub(super) fn join(load: &Load, ours: Vec<FlowReport>, mut theirs: Vec<FlowReport>) -> Vec<FlowAccount> {
    let each = load.stream.as_ref().map_or(1, |stream| stream.flows.max(1));
    let mut other_half = |flow, direction| {
        let place = theirs.iter().position(|told| (told.flow, told.direction) == (flow, direction));
        place.map_or_else(HalfAccount::default, |place| theirs.swap_remove(place).half)
    };
    let mut accounts: Vec<_> = ours
        .into_iter()
        .map(|FlowReport { flow, direction, half, .. }| {
            let other = other_half(flow, direction);
            let (sender, receiver) = if direction == Direction::Send { (half, other) } else { (other, half) };
            FlowAccount { flow, peer: flow / each, direction, sender, receiver }
        })
        .collect();
    // Flows that share threads end in another order.
    accounts.sort_by_key(|account| (account.direction, account.flow));
    accounts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reported_is_even_between_reports_and_ends_with_the_last() {
        let mut told = Told::default();
        for (ms, bytes) in [(1_000, 500), (2_000, 100)] {
            let until = Span::from_ms(ms);
            told.take(Reply::Look { until, first: 1, bytes: vec![bytes], over: false }).expect("a report");
        }
        let arrived = |ms| told.arrived_by(1, Span::from_ms(ms));
        assert_eq!([0, 500, 1_000, 1_500, 2_000, 9_000].map(arrived), [0, 250, 500, 550, 600, 600]);
        assert_eq!(told.arrived_by(0, Span::from_ms(1_000)), 0, "nobody reported it");
        let covers = |told: &Told, ms| told.covers(1, Span::from_ms(ms));
        assert!(covers(&told, 2_000) && !covers(&told, 2_001));
        told.take(Reply::Look { until: Span::from_ms(2_000), first: 1, bytes: vec![0], over: true })
            .expect("the last");
        assert!(covers(&told, 2_001), "nothing more comes");
    }
}
