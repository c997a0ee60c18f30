//! The two applications of a bulk flow.

use linerate_core::traffic::{HalfAccount, Progress, SendProgress};
use linerate_core::units::Time;

use super::calls::{Calls, Received};
use crate::stations::Broken;

/// Sends messages, one call after the other, until its bound; then waits until the other end has
/// read all and says so.
#[derive(Debug)]
pub(super) struct Sending {
    /// Unit: bytes.
    message: u64,
    alarm: Option<Time>,
    progress: SendProgress,
    /// The part of the current message that was not sent. Unit: bytes.
    left: u64,
    finished: bool,
}

impl Sending {
    pub(super) const fn new(message: u64, progress: SendProgress) -> Self {
        Self { message, alarm: None, progress, left: 0, finished: false }
    }

    /// Does what can be done now; returns whether it has ended. If it is to `stop`, it ends after
    /// the current message.
    pub(super) fn go_on(&mut self, calls: &mut Calls<'_>, stop: bool) -> Result<bool, Broken> {
        while !self.finished {
            if self.left == 0 {
                if stop || self.progress.is_over_at(calls.now()) {
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
            self.progress.acknowledge(calls.now());
        }
        Ok(self.progress.is_acknowledged())
    }

    /// Begins the next message, if it is due.
    fn departs(&mut self, calls: &mut Calls<'_>) -> bool {
        let now = calls.now();
        if let Some(until) = self.progress.held_until(now) {
            calls.wake_at(until, &mut self.alarm);
            return false;
        }
        self.progress.departed(now, 1);
        self.progress.progress.begin(now);
        self.left = self.progress.next_length(self.message);
        true
    }

    fn sent(&mut self, bytes: u64, now: Time) {
        self.left -= bytes;
        self.progress.progress.moved(u64::from(self.left == 0), bytes, now);
    }

    /// Since when its call waits. Absent while it waits for its pace.
    pub(super) fn waits_since(&self) -> Option<Time> {
        (self.left > 0 || self.finished).then(|| self.progress.progress.still_since())
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.progress.progress.bytes()
    }

    pub(super) fn account(self) -> HalfAccount {
        self.progress.account()
    }
}

/// Receives until the other end has sent all, and says so.
#[derive(Debug)]
pub(super) struct Receiving {
    /// What one call asks for. Unit: bytes.
    message: u64,
    progress: Progress,
}

impl Receiving {
    pub(super) const fn new(message: u64, progress: Progress) -> Self {
        Self { message, progress }
    }

    /// Does what can be done now; whether it has ended.
    pub(super) fn go_on(&mut self, calls: &mut Calls<'_>) -> Result<bool, Broken> {
        loop {
            match calls.receive(self.message)? {
                Received::Nothing => return Ok(false),
                Received::Bytes(bytes) => {
                    self.progress.moved(1, bytes, calls.now());
                }
                Received::End => {
                    self.progress.end(true, calls.now());
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
        self.progress.account()
    }
}
