//! The wish for huge pages.
#![expect(unsafe_code, reason = "madvise is unsafe, because some of its advices are")]

use std::io;
use std::mem::MaybeUninit;

use rustix::mm::{Advice, madvise};

const PAGE: usize = 4096;

/// Asks the kernel for huge pages (`MADV_HUGEPAGE`) where `memory` has whole pages; it must not
/// have been touched yet. The kernel need not grant any.
pub(crate) fn wish(memory: &mut [MaybeUninit<u8>]) -> io::Result<()> {
    let skipped = memory.as_ptr().align_offset(PAGE).min(memory.len());
    let pages = &mut memory[skipped..];
    let len = pages.len() / PAGE * PAGE;
    if len == 0 {
        return Ok(());
    }
    // SAFETY: the pages belong to `memory`, and this advice changes no byte of them.
    unsafe { Ok(madvise(pages.as_mut_ptr().cast(), len, Advice::LinuxHugepage)?) }
}
