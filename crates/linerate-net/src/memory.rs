//! Memory that messages go round in, so that it fits a cache or does not.

mod working_set;

use std::io;

use linerate_core::environment::Fact;
use linerate_core::options::MemoryOptions;

use crate::observe::{available_memory, huge_pages_at};
use crate::sys::pages::Pages;

pub use working_set::{WorkingSetError, working_set};

const PAGE: usize = 4096;
/// What small messages begin on, so that no two share a cache line. Unit: bytes.
const LINE: usize = 64;

/// Slots for messages of one size, taken in turn.
///
/// Messages of a page and more, and all messages for which a distance from a page boundary is
/// asked, begin at that distance from one. Smaller messages follow each other by whole cache lines,
/// so that they fill the caches as the working set says.
#[derive(Debug)]
pub struct Ring {
    pages: Pages,
    /// Where the first message begins, and how far apart they are. Unit: bytes.
    first: usize,
    stride: usize,
    size: usize,
    slots: usize,
    at: usize,
}

/// Memory that is not to be had. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The host has not so much.
    #[error(
        "reserve {needed} B for messages: {available} B are free; choose a smaller working-set or message"
    )]
    Short {
        /// What was asked. Unit: bytes.
        needed: u64,
        /// What there is. Unit: bytes.
        available: u64,
    },
    /// The kernel has no huge pages.
    #[error("reserve huge pages: {0}; this kernel has no transparent huge pages, leave huge-pages out")]
    Huge(io::Error),
    /// The kernel gives no memory.
    #[error("reserve memory for messages: {0}")]
    Map(io::Error),
}

impl Ring {
    /// Memory as `asked` for messages of `size` bytes: one slot at least, whatever the working set
    /// is. Every page of it is touched.
    ///
    /// # Errors
    ///
    /// When the host has not so much.
    pub fn new(size: usize, asked: &MemoryOptions) -> Result<Self, MemoryError> {
        let first = usize::from(asked.offset) % PAGE;
        let unit = if size >= PAGE || first > 0 { PAGE } else { LINE };
        let stride = size.max(1).saturating_add(if unit == PAGE { first } else { 0 });
        let stride = stride.checked_next_multiple_of(unit).unwrap_or(usize::MAX);
        let set = asked.working_set.map_or(0, |set| usize::try_from(set.bytes()).unwrap_or(usize::MAX));
        let slots = (set / stride).max(1);
        let len = stride.saturating_mul(slots);
        if let Some(available) = available_memory().known().copied()
            && len as u64 > available
        {
            return Err(MemoryError::Short { needed: len as u64, available });
        }
        let mut pages = if asked.huge_pages {
            Pages::huge(len).map_err(|errno| MemoryError::Huge(errno.into()))?
        } else {
            Pages::new(len).map_err(|errno| MemoryError::Map(errno.into()))?
        };
        pages.bytes_mut().fill(0);
        Ok(Self { pages, first, stride, size, slots, at: 0 })
    }

    /// How many messages there is room for.
    #[must_use]
    pub const fn slots(&self) -> usize {
        self.slots
    }

    /// Distance from one message to the next. Unit: bytes.
    #[must_use]
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// The memory of message number `slot`.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[inline]
    #[must_use]
    pub fn slot(&self, slot: usize) -> &[u8] {
        &self.pages.bytes()[self.first + slot * self.stride..][..self.size]
    }

    /// The memory of the message whose turn it is.
    #[inline]
    pub fn current(&mut self) -> &mut [u8] {
        &mut self.pages.bytes_mut()[self.first + self.at * self.stride..][..self.size]
    }

    /// Gives the next message its turn.
    #[inline]
    pub const fn advance(&mut self) {
        self.at = (self.at + 1) % self.slots;
    }

    /// Writes `message` into every slot.
    ///
    /// # Panics
    ///
    /// If it has another size than the slots.
    pub fn fill(&mut self, message: &[u8]) {
        for _ in 0..self.slots {
            self.current().copy_from_slice(message);
            self.advance();
        }
    }

    /// All of it.
    #[must_use]
    pub const fn memory(&self) -> &[u8] {
        self.pages.bytes()
    }

    /// All of it, to write.
    #[must_use]
    pub const fn memory_mut(&mut self) -> &mut [u8] {
        self.pages.bytes_mut()
    }

    /// How much of it the kernel has in huge pages now. Unit: bytes.
    #[must_use]
    pub fn huge_pages(&self) -> Fact<u64> {
        huge_pages_at(self.pages.as_ptr().addr())
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Size;
    use rstest::rstest;

    use super::*;

    fn asked(working_set: Option<u64>, offset: u16) -> MemoryOptions {
        MemoryOptions { working_set: working_set.map(Size), offset, ..MemoryOptions::default() }
    }

    #[rstest]
    #[case(1, None, 0, 1, 64)]
    #[case(1, Some(1 << 20), 0, 1 << 14, 64)]
    #[case(65, Some(1 << 20), 0, 1 << 13, 128)]
    #[case(65, Some(1 << 20), 8, 256, 4096)]
    #[case(4096, Some(1 << 20), 0, 256, 4096)]
    #[case(4096, Some(1 << 20), 1, 128, 8192)]
    #[case(128 << 10, Some(1 << 20), 0, 8, 128 << 10)]
    #[case(128 << 10, Some(1), 0, 1, 128 << 10)]
    fn messages_lie_as_asked(
        #[case] size: usize,
        #[case] set: Option<u64>,
        #[case] offset: u16,
        #[case] slots: usize,
        #[case] stride: usize,
    ) {
        let mut ring = Ring::new(size, &asked(set, offset)).expect("memory");
        assert_eq!((ring.slots(), ring.stride()), (slots, stride));
        let unit = if stride.is_multiple_of(4096) { 4096 } else { 64 };
        let mut places = Vec::new();
        for slot in 0..slots {
            let place = ring.current().as_ptr().addr();
            assert_eq!(place, ring.slot(slot).as_ptr().addr());
            assert_eq!(place % unit, usize::from(offset), "slot {slot}");
            places.push(place);
            ring.advance();
        }
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] == stride));
        assert_eq!(ring.current().as_ptr().addr(), places[0], "it goes round");
    }

    #[test]
    fn every_slot_has_the_message() {
        let mut ring = Ring::new(100, &asked(Some(10_000), 7)).expect("memory");
        let message: Vec<u8> = (0..100).collect();
        ring.fill(&message);
        assert_eq!(ring.slots(), 2);
        assert!((0..ring.slots()).all(|slot| ring.slot(slot) == message));
    }

    #[test]
    fn more_than_the_host_has_is_refused_by_how_much() {
        let error = Ring::new(1, &asked(Some(1 << 60), 0)).expect_err("an exbibyte");
        assert!(matches!(error, MemoryError::Short { needed, available } if needed > available), "{error}");
    }

    #[test]
    fn huge_pages_are_said_as_the_kernel_granted_them() {
        let wanted = MemoryOptions { huge_pages: true, ..asked(Some(4 << 20), 0) };
        match Ring::new(64 << 10, &wanted) {
            Ok(ring) => {
                // The kernel may be out of them, or told to give none; it never gives others.
                let huge = *ring.huge_pages().known().expect("smaps");
                assert!(huge.is_multiple_of(2 << 20) && huge <= 6 << 20, "{huge} B");
                let place = ring.memory().as_ptr().addr();
                assert_eq!(place % (2 << 20), 0, "huge pages need a boundary of their own");
            }
            Err(error) => assert!(matches!(error, MemoryError::Huge(_)), "{error}"),
        }
    }
}
