//! The TCP transport: a connected socket as an [`Endpoint`].

mod options;

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};

use linerate_core::endpoint::{Endpoint, LinkError};
use linerate_core::options::Io;
use linerate_core::units::{Span, Time};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, SendFlags};
use socket2::Socket;

use crate::observe::HostClock;

pub use options::{OptionError, apply, connection, granted};

/// How long a blocking call may move no byte before the connection counts as stalled.
pub const PATIENCE: Span = Span::from_ms(10_000);

/// One end of a TCP connection under test.
#[derive(Debug)]
pub struct TcpEndpoint {
    socket: Socket,
    clock: HostClock,
    io: Io,
}

impl TcpEndpoint {
    /// Takes a connected socket, whose calls from now on give up after [`PATIENCE`] without a byte.
    ///
    /// # Errors
    ///
    /// When the operating system refuses the time limits.
    pub fn new(socket: Socket, clock: HostClock, io: Io) -> io::Result<Self> {
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(Some(PATIENCE.to_duration()))?;
        socket.set_write_timeout(Some(PATIENCE.to_duration()))?;
        Ok(Self { socket, clock, io })
    }

    /// The socket, to ask it questions.
    #[must_use]
    pub const fn socket(&self) -> &Socket {
        &self.socket
    }

    #[inline]
    fn send_all(&self, mut data: &[u8]) -> Result<(), LinkError> {
        while !data.is_empty() {
            let sent = retry(|| push(self.socket.as_fd(), self.io, data, SendFlags::NOSIGNAL));
            data = &data[sent.map_err(|errno| failed("send", errno))?..];
        }
        Ok(())
    }

    #[inline]
    fn recv_all(&self, mut data: &mut [u8]) -> Result<(), LinkError> {
        while !data.is_empty() {
            match retry(|| pull(self.socket.as_fd(), self.io, data, RecvFlags::empty())) {
                Ok(0) => return Err(LinkError::Closed),
                Ok(received) => data = &mut data[received..],
                Err(errno) => return Err(failed("receive", errno)),
            }
        }
        Ok(())
    }

    /// Sends and receives as the buffers between the two ends allow, until one direction is done;
    /// the other can then block.
    fn exchange_all(&self, mut out: &[u8], mut into: &mut [u8]) -> Result<(), LinkError> {
        // `read` and `write` have no flag for one call, so this one transfer uses their siblings
        // unless the descriptor itself is switched; the cost would be two more system calls.
        let io = if self.io == Io::ReadWrite { Io::SendRecv } else { self.io };
        let socket = self.socket.as_fd();
        while !out.is_empty() && !into.is_empty() {
            let sent = match retry(|| push(socket, io, out, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)) {
                Ok(sent) => sent,
                Err(Errno::AGAIN) => 0,
                Err(errno) => return Err(failed("send", errno)),
            };
            out = &out[sent..];
            let received = match retry(|| pull(socket, io, into, RecvFlags::DONTWAIT)) {
                Ok(0) => return Err(LinkError::Closed),
                Ok(received) => received,
                Err(Errno::AGAIN) => 0,
                Err(errno) => return Err(failed("receive", errno)),
            };
            into = &mut into[received..];
            if sent == 0 && received == 0 {
                await_either(socket)?;
            }
        }
        self.send_all(out)?;
        self.recv_all(into)
    }
}

impl Endpoint for TcpEndpoint {
    #[inline]
    fn now(&self) -> Time {
        self.clock.now()
    }

    #[inline]
    async fn send(&mut self, data: &[u8]) -> Result<(), LinkError> {
        self.send_all(data)
    }

    #[inline]
    async fn recv(&mut self, data: &mut [u8]) -> Result<(), LinkError> {
        self.recv_all(data)
    }

    async fn exchange(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), LinkError> {
        self.exchange_all(out, into)
    }

    async fn wait(&mut self, span: Span) {
        std::thread::sleep(span.to_duration());
    }
}

fn push(socket: BorrowedFd<'_>, io: Io, data: &[u8], flags: SendFlags) -> Result<usize, Errno> {
    match io {
        Io::ReadWrite => rustix::io::write(socket, data),
        Io::SendRecv => rustix::net::send(socket, data, flags),
        Io::Sendmsg => {
            rustix::net::sendmsg(socket, &[IoSlice::new(data)], &mut SendAncillaryBuffer::default(), flags)
        }
    }
}

fn pull(socket: BorrowedFd<'_>, io: Io, data: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
    match io {
        Io::ReadWrite => rustix::io::read(socket, data),
        Io::SendRecv => rustix::net::recv(socket, data, flags).map(|(_, received)| received),
        Io::Sendmsg => {
            let mut space: [MaybeUninit<u8>; 0] = [];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            rustix::net::recvmsg(socket, &mut [IoSliceMut::new(data)], &mut ancillary, flags)
                .map(|message| message.bytes)
        }
    }
}

/// Repeats a call that a signal interrupted.
#[inline]
fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            answer => return answer,
        }
    }
}

/// Waits until the socket takes or has bytes.
fn await_either(socket: BorrowedFd<'_>) -> Result<(), LinkError> {
    let patience = Timespec { tv_sec: (PATIENCE.as_ps() / 1_000_000_000_000).cast_signed(), tv_nsec: 0 };
    let mut both = [PollFd::from_borrowed_fd(socket, PollFlags::IN | PollFlags::OUT)];
    match retry(|| rustix::event::poll(&mut both, Some(&patience))) {
        Ok(0) => Err(LinkError::Stalled(PATIENCE)),
        Ok(_) => Ok(()),
        Err(errno) => Err(failed("wait for the socket", errno)),
    }
}

fn failed(operation: &'static str, errno: Errno) -> LinkError {
    match errno {
        Errno::AGAIN => LinkError::Stalled(PATIENCE),
        Errno::PIPE => LinkError::Closed,
        Errno::CONNRESET => LinkError::Reset,
        errno => LinkError::System { operation, source: errno.into() },
    }
}
