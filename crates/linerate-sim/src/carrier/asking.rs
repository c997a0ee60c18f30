//! The two applications of a flow of requests.

use std::collections::VecDeque;

use linerate_core::traffic::{Ended, Latency, Request, RequestProgress, RrPlan, Schedule};
use linerate_core::units::Time;

use super::calls::{Calls, Received};
use crate::stations::Broken;

/// The smallest buffer of a receive call, so that one call can take many small responses. As
/// between real hosts. Unit: bytes.
const ROOM: u64 = 64 << 10;

/// Sends requests at the times of its schedule.
///
/// With one request at a time it sends and then receives, as one thread does; with more it does
/// both at once, so that a request without room in the send buffer does not delay a response.
#[derive(Debug)]
pub(super) struct Asking {
    progress: RequestProgress,
    request: u64,
    response: u64,
    alarm: Option<Time>,
    under_way: VecDeque<Request>,
    /// The part of the last request that was not sent. Unit: bytes.
    left: u64,
    /// The part of the next response that has arrived. Unit: bytes.
    got: u64,
    moved: Time,
    stopped: bool,
}

impl Asking {
    pub(super) fn new(plan: &RrPlan, schedule: Schedule) -> Self {
        Self {
            moved: schedule.begin(),
            progress: RequestProgress::new(plan, schedule),
            request: plan.request.0,
            response: plan.response.0,
            alarm: None,
            under_way: VecDeque::new(),
            left: 0,
            got: 0,
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
        match self.due(now).filter(|_| self.under_way.len() < self.progress.most) {
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
            let free = self.under_way.len() < self.progress.most;
            let Some(due) = self.due(now).filter(|due| free && *due <= now) else { return Ok(false) };
            self.under_way.push_back(self.progress.begin(due, now));
            self.left = self.request;
            self.moved = now;
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
        if wanted == 0 || self.progress.most == 1 && self.left > 0 {
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
                self.progress.answered(request, now);
            }
        }
        Ok(true)
    }

    fn due(&self, now: Time) -> Option<Time> {
        if self.stopped { None } else { self.progress.schedule.due(now) }
    }

    /// Since when a response is waited for, if one is.
    pub(super) fn waits_since(&self) -> Option<Time> {
        (!self.under_way.is_empty()).then_some(self.moved)
    }

    pub(super) fn account(self, ended: Ended) -> Latency {
        self.progress.account(ended, self.stopped)
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
