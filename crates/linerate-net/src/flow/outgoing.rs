//! What one end of a bulk flow still has to send.

use std::sync::atomic::{AtomicBool, Ordering};

use linerate_core::traffic::{Bound, HalfAccount};
use linerate_core::units::{Span, Time};

use super::{Counter, Pace, pace};
use crate::memory::Ring;
use crate::observe::HostClock;

/// What to send next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// This, now.
    Now(&'a [u8]),
    /// Nothing before this moment.
    Later(Time),
    /// Nothing more.
    Over,
}

/// What is still to be sent of a flow, and what was.
#[derive(Debug)]
pub struct Outgoing<'a> {
    clock: HostClock,
    /// When the load began at this end.
    origin: Time,
    message: &'a [u8],
    /// Where the messages are in turn, if not always in one place, and the number of the next.
    ring: Option<(&'a Ring, usize)>,
    /// The length of the current message, 0 between two, and how much of it was sent.
    length: usize,
    within: usize,
    bound: Bound,
    warm_up: Span,
    pace: Option<Pace>,
    stop: Option<&'a AtomicBool>,
    counter: &'a Counter,
    first: Option<Time>,
    last: Option<Time>,
    bytes: u64,
    messages: u64,
    warm: Option<(Time, u64)>,
    silence: Span,
    acknowledged: Option<Time>,
}

impl<'a> Outgoing<'a> {
    /// A flow of `message` again and again, until `bound`.
    pub fn new(
        clock: HostClock,
        origin: Time,
        message: &'a [u8],
        bound: Bound,
        counter: &'a Counter,
    ) -> Self {
        Self {
            clock,
            origin,
            message,
            ring: None,
            length: 0,
            within: 0,
            bound,
            warm_up: Span::ZERO,
            pace: None,
            stop: None,
            counter,
            first: None,
            last: None,
            bytes: 0,
            messages: 0,
            warm: None,
            silence: Span::ZERO,
            acknowledged: None,
        }
    }

    /// Keeps to `pace`.
    #[must_use]
    pub fn paced(mut self, pace: Option<Pace>) -> Self {
        self.pace = pace;
        self
    }

    /// Leaves the time `warm_up` after the first byte out of the rate.
    #[must_use]
    pub const fn warmed_up(mut self, warm_up: Span) -> Self {
        self.warm_up = warm_up;
        self
    }

    /// Ends early, after the current message, once `stop` is set.
    #[must_use]
    pub const fn stopped_by(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Takes the messages from the slots of `ring` in turn, all of which have the same bytes.
    #[must_use]
    pub fn through(mut self, ring: &'a Ring) -> Self {
        self.ring = Some((ring, 0));
        self.advance();
        self
    }

    /// All the memory that messages are taken from.
    #[must_use]
    pub fn memory(&self) -> &'a [u8] {
        self.ring.map_or(self.message, |(ring, _)| ring.memory())
    }

    /// The next message.
    #[must_use]
    pub const fn message(&self) -> &'a [u8] {
        self.message
    }

    /// The next piece to send, after the wait that the pace asks for, or `None` when the flow has
    /// ended. A message that was sent in part is finished first, whatever the time, but never
    /// beyond a bound in bytes.
    #[inline]
    pub fn next_piece(&mut self) -> Option<&'a [u8]> {
        loop {
            match self.poll_piece() {
                Piece::Now(piece) => return Some(piece),
                Piece::Later(_) => pace::wait(self.pace.as_ref()?, &self.clock),
                Piece::Over => return None,
            }
        }
    }

    /// The same without a wait: the piece, or when it is due.
    #[inline]
    pub fn poll_piece(&mut self) -> Piece<'a> {
        if self.length == 0 {
            if self.is_over() {
                return Piece::Over;
            }
            if let Some(pace) = &mut self.pace {
                let now = self.clock.now();
                match pace.due() {
                    Some(due) if due > now => return Piece::Later(due),
                    _ => pace.departed(now, 1),
                }
            }
            self.begin();
            self.length = match self.bound {
                Bound::Bytes(bytes) => {
                    let left = usize::try_from(bytes - self.bytes).unwrap_or(usize::MAX);
                    left.min(self.message.len())
                }
                Bound::Time(_) | Bound::Count(_) => self.message.len(),
            };
        }
        Piece::Now(&self.message[self.within..self.length])
    }

    /// When the next message may depart, if there is a pace and no message is in progress.
    #[must_use]
    pub fn due(&self) -> Option<Time> {
        if self.length > 0 { None } else { self.pace.as_ref().and_then(Pace::due) }
    }

    /// How many whole messages may be sent in one call now, at most `most`, after the wait that the
    /// pace asks for; 0 when the flow has ended. A transport that sends batches asks this instead
    /// of [`next_piece`](Self::next_piece), and then tells [`sent_messages`](Self::sent_messages).
    ///
    /// If a bound in bytes is not a whole number of messages, `next_piece` sends the rest.
    pub fn batch(&mut self, most: usize) -> usize {
        if self.is_over() {
            return 0;
        }
        let size = self.message.len().max(1) as u64;
        let allowed = match self.bound {
            Bound::Time(_) => u64::MAX,
            Bound::Bytes(bytes) => bytes.saturating_sub(self.bytes) / size,
            Bound::Count(count) => count.saturating_sub(self.messages),
        };
        let most = usize::try_from(allowed).unwrap_or(usize::MAX).min(most);
        let batch = match &self.pace {
            None => most,
            Some(pace) => {
                pace::wait(pace, &self.clock);
                pace.due_by(self.clock.now(), most)
            }
        };
        self.begin();
        batch
    }

    /// Notes that `messages` whole ones of [`batch`](Self::batch) were sent.
    pub fn sent_messages(&mut self, messages: usize) {
        if let Some(pace) = &mut self.pace {
            pace.departed(self.clock.now(), messages as u64);
        }
        self.messages += messages as u64;
        for _ in 0..messages {
            self.advance();
        }
        self.moved((messages * self.message.len()) as u64);
    }

    /// Notes that `bytes` of the last piece were sent.
    #[inline]
    pub fn sent(&mut self, bytes: usize) {
        self.within += bytes;
        if self.within == self.length {
            (self.within, self.length) = (0, 0);
            self.messages += 1;
            self.advance();
        }
        self.moved(bytes as u64);
    }

    /// Notes that the receiver has read everything.
    pub fn acknowledged(&mut self) {
        let now = self.clock.now();
        if let Some(last) = self.last {
            self.silence = self.silence.max(now.since(last));
        }
        self.acknowledged = Some(now);
    }

    /// Messages sent so far.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// This end's account, except what the caller knows: how it ended, and the socket's options.
    #[must_use]
    pub fn account(self) -> HalfAccount {
        let since = |time: Time| time.since(self.origin);
        HalfAccount {
            bytes: self.bytes,
            messages: self.messages,
            first: self.first.map(since),
            last: self.acknowledged.or(self.last).map(since),
            warm: self.warm.map(|(time, bytes)| (since(time), bytes)),
            silence: self.silence,
            departures: self.pace.map(Pace::into_departures),
            ..HalfAccount::default()
        }
    }

    /// Goes on to the memory of the next message.
    #[inline]
    fn advance(&mut self) {
        if let Some((ring, next)) = &mut self.ring {
            self.message = ring.slot(*next);
            *next = (*next + 1) % ring.slots();
        }
    }

    #[inline]
    fn begin(&mut self) {
        if self.first.is_none() {
            let now = self.clock.now();
            (self.first, self.last) = (Some(now), Some(now));
        }
    }

    fn is_over(&self) -> bool {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return true;
        }
        match self.bound {
            Bound::Bytes(bytes) => self.bytes >= bytes,
            Bound::Count(count) => self.messages >= count,
            Bound::Time(span) => match (self.first, self.last) {
                (Some(first), Some(last)) => {
                    let due = self.pace.as_ref().and_then(Pace::due).unwrap_or(last).max(last);
                    due.since(first) >= span
                }
                _ => false,
            },
        }
    }

    #[inline]
    fn moved(&mut self, bytes: u64) {
        let now = self.clock.now();
        if let Some(last) = self.last {
            self.silence = self.silence.max(now.since(last));
        }
        self.last = Some(now);
        self.bytes += bytes;
        self.counter.store(self.bytes);
        if self.warm.is_none() && self.first.is_some_and(|first| now.since(first) >= self.warm_up) {
            self.warm = Some((now, self.bytes));
        }
    }
}
