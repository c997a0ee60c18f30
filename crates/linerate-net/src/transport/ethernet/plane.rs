//! What carries the messages of a flow: everything else goes through packet sockets.

use std::fmt::Debug;
use std::os::fd::{AsFd as _, BorrowedFd};

use linerate_core::environment::Fact;
use rustix::io::Errno;
use socket2::Socket;

use super::filter::Wanted;
use super::frame::HEAD_LEN;
use super::link::{bind, post, socket};
use super::station::Station;
use crate::sys::packet::{self, Batch, Frame, Ring};
use crate::transport::{OptionError, Setup, TransportError};

/// Memory of a receive ring unless told otherwise: some 2,600 full frames. Unit: bytes.
const RING: u64 = 4 << 20;
/// The most that one flow gets, whatever the peer asks. Unit: bytes.
const MOST_RING: u64 = 64 << 20;

/// Sends and receives the messages of one flow at one end, and never waits.
pub(super) trait Plane: Debug + Send + Sized + 'static {
    /// Opens it for the messages that are wanted.
    fn open(setup: &Setup, station: &Station, wanted: Wanted) -> Result<Self, TransportError>;

    /// Sends a frame. `AGAIN` asks to wait for room, `NOBUFS` to come again in a moment.
    fn post(&mut self, head: &[u8; HEAD_LEN], payload: &[u8]) -> Result<(), Errno>;

    /// Sends the first `count` frames of a batch; how many, at least one.
    fn post_many(
        &mut self,
        batch: &mut Batch<HEAD_LEN>,
        payload: &[u8],
        count: usize,
    ) -> Result<usize, Errno>;

    /// The oldest frame, if one is there.
    fn peek(&mut self) -> Option<Frame<'_>>;

    /// Gives the memory of the oldest frame, which must have been seen, back.
    fn release(&mut self);

    /// Messages that there was no room for, since the last time this was asked.
    fn drops(&mut self) -> u64;

    /// What to wait at.
    fn descriptor(&self) -> BorrowedFd<'_>;

    /// Memory to send from and to receive into. Unit: bytes.
    fn memory(&self) -> [Fact<u64>; 2];
}

/// A packet socket with a receive ring.
#[derive(Debug)]
pub(super) struct PacketPlane {
    socket: Socket,
    ring: Ring,
}

impl Plane for PacketPlane {
    fn open(setup: &Setup, station: &Station, wanted: Wanted) -> Result<Self, TransportError> {
        let socket = socket(setup.transport, wanted)?;
        if let Some(size) = setup.socket.sndbuf {
            let set = socket.set_send_buffer_size(usize::try_from(size.0).unwrap_or(usize::MAX));
            set.map_err(|source| OptionError { option: "sndbuf", value: size.to_string(), source })?;
        }
        let asked = setup.socket.rcvbuf.map_or(RING, |size| size.0.min(MOST_RING));
        let ring = Ring::new(&socket, station.mtu, usize::try_from(asked).unwrap_or(usize::MAX));
        let ring = ring.map_err(TransportError::system("map a receive ring"))?;
        bind(&socket, station)?;
        Ok(Self { socket, ring })
    }

    #[inline]
    fn post(&mut self, head: &[u8; HEAD_LEN], payload: &[u8]) -> Result<(), Errno> {
        post(self.socket.as_fd(), head, payload)
    }

    fn post_many(
        &mut self,
        batch: &mut Batch<HEAD_LEN>,
        payload: &[u8],
        count: usize,
    ) -> Result<usize, Errno> {
        batch.send(self.socket.as_fd(), payload, count)
    }

    #[inline]
    fn peek(&mut self) -> Option<Frame<'_>> {
        self.ring.peek()
    }

    #[inline]
    fn release(&mut self) {
        self.ring.release();
    }

    fn drops(&mut self) -> u64 {
        packet::drops(&self.socket).unwrap_or(0)
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn memory(&self) -> [Fact<u64>; 2] {
        let out = self.socket.send_buffer_size().map(|bytes| bytes as u64);
        [out.into(), Fact::Known(self.ring.bytes() as u64)]
    }
}
