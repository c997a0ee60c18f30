//! The bytes of a message: a pattern that depends on position, so that a lost, stale or misplaced
//! byte is detected.
//!
//! Byte `i` belongs to 64-bit little-endian word `i / 8`, whose value is the word's number times
//! an odd constant, xor a seed. The two directions use complementary seeds.

mod messages;

use std::collections::TryReserveError;

pub use messages::{Messages, OnePlace, Turns};

/// Odd, so that multiplication by it maps words to words one to one (2^64 over the golden ratio).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
/// How many places of a message a timed pass marks and checks.
const MARKS: u64 = 64;
const WORD: usize = 8;
const PAGE: usize = 4096;

/// A cache line of x86-64 and nearly all AArch64 processors. Unit: bytes.
pub const CACHE_LINE: usize = 64;

/// A byte that arrived wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("byte {offset} of a message arrived as {found:#04x} instead of {expected:#04x}")]
pub struct Corruption {
    /// Where in the message.
    pub offset: u64,
    /// What was sent.
    pub expected: u8,
    /// What arrived.
    pub found: u8,
}

/// How much of a message is written before, and checked after, the timed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// Every byte: the untimed verification pass.
    Full,
    /// Head, tail and some places between: the timed passes.
    Marks,
}

/// One end's message buffers, page-aligned, one for each direction.
#[derive(Debug)]
pub struct Buffers {
    out: Aligned,
    into: Aligned,
}

impl Buffers {
    /// Buffers for messages of up to `largest` bytes.
    ///
    /// # Errors
    ///
    /// When there is no memory for them.
    pub fn try_new(largest: usize) -> Result<Self, TryReserveError> {
        Ok(Self { out: Aligned::try_new(largest)?, into: Aligned::try_new(largest)? })
    }

    /// Buffers for messages of up to `largest` bytes.
    ///
    /// # Panics
    ///
    /// When there is no memory for them.
    #[must_use]
    pub fn new(largest: usize) -> Self {
        Self::try_new(largest).expect("memory for two messages")
    }

    /// Both whole buffers: what is sent, and where what arrives goes.
    pub fn whole(&mut self) -> (&mut [u8], &mut [u8]) {
        (self.out.get(), self.into.get())
    }

    /// The first `size` bytes of each: what is sent, and where what arrives goes.
    ///
    /// # Panics
    ///
    /// If `size` is larger than the buffers.
    pub fn message(&mut self, size: usize) -> (&[u8], &mut [u8]) {
        (&self.out.get()[..size], &mut self.into.get()[..size])
    }

    /// Writes the outgoing message of `size` bytes.
    pub fn prepare(&mut self, size: usize, seed: u64, check: Check) {
        write(&mut self.out.get()[..size], seed, check);
    }

    /// Checks the message of `size` bytes that arrived last.
    ///
    /// # Errors
    ///
    /// The first byte that is not what the other end wrote.
    pub fn inspect(&mut self, size: usize, seed: u64, check: Check) -> Result<(), Corruption> {
        inspect(&self.into.get()[..size], seed, check)
    }
}

/// A buffer that begins on a page boundary.
#[derive(Debug)]
struct Aligned {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    fn try_new(len: usize) -> Result<Self, TryReserveError> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(len.saturating_add(PAGE))?;
        // Written now, so that no page fault falls into a timed part.
        memory.resize(len + PAGE, 0_u8);
        let start = memory.as_ptr().align_offset(PAGE).min(PAGE);
        Ok(Self { memory, start, len })
    }

    fn get(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

const fn word(index: u64, seed: u64) -> [u8; WORD] {
    (index.wrapping_mul(SPREAD) ^ seed).to_le_bytes()
}

/// The byte that belongs at `offset` of a message with this seed.
#[inline]
#[must_use]
pub const fn byte(offset: u64, seed: u64) -> u8 {
    word(offset / WORD as u64, seed)[(offset % WORD as u64) as usize]
}

/// Writes a message with this seed, as much of it as `check` asks.
pub fn write(message: &mut [u8], seed: u64, check: Check) {
    match check {
        Check::Full => fill(message, seed),
        Check::Marks => mark(message, seed),
    }
}

/// Checks a message that arrived, as closely as `check` asks.
///
/// # Errors
///
/// The first byte that does not match this seed.
pub fn inspect(message: &[u8], seed: u64, check: Check) -> Result<(), Corruption> {
    match check {
        Check::Full => verify(message, seed),
        Check::Marks => verify_marks(message, seed),
    }
}

/// Writes the whole of a message with this seed.
pub fn fill(message: &mut [u8], seed: u64) {
    let (words, tail) = message.as_chunks_mut::<WORD>();
    let count = words.len() as u64;
    for (index, place) in (0..).zip(words) {
        *place = word(index, seed);
    }
    tail.copy_from_slice(&word(count, seed)[..tail.len()]);
}

/// Reads one byte of every cache line, so that the processor fetches the line.
#[inline]
pub fn touch(bytes: &[u8]) {
    let sum = bytes.iter().step_by(CACHE_LINE).fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    std::hint::black_box(sum);
}

fn verify(message: &[u8], seed: u64) -> Result<(), Corruption> {
    let (words, tail) = message.as_chunks::<WORD>();
    let bad = (0..).zip(words).find(|(index, found)| word(*index, seed) != **found);
    let (first, suspects) = match bad {
        Some((index, found)) => (index * WORD as u64, found.as_slice()),
        None => ((words.len() * WORD) as u64, tail),
    };
    (first..).zip(suspects).try_for_each(|(offset, found)| compare(offset, *found, seed))
}

fn compare(offset: u64, found: u8, seed: u64) -> Result<(), Corruption> {
    let expected = byte(offset, seed);
    if expected == found { Ok(()) } else { Err(Corruption { offset, expected, found }) }
}

/// The marked offsets: evenly spread, with the first and the last byte among them.
fn marks(size: usize) -> impl Iterator<Item = usize> {
    let last = size.saturating_sub(1) as u128;
    let steps = u128::from(MARKS - 1).min(last).max(1);
    let count = if size == 0 { 0 } else { steps + 1 };
    (0..count).map(move |step| usize::try_from(last * step / steps).unwrap_or(0))
}

fn mark(message: &mut [u8], seed: u64) {
    for offset in marks(message.len()) {
        message[offset] = byte(offset as u64, seed);
    }
}

fn verify_marks(message: &[u8], seed: u64) -> Result<(), Corruption> {
    marks(message.len()).try_for_each(|offset| compare(offset as u64, message[offset], seed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sent(size: usize, seed: u64, check: Check) -> Buffers {
        let mut buffers = Buffers::new(size);
        buffers.prepare(size, seed, check);
        let (out, into) = buffers.message(size);
        into.copy_from_slice(out);
        buffers
    }

    #[test]
    fn both_ends_of_a_message_are_marked() {
        for size in [1, 2, 3, 63, 64, 65, 1000] {
            let offsets: Vec<_> = marks(size).collect();
            assert_eq!(offsets.first(), Some(&0), "{size}");
            assert_eq!(offsets.last(), Some(&(size - 1)), "{size}");
            assert!(offsets.is_sorted() && offsets.len() <= MARKS as usize, "{size}: {offsets:?}");
        }
    }

    #[test]
    fn the_message_of_an_earlier_trial_is_seen_as_stale() {
        let mut buffers = sent(4096, 1, Check::Marks);
        assert!(buffers.inspect(4096, 1, Check::Marks).is_ok());
        assert!(buffers.inspect(4096, 2, Check::Marks).is_err());
    }

    proptest! {
        #[test]
        fn a_full_check_finds_any_one_changed_byte(size in 1_usize..5000, at in any::<prop::sample::Index>(), flip in 1_u8.., seed: u64) {
            let mut buffers = sent(size, seed, Check::Full);
            prop_assert_eq!(buffers.inspect(size, seed, Check::Full), Ok(()));
            let offset = at.index(size);
            let (_, into) = buffers.message(size);
            into[offset] ^= flip;
            let found = buffers.inspect(size, seed, Check::Full).expect_err("a byte was changed");
            prop_assert_eq!(found.offset, offset as u64);
            prop_assert_eq!(found.expected ^ found.found, flip);
        }
    }
}
