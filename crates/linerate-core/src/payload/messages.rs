//! Where the messages of one end lie in memory, and in what order the places are used.

use super::{Buffers, Check, Corruption};

/// One end's memory for the messages of a trial.
///
/// [`Buffers`] has one place for each direction; other types may have many.
pub trait Messages {
    /// What a trial goes through, message by message.
    type Turns<'a>: Turns
    where
        Self: 'a;

    /// All the memory that messages of `size` bytes are sent from, and that they arrive in.
    ///
    /// # Panics
    ///
    /// If `size` is larger than there is memory for.
    fn memory(&mut self, size: usize) -> (&[u8], &mut [u8]);

    /// Writes the outgoing message of `size` bytes at every place that it is sent from.
    ///
    /// # Panics
    ///
    /// As [`memory`](Self::memory).
    fn prepare(&mut self, size: usize, seed: u64, check: Check);

    /// Begins a trial of messages of `size` bytes at the first place of each direction.
    ///
    /// # Panics
    ///
    /// As [`memory`](Self::memory).
    fn turns(&mut self, size: usize) -> Self::Turns<'_>;

    /// Checks what arrived since the trial began: the last message, and for a full check every
    /// message that no later one has overwritten.
    ///
    /// # Errors
    ///
    /// The first byte that is not what the other end wrote.
    fn inspect(&mut self, size: usize, seed: u64, check: Check) -> Result<(), Corruption>;
}

/// The places of a trial's messages, each direction in turn.
pub trait Turns {
    /// The message that is sent next.
    fn outgoing(&self) -> &[u8];

    /// Where the message that arrives next goes.
    fn incoming(&mut self) -> &mut [u8];

    /// Both at once.
    fn both(&mut self) -> (&[u8], &mut [u8]);

    /// Notes that a message was sent.
    fn sent(&mut self);

    /// Notes that a message has arrived. The application reads it here, if the options say so.
    fn received(&mut self);
}

/// One place for each direction, used for every message.
#[derive(Debug)]
pub struct OnePlace<'a> {
    out: &'a [u8],
    into: &'a mut [u8],
}

impl Messages for Buffers {
    type Turns<'a> = OnePlace<'a>;

    fn memory(&mut self, size: usize) -> (&[u8], &mut [u8]) {
        self.message(size)
    }

    fn prepare(&mut self, size: usize, seed: u64, check: Check) {
        self.prepare(size, seed, check);
    }

    fn turns(&mut self, size: usize) -> OnePlace<'_> {
        let (out, into) = self.message(size);
        OnePlace { out, into }
    }

    fn inspect(&mut self, size: usize, seed: u64, check: Check) -> Result<(), Corruption> {
        self.inspect(size, seed, check)
    }
}

impl Turns for OnePlace<'_> {
    #[inline]
    fn outgoing(&self) -> &[u8] {
        self.out
    }

    #[inline]
    fn incoming(&mut self) -> &mut [u8] {
        self.into
    }

    #[inline]
    fn both(&mut self) -> (&[u8], &mut [u8]) {
        (self.out, &mut *self.into)
    }

    #[inline]
    fn sent(&mut self) {}

    #[inline]
    fn received(&mut self) {}
}

impl<T: Turns> Turns for &mut T {
    #[inline]
    fn outgoing(&self) -> &[u8] {
        (**self).outgoing()
    }

    #[inline]
    fn incoming(&mut self) -> &mut [u8] {
        (**self).incoming()
    }

    #[inline]
    fn both(&mut self) -> (&[u8], &mut [u8]) {
        (**self).both()
    }

    #[inline]
    fn sent(&mut self) {
        (**self).sent();
    }

    #[inline]
    fn received(&mut self) {
        (**self).received();
    }
}
