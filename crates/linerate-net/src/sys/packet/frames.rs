//! Many frames in one call, each where it is.

use std::mem::zeroed;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;

use crate::sys::mmsg;

/// Room for what the kernel reads to send several frames.
pub(crate) struct Frames {
    pieces: Vec<libc::iovec>,
    messages: Vec<libc::mmsghdr>,
}

// SAFETY: the pointers inside are written before and used within one call; between calls nothing reads them.
unsafe impl Send for Frames {}

impl std::fmt::Debug for Frames {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Frames").finish_non_exhaustive()
    }
}

impl Frames {
    /// Room for `most` frames a call; for more it grows.
    pub(crate) fn new(most: usize) -> Self {
        Self { pieces: Vec::with_capacity(most), messages: Vec::with_capacity(most) }
    }

    /// Sends whole frames from their Ethernet headers on, without waiting; how many the kernel took, at least one.
    ///
    /// Errors: what it said of the first.
    pub(crate) fn send<'a>(
        &mut self,
        socket: BorrowedFd<'_>,
        frames: impl Iterator<Item = &'a [u8]>,
    ) -> Result<usize, Errno> {
        self.pieces.clear();
        self.messages.clear();
        self.pieces.extend(
            frames.map(|frame| libc::iovec {
                iov_base: frame.as_ptr().cast_mut().cast(),
                iov_len: frame.len(),
            }),
        );
        for piece in &mut self.pieces {
            // SAFETY: a message header is plain integers and pointers, for which zero is a value.
            let mut message: libc::mmsghdr = unsafe { zeroed() };
            message.msg_hdr.msg_iov = piece;
            message.msg_hdr.msg_iovlen = 1;
            self.messages.push(message);
        }
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the messages point to `self.pieces`, which is not touched until the call has returned, and those to
        // the frames, which are borrowed as long and only read; all lengths are those of the slices.
        unsafe { mmsg::send_all(socket, &mut self.messages, flags) }
    }
}
