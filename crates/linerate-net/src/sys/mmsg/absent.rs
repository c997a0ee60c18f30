//! Datagrams elsewhere than on Linux: one in each call, never joined, with drops that nobody counts.

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvFlags, ReturnFlags, SendAncillaryBuffer};

use crate::sys::NO_SIGNAL;

/// What a batch takes is remembered here.
#[derive(Debug)]
pub(crate) struct Batch {
    most: usize,
    arrivals: Vec<Received>,
}

/// One arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Received {
    /// How long it is, or one byte more than the slot if it is longer than that. Unit: bytes.
    pub(crate) len: usize,
    /// As on Linux; none here.
    pub(crate) segment: Option<usize>,
    /// As on Linux; none here.
    pub(crate) drops: Option<u32>,
    /// As on Linux; none here.
    pub(crate) class: Option<u8>,
}

impl Batch {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, arrivals: Vec::with_capacity(most) }
    }

    /// As on Linux, but that `_together` datagrams are never one message.
    pub(crate) fn send<const N: usize>(
        &mut self,
        socket: BorrowedFd<'_>,
        headers: &[[u8; N]],
        tail: &[u8],
        _together: usize,
    ) -> Result<usize, Errno> {
        for (sent, header) in headers.iter().enumerate() {
            let pieces = [IoSlice::new(header), IoSlice::new(tail)];
            let done = rustix::net::sendmsg(socket, &pieces, &mut SendAncillaryBuffer::default(), NO_SIGNAL);
            match done {
                Ok(_) => {}
                Err(_) if sent > 0 => return Ok(sent),
                Err(errno) => return Err(errno),
            }
        }
        Ok(headers.len())
    }

    /// As on Linux.
    pub(crate) fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        slots: &mut [u8],
        slot: usize,
        wait: bool,
    ) -> Result<usize, Errno> {
        self.arrivals.clear();
        for part in slots.chunks_exact_mut(slot).take(self.most) {
            let first = self.arrivals.is_empty();
            let flags = if wait && first { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
            let mut pieces = [IoSliceMut::new(part)];
            match rustix::net::recvmsg(socket, &mut pieces, &mut RecvAncillaryBuffer::default(), flags) {
                Ok(message) => {
                    let longer = usize::from(message.flags.contains(ReturnFlags::TRUNC));
                    self.arrivals.push(Received { len: message.bytes + longer, ..Received::default() });
                }
                Err(_) if !first => break,
                Err(errno) => return Err(errno),
            }
        }
        Ok(self.arrivals.len())
    }

    pub(crate) fn arrival(&self, index: usize) -> Received {
        self.arrivals[index]
    }
}
