//! TCP: a connected socket as a channel. Its connections arrive at the server's own port.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::os::fd::BorrowedFd;
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::kernel::TcpSample;
use linerate_core::observation::Connection;
use linerate_core::options::Granted;
use linerate_core::traffic::IoReport;
use linerate_core::units::Span;
use socket2::{Protocol, Socket, Type};

use super::dial::{bound, connect as dial_up};
use super::socket::SocketChannel;
use super::{Adopt, Introduction, Meeting, Place, Setup, TAKEN, TransportError, apply, connection, granted};
use crate::channel::{Channel, Interest, Line, Remote, Wait, Wire};
use crate::control::{Deadline, Greeting, Purpose, TimedStream};
use crate::traffic::Incoming;

/// How long the server's door may take to find out whose a connection is.
const DOOR: Duration = Duration::from_secs(5);

/// One end of a TCP connection under test.
#[derive(Debug)]
pub struct TcpChannel {
    stream: SocketChannel,
    ipv6: bool,
}

impl TcpChannel {
    /// Takes a connected socket, sets what `setup` asks that is not set before the handshake, and
    /// has its calls give up after the setup's patience without a byte.
    ///
    /// # Errors
    ///
    /// When the operating system refuses an option.
    pub fn new(socket: Socket, setup: &Setup) -> Result<Self, TransportError> {
        // Buffers and MSS were set before the handshake where that could be; some kernels reset
        // the rest on connect.
        apply(&socket, &setup.socket, setup.ipv6())?;
        Ok(Self { stream: SocketChannel::new(socket, setup)?, ipv6: setup.ipv6() })
    }
}

impl Channel for TcpChannel {
    #[inline]
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        self.stream.push(data, wait)
    }

    #[inline]
    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        self.stream.pull(into, wait)
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        self.stream.ready(interest, within)
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        self.stream.finish_sending()
    }

    fn granted(&self) -> Granted {
        granted(&self.stream.socket, self.ipv6)
    }

    fn connection(&self) -> Fact<Connection> {
        connection(&self.stream.socket)
    }

    fn remote(&self) -> io::Result<Box<dyn Remote>> {
        Ok(Box::new(TcpRemote(self.stream.socket.try_clone()?)))
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.stream.descriptor()
    }

    fn hold(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), LinkError> {
        self.stream.hold(out, into)
    }

    fn release(&mut self, wait: Wait) -> Result<(), LinkError> {
        self.stream.release(wait)
    }

    fn io_report(&self) -> Option<IoReport> {
        self.stream.io_report()
    }

    fn receive_bulk(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError> {
        self.stream.receive_bulk(into)
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
