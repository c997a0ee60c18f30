//! Memory in whole pages of its own.
#![expect(unsafe_code, reason = "mappings are bare pointers")]

use std::ptr::{NonNull, null_mut};

use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags};

/// Size of a huge page where it matters: an x86-64 or ARM64 table of 4 KiB pages. Unit: bytes.
pub(crate) const HUGE: usize = 2 << 20;

/// The wish for huge pages, where one can be made known.
#[cfg(on_linux)]
const HUGE_PAGES: Option<Advice> = Some(Advice::LinuxHugepage);
#[cfg(not(on_linux))]
const HUGE_PAGES: Option<Advice> = None;

/// Zeroed memory that begins on a page boundary, or on that of a huge page.
#[derive(Debug)]
pub(crate) struct Pages {
    start: NonNull<u8>,
    len: usize,
    /// What was really mapped.
    mapping: (NonNull<u8>, usize),
}

// SAFETY: the mapping belongs to this value alone, and is plain memory.
unsafe impl Send for Pages {}
// SAFETY: shared, it is only read.
unsafe impl Sync for Pages {}

impl Pages {
    /// At least `len` bytes, and one page at least.
    pub(crate) fn new(len: usize) -> Result<Self, Errno> {
        let (start, mapped) = map(len.max(1))?;
        Ok(Self { start, len, mapping: (start, mapped) })
    }

    /// At least `len` bytes from the boundary of a huge page, with the wish for huge pages.
    ///
    /// Errors: a kernel without huge pages (`EINVAL`).
    pub(crate) fn huge(len: usize) -> Result<Self, Errno> {
        let whole = len.max(1).checked_next_multiple_of(HUGE).ok_or(Errno::NOMEM)?;
        let mapping = map(whole.checked_add(HUGE).ok_or(Errno::NOMEM)?)?;
        let first = mapping.0.as_ptr();
        let skipped = first.addr().next_multiple_of(HUGE) - first.addr();
        // SAFETY: at most `HUGE` bytes are skipped, and the mapping has this many more.
        let start = unsafe { mapping.0.add(skipped) };
        let pages = Self { start, len, mapping };
        // SAFETY: these are pages of this mapping, and the advice changes no content.
        unsafe { rustix::mm::madvise(start.as_ptr().cast(), whole, HUGE_PAGES.ok_or(Errno::INVAL)?)? };
        Ok(pages)
    }

    pub(crate) const fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) const fn bytes(&self) -> &[u8] {
        // SAFETY: this many bytes are mapped and were zero at first; `self` is borrowed.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    pub(crate) const fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`; `self` is borrowed for this alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// Leaves the memory mapped for ever.
    pub(crate) const fn forget(&mut self) {
        self.mapping.1 = 0;
    }
}

fn map(len: usize) -> Result<(NonNull<u8>, usize), Errno> {
    // SAFETY: the kernel chooses the place, so that nothing else is there.
    let start = unsafe {
        rustix::mm::mmap_anonymous(null_mut(), len, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)?
    };
    let start = NonNull::new(start.cast()).ok_or(Errno::NOMEM)?;
    Ok((start, len))
}

impl Drop for Pages {
    fn drop(&mut self) {
        let (start, len) = self.mapping;
        if len == 0 {
            return;
        }
        // SAFETY: mapped with this place and length, and nobody borrows it any more.
        let unmapped = unsafe { rustix::mm::munmap(start.as_ptr().cast(), len) };
        debug_assert!(unmapped.is_ok(), "{unmapped:?}");
    }
}
