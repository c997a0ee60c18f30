//! Copies in one process, from one buffer to another: no peer and no system call, so what is left
//! is what the memory itself takes. NetPIPE's memcpy module asks the same, but copies a buffer
//! onto itself unless told otherwise; here the buffers of the two ends are distinct.
//!
//! - ping-pong: a copy from the first end's outgoing buffer to the second's incoming one, then a
//!   copy back between the other two; half of both is the time of a message.
//! - one-way: copies there only, timed from the end of the first.
//! - exchange: a copy each way, one after the other: one thread can do no two at once.

use std::hint::black_box;
use std::net::Ipv4Addr;

use linerate_core::bench::{Bench, RunError};
use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::observation::{Clock, Observation};
use linerate_core::options::{Granted, MemoryOptions};
use linerate_core::pattern::Pattern;
use linerate_core::payload::{Messages, Turns};
use linerate_core::run::EndState;
use linerate_core::transport::Transport;
use linerate_core::trial::{Half, Sample, Tally, Trial};

use super::TransportError;
use crate::memory::{MemoryError, MessageRings};
use crate::observe::{CLOCK_READS, HostClock, Observer, check_clock, current_cpu, environment};

/// Two ends in one process, between which messages are copied.
#[derive(Debug)]
pub struct MemoryBench {
    clock: HostClock,
    here: MessageRings,
    there: MessageRings,
    observer: Observer,
}

impl MemoryBench {
    /// Memory for messages of up to `largest` bytes, laid out as `asked`. Each end goes round in a
    /// working set of its own for each direction.
    ///
    /// # Errors
    ///
    /// When the host does not have that much memory, or no huge pages.
    pub fn new(clock: HostClock, largest: u64, asked: &MemoryOptions) -> Result<Self, MemoryError> {
        let largest =
            usize::try_from(largest).map_err(|_| MemoryError::Map(std::io::ErrorKind::OutOfMemory.into()))?;
        let (here, there) = (MessageRings::new(largest, asked)?, MessageRings::new(largest, asked)?);
        let checked = check_clock(&clock, CLOCK_READS);
        let observer = Observer::start(&clock, checked, Ipv4Addr::LOCALHOST.into());
        Ok(Self { clock, here, there, observer })
    }

    /// Both ends: what the host is, and what it saw while the copies were made. This ends the watch.
    #[must_use]
    pub fn ends(&mut self) -> [EndState; 2] {
        const NOTHING: &str = "nothing is connected";
        let observation = self.observer.finish(&self.clock, Fact::unknown(NOTHING));
        let observation = Observation { interface: Fact::unknown(NOTHING), ..observation };
        let end = EndState { environment: environment(None), granted: Granted::default(), observation };
        [&self.here, &self.there].map(|rings| {
            let granted = Granted { huge_pages: rings.huge_pages(), ..Granted::default() };
            EndState { granted, ..end.clone() }
        })
    }

    /// The clock that times.
    #[must_use]
    pub const fn timing_clock(&self) -> &Clock {
        self.observer.clock()
    }

    /// This many messages of the pattern: once there, and back where something comes back.
    #[inline]
    fn token(&mut self, pattern: Pattern, messages: u64) {
        let back = pattern != Pattern::OneWay;
        // Beside a short copy it would be dear to look where the next message lies.
        if let (Some((out, into)), Some((reply, arrived))) = (self.here.places(), self.there.places()) {
            for _ in 0..messages {
                copy(out, arrived);
                if back {
                    copy(reply, into);
                }
            }
            self.there.took(messages);
            self.here.took(if back { messages } else { 0 });
            return;
        }
        for _ in 0..messages {
            advance(&mut self.here, &mut self.there);
            if back {
                advance(&mut self.there, &mut self.here);
            }
        }
    }

    /// Runs the trial between messages that are laid out and written.
    fn time(&mut self, trial: &Trial) -> (Half, Half) {
        self.token(trial.pattern, trial.untimed());
        let mut elapsed = Vec::with_capacity(trial.samples as usize);
        let mut last = self.clock.now();
        for _ in 0..trial.samples {
            self.token(trial.pattern, trial.batch.into());
            let now = self.clock.now();
            elapsed.push(now.since(last));
            last = now;
        }
        let messages = self.there.arrived();
        let bytes = messages * trial.size;
        let there = Tally { sent: messages, sent_bytes: bytes, ..Tally::default() };
        let (initiator, responder) = match trial.pattern {
            Pattern::OneWay => {
                (there, Tally { received: messages, received_bytes: bytes, ..Tally::default() })
            }
            Pattern::PingPong | Pattern::Exchange => {
                let both = Tally { received: messages, received_bytes: bytes, ..there };
                (both, both)
            }
        };
        let half = |tally, elapsed| Half { elapsed, tally, waiting: [0, 0], corruption: None, effort: None };
        if trial.pattern.timed_by_responder() {
            (half(initiator, Vec::new()), half(responder, elapsed))
        } else {
            (half(initiator, elapsed), half(responder, Vec::new()))
        }
    }
}

impl Bench for MemoryBench {
    fn run(&mut self, trial: &Trial) -> Result<Sample, RunError> {
        let begin = self.clock.now();
        let link = |source| RunError::Link { size: trial.size, source };
        let size = trial.message_len().map_err(link)?;
        let largest = self.here.largest();
        if size > largest {
            return Err(link(LinkError::TooLong { size: trial.size, largest: largest as u64 }));
        }
        // The two directions use complementary seeds, as everywhere.
        for (end, seed) in [(&mut self.here, trial.seed), (&mut self.there, !trial.seed)] {
            end.prepare(size, seed, trial.check);
            end.turns(size);
        }
        let (mut initiator, mut responder) = self.time(trial);
        responder.corruption = self.there.inspect(size, trial.seed, trial.check).err();
        initiator.corruption = self.here.inspect(size, !trial.seed, trial.check).err();
        self.observer.saw(&initiator.tally, current_cpu());
        Sample::join(trial, &initiator, &responder, self.clock.now().since(begin))
    }
}

/// Copies the next message.
#[inline]
fn advance(from: &mut MessageRings, to: &mut MessageRings) {
    copy(from.outgoing(), to.incoming());
    from.sent();
    to.received();
}

/// Copies a message; the compiler may know neither what is copied nor that nobody looks.
#[inline]
fn copy(message: &[u8], into: &mut [u8]) {
    let into = black_box(into);
    into.copy_from_slice(black_box(message));
    black_box(into);
}

/// What to say where the transport is asked for with a peer.
pub(super) fn no_peer() -> TransportError {
    TransportError::lacking(
        Transport::Memory,
        "it copies within one process and has no peer; measure it without a host",
    )
}
