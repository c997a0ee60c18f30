//! Many frames in one call, all with the same payload.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;

use crate::sys::mmsg;

/// Frames that differ in their first `HEAD` bytes only, and what the kernel reads to send them.
/// Everything is allocated once.
#[derive(Debug)]
pub(crate) struct Batch<const HEAD: usize> {
    heads: Box<[[u8; HEAD]]>,
    pieces: Box<[[libc::iovec; 2]]>,
    messages: Box<[libc::mmsghdr]>,
}

// SAFETY: its pointers lead to its own memory, or are set anew by each call that uses them.
unsafe impl<const HEAD: usize> Send for Batch<HEAD> {}

impl<const HEAD: usize> Batch<HEAD> {
    /// Room for `most` frames that begin with `head` unless changed.
    pub(crate) fn new(most: usize, head: [u8; HEAD]) -> Self {
        let nothing = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 };
        // SAFETY: a message header is plain integers and pointers, for which zero is a value.
        let message: libc::mmsghdr = unsafe { std::mem::zeroed() };
        Self {
            heads: vec![head; most].into(),
            pieces: vec![[nothing; 2]; most].into(),
            messages: vec![message; most].into(),
        }
    }

    /// The first bytes of each frame.
    pub(crate) fn heads(&mut self) -> &mut [[u8; HEAD]] {
        &mut self.heads
    }

    /// Sends the first `count` frames, `payload` after the head of each, without waiting; how many
    /// the kernel took, at least one.
    ///
    /// Errors: what it said of the first.
    pub(crate) fn send(
        &mut self,
        socket: BorrowedFd<'_>,
        payload: &[u8],
        count: usize,
    ) -> Result<usize, Errno> {
        let count = count.min(self.heads.len());
        let frames = self.heads.iter().zip(&mut self.pieces).zip(&mut self.messages);
        for ((head, pieces), message) in frames.take(count) {
            pieces[0] = libc::iovec { iov_base: head.as_ptr().cast_mut().cast(), iov_len: HEAD };
            pieces[1] = libc::iovec { iov_base: payload.as_ptr().cast_mut().cast(), iov_len: payload.len() };
            message.msg_hdr.msg_iov = pieces.as_mut_ptr();
            message.msg_hdr.msg_iovlen = pieces.len() as _;
        }
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the first `count` headers point to pieces that point to `heads` and `payload`,
        // all of which outlive the call and are only read; no address and no control data.
        unsafe { mmsg::send_all(socket, &mut self.messages[..count], flags) }
    }
}
