//! The two applications of a bulk flow.

use linerate_core::traffic::{Bound, HalfAccount, Pace};
use linerate_core::units::Time;

use super::calls::{Calls, Received};
use super::progress::Progress;
use crate::stations::Broken;

/// Sends messages, one call after the other, until its bound; then waits until the other end has
/// read all and says so.
#[derive(Debug)]
pub(super) struct Sending {
    bound: Bound,
    /// Unit: bytes.
    message: u64,
    pace: Option<Pace>,
    alarm: Option<Time>,
    progress: Progress,
    messages: u64,
    /// The part of the current message that was not sent. Unit: bytes.
    left: u64,
    finished: bool,
    acknowledged: Option<Time>,
}

impl Sending {
    pub(super) const fn new(bound: Bound, message: u64, pace: Option<Pace>, progress: Progress) -> Self {
        Self {
            bound,
            message,
            pace,
            alarm: None,
            progress,
            messages: 0,
            left: 0,
            finished: false,
            acknowledged: None,
        }
    }

    /// Does what can be done now; returns whether it has ended. If it is to `stop`, it ends after
    /// the current message.
    pub(super) fn go_on(&mut self, calls: &mut Calls<'_>, stop: bool) -> Result<bool, Broken> {
        while !self.finished {
            if self.left == 0 {
                if stop || self.is_over() {
                    calls.finish();
                    self.finished = true;
                    break;
                }
                if !self.departs(calls) {
                    return Ok(false);
                }
            }
            match calls.send(self.left)? {
                0 => return Ok(false),
                sent => self.sent(sent, calls.now()),
            }
        }
        if calls.receive(1)? == Received::End {
            let now = calls.now();
            self.progress.silent(now);
            self.acknowledged = Some(now);
        }
        Ok(self.acknowledged.is_some())
    }

    /// Begins the next message, if it is due.
    fn departs(&mut self, calls: &mut Calls<'_>) -> bool {
        let now = calls.now();
        if let Some(pace) = &mut self.pace {
            if let Some(due) = pace.due().filter(|due| *due > now) {
                calls.wake_at(due, &mut self.alarm);
                return false;
            }
            pace.departed(now, 1);
        }
        self.progress.begin(now);
        self.left = match self.bound {
            Bound::Bytes(bytes) => self.message.min(bytes - self.progress.bytes()),
            Bound::Time(_) | Bound::Count(_) => self.message,
        };
        true
    }

    fn sent(&mut self, bytes: u64, now: Time) {
        self.left -= bytes;
        self.messages += u64::from(self.left == 0);
        self.progress.moved(bytes, now);
    }

    fn is_over(&self) -> bool {
        match self.bound {
            Bound::Bytes(bytes) => self.progress.bytes() >= bytes,
            Bound::Count(count) => self.messages >= count,
            Bound::Time(span) => match (self.progress.first(), self.progress.last()) {
                (Some(first), Some(last)) => {
                    let due = self.pace.as_ref().and_then(Pace::due).unwrap_or(last).max(last);
                    due.since(first) >= span
                }
                _ => false,
            },
        }
    }

    /// Since when its call waits. Absent while it waits for its pace.
    pub(super) fn waits_since(&self) -> Option<Time> {
        (self.left > 0 || self.finished).then(|| self.progress.still_since())
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.progress.bytes()
    }

    pub(super) fn account(self) -> HalfAccount {
        let account = self.progress.account();
        let acknowledged = self.acknowledged.map(|time| time.since(self.progress.origin()));
        HalfAccount {
            messages: self.messages,
            last: acknowledged.or(account.last),
            departures: self.pace.map(Pace::into_departures),
            ..account
        }
    }
}

/// Receives until the other end has sent all, and says so.
#[derive(Debug)]
pub(super) struct Receiving {
    /// What one call asks for. Unit: bytes.
    message: u64,
    progress: Progress,
    calls: u64,
}

impl Receiving {
    pub(super) const fn new(message: u64, progress: Progress) -> Self {
        Self { message, progress, calls: 0 }
    }

    /// Does what can be done now; whether it has ended.
    pub(super) fn go_on(&mut self, calls: &mut Calls<'_>) -> Result<bool, Broken> {
        loop {
            match calls.receive(self.message)? {
                Received::Nothing => return Ok(false),
                Received::Bytes(bytes) => {
                    self.calls += 1;
                    self.progress.moved(bytes, calls.now());
                }
                Received::End => {
                    calls.finish();
                    return Ok(true);
                }
            }
        }
    }

    pub(super) fn waits_since(&self) -> Time {
        self.progress.still_since()
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.progress.bytes()
    }

    pub(super) fn account(self) -> HalfAccount {
        HalfAccount { messages: self.calls, ..self.progress.account() }
    }
}
