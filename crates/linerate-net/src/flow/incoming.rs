//! What one end of a bulk flow has received.

use linerate_core::payload::touch;
use linerate_core::traffic::{Datagrams, HalfAccount, Progress};
use linerate_core::units::Time;

use super::{Counter, ReaderPace};
use crate::memory::Ring;
use crate::observe::{HostClock, thread_time};

/// Where bytes go.
#[derive(Debug)]
enum Buffer<'a> {
    One(&'a mut [u8]),
    /// The slots in turn, each for what one call brings.
    Ring(&'a mut Ring),
}

/// What a flow has received, and where the next bytes go.
#[derive(Debug)]
pub struct Incoming<'a> {
    clock: HostClock,
    progress: Progress,
    buffer: Buffer<'a>,
    touch: bool,
    pace: Option<ReaderPace>,
    counter: &'a Counter,
    /// Processor time of the thread when it began to count.
    worked: Time,
    /// What became of single datagrams, kept by a datagram transport.
    pub datagrams: Option<Datagrams>,
}

impl<'a> Incoming<'a> {
    /// A flow whose bytes go into `buffer`, again and again.
    pub fn new(clock: HostClock, progress: Progress, buffer: &'a mut [u8], counter: &'a Counter) -> Self {
        let buffer = Buffer::One(buffer);
        Self {
            clock,
            progress,
            buffer,
            touch: false,
            pace: None,
            counter,
            worked: thread_time(),
            datagrams: None,
        }
    }

    /// Puts the bytes into the slots of `ring` instead, in turn.
    #[must_use]
    pub fn through(mut self, ring: &'a mut Ring) -> Self {
        self.buffer = Buffer::Ring(ring);
        self
    }

    /// All the memory that bytes go to.
    pub fn memory(&mut self) -> &mut [u8] {
        match &mut self.buffer {
            Buffer::One(buffer) => buffer,
            Buffer::Ring(ring) => ring.memory_mut(),
        }
    }

    /// Reads a byte of every cache line that arrived.
    #[must_use]
    pub const fn touched(mut self, touch: bool) -> Self {
        self.touch = touch;
        self
    }

    /// Pauses after each read, as `pace` says: a reader that takes its time.
    #[must_use]
    pub fn paced(mut self, pace: Option<ReaderPace>) -> Self {
        self.pace = pace;
        self
    }

    /// Where the next bytes go.
    #[inline]
    pub fn buffer(&mut self) -> &mut [u8] {
        match &mut self.buffer {
            Buffer::One(buffer) => buffer,
            Buffer::Ring(ring) => ring.current_mut(),
        }
    }

    /// The same, or `spare` if it has no memory of its own.
    #[inline]
    pub fn buffer_or<'b>(&'b mut self, spare: &'b mut [u8]) -> &'b mut [u8] {
        if let Buffer::One([]) = self.buffer { spare } else { self.buffer() }
    }

    /// Notes that `bytes` arrived at the start of the buffer.
    #[inline]
    pub fn received(&mut self, bytes: usize) {
        self.received_messages(1, bytes);
    }

    /// Notes that `messages` arrived with `bytes` together; whether the warm-up ended with them.
    #[inline]
    pub fn received_messages(&mut self, messages: usize, bytes: usize) -> bool {
        if self.touch {
            let buffer = self.buffer();
            touch(&buffer[..bytes.min(buffer.len())]);
        }
        if let Buffer::Ring(ring) = &mut self.buffer {
            ring.advance();
        }
        self.received_elsewhere(messages, bytes)
    }

    /// Reads `bytes` that arrived in the transport's own memory, if that is asked.
    #[inline]
    pub fn touch(&self, bytes: &[u8]) {
        if self.touch {
            touch(bytes);
        }
    }

    /// Notes that `messages` arrived with `bytes` together, but not in the buffer: the transport
    /// has them in memory of its own, and has [touched](Self::touch) them, or has discarded them.
    /// Whether the warm-up ended with them.
    #[inline]
    pub fn received_elsewhere(&mut self, messages: usize, bytes: usize) -> bool {
        let now = self.clock.now();
        let warm = self.progress.moved(messages as u64, bytes as u64, now);
        if warm {
            self.worked = thread_time();
        }
        self.counter.store(self.progress.bytes());
        if let Some(pace) = &mut self.pace {
            std::thread::sleep(pace.read(bytes as u64, now).to_duration());
        }
        warm
    }

    /// Whether what arrived is to be read.
    #[must_use]
    pub const fn touches(&self) -> bool {
        self.touch
    }

    /// The clock that times this end.
    #[must_use]
    pub const fn clock(&self) -> &HostClock {
        &self.clock
    }

    /// This end's account, except what the caller knows: how it ended, and the socket's options. Called on the
    /// thread that received. It has the `whole` of what was sent, or the flow was broken off.
    #[must_use]
    pub fn account(mut self, whole: bool) -> HalfAccount {
        self.progress.end(whole, self.clock.now());
        let cpu = Some(thread_time().since(self.worked));
        HalfAccount { datagrams: self.datagrams, cpu, ..self.progress.account() }
    }
}
