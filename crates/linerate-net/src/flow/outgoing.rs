//! What one end of a bulk flow still has to send.

use std::sync::atomic::{AtomicBool, Ordering};

use linerate_core::traffic::{HalfAccount, SendProgress};
use linerate_core::units::Time;

use super::{Counter, pace};
use crate::memory::Ring;
use crate::observe::{HostClock, thread_time};

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
    sent: SendProgress,
    message: &'a [u8],
    /// Where the messages are in turn, if not always in one place, and the number of the next.
    ring: Option<(&'a Ring, usize)>,
    /// The length of the current message, 0 between two, and how much of it was sent.
    length: usize,
    within: usize,
    stop: Option<&'a AtomicBool>,
    counter: &'a Counter,
    /// Processor time of the thread when it began to count.
    worked: Time,
}

impl<'a> Outgoing<'a> {
    /// A flow of `message` again and again, until the bound of `sent`.
    pub fn new(clock: HostClock, sent: SendProgress, message: &'a [u8], counter: &'a Counter) -> Self {
        let worked = thread_time();
        Self { clock, sent, message, ring: None, length: 0, within: 0, stop: None, counter, worked }
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
                Piece::Later(until) => pace::wait(until, &self.clock, self.stop),
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
            if self.sent.pace.is_some() {
                let now = self.clock.now();
                if self.sent.is_over_at(now) {
                    return Piece::Over;
                }
                if let Some(until) = self.sent.held_until(now) {
                    return Piece::Later(until);
                }
                self.sent.departed(now, 1);
            }
            self.begin();
            let length = self.sent.next_length(self.message.len() as u64);
            self.length = usize::try_from(length).unwrap_or(usize::MAX);
        }
        Piece::Now(&self.message[self.within..self.length])
    }

    /// Whether its messages depart at a pace.
    #[must_use]
    pub const fn is_paced(&self) -> bool {
        self.sent.pace.is_some()
    }

    /// Until when the pace holds the next message back, if it does and no message is in progress.
    #[must_use]
    pub fn held_until(&self, now: Time) -> Option<Time> {
        if self.length > 0 { None } else { self.sent.held_until(now) }
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
        let allowed = self.sent.whole_messages(self.message.len() as u64);
        let most = usize::try_from(allowed).unwrap_or(usize::MAX).min(most);
        let mut batch = most;
        if self.sent.pace.is_some() {
            if let Some(until) = self.sent.held_until(self.clock.now()) {
                pace::wait(until, &self.clock, self.stop);
            }
            let now = self.clock.now();
            if self.is_over() || self.sent.is_over_at(now) {
                return 0;
            }
            batch = self.sent.due_by(now, most);
        }
        self.begin();
        batch
    }

    /// Notes that `messages` whole ones of [`batch`](Self::batch) were sent.
    pub fn sent_messages(&mut self, messages: usize) {
        if self.sent.pace.is_some() {
            self.sent.departed(self.clock.now(), messages as u64);
        }
        for _ in 0..messages {
            self.advance();
        }
        self.moved(messages, messages * self.message.len());
    }

    /// Notes that `bytes` of the last piece were sent.
    #[inline]
    pub fn sent(&mut self, bytes: usize) {
        self.within += bytes;
        let whole = self.within == self.length;
        if whole {
            (self.within, self.length) = (0, 0);
            self.advance();
        }
        self.moved(usize::from(whole), bytes);
    }

    /// Notes that the receiver has read everything.
    pub fn acknowledged(&mut self) {
        self.sent.acknowledge(self.clock.now());
    }

    /// Messages sent so far.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.sent.progress.messages()
    }

    /// This end's account, except what the caller knows: how it ended, and the socket's options. Called on the
    /// thread that sent.
    #[must_use]
    pub fn account(self) -> HalfAccount {
        HalfAccount { cpu: Some(thread_time().since(self.worked)), ..self.sent.account() }
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
        if !self.sent.progress.has_begun() {
            self.sent.progress.begin(self.clock.now());
        }
    }

    fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) || self.sent.is_over()
    }

    #[inline]
    fn moved(&mut self, messages: usize, bytes: usize) {
        if self.sent.progress.moved(messages as u64, bytes as u64, self.clock.now()) {
            self.worked = thread_time();
        }
        self.counter.store(self.sent.progress.bytes());
    }
}
