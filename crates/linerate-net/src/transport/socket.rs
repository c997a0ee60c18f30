//! A connected stream socket as a channel: what TCP, Multipath TCP, Unix and VM sockets share.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::options::{Granted, Io};
use linerate_core::units::Span;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, SendFlags};
use socket2::Socket;

use super::{Setup, TransportError, options};
use crate::channel::{Channel, Interest, Remote, Wait};

/// One end of a connected stream socket.
#[derive(Debug)]
pub(super) struct SocketChannel {
    pub(super) socket: Socket,
    io: Io,
    patience: Span,
}

impl SocketChannel {
    /// Takes a connected socket and has its calls give up after the setup's patience without a byte.
    pub(super) fn new(socket: Socket, setup: &Setup) -> Result<Self, TransportError> {
        let failed = TransportError::system;
        socket.set_nonblocking(false).map_err(failed("make the socket wait"))?;
        let patience = Some(setup.patience.to_duration());
        socket.set_read_timeout(patience).map_err(failed("bound a receive in time"))?;
        socket.set_write_timeout(patience).map_err(failed("bound a send in time"))?;
        Ok(Self { socket, io: setup.socket.io, patience: setup.patience })
    }

    fn failed(&self, operation: &'static str, errno: Errno) -> LinkError {
        match errno {
            Errno::AGAIN => LinkError::Stalled(self.patience),
            Errno::PIPE => LinkError::Closed,
            Errno::CONNRESET => LinkError::Reset,
            errno => LinkError::System { operation, source: errno.into() },
        }
    }
}

impl Channel for SocketChannel {
    #[inline]
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        match retry(|| push(self.socket.as_fd(), self.io, data, wait)) {
            Err(Errno::AGAIN) if wait == Wait::Never => Ok(0),
            moved => moved.map_err(|errno| self.failed("send", errno)),
        }
    }

    #[inline]
    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        match retry(|| pull(self.socket.as_fd(), self.io, into, wait)) {
            Ok(0) => Err(LinkError::Closed),
            Err(Errno::AGAIN) if wait == Wait::Never => Ok(0),
            moved => moved.map_err(|errno| self.failed("receive", errno)),
        }
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        poll(self.socket.as_fd(), interest, within).map_err(|errno| self.failed("wait for the socket", errno))
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        match self.socket.shutdown(Shutdown::Write) {
            // The peer has closed already.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            done => done.map_err(|source| LinkError::System { operation: "end the sending", source }),
        }
    }

    fn granted(&self) -> Granted {
        options::buffers(&self.socket)
    }

    fn remote(&self) -> io::Result<Box<dyn Remote>> {
        Ok(Box::new(SocketRemote(self.socket.try_clone()?)))
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }
}

/// A socket as another thread sees it.
#[derive(Debug)]
struct SocketRemote(Socket);

impl Remote for SocketRemote {
    fn cut(&self) {
        // It may be closed already.
        self.0.shutdown(Shutdown::Both).unwrap_or(());
    }
}

fn push(socket: BorrowedFd<'_>, io: Io, data: &[u8], wait: Wait) -> Result<usize, Errno> {
    let flags = match wait {
        Wait::Patiently => SendFlags::NOSIGNAL,
        Wait::Never => SendFlags::NOSIGNAL | SendFlags::DONTWAIT,
    };
    match io {
        // `write` has no flag for one call, so a call that must not wait uses its sibling.
        Io::ReadWrite if wait == Wait::Patiently => rustix::io::write(socket, data),
        Io::Sendmsg => {
            rustix::net::sendmsg(socket, &[IoSlice::new(data)], &mut SendAncillaryBuffer::default(), flags)
        }
        _ => rustix::net::send(socket, data, flags),
    }
}

fn pull(socket: BorrowedFd<'_>, io: Io, data: &mut [u8], wait: Wait) -> Result<usize, Errno> {
    let flags = match wait {
        Wait::Patiently => RecvFlags::empty(),
        Wait::Never => RecvFlags::DONTWAIT,
    };
    match io {
        Io::ReadWrite if wait == Wait::Patiently => rustix::io::read(socket, data),
        Io::Sendmsg => {
            let mut space: [MaybeUninit<u8>; 0] = [];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            rustix::net::recvmsg(socket, &mut [IoSliceMut::new(data)], &mut ancillary, flags)
                .map(|message| message.bytes)
        }
        _ => rustix::net::recv(socket, data, flags).map(|(_, received)| received),
    }
}

/// Repeats a call that a signal interrupted.
#[inline]
pub(super) fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            answer => return answer,
        }
    }
}

/// Waits until the socket takes or has bytes, for `within` at most; whether it does.
pub(super) fn poll(socket: BorrowedFd<'_>, interest: Interest, within: Span) -> Result<bool, Errno> {
    let events = match interest {
        Interest::Send => PollFlags::OUT,
        Interest::Receive => PollFlags::IN,
        Interest::Either => PollFlags::IN | PollFlags::OUT,
    };
    let patience = timespec(within.to_duration());
    let mut one = [PollFd::from_borrowed_fd(socket, events)];
    retry(|| rustix::event::poll(&mut one, Some(&patience))).map(|ready| ready > 0)
}

/// A time limit as the kernel wants it.
pub(super) fn timespec(limit: Duration) -> Timespec {
    Timespec { tv_sec: limit.as_secs().cast_signed(), tv_nsec: i64::from(limit.subsec_nanos()) }
}
