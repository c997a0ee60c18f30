//! What one flow asks, and what came of it.

use std::sync::atomic::{AtomicBool, Ordering};

use linerate_core::endpoint::LinkError;
use linerate_core::traffic::{Latency, RequestProgress, RrPlan};
use linerate_core::units::{Span, Time};

use super::tag::{TAG, tag, untag};
use super::under_way::UnderWay;
use super::{PATIENCE, REQUEST_SEED, Schedule};
use crate::observe::HostClock;

/// How long to wait for the response to a request that may be lost.
pub(crate) const GIVE_UP: Span = Span::from_ms(1_000);
/// The longest single wait, so that an interrupt is noticed.
pub(crate) const LOOK: Span = Span::from_ms(100);
/// The smallest receive buffer, so that one call can take many small responses.
const ROOM: usize = 64 << 10;

/// What one flow asks, and what came of it.
#[derive(Debug)]
pub struct Asking<'a> {
    pub(crate) clock: HostClock,
    progress: RequestProgress,
    stop: Option<&'a AtomicBool>,
    /// Whether messages keep their boundaries and may be lost, so that each carries its number.
    tagged: bool,
    request: Vec<u8>,
    /// How much of the current request was sent, 0 between two.
    within: usize,
    /// When the request under way was meant to begin.
    due: Time,
    space: Vec<u8>,
    response: usize,
    /// How much of the next response has arrived.
    got: usize,
    under_way: UnderWay,
    moved: Time,
}

impl<'a> Asking<'a> {
    /// A flow of requests and responses of `plan`'s sizes, at the times of `schedule`.
    #[must_use]
    pub fn new(clock: HostClock, plan: &RrPlan, schedule: Schedule) -> Self {
        let size = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
        let mut request = vec![0; size(plan.request.0)];
        linerate_core::payload::fill(&mut request, REQUEST_SEED);
        let response = size(plan.response.0);
        Self {
            clock,
            progress: RequestProgress::new(plan, schedule),
            stop: None,
            tagged: false,
            request,
            within: 0,
            due: Time::from_ps(0),
            space: vec![0; response.max(ROOM)],
            response,
            got: 0,
            under_way: UnderWay::default(),
            moved: clock.now(),
        }
    }

    /// Numbers the requests, because messages may be lost. Both sizes must be 16 bytes or more.
    #[must_use]
    pub const fn on_datagrams(mut self, datagrams: bool) -> Self {
        self.tagged = datagrams;
        self
    }

    /// Sends no more requests once `stop` is set; responses in flight are still awaited.
    #[must_use]
    pub const fn stopped_by(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// The account, with how it ended.
    #[must_use]
    pub fn account(self, ended: Result<(), LinkError>) -> Latency {
        let stopped = self.is_stopped();
        self.progress.account(ended.into(), stopped)
    }

    /// When the next request is due, or `None` when there are no more.
    #[inline]
    pub(crate) fn due(&self, now: Time) -> Option<Time> {
        if self.is_stopped() { None } else { self.progress.schedule.due(now) }
    }

    /// What to send at `now`, if anything, and whether nothing else is in flight, so that the call
    /// may wait for room.
    #[inline]
    pub(crate) fn piece(&mut self, now: Time) -> Option<(&[u8], bool)> {
        if self.within > 0 {
            let alone = self.under_way.len() <= 1;
            return Some((&self.request[self.within..], alone));
        }
        if !self.has_room() {
            return None;
        }
        self.due = self.due(now).filter(|due| *due <= now)?;
        if self.tagged {
            self.request[..TAG].copy_from_slice(&tag(self.under_way.next_number()));
        }
        Some((&self.request, self.under_way.is_empty()))
    }

    /// Notes that `bytes` of the last piece were sent in a call that began at `now`.
    #[inline]
    pub(crate) fn sent(&mut self, bytes: usize, now: Time) {
        if self.within == 0 {
            self.under_way.push(self.progress.begin(self.due, now));
        }
        self.within += bytes;
        if self.within == self.request.len() {
            self.within = 0;
        }
        self.moved = now;
    }

    /// Whether a response is still to come.
    #[inline]
    pub(crate) fn awaits(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// Whether room for another request is all that keeps it from being sent.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.under_way.len() < self.progress.most
    }

    /// Where responses go: no more than what was asked for.
    #[inline]
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.tagged {
            return &mut self.space[..self.response];
        }
        // A request that is not sent completely has no response yet.
        let whole = self.under_way.len() - usize::from(self.within > 0);
        let wanted = whole.saturating_mul(self.response).saturating_sub(self.got);
        let room = wanted.min(self.space.len());
        &mut self.space[..room]
    }

    /// Notes that `bytes` arrived in the room.
    #[inline]
    pub(crate) fn received(&mut self, bytes: usize) {
        let now = self.clock.now();
        self.moved = now;
        if self.tagged {
            self.answered(bytes, now);
            return;
        }
        self.got += bytes;
        while self.got >= self.response {
            self.got -= self.response;
            if let Some(request) = self.under_way.answer_first() {
                self.progress.answered(request, now);
            }
        }
    }

    /// Gives up requests that were sent longer ago than a response may take.
    pub(crate) fn expire(&mut self, now: Time) {
        self.progress.latency.lost += self.under_way.expire(now, GIVE_UP);
    }

    /// Gives up everything in flight: nothing has arrived for the channel's patience.
    pub(crate) fn give_up(&mut self) {
        self.progress.latency.lost += self.under_way.expire(self.clock.now(), Span::ZERO);
    }

    /// Whether requests may be lost.
    pub(crate) const fn loses(&self) -> bool {
        self.tagged
    }

    /// Fails when something is in flight and no byte has moved for too long.
    pub(crate) fn check_patience(&self, now: Time) -> Result<(), LinkError> {
        let stalled = self.awaits() && now.since(self.moved) > PATIENCE;
        if stalled { Err(LinkError::Stalled(PATIENCE)) } else { Ok(()) }
    }

    /// Sleeps until the first request may begin.
    pub(crate) fn await_begin(&mut self) {
        self.sleep_until(self.progress.schedule.begin());
        self.moved = self.clock.now();
    }

    /// Sleeps until `until`, or until it is stopped.
    pub(crate) fn sleep_until(&self, until: Time) {
        loop {
            let now = self.clock.now();
            if now >= until || self.is_stopped() {
                return;
            }
            std::thread::sleep(until.since(now).min(LOOK).to_duration());
        }
    }

    /// Counts a transaction of a connection of its own, which began to be made at `began`.
    pub(crate) fn transacted(&mut self, due: Time, began: Time, connected: Time) {
        let now = self.clock.now();
        let request = self.progress.begin(due, began);
        if !request.warm {
            self.progress.latency.connect.record(connected.since(began));
        }
        self.progress.answered(request, now);
    }

    /// The request and the space for its response, of a connection of their own.
    pub(crate) fn messages(&mut self) -> (&[u8], &mut [u8]) {
        (&self.request, &mut self.space[..self.response])
    }

    fn answered(&mut self, bytes: usize, now: Time) {
        match untag(&self.space[..bytes]).and_then(|number| self.under_way.answer(number)) {
            Some(request) => self.progress.answered(request, now),
            // The response to a request that was given up, or a repetition.
            None => self.progress.latency.late += 1,
        }
        self.expire(now);
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
