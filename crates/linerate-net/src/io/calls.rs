//! The calls that copy, one system call for one piece; and `recv` with `MSG_TRUNC`, which does not.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, SendFlags};

use crate::sys::{NO_SIGNAL, REAL_LENGTH};
use crate::wait::Wait;

#[inline]
pub(super) const fn out(wait: Wait) -> SendFlags {
    match wait {
        Wait::Patiently => NO_SIGNAL,
        Wait::Never => NO_SIGNAL.union(SendFlags::DONTWAIT),
    }
}

#[inline]
const fn into(wait: Wait) -> RecvFlags {
    match wait {
        Wait::Patiently => RecvFlags::empty(),
        Wait::Never => RecvFlags::DONTWAIT,
    }
}

#[inline]
pub(super) fn send(socket: BorrowedFd<'_>, data: &[u8], wait: Wait) -> Result<usize, Errno> {
    rustix::net::send(socket, data, out(wait))
}

#[inline]
pub(super) fn recv(socket: BorrowedFd<'_>, data: &mut [u8], wait: Wait) -> Result<usize, Errno> {
    rustix::net::recv(socket, data, into(wait)).map(|(_, received)| received)
}

#[inline]
pub(super) fn write(socket: BorrowedFd<'_>, data: &[u8], wait: Wait) -> Result<usize, Errno> {
    match wait {
        Wait::Patiently => rustix::io::write(socket, data),
        Wait::Never => send(socket, data, wait),
    }
}

#[inline]
pub(super) fn read(socket: BorrowedFd<'_>, data: &mut [u8], wait: Wait) -> Result<usize, Errno> {
    match wait {
        Wait::Patiently => rustix::io::read(socket, data),
        Wait::Never => recv(socket, data, wait),
    }
}

pub(super) fn sendmsg(socket: BorrowedFd<'_>, data: &[u8], wait: Wait) -> Result<usize, Errno> {
    rustix::net::sendmsg(socket, &[IoSlice::new(data)], &mut SendAncillaryBuffer::default(), out(wait))
}

pub(super) fn recvmsg(socket: BorrowedFd<'_>, data: &mut [u8], wait: Wait) -> Result<usize, Errno> {
    let mut space: [MaybeUninit<u8>; 0] = [];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    rustix::net::recvmsg(socket, &mut [IoSliceMut::new(data)], &mut ancillary, into(wait))
        .map(|message| message.bytes)
}

/// Throws up to `data`'s length of bytes away; `data` stays as it is.  Source: tcp(7), `MSG_TRUNC`.
pub(super) fn truncate(socket: BorrowedFd<'_>, data: &mut [u8], wait: Wait) -> Result<usize, Errno> {
    rustix::net::recv(socket, data, into(wait) | REAL_LENGTH).map(|(_, received)| received)
}
