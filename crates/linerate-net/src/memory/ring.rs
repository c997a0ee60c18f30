//! Memory that messages cycle through, so that it fits a cache or does not.

use std::io;

use linerate_core::environment::Fact;
use linerate_core::options::MemoryOptions;
use linerate_core::payload::CACHE_LINE;
use linerate_core::units::Size;

use crate::observe::{available_memory, huge_pages_at};
use crate::sys::pages::{HUGE, Pages};

const PAGE: usize = 4096;

/// Slots for messages of one size, taken in turn.
///
/// Messages of a page and more, and all messages for which a distance from a page boundary is
/// asked, begin at that distance from one. Smaller messages follow each other by whole cache lines,
/// so that they fill the caches as the working set says.
#[derive(Debug)]
pub struct Ring {
    pages: Pages,
    working_set: usize,
    largest: usize,
    offset: u16,
    /// Where the first message begins, how far apart they are, and where the last slot ends. Unit:
    /// bytes.
    first: usize,
    stride: usize,
    end: usize,
    size: usize,
    slots: usize,
    /// Where the message begins whose turn it is.
    at: usize,
}

/// Why memory could not be reserved. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The host does not have that much memory.
    #[error("reserve {needed} B for messages: {available} B are free")]
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

/// What one direction takes of messages of up to `largest` bytes. Unit: bytes.
#[must_use]
pub fn footprint(largest: u64, asked: &MemoryOptions) -> u64 {
    let set = asked.working_set.map_or(0, Size::bytes);
    let bytes = stride(largest, asked.offset).max(set).saturating_add(asked.offset.into());
    let unit = if asked.huge_pages { HUGE as u64 } else { 1 };
    bytes.checked_next_multiple_of(unit).unwrap_or(u64::MAX)
}

/// Distance between neighbouring messages of `size` bytes. Unit: bytes.
fn stride(size: u64, offset: u16) -> u64 {
    let unit = if size >= PAGE as u64 || offset > 0 { PAGE } else { CACHE_LINE };
    size.max(1).checked_next_multiple_of(unit as u64).unwrap_or(u64::MAX)
}

/// Refuses to take more than the host has, if it says how much that is.
pub(super) fn check_available(needed: u64) -> Result<(), MemoryError> {
    match available_memory().known() {
        Some(available) if needed > *available => Err(MemoryError::Short { needed, available: *available }),
        _ => Ok(()),
    }
}

impl Ring {
    /// Memory as `asked` for messages of up to `largest` bytes, laid out for that size: one slot at
    /// least, whatever the working set is. Every page of it is touched.
    ///
    /// # Errors
    ///
    /// When the host does not have that much memory, or no huge pages.
    pub fn new(largest: usize, asked: &MemoryOptions) -> Result<Self, MemoryError> {
        let needed = footprint(largest as u64, asked);
        check_available(needed)?;
        let none = || MemoryError::Map(io::ErrorKind::OutOfMemory.into());
        let len = usize::try_from(needed).map_err(|_| none())?;
        let working_set = asked.working_set.map_or(Ok(0), |set| usize::try_from(set.bytes()));
        let working_set = working_set.map_err(|_| none())?;
        let mut pages = if asked.huge_pages {
            Pages::huge(len).map_err(|errno| MemoryError::Huge(errno.into()))?
        } else {
            Pages::new(len).map_err(|errno| MemoryError::Map(errno.into()))?
        };
        pages.bytes_mut().fill(0);
        let first = usize::from(asked.offset);
        let mut ring = Self {
            pages,
            working_set,
            largest,
            offset: asked.offset,
            first,
            stride: 0,
            end: 0,
            size: 0,
            slots: 0,
            at: 0,
        };
        ring.lay_out(largest);
        Ok(ring)
    }

    /// Divides the memory into slots for messages of `size` bytes, and gives the first its turn.
    ///
    /// # Panics
    ///
    /// If that is more than the largest.
    pub fn lay_out(&mut self, size: usize) {
        assert!(size <= self.largest, "{size} B are above {} B", self.largest);
        // Not more than that of the largest message, which there is memory for.
        self.stride = stride(size as u64, self.offset) as usize;
        self.slots = (self.working_set / self.stride).max(1);
        self.end = self.first + self.slots * self.stride;
        (self.size, self.at) = (size, self.first);
    }

    /// The longest message. Unit: bytes.
    #[must_use]
    pub const fn largest(&self) -> usize {
        self.largest
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
    /// If there are fewer slots.
    #[inline]
    #[must_use]
    pub fn slot(&self, slot: usize) -> &[u8] {
        &self.pages.bytes()[self.first + slot * self.stride..][..self.size]
    }

    /// The same, to write.
    ///
    /// # Panics
    ///
    /// As there.
    pub fn slot_mut(&mut self, slot: usize) -> &mut [u8] {
        &mut self.pages.bytes_mut()[self.first + slot * self.stride..][..self.size]
    }

    /// The memory of the message whose turn it is.
    #[inline]
    #[must_use]
    pub fn current(&self) -> &[u8] {
        &self.pages.bytes()[self.at..][..self.size]
    }

    /// The same, to write.
    #[inline]
    pub fn current_mut(&mut self) -> &mut [u8] {
        &mut self.pages.bytes_mut()[self.at..][..self.size]
    }

    /// Gives the next message its turn.
    #[inline]
    pub const fn advance(&mut self) {
        // A division would be expensive beside a short copy.
        let next = self.at + self.stride;
        self.at = if next == self.end { self.first } else { next };
    }

    /// Writes the message of the first slot into all others.
    pub fn repeat(&mut self) {
        let message = self.first..self.first + self.size;
        for slot in 1..self.slots {
            self.pages.bytes_mut().copy_within(message.clone(), self.first + slot * self.stride);
        }
    }

    /// Writes `message` into every slot.
    ///
    /// # Panics
    ///
    /// If it has another size than the slots.
    pub fn fill(&mut self, message: &[u8]) {
        for slot in 0..self.slots {
            self.slot_mut(slot).copy_from_slice(message);
        }
    }

    /// From the first message's begin to the last one's end.
    #[must_use]
    pub fn memory(&self) -> &[u8] {
        &self.pages.bytes()[self.first..self.end - self.stride + self.size]
    }

    /// The same, to write.
    #[must_use]
    pub fn memory_mut(&mut self) -> &mut [u8] {
        &mut self.pages.bytes_mut()[self.first..self.end - self.stride + self.size]
    }

    /// How much of it the kernel has in huge pages now. Unit: bytes.
    #[must_use]
    pub fn huge_pages(&self) -> Fact<u64> {
        huge_pages_at(self.pages.as_ptr().addr())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
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
    #[case(4096, Some(1 << 20), 1, 256, 4096)]
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
            let place = ring.current_mut().as_ptr().addr();
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

    proptest! {
        #[test]
        fn places_keep_the_offset_fill_the_working_set_and_never_overlap(
            size in 1_usize..20_000,
            set in 0_u64..200_000,
            offset in 0_u16..4096,
        ) {
            let mut ring = Ring::new(20_000, &asked(Some(set), offset)).expect("memory");
            ring.lay_out(size);
            let unit = if size < PAGE && offset == 0 { CACHE_LINE } else { PAGE };
            let memory = ring.memory().as_ptr_range();
            let mut last_end = memory.start.addr();
            for _ in 0..ring.slots() {
                let place = ring.current();
                prop_assert_eq!(place.len(), size);
                let at = place.as_ptr().addr();
                prop_assert_eq!(at % unit, usize::from(offset) % unit);
                prop_assert!(at >= last_end);
                last_end = at + size;
                ring.advance();
            }
            prop_assert_eq!(last_end, memory.end.addr());
            let first = ring.current().as_ptr().addr();
            prop_assert_eq!(first, memory.start.addr(), "it goes round");
            prop_assert_eq!(first % PAGE, usize::from(offset));
            prop_assert!(last_end - first <= size.max(set as usize));
            // Not one more would fit.
            prop_assert!((ring.slots() + 1) * ring.stride() > set as usize);
        }
    }
}
