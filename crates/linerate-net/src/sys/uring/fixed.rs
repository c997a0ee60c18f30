//! `write_fixed` and `read_fixed`: the messages' memory is registered once, so that the kernel need
//! not look its pages up for every request. It copies as `send` and `recv` do.
//!
//! Held memory is registered where it lies. Loose bytes, and calls that must not wait, go through
//! the ring as plain `send` and `recv`.

use std::io;
use std::ops::Range;
use std::os::fd::BorrowedFd;

use io_uring::opcode;
use linerate_core::units::Span;
use rustix::io::Errno;

use super::{Ring, descriptor, length, plain};
use crate::wait::{Wait, retry};

/// Most that one registered buffer may have; larger memory is several.  Source: io_uring_register(2).
const LARGEST: usize = 1 << 30;

/// One direction of a socket.
#[derive(Debug)]
pub(crate) struct Fixed {
    ring: Ring,
    /// Addresses that are registered, in pieces of [`LARGEST`] from the begin.
    registered: Range<usize>,
}

impl Fixed {
    pub(crate) fn open(patience: Span) -> io::Result<Self> {
        let ring = Ring::open(patience)?;
        ring.need(opcode::WriteFixed::CODE, "its io_uring has no registered buffers")?;
        ring.need(opcode::Send::CODE, "its io_uring has no `send`, which came with Linux 5.6")?;
        Ok(Self { ring, registered: 0..0 })
    }

    /// Registers memory, in place of what was.
    pub(crate) fn register(&mut self, memory: &[u8]) -> Result<(), Errno> {
        self.unregister()?;
        if memory.is_empty() {
            return Ok(());
        }
        let part =
            |part: &[u8]| libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() };
        let parts: Vec<_> = memory.chunks(LARGEST).map(part).collect();
        // SAFETY: the kernel takes references to the pages, which stay although the memory may be
        // freed. It reads or writes them only for requests, and every request names memory that is
        // borrowed until its answer has come.
        let registered = unsafe { self.ring.ring.submitter().register_buffers(&parts) };
        registered.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        let range = memory.as_ptr_range();
        self.registered = range.start.addr()..range.end.addr();
        Ok(())
    }

    /// Ends the registration, if there is one.
    pub(crate) fn unregister(&mut self) -> Result<(), Errno> {
        if self.registered.is_empty() {
            return Ok(());
        }
        self.registered = 0..0;
        let ended = self.ring.ring.submitter().unregister_buffers();
        ended.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }

    pub(crate) fn write(&mut self, socket: BorrowedFd<'_>, data: &[u8], wait: Wait) -> Result<usize, Errno> {
        let Some((index, len)) = self.place(data, wait) else {
            return plain::send(&mut self.ring, socket, data, wait);
        };
        let request = opcode::WriteFixed::new(descriptor(socket), data.as_ptr(), len, index).build();
        // SAFETY: `data` is borrowed until the answer has come, and is only read. A write has one
        // answer.
        retry(|| unsafe { self.ring.perform(request.clone()) })
    }

    pub(crate) fn read(
        &mut self,
        socket: BorrowedFd<'_>,
        into: &mut [u8],
        wait: Wait,
    ) -> Result<usize, Errno> {
        let Some((index, len)) = self.place(into, wait) else {
            return plain::recv(&mut self.ring, socket, into, wait);
        };
        let request = opcode::ReadFixed::new(descriptor(socket), into.as_mut_ptr(), len, index).build();
        // SAFETY: `into` is borrowed for this alone until the answer has come. A read has one
        // answer.
        retry(|| unsafe { self.ring.perform(request.clone()) })
    }

    /// In which registered buffer `bytes` begin, and how many of them are in it.
    fn place(&self, bytes: &[u8], wait: Wait) -> Option<(u16, u32)> {
        let range = bytes.as_ptr_range();
        let (start, end) = (range.start.addr(), range.end.addr());
        let inside = wait == Wait::Patiently
            && !bytes.is_empty()
            && self.registered.start <= start
            && end <= self.registered.end;
        if !inside {
            return None;
        }
        let offset = start - self.registered.start;
        let len = bytes.len().min(LARGEST - offset % LARGEST);
        Some((u16::try_from(offset / LARGEST).ok()?, length(len)))
    }
}
