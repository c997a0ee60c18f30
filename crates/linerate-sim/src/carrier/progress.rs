//! What passed at one end of a flow, and when.

use linerate_core::traffic::HalfAccount;
use linerate_core::units::{Span, Time};

/// What passed at one end of a flow, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    origin: Time,
    warm_up: Span,
    first: Option<Time>,
    last: Option<Time>,
    bytes: u64,
    warm: Option<(Time, u64)>,
    silence: Span,
}

impl Progress {
    /// No bytes yet, of a load that began at `origin`.
    pub(super) const fn new(origin: Time, warm_up: Span) -> Self {
        Self { origin, warm_up, first: None, last: None, bytes: 0, warm: None, silence: Span::ZERO }
    }

    /// A sender begins to send its first bytes.
    pub(super) fn begin(&mut self, now: Time) {
        self.first.get_or_insert(now);
        self.last.get_or_insert(now);
    }

    pub(super) fn moved(&mut self, bytes: u64, now: Time) {
        self.first.get_or_insert(now);
        self.silent(now);
        self.last = Some(now);
        self.bytes += bytes;
        if self.warm.is_none() && self.first.is_some_and(|first| now.since(first) >= self.warm_up) {
            self.warm = Some((now, self.bytes));
        }
    }

    /// Counts the time since the last bytes as silence.
    pub(super) fn silent(&mut self, now: Time) {
        self.silence = self.silence.max(now.since(self.last.unwrap_or(now)));
    }

    pub(super) const fn origin(&self) -> Time {
        self.origin
    }

    pub(super) const fn first(&self) -> Option<Time> {
        self.first
    }

    pub(super) const fn last(&self) -> Option<Time> {
        self.last
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Since when nothing has moved.
    pub(super) fn still_since(&self) -> Time {
        self.last.unwrap_or(self.origin)
    }

    /// Its account, except for the fields that only its owner knows.
    pub(super) fn account(&self) -> HalfAccount {
        let since = |time: Time| time.since(self.origin);
        HalfAccount {
            bytes: self.bytes,
            first: self.first.map(since),
            last: self.last.map(since),
            warm: self.warm.map(|(time, bytes)| (since(time), bytes)),
            silence: self.silence,
            ..HalfAccount::default()
        }
    }
}
