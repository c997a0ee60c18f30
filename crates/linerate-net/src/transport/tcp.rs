//! TCP: a connected socket as a channel. Its connections arrive at the server's own port.

use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::kernel::TcpSample;
use linerate_core::observation::Connection;
use linerate_core::options::{Granted, Io};
use linerate_core::units::Span;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, SendFlags};
use socket2::{Protocol, Socket, Type};

use super::dial::{bound, connect as dial_up};
use super::{Adopt, Introduction, Meeting, Place, Setup, TAKEN, TransportError, apply, connection, granted};
use crate::channel::{Channel, Interest, Line, Remote, Wait, Wire};
use crate::control::{Deadline, Greeting, Purpose, TimedStream};

/// How long the server's door may take to find out whose a connection is.
const DOOR: Duration = Duration::from_secs(5);

/// One end of a TCP connection under test.
#[derive(Debug)]
pub struct TcpChannel {
    socket: Socket,
    io: Io,
    ipv6: bool,
    patience: Span,
}

impl TcpChannel {
    /// Takes a connected socket, sets what `setup` asks that is not set before the handshake, and
    /// has its calls give up after the setup's patience without a byte.
    ///
    /// # Errors
    ///
    /// When the operating system refuses an option.
    pub fn new(socket: Socket, setup: &Setup) -> Result<Self, TransportError> {
        let failed = TransportError::system;
        // Buffers and MSS were set before the handshake where that could be; some kernels reset
        // the rest on connect.
        apply(&socket, &setup.socket, setup.ipv6())?;
        socket.set_nonblocking(false).map_err(failed("make the socket wait"))?;
        let patience = Some(setup.patience.to_duration());
        socket.set_read_timeout(patience).map_err(failed("bound a receive in time"))?;
        socket.set_write_timeout(patience).map_err(failed("bound a send in time"))?;
        Ok(Self { socket, io: setup.socket.io, ipv6: setup.ipv6(), patience: setup.patience })
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

impl Channel for TcpChannel {
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
        granted(&self.socket, self.ipv6)
    }

    fn connection(&self) -> Fact<Connection> {
        connection(&self.socket)
    }

    fn remote(&self) -> io::Result<Box<dyn Remote>> {
        Ok(Box::new(TcpRemote(self.socket.try_clone()?)))
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }
}

/// A TCP connection as another thread sees it.
#[derive(Debug)]
pub(super) struct TcpRemote(pub(super) Socket);

impl Remote for TcpRemote {
    fn cut(&self) {
        // It may be closed already.
        self.0.shutdown(Shutdown::Both).unwrap_or(());
    }

    fn tcp(&self) -> Option<TcpSample> {
        super::options::sample(&self.0).ok()
    }
}

/// Takes TCP connections that came through the server's door.
#[derive(Debug)]
pub(super) struct Tcp(pub(super) Setup);

impl Adopt for Tcp {
    fn meeting(&self) -> Meeting {
        Place::Conversation.into()
    }

    fn adopt(&self, stream: TcpStream) -> Result<Box<dyn Line>, TransportError> {
        let channel = TcpChannel::new(stream.into(), &self.0)?;
        Ok(Box::new(Wire::new(channel, self.0.clock)))
    }
}

/// Connects to the server's port and says whose the connection is.
pub(super) fn join(
    setup: &Setup,
    meeting: &Meeting,
    introduction: Introduction,
) -> Result<Box<dyn Line>, TransportError> {
    let stream = dial(setup, meeting, introduction)?;
    Ok(Box::new(Wire::new(TcpChannel::new(stream.into(), setup)?, setup.clock)))
}

/// Connects to the server's port, says whose the connection is, and returns the stream.
pub(super) fn dial(
    setup: &Setup,
    meeting: &Meeting,
    introduction: Introduction,
) -> Result<TcpStream, TransportError> {
    if meeting.place != Place::Conversation {
        return Err(TransportError::Place(setup.transport));
    }
    let socket = bound(setup.peer, Type::STREAM, Protocol::TCP, &setup.own)?;
    apply(&socket, &setup.socket, setup.peer.is_ipv6())?;
    dial_up(&socket, setup.peer)?;
    let stream = TcpStream::from(socket);
    let greeting = Greeting { purpose: Purpose::Data }.encode();
    let hello = [greeting.as_slice(), introduction.encode().as_slice()].concat();
    let introduced = TransportError::system("introduce the connection");
    let mut timed = TimedStream::new(&stream, Deadline::after(DOOR));
    let mut taken = [0];
    let said = timed.write_all(&hello).and_then(|()| timed.read_exact(&mut taken));
    let said = said.and_then(|()| if taken == [TAKEN] { Ok(()) } else { Err(ErrorKind::InvalidData.into()) });
    said.map_err(introduced)?;
    Ok(stream)
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
    let whole = within.to_duration();
    let patience =
        Timespec { tv_sec: whole.as_secs().cast_signed(), tv_nsec: i64::from(whole.subsec_nanos()) };
    let mut one = [PollFd::from_borrowed_fd(socket, events)];
    retry(|| rustix::event::poll(&mut one, Some(&patience))).map(|ready| ready > 0)
}
