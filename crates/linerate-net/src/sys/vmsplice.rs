//! Memory as the content of a pipe.
#![expect(unsafe_code, reason = "vmsplice lends memory beyond the call")]

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::pipe::{IoSliceRaw, PipeFlags, SpliceFlags};

/// The write end of a pipe.
#[derive(Debug)]
pub(crate) struct Mouth(OwnedFd);

/// A pipe: its read end and its write end.
pub(crate) fn pipe() -> Result<(OwnedFd, Mouth), Errno> {
    let (read, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    Ok((read, Mouth(write)))
}

impl Mouth {
    /// Puts the pages of `data` into the pipe, without a copy and without giving them away; how
    /// many bytes that was. What is written to them later is seen by who reads the pipe.
    pub(crate) fn vmsplice(&self, data: &[u8]) -> Result<usize, Errno> {
        // SAFETY: this is a write end, from which the kernel never writes to `data`. It takes
        // references to whole pages: memory that is freed stays with the pipe until it is read.
        unsafe { rustix::pipe::vmsplice(&self.0, &[IoSliceRaw::from_slice(data)], SpliceFlags::empty()) }
    }
}

impl AsFd for Mouth {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
