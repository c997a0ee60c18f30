//! The two applications of a flow of requests.

use std::collections::VecDeque;

use linerate_core::traffic::{Ended, Latency, RrPlan, Schedule};
use linerate_core::units::Time;

use super::calls::{Calls, Received};
use crate::stations::Broken;

/// The most requests of an open loop in flight. Beyond that the next one waits, and its delay is
/// part of its response time. As between real hosts.
const MOST_BACKLOG: usize = 65_536;
/// The smallest buffer of a receive call, so that one call can take many small responses. As
/// between real hosts. Unit: bytes.
const ROOM: u64 = 64 << 10;

/// A request that was sent.
#[derive(Clone, Copy, Debug)]
struct Request {
    due: Time,
    departed: Time,
    warm: bool,
}

/// Sends requests at the times of its schedule.
///
/// With one request at a time it sends and then receives, as one thread does; with more it does
/// both at once, so that a request without room in the send buffer does not delay a response.
#[derive(Debug)]
pub(super) struct Asking {
    schedule: Schedule,
    most: usize,
    request: u64,
    response: u64,
    alarm: Option<Time>,
    under_way: VecDeque<Request>,
    /// The part of the last request that was not sent. Unit: bytes.
    left: u64,
    /// The part of the next response that has arrived. Unit: bytes.
    got: u64,
    moved: Time,
    first: Option<Time>,
    latency: Latency,
    stopped: bool,
}

impl Asking {
    pub(super) fn new(flow: u32, plan: &RrPlan, schedule: Schedule) -> Self {
        Self {
            most: if schedule.is_open() { MOST_BACKLOG } else { plan.depth as usize },
            moved: schedule.begin(),
            schedule,
            request: plan.request.0,
            response: plan.response.0,
            alarm: None,
            under_way: VecDeque::new(),
            left: 0,
            got: 0,
            first: None,
            latency: Latency { flow, ..Latency::default() },
            stopped: false,
        }
    }

    /// Does what can be done now; returns whether it has ended. It sends no more requests if it is
    /// to `stop`.
    pub(super) fn go_on(&mut self, calls: &mut Calls<'_>, stop: bool) -> Result<bool, Broken> {
        self.stopped |= stop;
        let now = calls.now();
        loop {
            let sent = self.ask(calls, now)?;
            let received = self.take(calls, now)?;
            if !sent && !received {
                break;
            }
        }
        match self.due(now).filter(|_| self.under_way.len() < self.most) {
            Some(due) if due > now => calls.wake_at(due, &mut self.alarm),
            Some(_) => {}
            None => return Ok(self.under_way.is_empty()),
        }
        Ok(false)
    }

    /// Sends what is due; returns whether anything was sent or started.
    fn ask(&mut self, calls: &mut Calls<'_>, now: Time) -> Result<bool, Broken> {
        let begins = self.left == 0;
        if begins {
            let free = self.under_way.len() < self.most;
            let Some(due) = self.due(now).filter(|due| free && *due <= now) else { return Ok(false) };
            let warm = self.schedule.begins(due);
            self.under_way.push_back(Request { due, departed: now, warm });
            self.left = self.request;
            self.moved = now;
            if !warm {
                self.first.get_or_insert(now);
            }
        }
        let sent = calls.send(self.left)?;
        self.left -= sent;
        if sent > 0 {
            self.moved = now;
        }
        Ok(begins || sent > 0)
    }

    /// Receives what has arrived of the responses; returns whether anything has.
    fn take(&mut self, calls: &mut Calls<'_>, now: Time) -> Result<bool, Broken> {
        let whole = self.under_way.len() as u64 - u64::from(self.left > 0);
        let wanted = whole.saturating_mul(self.response).saturating_sub(self.got);
        if wanted == 0 || self.most == 1 && self.left > 0 {
            return Ok(false);
        }
        match calls.receive(wanted.min(self.response.max(ROOM)))? {
            Received::Nothing => return Ok(false),
            Received::Bytes(bytes) => self.got += bytes,
            Received::End => return Err(Broken::Closed),
        }
        self.moved = now;
        while self.got >= self.response {
            self.got -= self.response;
            if let Some(request) = self.under_way.pop_front() {
                self.record(request, now);
            }
        }
        Ok(true)
    }

    fn due(&self, now: Time) -> Option<Time> {
        if self.stopped { None } else { self.schedule.due(now) }
    }

    fn record(&mut self, request: Request, now: Time) {
        self.latency.transactions += 1;
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

    /// Since when a response is waited for, if one is.
    pub(super) fn waits_since(&self) -> Option<Time> {
        (!self.under_way.is_empty()).then_some(self.moved)
    }

    pub(super) fn account(self, ended: Ended) -> Latency {
        let unsent = if self.stopped { 0 } else { self.schedule.unsent() };
        Latency { ended, unsent, ..self.latency }
    }
}

/// Answers each request, until there are no more.
#[derive(Debug)]
pub(super) struct Answering {
    request: u64,
    response: u64,
    /// The part of the next request that has arrived. Unit: bytes.
    got: u64,
    /// The part of the current response that was not sent. Unit: bytes.
    left: u64,
}

impl Answering {
    pub(super) const fn new(plan: &RrPlan) -> Self {
        Self { request: plan.request.0, response: plan.response.0, got: 0, left: 0 }
    }

    /// Does what can be done now; returns whether it has ended.
    pub(super) fn go_on(&mut self, calls: &mut Calls<'_>) -> Result<bool, Broken> {
        loop {
            if self.left > 0 {
                match calls.send(self.left)? {
                    0 => return Ok(false),
                    sent => self.left -= sent,
                }
                continue;
            }
            match calls.receive(self.request - self.got)? {
                Received::Nothing => return Ok(false),
                Received::Bytes(bytes) => self.got += bytes,
                Received::End => return Ok(true),
            }
            if self.got == self.request {
                (self.got, self.left) = (0, self.response);
            }
        }
    }
}
