//! `SO_ZEROCOPY`, and `TCP_ZEROCOPY_RECEIVE`: received pages mapped instead of copied.
#![expect(unsafe_code, reason = "socket options and a mapping that no safe crate wraps")]

use std::ffi::c_void;
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::{NonNull, null_mut};

use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags};

use super::foreign;

/// Allows `MSG_ZEROCOPY` on a socket.
pub(crate) fn allow_zerocopy(socket: BorrowedFd<'_>) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the pointer and the length describe `on`, which outlives the call.
    let status = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ZEROCOPY,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The first fields of `struct tcp_zerocopy_receive`, those of the first kernel that has it (4.18);
/// the kernel takes a length that ends here.  Source: linux/tcp.h.
#[repr(C)]
struct Request {
    address: u64,
    length: u32,
    recv_skip_hint: u32,
}

/// Memory into which a TCP socket maps full pages that arrived.
#[derive(Debug)]
pub(crate) struct SocketMap {
    start: NonNull<c_void>,
    len: usize,
    /// Bytes at the start that the last look mapped. To read behind them is a bus error.
    mapped: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread, and only this value knows it.
unsafe impl Send for SocketMap {}

/// What one look gave.
pub(crate) struct Mapped {
    /// Bytes at the start of the map. Unit: bytes.
    pub(crate) mapped: usize,
    /// Bytes that follow in the socket and must be copied before more can be mapped. Unit: bytes.
    pub(crate) copy: usize,
}

impl SocketMap {
    /// `len` bytes of addresses, whole pages.
    pub(crate) fn new(socket: BorrowedFd<'_>, len: usize) -> Result<Self, Errno> {
        // SAFETY: the kernel chooses the place, so that nothing else is there.
        let start =
            unsafe { rustix::mm::mmap(null_mut(), len, ProtFlags::READ, MapFlags::SHARED, socket, 0)? };
        let start = NonNull::new(start).ok_or(Errno::NOMEM)?;
        Ok(Self { start, len, mapped: 0 })
    }

    /// Maps what pages there are, `most` bytes of them, in the place of those of the call before.
    pub(crate) fn receive(&mut self, socket: BorrowedFd<'_>, most: usize) -> Result<Mapped, Errno> {
        let length = u32::try_from(self.len.min(most)).unwrap_or(u32::MAX);
        let address = self.start.as_ptr().expose_provenance() as u64;
        let mut request = Request { address, length, recv_skip_hint: 0 };
        let mut size = size_of::<Request>() as libc::socklen_t;
        // Whatever the call returns, the pages of the call before may be gone.
        self.mapped = 0;
        // SAFETY: the pointer and the length describe `request`, which outlives the call. The
        // kernel changes the pages of the mapping that it was given, to which no reference is ever
        // made: `copy_to` and `touch` read what is mapped then.
        let status = unsafe {
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_ZEROCOPY_RECEIVE,
                (&raw mut request).cast(),
                &raw mut size,
            )
        };
        if status != 0 {
            return Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO));
        }
        self.mapped = (request.length as usize).min(self.len);
        Ok(Mapped { mapped: self.mapped, copy: request.recv_skip_hint as usize })
    }

    /// Copies the first bytes that the last [`receive`](Self::receive) mapped.
    ///
    /// # Panics
    ///
    /// If that is more than it mapped.
    pub(crate) fn copy_to(&self, into: &mut [u8]) {
        assert!(into.len() <= self.mapped, "{} B are mapped", self.mapped);
        // SAFETY: this many bytes have pages, which stay until `receive` borrows the map mutably or
        // it goes. They are foreign: kernels before 6.8 also map pages of a file that a process on
        // this host sent, and can still write to.
        unsafe { foreign::load(self.start.cast::<u8>().as_ptr(), into) }
    }

    /// Reads a byte of every `step` of what the last [`receive`](Self::receive) mapped.
    pub(crate) fn touch(&self, step: usize) {
        let first = self.start.cast::<u8>().as_ptr();
        for offset in (0..self.mapped).step_by(step) {
            let mut byte = [0];
            // SAFETY: as in `copy_to`.
            unsafe { foreign::load(first.add(offset), &mut byte) };
            std::hint::black_box(byte);
        }
    }
}

impl Drop for SocketMap {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this place and length, and nobody refers to it.
        let unmapped = unsafe { rustix::mm::munmap(self.start.as_ptr(), self.len) };
        debug_assert!(unmapped.is_ok(), "{unmapped:?}");
    }
}
