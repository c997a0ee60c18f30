//! The requests of one flow, and what came of them.

use super::latency_looks::LatencyRecord;
use super::{Ended, Latency, RrPlan, Schedule};
use crate::units::Time;

/// The most requests of an open loop in flight. Beyond that the next one waits, and its delay is
/// part of its response time.
const MOST_BACKLOG: usize = 65_536;

/// A request that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// When it was meant to begin.
    pub due: Time,
    /// When it began.
    pub departed: Time,
    /// Whether it is part of the warm-up.
    pub warm: bool,
}

/// When the requests of one flow begin, and what came of them.
#[derive(Debug)]
pub struct RequestProgress {
    /// When they begin.
    pub schedule: Schedule,
    /// The most that may be under way at once.
    pub most: usize,
    /// What is counted of them.
    pub latency: Latency,
    first: Option<Time>,
    last: Time,
    looks: Option<LatencyRecord>,
}

impl RequestProgress {
    /// Nothing yet of the flow of `plan` that has this `schedule`.
    #[must_use]
    pub fn new(plan: &RrPlan, schedule: Schedule) -> Self {
        let most = if schedule.is_open() { MOST_BACKLOG } else { plan.depth as usize };
        let (flow, begin) = (schedule.flow(), schedule.begin());
        let latency = Latency { flow, ..Latency::default() };
        let looks = LatencyRecord::new(flow, begin, schedule.lasts());
        Self { schedule, most, latency, first: None, last: begin, looks }
    }

    /// Notes that the request that was due at `due` begins at `now`.
    #[inline]
    pub fn begin(&mut self, due: Time, now: Time) -> Request {
        let warm = self.schedule.begins(due);
        if !warm {
            self.first.get_or_insert(now);
        }
        Request { due, departed: now, warm }
    }

    /// Notes that the response to `request` has arrived whole at `now`.
    #[inline]
    pub fn answered(&mut self, request: Request, now: Time) {
        self.latency.transactions += 1;
        self.last = now;
        if let Some(looks) = &mut self.looks {
            let since = if self.schedule.is_open() { request.due } else { request.departed };
            looks.record(now.since(since), now);
        }
        if request.warm {
            self.latency.warm_up += 1;
            return;
        }
        self.latency.service.record(now.since(request.departed));
        if self.schedule.is_open() {
            self.latency.response.record(now.since(request.due));
        }
        if let Some(first) = self.first {
            self.latency.span = now.since(first);
        }
    }

    /// The account, with how it ended. Of a flow that the user `stopped` nothing is left unsent.
    #[must_use]
    pub fn account(self, ended: Ended, stopped: bool) -> Latency {
        let unsent = if stopped { 0 } else { self.schedule.unsent() };
        let looks = self.looks.map_or_else(Vec::new, |looks| looks.into_looks(self.last));
        Latency { ended, unsent, looks, ..self.latency }
    }
}
