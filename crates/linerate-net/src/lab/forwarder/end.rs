//! An end of a link in the forwarder's namespace: frames come in by a ring of memory, and go out by a socket.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::SndBufForce;
use rustix::io::Errno;
use socket2::{Domain, Socket, Type};

use crate::netlink::index;
use crate::sys::packet::{self, Frame, Frames, Ring};

/// What the kernel may hold of what was sent. Unit: bytes.
const SEND_BUFFER: usize = 16 << 20;

/// An end.
#[derive(Debug)]
pub(super) struct End {
    name: String,
    socket: Socket,
    ring: Ring,
    frames: Frames,
}

impl End {
    /// That of the interface `name` of this thread's namespace, for IP packets of `mtu` bytes, with a ring of
    /// `ring_bytes`.
    pub(super) fn open(name: &str, mtu: u32, ring_bytes: usize) -> io::Result<Self> {
        // Of protocol 0 it takes nothing until it is bound.
        let socket = Socket::new(Domain::PACKET, Type::RAW, None)?;
        packet::ignore_outgoing(&socket)?;
        setsockopt(&socket, SndBufForce, &SEND_BUFFER)?;
        let ring = Ring::new(&socket, mtu as usize, ring_bytes)?;
        packet::bind(&socket, packet::EVERY_ETHERTYPE, index(name)?)?;
        Ok(Self { name: name.to_owned(), socket, ring, frames: Frames::new(super::BATCH) })
    }

    /// The oldest frame that has come, if there is one.
    pub(super) fn peek(&self) -> Option<Frame<'_>> {
        self.ring.peek()
    }

    /// Gives the memory of the oldest frame, which must have been seen, back.
    pub(super) fn release(&mut self) {
        self.ring.release();
    }

    /// Sends frames; how many the kernel took, at least one.
    pub(super) fn send<'a>(&mut self, frames: impl Iterator<Item = &'a [u8]>) -> Result<usize, Errno> {
        self.frames.send(self.socket.as_fd(), frames)
    }

    /// How many frames the ring had no room for, since the last time this was asked.
    pub(super) fn drops(&self) -> u64 {
        packet::drops(&self.socket).unwrap_or(0)
    }

    /// In a thread of its namespace: whether its interface has gone, with the namespace of a node.
    pub(super) fn has_gone(&self) -> bool {
        let gone = Some(Errno::NODEV.raw_os_error());
        index(&self.name).is_err_and(|error| error.raw_os_error() == gone)
    }

    /// Takes an error of the socket away, which would end every wait at once.
    pub(super) fn forget_error(&self) {
        self.socket.take_error().map(drop).unwrap_or(());
    }
}

impl AsFd for End {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
