//! A connected stream socket as a channel: what TCP, Multipath TCP, Unix and VM sockets share.

use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};

use linerate_core::endpoint::{Arrived, LinkError};
use linerate_core::environment::Fact;
use linerate_core::kernel::TcpSample;
use linerate_core::observation::Connection;
use linerate_core::options::Granted;
use linerate_core::traffic::IoReport;
use linerate_core::units::Span;
use rustix::io::Errno;
use socket2::{SockRef, Socket};

#[cfg(on_linux)]
use super::vsock;
use super::{Setup, TransportError, options};
use crate::channel::{Channel, ChannelHandle, Registration};
use crate::flow::Incoming;
use crate::io::Engine;
#[cfg(on_linux)]
use crate::sys::mptcp;
use crate::sys::tcp_info;
use crate::wait::{Arrival, Handling, Interest, Wait};

/// What carries a connected stream socket, and so what it can say of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    /// TCP.
    Tcp {
        /// Over IPv6.
        ipv6: bool,
    },
    /// Multipath TCP, or the TCP that it fell back to.
    #[cfg(on_linux)]
    Multipath {
        /// Over IPv6.
        ipv6: bool,
    },
    /// A VM socket.
    #[cfg(on_linux)]
    Vsock,
    /// A Unix socket.
    Unix,
}

impl Carrier {
    /// Whether TCP carries it, on one path or several.
    const fn is_tcp(self) -> bool {
        match self {
            Self::Tcp { .. } => true,
            #[cfg(on_linux)]
            Self::Multipath { .. } => true,
            #[cfg(on_linux)]
            Self::Vsock => false,
            Self::Unix => false,
        }
    }
}

/// One end of a connected stream socket.
#[derive(Debug)]
pub struct SocketChannel {
    socket: Socket,
    carrier: Carrier,
    engine: Engine,
    patience: Span,
}

impl SocketChannel {
    /// Takes a connected socket and has its calls give up after the setup's patience without a byte.
    pub(super) fn new(socket: Socket, setup: &Setup, carrier: Carrier) -> Result<Self, TransportError> {
        let failed = TransportError::system;
        socket.set_nonblocking(false).map_err(failed("make the socket blocking"))?;
        let patience = Some(setup.patience.to_duration());
        socket.set_read_timeout(patience).map_err(failed("set the receive timeout"))?;
        socket.set_write_timeout(patience).map_err(failed("set the send timeout"))?;
        let largest = usize::try_from(setup.largest).unwrap_or(usize::MAX);
        let engine = Engine::open(&socket, setup.socket.io, setup.socket.receives(), largest)?;
        Ok(Self { socket, carrier, engine, patience: setup.patience })
    }

    /// What was handed to the kernel and the peer's has not acknowledged. Unit: bytes.
    pub(crate) fn unacknowledged(&self) -> io::Result<u64> {
        crate::sys::outq::waiting(self.socket.as_fd())
    }

    /// Its socket again, which stays open for as long as any of the two.
    pub(crate) fn again(&self) -> io::Result<Socket> {
        self.socket.try_clone()
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
        match self.engine.push(self.socket.as_fd(), data, wait) {
            Err(Errno::AGAIN) if wait == Wait::Never => Ok(0),
            moved => moved.map_err(|errno| self.failed("send", errno)),
        }
    }

    #[inline]
    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        match self.engine.pull(self.socket.as_fd(), into, wait) {
            Ok(0) => Err(LinkError::Closed),
            Err(Errno::AGAIN) if wait == Wait::Never => Ok(0),
            moved => moved.map_err(|errno| self.failed("receive", errno)),
        }
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        let ready = self.engine.ready(self.socket.as_fd(), interest, within);
        ready.map_err(|errno| self.failed("wait for the socket", errno))
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        match self.socket.shutdown(Shutdown::Write) {
            // The peer has closed already.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            done => done.map_err(|source| LinkError::System { operation: "end the sending", source }),
        }
    }

    fn arrived(&self) -> Arrived {
        let waiting = rustix::io::ioctl_fionread(&self.socket).unwrap_or(0);
        let memory = tcp_info::queues(&self.socket).map_or(waiting, |queues| queues.unread);
        let out_of_order = if self.carrier.is_tcp() {
            tcp_info::tcp_info(&self.socket).map_or(0, |info| info.tcpi_rcv_ooopack)
        } else {
            0
        };
        Arrived { waiting, memory, out_of_order }
    }

    fn granted(&self) -> Granted {
        match self.carrier {
            Carrier::Tcp { ipv6 } => options::granted(&self.socket, ipv6),
            #[cfg(on_linux)]
            Carrier::Multipath { ipv6 } => {
                let multipath = Some(mptcp::is_multipath(self.socket.as_fd()).into());
                Granted { multipath, ..options::granted(&self.socket, ipv6) }
            }
            #[cfg(on_linux)]
            Carrier::Vsock => vsock::granted(&self.socket),
            Carrier::Unix => options::buffers(&self.socket),
        }
    }

    fn connection(&self) -> Fact<Connection> {
        if self.carrier.is_tcp() {
            options::connection(&self.socket)
        } else {
            Fact::unknown("TCP does not carry it")
        }
    }

    fn handle(&self) -> io::Result<Box<dyn ChannelHandle>> {
        Ok(Box::new(SocketHandle { socket: self.socket.try_clone()?, tcp: self.carrier.is_tcp() }))
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.engine.shows_on_socket().then(|| self.socket.as_fd())
    }

    fn hold(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), LinkError> {
        let held = self.engine.hold(out, into);
        let operation = match held {
            Err(Errno::NOMEM) => "lock the messages' memory for io_uring (ulimit -l says how much may be)",
            _ => "lend the messages' memory to the kernel",
        };
        held.map_err(|errno| self.failed(operation, errno))
    }

    fn release(&mut self, wait: Wait) -> Result<(), LinkError> {
        let released = self.engine.release(self.socket.as_fd(), wait);
        released.map_err(|errno| self.failed("take the messages' memory back", errno))
    }

    fn io_report(&self) -> Option<IoReport> {
        self.engine.report()
    }

    fn receive_bulk(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError> {
        let handling = if into.touches() { Handling::Touch } else { Handling::Leave };
        loop {
            match self.engine.take(self.socket.as_fd(), into.buffer(), Wait::Patiently, handling) {
                Ok(Arrival::Delivered(0)) => return Ok(()),
                Ok(Arrival::Delivered(bytes)) => into.received(bytes),
                Ok(Arrival::Elsewhere(bytes)) => {
                    into.received_elsewhere(1, bytes);
                }
                Err(errno) => return Err(self.failed("receive", errno)),
            }
        }
    }
}

/// A socket as another thread sees it.
#[derive(Debug)]
pub(super) struct SocketHandle {
    pub(super) socket: Socket,
    /// Whether TCP carries it.
    pub(super) tcp: bool,
}

impl ChannelHandle for SocketHandle {
    fn cut(&self) {
        // It may be closed already.
        self.socket.shutdown(Shutdown::Both).unwrap_or(());
    }

    fn abort(&self) {
        // TCP would go on to send what is in its buffer, for minutes on a slow path.
        if !self.tcp || rustix::net::connect_unspec(&self.socket).is_err() {
            self.cut();
        }
    }

    fn tcp(&self) -> Option<TcpSample> {
        self.tcp.then(|| options::sample(&self.socket).ok()).flatten()
    }

    fn heard_ago(&self) -> Option<Span> {
        self.tcp.then(|| options::heard_ago(&self.socket).ok()).flatten()
    }
}

/// Puts a socket, of which no channel was made yet, in the setup's group.
pub(super) fn register(setup: &Setup, socket: &impl AsFd) -> Result<Registration, TransportError> {
    let socket = SockRef::from(socket).try_clone();
    let socket = socket.map_err(TransportError::system("hold the socket to break it off"))?;
    Ok(setup.cancel.register(Box::new(SocketHandle { socket, tcp: false })))
}
