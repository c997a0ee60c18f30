//! Memory in which the messages of one direction go round.

use linerate_core::options::MemoryOptions;

use super::{LINE, TransportError, no_memory};
use crate::sys::huge_pages;

const PAGE: usize = 4096;

/// Memory of a working set, divided into places for messages of one size.
///
/// Messages of a page or more begin at a page and the offset. Smaller ones follow each other at
/// cache lines from there on, so that together they fill the working set and not the first line of
/// each of its pages.
#[derive(Debug)]
pub(super) struct Slots {
    memory: Vec<u8>,
    /// The first message's place, on a page boundary plus the offset.
    start: usize,
    working_set: usize,
    largest: usize,
    size: usize,
    stride: usize,
    count: usize,
}

impl Slots {
    /// Memory for a working set, and for at least one message of `largest` bytes.
    pub(super) fn try_new(largest: u64, memory: &MemoryOptions) -> Result<Self, TransportError> {
        let length = |bytes: u64| usize::try_from(bytes).map_err(|_| no_memory());
        let largest = length(largest)?;
        let working_set = memory.working_set.map_or(Ok(0), |size| length(size.0))?;
        let offset = usize::from(memory.offset);
        let len = working_set.max(largest).checked_add(PAGE + offset).ok_or_else(no_memory)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| no_memory())?;
        if memory.huge_pages {
            let wished = huge_pages::wish(bytes.spare_capacity_mut());
            wished.map_err(TransportError::system("ask for huge pages"))?;
        }
        // Written now, so that no page is first touched under the clock.
        bytes.resize(len, 0_u8);
        let start = bytes.as_ptr().align_offset(PAGE).min(PAGE) + offset;
        Ok(Self { memory: bytes, start, working_set, largest, size: 0, stride: 0, count: 1 })
    }

    /// The longest message. Unit: bytes.
    pub(super) const fn largest(&self) -> usize {
        self.largest
    }

    /// Places for messages of `size` bytes.
    pub(super) fn lay_out(&mut self, size: usize) {
        self.size = size;
        self.stride = size.max(1).next_multiple_of(if size < PAGE { LINE } else { PAGE });
        // The last needs no more than its own bytes.
        let whole = (self.working_set + self.stride).saturating_sub(size);
        self.count = (whole / self.stride).max(1);
    }

    /// How many places there are.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// The place of this index.
    ///
    /// # Panics
    ///
    /// Far beyond the last.
    #[inline]
    pub(super) fn slot(&mut self, index: usize) -> &mut [u8] {
        let at = self.start + index * self.stride;
        &mut self.memory[at..at + self.size]
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Size;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_keep_the_offset_fill_the_working_set_and_never_overlap(
            size in 1_usize..20_000,
            working_set in 0_u64..200_000,
            offset in 0_u16..4096,
        ) {
            let memory = MemoryOptions { working_set: Some(Size(working_set)), offset, ..MemoryOptions::default() };
            let mut slots = Slots::try_new(20_000, &memory).expect("memory");
            slots.lay_out(size);
            let page = if size < PAGE { LINE } else { PAGE };
            let mut last_end = None;
            for index in 0..slots.count() {
                let place = slots.slot(index);
                prop_assert_eq!(place.len(), size);
                let at = place.as_ptr().addr();
                prop_assert_eq!(at % page, usize::from(offset) % page);
                prop_assert!(last_end.is_none_or(|end| at >= end));
                last_end = Some(at + size);
            }
            let first = slots.slot(0).as_ptr().addr();
            prop_assert_eq!(first % PAGE, usize::from(offset));
            let used = last_end.expect("at least one") - first;
            prop_assert!(used <= size.max(working_set as usize));
            // Not one more would fit.
            prop_assert!(used + slots.stride > working_set as usize);
        }
    }
}
