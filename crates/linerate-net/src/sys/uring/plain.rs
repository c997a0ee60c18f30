//! `send` and `recv` as requests, one at a time.

use std::io;
use std::os::fd::BorrowedFd;

use io_uring::opcode;
use linerate_core::units::Span;
use rustix::io::Errno;

use super::{Ring, descriptor, length, recv_flags, send_flags};
use crate::wait::{Wait, retry};

/// One direction of a socket.
#[derive(Debug)]
pub(crate) struct Plain(Ring);

impl Plain {
    pub(crate) fn open(patience: Span) -> io::Result<Self> {
        let ring = Ring::open(patience)?;
        ring.need(opcode::Send::CODE, "its io_uring has no `send`, which came with Linux 5.6")?;
        Ok(Self(ring))
    }

    pub(crate) fn send(&mut self, socket: BorrowedFd<'_>, data: &[u8], wait: Wait) -> Result<usize, Errno> {
        send(&mut self.0, socket, data, wait)
    }

    pub(crate) fn recv(
        &mut self,
        socket: BorrowedFd<'_>,
        into: &mut [u8],
        wait: Wait,
    ) -> Result<usize, Errno> {
        recv(&mut self.0, socket, into, wait)
    }
}

pub(super) fn send(ring: &mut Ring, socket: BorrowedFd<'_>, data: &[u8], wait: Wait) -> Result<usize, Errno> {
    let request = opcode::Send::new(descriptor(socket), data.as_ptr(), length(data.len()));
    let request = request.flags(send_flags(wait)).build();
    // SAFETY: `data` is borrowed until the answer has come, and is only read. A send has one answer.
    retry(|| unsafe { ring.perform(request.clone()) })
}

pub(super) fn recv(
    ring: &mut Ring,
    socket: BorrowedFd<'_>,
    into: &mut [u8],
    wait: Wait,
) -> Result<usize, Errno> {
    let request = opcode::Recv::new(descriptor(socket), into.as_mut_ptr(), length(into.len()));
    let request = request.flags(recv_flags(wait)).build();
    // SAFETY: `into` is borrowed for this alone until the answer has come. A receive has one answer.
    retry(|| unsafe { ring.perform(request.clone()) })
}
