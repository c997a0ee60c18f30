//! Copies in one process, from one buffer to another: no peer and no system call, so what is left
//! is what the memory itself takes. NetPIPE's memcpy module asks the same, but copies a buffer
//! onto itself unless told otherwise; here the buffers of the two ends are distinct.
//!
//! - ping-pong: a copy from the first end's outgoing buffer to the second's incoming one, then a
//!   copy back between the other two; half of both is the time of a message.
//! - stream: copies there only, timed from the end of the first.
//! - exchange: a copy each way, one after the other: one thread can do no two at once.

mod slots;

use std::hint::black_box;
use std::net::Ipv4Addr;

use linerate_core::bench::{Bench, RunError};
use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::observation::{Clock, Observation};
use linerate_core::options::{Granted, MemoryOptions};
use linerate_core::pattern::Pattern;
use linerate_core::payload::{Buffers, Check, Corruption};
use linerate_core::run::End;
use linerate_core::transport::Transport;
use linerate_core::trial::{Half, Sample, Tally, Trial};

use self::slots::Slots;
use super::TransportError;
use crate::observe::{HostClock, check_clock, current_cpu, environment};
use crate::witness::{CLOCK_READS, Witness};

/// Bytes of a cache line on the processors that matter.
const LINE: usize = 64;

/// Two ends in one process, between which messages are copied.
#[derive(Debug)]
pub struct MemoryBench {
    clock: HostClock,
    there: Course,
    back: Course,
    touch: bool,
    /// Where messages are written and looked at.
    scratch: Buffers,
    witness: Witness,
}

impl MemoryBench {
    /// Buffers for messages of up to `largest` bytes, laid out as `memory` says. Each end goes
    /// round in a working set of its own for each direction.
    ///
    /// # Errors
    ///
    /// [`TransportError::System`] when there is no memory for them, or when huge pages are asked
    /// for and the kernel refuses the wish.
    pub fn new(clock: HostClock, largest: u64, memory: &MemoryOptions) -> Result<Self, TransportError> {
        let course = || {
            Ok::<_, TransportError>(Course {
                from: Slots::try_new(largest, memory)?,
                to: Slots::try_new(largest, memory)?,
                next: 0,
                copied: 0,
            })
        };
        let largest = usize::try_from(largest).unwrap_or(usize::MAX);
        let scratch = Buffers::try_new(largest).map_err(|_| no_memory())?;
        let (there, back) = (course()?, course()?);
        let checked = check_clock(&clock, CLOCK_READS);
        let witness = Witness::start(&clock, checked, Ipv4Addr::LOCALHOST.into());
        Ok(Self { clock, there, back, touch: memory.touch, scratch, witness })
    }

    /// What the host is, and what it saw while the copies were made: this ends the watch.
    #[must_use]
    pub fn end(&mut self) -> End {
        const NOTHING: &str = "nothing is connected";
        let observation = self.witness.finish(&self.clock, Fact::unknown(NOTHING));
        let observation = Observation { interface: Fact::unknown(NOTHING), ..observation };
        End { environment: environment(None), granted: Granted::default(), observation }
    }

    /// The clock that times.
    #[must_use]
    pub const fn timing_clock(&self) -> &Clock {
        self.witness.clock()
    }

    /// One message of the pattern: once there, and back where something comes back.
    #[inline]
    fn message(&mut self, pattern: Pattern) {
        self.there.copy(self.touch);
        match pattern {
            Pattern::Stream => {}
            Pattern::PingPong | Pattern::Exchange => self.back.copy(self.touch),
        }
    }

    /// Runs the trial between buffers that are laid out and written.
    fn time(&mut self, trial: &Trial) -> (Half, Half) {
        for _ in 0..trial.pattern.opening_messages() {
            self.message(trial.pattern);
        }
        let mut elapsed = Vec::with_capacity(trial.samples as usize);
        let mut last = self.clock.now();
        for _ in 0..trial.samples {
            for _ in 0..trial.batch {
                self.message(trial.pattern);
            }
            let now = self.clock.now();
            elapsed.push(now.since(last));
            last = now;
        }
        let messages = self.there.copied as u64;
        let bytes = messages * trial.size;
        let there = Tally { sent: messages, sent_bytes: bytes, ..Tally::default() };
        let (initiator, responder) = match trial.pattern {
            Pattern::Stream => {
                (there, Tally { received: messages, received_bytes: bytes, ..Tally::default() })
            }
            Pattern::PingPong | Pattern::Exchange => {
                let both = Tally { received: messages, received_bytes: bytes, ..there };
                (both, both)
            }
        };
        let half = |tally, elapsed| Half { elapsed, tally, corruption: None };
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
        let largest = self.there.from.largest();
        if size > largest {
            return Err(link(LinkError::TooLong { size: trial.size, largest: largest as u64 }));
        }
        // The two directions use complementary seeds, as everywhere.
        for (course, seed) in [(&mut self.there, trial.seed), (&mut self.back, !trial.seed)] {
            course.prepare(size, seed, trial.check, &mut self.scratch);
        }
        let (mut initiator, mut responder) = self.time(trial);
        let scratch = &mut self.scratch;
        responder.corruption = self.there.inspect(size, trial.seed, trial.check, scratch).err();
        if trial.pattern != Pattern::Stream {
            initiator.corruption = self.back.inspect(size, !trial.seed, trial.check, scratch).err();
        }
        self.witness.saw(&initiator.tally, current_cpu());
        Sample::join(trial, &initiator, &responder, self.clock.now().since(begin))
    }
}

/// One direction: where its messages come from, and where they go.
#[derive(Debug)]
struct Course {
    from: Slots,
    to: Slots,
    /// Where the next message is, and how many were copied of this trial.
    next: usize,
    copied: usize,
}

impl Course {
    /// Lays messages of `size` bytes out, writes every outgoing one and wipes the incoming ones.
    fn prepare(&mut self, size: usize, seed: u64, check: Check, scratch: &mut Buffers) {
        self.from.lay_out(size);
        self.to.lay_out(size);
        (self.next, self.copied) = (0, 0);
        scratch.prepare(size, seed, check);
        let (message, _) = scratch.message(size);
        for index in 0..self.from.count() {
            self.from.slot(index).copy_from_slice(message);
            self.to.slot(index).fill(0);
        }
    }

    /// Copies the next message.
    #[inline]
    fn copy(&mut self, touch: bool) {
        let index = self.next;
        // A division would be dear beside a short copy.
        self.next = if index + 1 == self.to.count() { 0 } else { index + 1 };
        self.copied += 1;
        let (from, to) = (self.from.slot(index), self.to.slot(index));
        // The compiler may know neither what is copied nor that nobody looks.
        black_box(&mut *to).copy_from_slice(black_box(&*from));
        if touch {
            let sum = to.iter().step_by(LINE).fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
            black_box(sum);
        }
        black_box(to);
    }

    /// Looks at what arrived: at the last message, and for a full check at every one still there.
    fn inspect(
        &mut self,
        size: usize,
        seed: u64,
        check: Check,
        scratch: &mut Buffers,
    ) -> Result<(), Corruption> {
        let kept = match check {
            Check::Full => self.copied.min(self.to.count()),
            Check::Marks => self.copied.min(1),
        };
        let count = self.to.count();
        for number in self.copied - kept..self.copied {
            let (_, into) = scratch.message(size);
            into.copy_from_slice(self.to.slot(number % count));
            scratch.inspect(size, seed, check)?;
        }
        Ok(())
    }
}

/// What to say where the transport is asked for with a peer.
pub(super) fn no_peer() -> TransportError {
    TransportError::lacking(
        Transport::Memory,
        "it copies within one process and has no peer; measure it without a host",
    )
}

fn no_memory() -> TransportError {
    TransportError::system("reserve memory for the messages")(std::io::ErrorKind::OutOfMemory.into())
}
